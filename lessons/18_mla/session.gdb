stop all
run
stop expanded
condition 1 R == 2 && kept.size() == 4 && h == 0 && s == 1
continue
print q
print k
print kept[1].c_kv
next
print scores[1]
stop absorbed
condition 2 R == 2 && kept.size() == 4 && h == 0 && scores.size() == 1
continue
print q_latent
print key.c_kv
next
print scores[1]
