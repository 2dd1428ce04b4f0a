stop all
run
print sum[0]
print sum[3]
stop vectors
continue
print sum[0]
stop share
condition 3 shares == 3 && s == 2
continue
print tiles
print first
info threads
condition 3 shares == 8 && s == 7
continue
print tiles
