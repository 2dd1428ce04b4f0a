stop all
run
print h
print q
print q_h
continue
print hs
print q_h
stop concatenated
continue
continue 3
print pos_id
attention heads[0].attn_weights
attention heads[1].attn_weights
print heads[1].head_out
print x_attn[4]
stop mixed
continue
graph x[0] 1
delete
break microgpt::sgd_update
continue
attention 0 9
attention 3 9
why layer0.attn_wo[0][4]
