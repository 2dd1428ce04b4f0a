// Hint 1: A score is q . (W_UK c), which is (W_UK^T q) . c. The bracket on the right is the same for all positions:
// compute it once, before the loop. W_UK^T q is the sum of q[i] * row i of W_UK: that is what add() is for.
//
// Hint 2: The answer is the sum of weight * (W_UV c), which is W_UV (sum of weight * c). So mix the c, (L), in the
// loop, and multiply by W_UV once, behind it. The root stays that of D + R, although the dot product now has L + R
// numbers. In folded(), row l is the sum over i of uk[i][l] * wq[i].

Row attend(const Head& head, const Row& q, const Row& r, const Rows& c, const Rows& k_rope) {
  const std::size_t D = q.size(), R = r.size(), L = c[0].size();
  Row q_latent(L), weights, mixed(L), out;
  for (std::size_t i = 0; i < D; i++) add(q_latent, q[i], head.uk[i]);
  for (std::size_t s = 0; s < c.size(); s++) {
    weights.push_back((dot(q_latent, c[s]) + dot(r, k_rope[s])) / std::sqrt(D + R));
  }
  weights = softmax(weights);
  for (std::size_t s = 0; s < c.size(); s++) add(mixed, weights[s], c[s]);
  for (const Row& row : head.uv) out.push_back(dot(row, mixed));
  return out;
}

Rows folded(const Rows& wq, const Rows& uk) {
  Rows w(uk[0].size(), Row(wq[0].size()));
  for (std::size_t l = 0; l < w.size(); l++) {
    for (std::size_t i = 0; i < wq.size(); i++) add(w[l], uk[i][l], wq[i]);
  }
  return w;
}
