stop all
run
print batch.starts_
print x.rows
print x.cols
print logits.cols
print losses[0]
print batch.targets_[0]
next
print *dlogits.row(0)@27
break lesson09::softmax_backward
ignore 4 8
continue
next
print n
print *y@n
print *dy@n
finish
print dscores
delete
stop weights
continue
print dx_norm1.rows
print *dx_mid.row(0)@4
print *dx_out.row(0)@4
stop done
continue
print *wo.grad@4
print batch.tokens_
