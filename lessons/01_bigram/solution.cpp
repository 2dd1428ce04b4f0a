// Hint 1: Imagine the examples that the model believes in before it has seen any. Of `strength` imaginary examples, how
// many are token 0? Add them to those that were really seen.
//
// Hint 2: Token c was seen counts[c] times, and imagined strength * prior[c] times. Divide the sum by the number of all
// examples, seen and imagined. One more for each of V tokens is an even prior with a strength of V.

Row probabilities(const Row& counts, const Row& prior, double strength) {
  Row p;
  double total = strength;
  for (const double seen : counts) total += seen;
  for (std::size_t c = 0; c < counts.size(); c++) p.push_back((counts[c] + strength * prior[c]) / total);
  return p;
}
