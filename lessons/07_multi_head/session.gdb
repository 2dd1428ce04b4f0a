stop all
run
print n_head
stop concatenated
continue
continue 3
print pos_id
print q
print heads[0].q_h
print heads[1].q_h
print heads[0].attn_logits
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
