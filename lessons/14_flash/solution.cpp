// Hint 1: Each query of the tile needs what it found by itself: a std::vector<Found>, one for each. Read the queries of
// the tile once, then walk along the keys once, and let every query of the tile take every key of the tile that it may
// see.
//
// Hint 2: Three loops where one was: over the tiles of queries (t += num_queries), over the tiles of keys, and over the
// queries i of the tile. Query i is at position t + i, so it takes key s + j if s + j <= t + i. The last tile may be
// shorter: ask queries.rows. The last query of the tile sees most: keys are needed while s < t + queries.rows.

Array flash(const Slow& q, const Slow& k, const Slow& v, std::size_t num_queries, std::size_t num_keys) {
  const std::size_t T = q.numbers.rows, D = q.numbers.cols;
  Array out(T, D);
  for (std::size_t t = 0; t < T; t += num_queries) {
    const Array queries = q.read(t, num_queries);
    std::vector<Found> found(queries.rows, {.mixed = std::vector<double>(D)});
    for (std::size_t s = 0; s < t + queries.rows; s += num_keys) {
      const Array keys = k.read(s, num_keys), values = v.read(s, num_keys);
      for (std::size_t i = 0; i < queries.rows; i++) {
        for (std::size_t j = 0; j < keys.rows && s + j <= t + i; j++) {
          found[i].take(std::inner_product(keys[j], keys[j] + D, queries[i], 0.0) / std::sqrt(D), values[j]);
        }
      }
    }
    for (std::size_t i = 0; i < queries.rows; i++) {
      for (std::size_t j = 0; j < D; j++) out[t + i][j] = found[i].mixed[j] / found[i].total;
    }
  }
  return out;
}
