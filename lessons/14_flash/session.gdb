stop all
run
stop rescale
condition 1 first > 0 && shrink < 1
continue
print t
print first
print shrink
print softmax.most
print softmax.total
stop dscore
condition 3 t == 1
continue
print delta
print weight
next
print dscore
continue
print weight
next
print dscore
