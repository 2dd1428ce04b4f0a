stop all
run
print lesson04::tape.nodes.used
print *loss.node
print loss.node == &lesson04::tape.nodes[6103]
step
step
next
print order.size()
print *order[0]
print lesson04::tape.depth
continue
print lesson04::tape.nodes.used
print kept
stop loss
continue
continue 3
print step
print kept
stop chain
continue
print x
print end
next
print x
print lesson04::tape.depth
print lesson04::tape.nodes.used
print lesson04::tape.nodes.chunks.size()
