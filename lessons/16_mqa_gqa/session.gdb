stop all
run
stop score
condition 1 G == 2 && h == 1 && t == 3 && s == 2
continue
print g
print a.q[3]
print a.k[2]
next
print scores[2]
stop shared
condition 2 G == 2 && t == 6 && s == 0
continue
next
print a.dk[0]
continue
print h
next
print a.dk[0]
continue
print h
next
print a.dk[0]
