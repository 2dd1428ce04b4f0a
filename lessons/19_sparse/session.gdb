stop all
run
stop sees
condition 3 t == 5 && u == 3 && keys[5].size() == 3
continue
print keys[5]
print layers[3]
condition 3 t == 6 && u == 4 && keys[6].size() == 3
continue
print layers[5]
stop score
condition 1 t == 50 && a.visited[50].size() == 3
continue
print a.visited[50]
stop dk
condition 2 t == 50 && weights.size() == 3
continue
print s
print weights
stop score
condition 1 t == 50 && a.visited[50].size() == 100
continue
print s
