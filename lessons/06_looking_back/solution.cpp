// Hint 1: Start from by_what_is_before() of main.cpp, which has one list of scores. Here each sign that can ask has a
// list of its own: scores.pairs[seen.back()]. The letter at i has seen[i - 1] before it.
//
// Hint 2: The newest of n is at i = n - 1, and its distance is 0. Add the score by distance to that of the pair (for
// i = 0 there is no pair), and put all sums into one softmax(). Adding scores multiplies weights.

Values weigh(const Scores& scores, std::span<const Token> seen) {
  const std::size_t n = seen.size();
  const List& row = scores.pairs[seen.back()];
  return softmax(Values(n, [&](std::size_t i) {
    const Value by_distance = scores.distance[n - 1 - i];
    return i == 0 ? by_distance : row[seen[i - 1]] + by_distance;
  }));
}
