/// The rows, keys or values, of the last `window` tokens: that of token n in slot n % window.
struct Ring {
  explicit Ring(std::size_t width) : window(width) {}

  void keep(const Row& row) {
    if (rows.size() < window) {
      rows.push_back(row);
    } else {
      rows[kept % window] = row;
    }
    kept++;
  }

  std::vector<Row> seen() const {
    std::vector<Row> oldest_first;
    for (std::size_t t = kept - rows.size(); t < kept; t++) oldest_first.push_back(rows[t % window]);
    return oldest_first;
  }

  std::size_t size() const { return rows.size(); }

  std::size_t window;
  std::size_t kept = 0;  // tokens so far
  std::vector<Row> rows;
};
