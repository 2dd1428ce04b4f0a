/// The rows, keys or values, of the last `window` tokens: that of token n in slot n % window.
class Ring {
 public:
  explicit Ring(std::size_t window) : window_(window) {}

  void keep(const Row& row) {
    if (rows_.size() < window_) {
      rows_.push_back(row);
    } else {
      rows_[kept_ % window_] = row;
    }
    kept_++;
  }

  std::vector<Row> seen() const {
    std::vector<Row> oldest_first = rows_;
    if (rows_.size() == window_) {
      std::ranges::rotate(oldest_first, oldest_first.begin() + static_cast<std::ptrdiff_t>(kept_ % window_));
    }
    return oldest_first;
  }

  std::size_t size() const { return rows_.size(); }

 private:
  std::size_t window_;
  std::size_t kept_ = 0;  // tokens so far
  std::vector<Row> rows_;
};
