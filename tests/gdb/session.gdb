# Stops, and stepping: into src/, not into the standard library.
stops
stops all
run
backtrace
step
finish
print x
print y
next
print y
print *y.node->edges[0].child

# Values, the graph and its gradients.
continue
step
print list
continue
print a.node
graph c
why a
node c
node list[0]
why #1
why list[1]
next
why a

# In the loop over the heads of gpt().
continue
stops scores heads
continue
print q_h
print k_h
print k_h[2]
print k_h[2][0]
print v_h
print attn_logits
print keys
print keys[li]
print layer.attn_wq
node q_h[1]
continue
print attn_logits
print attn_weights
print head_out
attention attn_weights
attention 0 2
why attn_logits[0]
graph attn_weights[0]
continue
print h
stops all

# After backward().
continue
print attn_weights
print model.wte
print model.wte[1][2]
graph loss 3
attention 0 3
attention 3 2
tape 3
why model.wte[0][1]
why model.layers[1].attn_wq[1][2]
next
why loss

# What cannot be shown.
graph list
node #99999
why
stops nowhere
attention 4 2
attention 0 4
attention c

# What is gone is not shown as if it were there.
continue
print loss
why model.wte[0][1]
