stop all
run
stop next
continue
continue
print reader.position
print reader.caches[0].keys.size()
print reader.caches[0].keys[0][0]
continue
print reader.caches[0].keys.size()
print reader.caches[0].keys[0][0]
stop kept
continue
print tokens.size()
print first
print caches[0].keys.size()
