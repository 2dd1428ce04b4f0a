// A list of Values, written like a Python list comprehension:
//
//   Values x(n, [&](std::size_t i) { return a[i] + b[i]; });  // [a[i] + b[i] for i in range(n)]
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "microgpt.h"

namespace microgpt {

struct Values : List {
  using List::List;
  Values(List list) : List(std::move(list)) {}
  explicit Values(Slice values) : List(values.begin(), values.end()) {}

  template <class Make>
  Values(std::size_t n, Make make) {
    reserve(n);
    for (std::size_t i = 0; i < n; i++) push_back(make(i));
  }

  /// Python's x[start : start + n]: the same nodes, not copies.
  Values slice(std::size_t start, std::size_t n) const { return Values(Slice(List::data() + start, n)); }

  /// The numbers without the graph.
  std::vector<double> data() const {
    std::vector<double> result;
    for (const Value x : *this) result.push_back(x.data());
    return result;
  }
};

/// Of whole lists. (Not every standard library makes a span of Values, whose data() are numbers.)
inline Value dot(const List& a, const List& b) { return dot(Slice(a), Slice(b)); }

}  // namespace microgpt
