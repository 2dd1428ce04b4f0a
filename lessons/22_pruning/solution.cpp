// Hint 1: What a head costs depends on who went before it, not on their order. So go through all sets of heads that are
// out. A head that is still in would cost losses[set with it] - losses[set]. How often does just that happen?
//
// Hint 2: If k heads are out, they went in k! orders, and the others go after this one in (n - 1 - k)!, of n! orders in
// all. So the share of a set of k is k! (n - 1 - k)! / n!: 1 / n for k = 0, and k / (n - k) times the one before.

std::vector<double> worth(const Losses& losses) {
  const auto n = static_cast<std::size_t>(std::bit_width(losses.size()) - 1);
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
