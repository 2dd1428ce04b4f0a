stop all
run
print n
print query
print past.keys[0]
print scores
stop mixture
continue
attention weights
continue
print n
attention weights
print weights[0].data() * past.values[0][0].data() + weights[1].data() * past.values[1][0].data()
print mixture[0]
graph mixture[0] 1
stop residual
continue
print pos_id
graph x[0] 1
delete
break microgpt::sgd_update
continue
attention 0 9
why layer0.attn_wk[0][0]
why #168
