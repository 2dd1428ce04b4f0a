stop all
run
print e
print *e.L.node
step
next
print order
continue
print e
print e.u.node
print e.v.node->children
continue
graph src.L 3
why src.u
why src.a
stop loss
continue
print loss
print *loss.node
