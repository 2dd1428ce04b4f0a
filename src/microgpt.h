// microgpt.cpp as a library: all of it but main(), and what only lessons and tests use besides.
#pragma once

#define MICROGPT_LIBRARY
#include "microgpt.cpp"

namespace microgpt {

inline Value operator+(double a, Value b) { return b + a; }
inline Value operator*(double a, Value b) { return b * a; }
inline Value operator-(Value a, Value b) { return a + -b; }
inline Value operator-(double a, Value b) { return -b + a; }
inline Value operator/(double a, Value b) { return pow(b, -1.0) * a; }

/// A list of Values, written like a Python list comprehension:
///
///   Values x(n, [&](std::size_t i) { return a[i] + b[i]; });  // [a[i] + b[i] for i in range(n)]
struct Values : List {
  using List::List;
  Values(List list) : List(std::move(list)) {}
  explicit Values(Slice values) : List(values.begin(), values.end()) {}
  Values(std::size_t n, auto make) {
    for (std::size_t i = 0; i < n; i++) push_back(make(i));
  }

  /// Python's x[start : start + n]: the same nodes, not copies.
  Values slice(std::size_t start, std::size_t n) const { return Values(Slice(List::data() + start, n)); }

  /// Not every standard library finds this by itself, as data() are numbers.
  operator Slice() const { return Slice(List::data(), size()); }

  /// The numbers without the graph.
  std::vector<double> data() const {
    std::vector<double> result;
    for (const Value x : *this) result.push_back(x.data());
    return result;
  }
};

/// Of whole lists. (A debugger, too, finds this one, but makes no Slice by itself.)
inline Value dot(const List& a, const List& b) { return dot(Slice(a), Slice(b)); }

/// The sum divided by the number of elements, as (1 / n) * sum.
inline Value mean(const List& x) { return (1.0 / static_cast<double>(x.size())) * sum(x); }

/// Replaces negative elements by 0.
inline Values relu(const List& x) {
  return Values(x.size(), [&](std::size_t i) { return relu(x[i]); });
}

/// The same numbers as leaves: no gradient flows back through them.
inline Values detach(const List& x) {
  return Values(x.size(), [&](std::size_t i) { return Value(x[i].data()); });
}

/// -log of the probability that softmax gives the target, in nats: 0 if the model was certain and right. Infinite if
/// that probability is too small for a double, as in microgpt.py, where the logarithm of 0 then ends the program.
inline Value cross_entropy(const List& logits, std::size_t target) { return -log(softmax(logits)[target]); }

/// How many nodes there are.
inline std::size_t nodes_on_tape() {
  std::size_t n = 0;
  tape.for_each([&](const Node&) { n++; });
  return n;
}

}  // namespace microgpt
