stop all
run
print tokens
continue
print p[17]
stop count
continue
print i
print counts[26][17]
next
print counts[26][17]
stop predict
continue
print step
print tokens
stop surprise
continue
print p[17]
print p[0]
stop draw
continue
print counts[token]
next
print token
