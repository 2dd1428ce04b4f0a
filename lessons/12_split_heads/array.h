// Arrays of any number of dimensions, as NumPy and PyTorch have them: reshape, transpose, broadcast,
// chunk; and a linear layer.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace microgpt {

using Shape = std::vector<std::size_t>;

/// "(2,5,64)"
inline std::string text(const Shape& shape) {
  std::string list = "(";
  for (const std::size_t n : shape) list += std::to_string(n) + ",";
  list.back() = ')';
  return list;
}

/// Row-major: the last index runs fastest.
struct NdArray {
  Shape shape;
  std::vector<double> numbers;

  double at(const Shape& index) const {
    std::size_t place = 0;
    for (std::size_t d = 0; d < shape.size(); d++) place = place * shape[d] + index[d];
    return numbers[place];
  }
};

/// Calls visit(index) for every index of a shape, the last one fastest.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  Shape index(shape.size());
  for (std::size_t i = 0; i < size; i++) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

/// Numbers that look random, the same on every machine: something to try a function on.
inline NdArray waves(const Shape& shape, double start) {
  NdArray x{shape, {}};
  for_each_index(shape, [&](const Shape&) { x.numbers.push_back(std::sin(start += 1.7)); });
  return x;
}

/// The same numbers in the same order, only cut in another way. The shape must have as many numbers.
inline NdArray reshape(NdArray x, const Shape& shape) {
  x.shape = shape;
  return x;
}

/// Two dimensions exchanged. Here the numbers move.
inline NdArray transpose(const NdArray& x, std::size_t a, std::size_t b) {
  NdArray y{x.shape, {}};
  std::swap(y.shape[a], y.shape[b]);
  for_each_index(y.shape, [&](Shape index) {
    std::swap(index[a], index[b]);
    y.numbers.push_back(x.at(index));
  });
  return y;
}

/// x as if it had this shape. The two are aligned at the right; where x has no dimension, or one of length 1, it is
/// repeated. Throws std::invalid_argument if another length does not fit.
inline NdArray broadcast(const NdArray& x, const Shape& shape) {
  const std::size_t missing = shape.size() - x.shape.size();
  for (std::size_t d = 0; d < x.shape.size(); d++) {
    if (x.shape[d] != 1 && x.shape[d] != shape[missing + d]) {
      throw std::invalid_argument(text(x.shape) + " does not fit " + text(shape));
    }
  }
  NdArray y{shape, {}};
  for_each_index(shape, [&](Shape index) {
    index.erase(index.begin(), index.end() - std::ssize(x.shape));
    for (std::size_t d = 0; d < index.size(); d++) index[d] %= x.shape[d];  // 0 where the length is 1
    y.numbers.push_back(x.at(index));
  });
  return y;
}

/// The last dimension cut into n equal parts: part i of (B,T,3C) is (B,T,C).
inline NdArray chunk(const NdArray& x, std::size_t n, std::size_t i) {
  NdArray y{x.shape, {}};
  const std::size_t width = y.shape.back() /= n;
  for_each_index(y.shape, [&](Shape index) {
    index.back() += i * width;
    y.numbers.push_back(x.at(index));
  });
  return y;
}

/// y = x w^T for every position: x (B,T,n_in), w (n_out,n_in), y (B,T,n_out). Each number is one sum, left to right.
inline NdArray linear(const NdArray& x, const NdArray& w) {
  NdArray y{{x.shape[0], x.shape[1], w.shape[0]}, {}};
  for_each_index(y.shape, [&](const Shape& index) {
    double sum = 0;
    for (std::size_t j = 0; j < w.shape[1]; j++) sum += w.at({index[2], j}) * x.at({index[0], index[1], j});
    y.numbers.push_back(sum);
  });
  return y;
}

}  // namespace microgpt
