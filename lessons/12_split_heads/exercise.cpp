// Exercise 12: split heads, and move nothing. PyTorch's transpose() copies no number. A tensor there is a place in
// memory, a shape, and for each dimension a stride: how far apart in memory two numbers are that are neighbours in that
// dimension. Reshape and transpose change the shape and the strides, and the numbers stay where they are. Until one day
// PyTorch says "view size is not compatible with input tensor's size and stride". The last test shows when, and why.
//
//   make exercise-12    fails until the three functions are right, and hints at what is missing
//   make solution-12    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <optional>

#include "array.h"
#include "heads.h"

using namespace microgpt;

/// A way to read numbers that stand somewhere else. {2,3} with the strides {3,1} is a matrix in row-major order.
struct Strided {
  const double* data;
  Shape shape;
  Shape strides;

  double at(const Shape& index) const {
    const double* place = data;
    for (std::size_t d = 0; d < index.size(); d++) place += index[d] * strides[d];
    return *place;
  }
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Dimensions a and b exchanged.
Strided transposed(Strided x, [[maybe_unused]] std::size_t a, [[maybe_unused]] std::size_t b) {
  // TODO: no number moves. What has to change so that at({i, j}) reads what at({j, i}) read before?
  return x;
}

/// Dimension d, of length n * m, cut into two: n pieces of m.
Strided cut(Strided x, [[maybe_unused]] std::size_t d, [[maybe_unused]] std::size_t n) {
  // TODO: shape and strides get one entry more. Two neighbours in a piece are as far apart as they were. Two pieces?
  return x;
}

/// Dimensions d and d + 1 made one, the second running faster; nothing if no single stride can reach all its numbers.
std::optional<Strided> joined([[maybe_unused]] const Strided& x, [[maybe_unused]] std::size_t d) {
  // TODO: the opposite of cut(). It works only if the last number of a piece is followed by the first of the next.
  return std::nullopt;
}
#endif

namespace {

constexpr std::size_t B = 2, T = 3, H = 2, D = 4;

/// 0, 1, 2, ... with the shape (B,T,C).
Array counted() {
  Array x{{B, T, H * D}, {}};
  for (std::size_t i = 0; i < B * T * H * D; i++) x.numbers.push_back(static_cast<double>(i));
  return x;
}

/// An array as it stands, the last index fastest.
Strided row_major(const Array& x) {
  Shape strides(x.shape.size(), 1);
  for (std::size_t d = strides.size() - 1; d > 0; d--) strides[d - 1] = strides[d] * x.shape[d];
  return {x.numbers.data(), x.shape, strides};
}

}  // namespace

TEST_CASE("a transposed matrix reads the same memory in another order") {
  const Array x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  const Strided y = transposed(row_major(x), 0, 1);
  INFO("hint: exchange two entries of the shape, and the same two of the strides");
  REQUIRE(y.shape == Shape{3, 2});
  CHECK(y.data == x.numbers.data());
  CHECK(y.at({2, 0}) == 3);
  CHECK(y.at({0, 1}) == 4);
}

TEST_CASE("a dimension is cut into pieces") {
  const Array x{{2, 6}, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}};
  const Strided y = cut(row_major(x), 1, 3);  // each row of 6 in 3 pieces of 2
  INFO("the shape is " << text(y.shape) << "; hint: 3 pieces of 2 stand where 6 stood");
  REQUIRE(y.shape == Shape{2, 3, 2});
  INFO("hint: two pieces are as many strides apart as a piece is long");
  REQUIRE(y.strides.size() == 3);
  CHECK(y.at({1, 2, 0}) == 14);
  const Strided columns = cut(transposed(row_major(x), 0, 1), 0, 3);  // its dimension 0 has stride 1, of length 6
  REQUIRE(columns.shape == Shape{3, 2, 2});
  INFO("hint: do not take the length of a row for the stride; x.strides[d] knows it");
  CHECK(columns.at({2, 0, 1}) == 14);
}

TEST_CASE("heads are split without moving a number") {
  const Array x = counted();
  const Array moved = split_heads(x, H);
  const Strided y = transposed(cut(row_major(x), 2, H), 1, 2);
  INFO("hint: the cases above must pass first");
  REQUIRE(y.shape == moved.shape);
  for_each_index(y.shape, [&](const Shape& index) { REQUIRE(y.at(index) == moved.at(index)); });
}

TEST_CASE("joined undoes cut") {
  const Array x = counted();
  const std::optional<Strided> y = joined(cut(row_major(x), 2, H), 2);
  INFO("hint: the joined dimension has the stride of the second; that of the first must be its length times that");
  REQUIRE(y.has_value());
  CHECK(y->shape == x.shape);
  CHECK(y->at({1, 2, 5}) == x.at({1, 2, 5}));
}

TEST_CASE("merging heads is free before attention, and needs a copy after it") {
  const Array x = counted();
  const Strided split = transposed(cut(row_major(x), 2, H), 1, 2);
  INFO("hint: back in the order (B,T,H,D), the pieces of a position stand one after the other, as they always did");
  REQUIRE(joined(transposed(split, 1, 2), 2).has_value());
  const Array out = split_heads(x, H);  // attention writes its output anew, (B,H,T,D), head after head
  INFO("hint: in the new memory, where is the end of a position's piece in head 0, and where does head 1's begin?");
  const bool possible = joined(transposed(row_major(out), 1, 2), 2).has_value();
  CHECK_FALSE(possible);
  if (!possible) MESSAGE("split: 0 of 48 numbers move. Merge after attention: no strides will do, all 48 are copied.");
}
