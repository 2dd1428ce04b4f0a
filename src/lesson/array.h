// A matrix as it stands on paper: x[n][c] is the number in row n and column c. And one head of attention on its rows.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "draw/svg.h"
#include "lesson/softmax.h"
#include "tensor/tensor.h"

namespace microgpt {

/// Shape (rows, cols), row after row in one block of memory: x[n][c] is data[n * cols + c].
struct Array {
  Array(std::size_t rows_, std::size_t cols_) : rows(rows_), cols(cols_), data(rows_ * cols_) {}

  /// A copy of a matrix of src/tensor, without the padding between its rows.
  Array(const Tensor<double>& x) : Array(x.view().rows, x.view().cols) {
    copy(View<double>{data.data(), rows, cols, cols}, x.view());
  }

  double* operator[](std::size_t n) { return data.data() + n * cols; }
  const double* operator[](std::size_t n) const { return data.data() + n * cols; }

  std::size_t rows, cols;
  std::vector<double> data;
};

inline Array row_of(const std::vector<double>& numbers) {
  Array row(1, numbers.size());
  row.data = numbers;
  return row;
}

/// Numbers that look random, the same on every machine: something to try a function on.
inline Array waves(std::size_t rows, std::size_t cols, double start) {
  Array x(rows, cols);
  for (double& number : x.data) number = std::sin(start += 1.7);
  return x;
}

/// a + b, number by number. Both have the same shape.
inline Array add(Array a, const Array& b) {
  for (std::size_t i = 0; i < a.data.size(); i++) a.data[i] += b.data[i];
  return a;
}

/// Draws its numbers in a grid, under its name. `corner` is the upper left one; each cell is 44 by 34 pixels.
/// fill(row, column) is the colour behind a number.
template <class Fill>
void draw_numbers(Svg& svg, std::pair<double, double> corner, const std::string& name, const Array& x, int decimals,
                  Fill fill) {
  constexpr double width = 44;
  const auto [left, top] = corner;
  svg.text(left, top - 8, name, "start", 13);
  for (std::size_t r = 0; r < x.rows; r++) {
    for (std::size_t c = 0; c < x.cols; c++) {
      const double at = left + width * static_cast<double>(c), down = top + 34 * static_cast<double>(r);
      svg.rect(at, down, width - 2, 32, fill(r, c));
      svg.text(at + width / 2 - 1, down + 21, fmt::format("{:.{}f}", x[r][c], decimals), "middle", 14);
    }
  }
}

/// Row t looks at the rows `first` to t, in the columns hs to hs + D - 1 of its head.
struct Look {
  std::size_t first, t, hs, D;
};

/// softmax(q k^T / sqrt(D)): a weight for each row from `first` to t.
inline std::vector<double> weights_of(const Array& q, const Array& k, const Look& at) {
  std::vector<double> scores;
  for (std::size_t s = at.first; s <= at.t; s++) {
    double score = 0;
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) score += q[at.t][j] * k[s][j];
    scores.push_back(score / std::sqrt(at.D));
  }
  return softmax(scores);
}

}  // namespace microgpt
