stop all
run
print grad
print m_hat
print v_hat
next
print parameters.data_[0]
stop update
continue
print loss
why wte[26][0]
print parameters.data_[26 * 16]
stop move
condition 1 i == 26 * 16
continue
print grad
print m_hat
print v_hat
print lr * m_hat / microgpt::libm_pow(v_hat, 0.5)
next
print parameters.data_[26 * 16]
stop draw
continue
print tokens
print logits
next
print token_id
stop temperature
continue
finish
