Attended attend_all(const Positions& p) {
  const std::size_t n = p.keys.size();
  Attended all;
  for (std::size_t now = 0; now < n; now++) {
    const Values query = p.queries[now];
    const double root = std::sqrt(static_cast<double>(query.size()));
    const Values scores(n, [&](std::size_t t) {
      return t > now ? Value(-INFINITY) : dot(query, p.keys[t]) / root;  // exp makes that 0
    });
    const Values weights = softmax(scores);
    all.weights.push_back(weights);
    all.mixtures.emplace_back(query.size(), [&](std::size_t j) {
      Value total = 0.0;
      for (std::size_t t = 0; t <= now; t++) total = total + weights[t] * p.values[t][j];
      return total;
    });
  }
  return all;
}
