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
print *y.node->child[0]

# Values, the graph and its gradients.
continue
step
print list
continue
print list
print logits
print a.node
print microgpt::tape
graph c
why a
node c
child 1
parents list[0]
parent 0
why
why logits[1]
graph c > build/debug/tests/gdb/drawn/graph.svg
next
why a
why #2

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
print keys[li]
print keys
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

# A GPT, and a list that is not made yet.
continue
print attn_weights
print parameters
print model.wte
print parameters.matrices_[0]
help microgpt
graph loss 3
graph loss 9 > build/debug/tests/gdb/drawn/heaviest.svg
attention > build/debug/tests/gdb/drawn/heads.svg
attention 1 > build/debug/tests/gdb/drawn/head.svg
tape 3
why wte[0][1]
why model.layers[1].attn_wq[1][2]
why parameters["layer0.mlp_fc2"][3][0]
attention attn_weights
attention 0 3
attention 3 2
next
why loss

# What cannot be drawn.
graph list > build/debug/list.svg
graph c two
graph c -1 > build/debug/list.svg
graph c > tests
graph c >
attention 9 > build/debug/list.svg
attention 0 3 > build/debug/list.svg

# What is gone is not shown as if it were there.
continue
print loss
print gone
print in_place_of_gone
why wte[0][1]
