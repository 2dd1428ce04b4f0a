stop all
run
print split.shape
print split.numbers
print cut.numbers
stop pytorch
continue
print name
break lesson10::grad_of
continue
up
print x.shape
print attn.shape
print attn.numbers[1]
why attn.numbers[1]
print out.shape
