stop all
run
print scores
print loss
print nudged
next
print slope
stop layer
continue
print x
print dy
print w.data[2]
next
print dx
stop logits
continue
print f.probs[17]
print dlogits[17]
next
print dlogits[17]
print dlogits[0]
stop embedding
continue
continue 7
print i
print tokens
print dx[0]
print parameters.grad_[8 * 16]
next
print parameters.grad_[8 * 16]
stop update
continue
print step
print parameters.data_[26 * 16]
print parameters.grad_[26 * 16]
next
print parameters.data_[26 * 16]
print parameters.grad_[26 * 16]
