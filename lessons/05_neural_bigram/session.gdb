stop all
run
print name
continue
print loss
tape 3
graph loss 3
continue
print loss
why mlp_fc2[17][0]
why wte[26][0]
print lr
print parameters.data_[26 * 16]
stop forward
continue
print step
print parameters.data_[26 * 16]
stop sample
continue
print name
