// Arrays of any number of dimensions, as NumPy and PyTorch have them: reshape, transpose, broadcast. An Array of Values
// is a tensor on the tape, and has gradients.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scalar/ops.h"

namespace lesson10 {

using Shape = std::vector<std::size_t>;

/// "(2,5,64)"
inline std::string shown(const Shape& shape) {
  std::string text;
  for (const std::size_t n : shape) {
    text += text.empty() ? "(" : ",";
    text += std::to_string(n);
  }
  return text + ")";
}

inline std::size_t size_of(const Shape& shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  return size;
}

/// Row-major: the last index runs fastest. An element of V may be a number or a Value.
template <class V>
struct Array {
  Shape shape;
  std::vector<V> numbers;

  /// Where the element of these indices stands among the numbers.
  std::size_t place(const Shape& index) const {
    std::size_t at = 0;
    for (std::size_t d = 0; d < shape.size(); d++) at = at * shape[d] + index[d];
    return at;
  }
};

/// Calls visit(index) for every index of a shape, in row-major order.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  Shape index(shape.size());
  for (std::size_t i = 0; i < size_of(shape); i++) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

/// The same numbers in the same order, only cut in another way.
template <class V>
Array<V> reshape(Array<V> x, const Shape& shape) {
  if (size_of(shape) != x.numbers.size()) throw std::invalid_argument(shown(x.shape) + " is not " + shown(shape));
  x.shape = shape;
  return x;
}

/// Two dimensions exchanged. Here the numbers move.
template <class V>
Array<V> transpose(const Array<V>& x, std::size_t a, std::size_t b) {
  Array<V> y{x.shape, {}};
  std::swap(y.shape[a], y.shape[b]);
  for_each_index(y.shape, [&](Shape index) {
    std::swap(index[a], index[b]);
    y.numbers.push_back(x.numbers[x.place(index)]);
  });
  return y;
}

/// x as if it had this shape. The two are aligned at the right; where x has no dimension, or one of length 1, it is
/// repeated. Throws std::invalid_argument if another length does not fit.
template <class V>
Array<V> broadcast(const Array<V>& x, const Shape& shape) {
  const std::size_t missing = shape.size() - x.shape.size();
  for (std::size_t d = 0; d < x.shape.size(); d++) {
    if (x.shape[d] != 1 && x.shape[d] != shape[missing + d]) {
      throw std::invalid_argument(shown(x.shape) + " does not fit " + shown(shape));
    }
  }
  Array<V> y{shape, {}};
  for_each_index(shape, [&](const Shape& index) {
    Shape from(index.begin() + static_cast<std::ptrdiff_t>(missing), index.end());
    for (std::size_t d = 0; d < from.size(); d++) from[d] = x.shape[d] == 1 ? 0 : from[d];
    y.numbers.push_back(x.numbers[x.place(from)]);
  });
  return y;
}

// --- Of Values -------------------------------------------------------------------------------------------------------

using microgpt::Value, microgpt::Values;

/// The i-th run along the last dimension.
inline Values row(const Array<Value>& x, std::size_t i) {
  const std::size_t n = x.shape.back();
  return Values(std::span(x.numbers).subspan(i * n, n));
}

/// A linear layer along the last dimension.
inline Array<Value> project(const Array<Value>& x, const microgpt::Parameter& w) {
  const microgpt::Matrix matrix(w);
  Array<Value> y{x.shape, {}};
  y.shape.back() = w.rows;
  for (std::size_t i = 0; i < x.numbers.size() / w.cols; i++) {
    for (const Value output : linear(row(x, i), matrix)) y.numbers.push_back(output);
  }
  return y;
}

/// Numbers as leaves.
inline Array<Value> leaves(const Shape& shape, const std::vector<double>& numbers) {
  return {shape, {numbers.begin(), numbers.end()}};
}

/// The numbers, or the gradients, of an array of Values.
inline std::vector<double> data_of(const Array<Value>& x) {
  std::vector<double> data;
  for (const Value value : x.numbers) data.push_back(value.data());
  return data;
}

inline std::vector<double> grad_of(const Array<Value>& x) {
  std::vector<double> grad;
  for (const Value value : x.numbers) grad.push_back(value.grad());
  return grad;
}

}  // namespace lesson10
