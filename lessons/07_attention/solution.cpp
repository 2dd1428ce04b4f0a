std::vector<Values> causal_weights(const std::vector<Values>& queries, const std::vector<Values>& keys) {
  std::vector<Values> rows;
  for (std::size_t now = 0; now < queries.size(); now++) {
    const double sqrt_head_dim = std::sqrt(static_cast<double>(queries[now].size()));
    const Values scores(keys.size(), [&](std::size_t t) {
      return t > now ? Value(-INFINITY) : dot(queries[now], keys[t]) / sqrt_head_dim;
    });
    rows.push_back(softmax(scores));
  }
  return rows;
}
