Values weigh(const Scores& scores, std::span<const Token> seen) {
  const std::size_t n = seen.size();
  const List& row = scores.pairs[seen.back()];
  return softmax(Values(n, [&](std::size_t i) {
    const Value by_distance = scores.distance[n - 1 - i];
    return i == 0 ? by_distance : row[seen[i - 1]] + by_distance;
  }));
}
