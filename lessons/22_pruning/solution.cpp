// The solved functions of exercise.cpp.

std::vector<double> worth(const Losses& losses) {
  const auto n = static_cast<std::size_t>(std::bit_width(losses.size()) - 1);
  // A set of k went before this head in k! orders, the others go after it in (n - 1 - k)!, and there are n! in all.
  std::vector<double> share(n, 1 / static_cast<double>(n));
  for (std::size_t k = 1; k < n; k++) share[k] = share[k - 1] * static_cast<double>(k) / static_cast<double>(n - k);
  std::vector<double> heads(n);
  for (std::size_t out = 0; out < losses.size(); out++) {
    for (std::size_t h = 0; h < n; h++) {
      const std::size_t then = out | std::size_t{1} << h;
      if (then != out) heads[h] += share[static_cast<std::size_t>(std::popcount(out))] * (losses[then] - losses[out]);
    }
  }
  return heads;
}

std::vector<std::size_t> put_in(const Losses& losses) {
  std::vector<std::size_t> order;
  for (std::size_t out = losses.size() - 1; out != 0;) {
    std::size_t best = 0;
    for (std::size_t h = 0; std::size_t{1} << h < losses.size(); h++) {
      const std::size_t bit = std::size_t{1} << h;
      const std::size_t so_far = std::size_t{1} << best;
      if ((out & bit) != 0 && ((out & so_far) == 0 || losses[out ^ bit] < losses[out ^ so_far])) best = h;
    }
    order.push_back(best);
    out ^= std::size_t{1} << best;
  }
  return order;
}
