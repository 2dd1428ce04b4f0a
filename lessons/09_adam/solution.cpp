// Hint 1: Start from the loop of Adam::update() in src/microgpt.cpp. Of its four lines for m, v, m_hat and v_hat, one
// stays, with beta2, and it comes after the move. The move has no size of its own: it is learning_rate, up or down.
//
// Hint 2: mix = beta1 * m[i] + (1 - beta1) * p.grad. std::copysign(learning_rate, mix) has the sign of mix; of 0, too,
// so look at that first. p.grad = 0 comes last.

void sign_update(const List& params, std::vector<double>& m, double learning_rate, double beta1, double beta2) {
  for (std::size_t i = 0; i < params.size(); i++) {
    Node& p = *params[i].node;
    const double mix = beta1 * m[i] + (1 - beta1) * p.grad;
    if (mix != 0) p.data -= std::copysign(learning_rate, mix);
    m[i] = beta2 * m[i] + (1 - beta2) * p.grad;
    p.grad = 0;
  }
}
