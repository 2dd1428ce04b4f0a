// Hint 1: D is not known, but it divides the rows of W_Q and the rows of W_K. Each D that does makes one answer.
//
// Hint 2: With D = the rows of W_K there is one head of keys, and that is the fewest. So count D down from there to 1.
// In heads_of(), ask loss_of() about each possible answer: all of them run, and one has the lowest loss.

std::vector<Heads> possible_heads(const Parameters& parameters) {
  const std::size_t queries = parameters["layer0.attn_wq"].rows, keys = parameters["layer0.attn_wk"].rows;
  std::vector<Heads> all;
  for (std::size_t D = keys; D > 0; D--) {
    if (queries % D == 0 && keys % D == 0) all.push_back({queries / D, keys / D});
  }
  return all;
}

Heads heads_of(const Parameters& parameters, const LossOf& loss_of) {
  const std::vector<Heads> all = possible_heads(parameters);
  return *std::min_element(all.begin(), all.end(), [&](Heads a, Heads b) { return loss_of(a) < loss_of(b); });
}
