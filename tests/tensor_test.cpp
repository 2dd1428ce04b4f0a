#include "tensor/tensor.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "fenced.h"
#include "tensor/weight.h"

namespace microgpt {
namespace {

TEST_CASE_TEMPLATE("every row begins a vector, and no two rows are a multiple of 512 bytes apart", T, float, double) {
  for (const std::size_t cols : {1, 3, 16, 17, 64, 100, 128, 512, 1000}) {
    const Tensor<T> x(3, cols);
    CHECK(x.view().rows == 3);
    CHECK(x.view().cols == cols);
    CHECK(x.view().stride >= cols);
    CHECK(x.view().stride * sizeof(T) % 512 != 0);
    CHECK(reinterpret_cast<std::uintptr_t>(x.view().data) % cache_line == 0);
    for (std::size_t i = 0; i < 3; i++) {
      CHECK(reinterpret_cast<std::uintptr_t>(x.view().row(i)) % vector_bytes == 0);
    }
  }
}

TEST_CASE("a new tensor is zero, and so is what stands between its rows") {
  const Tensor<float> x(3, 5);
  const View<const float> view = x.view();
  CHECK(std::count(view.data, view.data + 3 * view.stride, 0.0F) == static_cast<std::ptrdiff_t>(3 * view.stride));
}

TEST_CASE("a tensor that shrinks and grows again within its memory stays where it is") {
  Tensor<float> x(10, 20);
  const float* const data = x.view().data;
  x.resize(3, 7);
  CHECK(x.view().data == data);
  CHECK(x.view().rows == 3);
  CHECK(x.view().cols == 7);
  x.resize(10, 20);
  CHECK(x.view().data == data);
}

TEST_CASE("a tensor that grows has room for all its rows, and they are zero") {
  Tensor<double> x(2, 2);
  x.view().row(0)[0] = 7;
  x.resize(50, 60);
  for (std::size_t i = 0; i < 50; i++) {
    CHECK(std::accumulate(x.view().row(i), x.view().row(i) + x.view().stride, 0.0) == 0);
  }
}

TEST_CASE("a copy of a tensor is one of its own") {
  Tensor<float> x(2, 3);
  Tensor<float> y = x;
  y.view().row(1)[2] = 5;
  CHECK(x.view().row(1)[2] == 0);
}

TEST_CASE("a slice of rows and columns is the same numbers; copy and set_zero change it and nothing around it") {
  std::vector<double> numbers;  // (4, 6) with 10 * row + column
  for (int i = 0; i < 24; i++) numbers.push_back(10 * (i / 6) + i % 6);
  const std::vector<double> ones(4, 1.0);
  const View<double> x{numbers.data(), 4, 6, 6};
  const View<double> part = x.slice_rows(1, 2).slice_cols(3, 2);
  CHECK(part.rows == 2);
  CHECK(part.cols == 2);
  CHECK(part.row(0)[0] == 13);
  CHECK(part.row(1)[1] == 24);
  copy(part, View<const double>{ones.data(), 2, 2, 2});
  CHECK(std::accumulate(numbers.begin(), numbers.end(), 0.0) == 420 - (13 + 14 + 23 + 24) + 4);
  CHECK(x.row(2)[4] == 1);
  set_zero(part);
  CHECK(std::accumulate(numbers.begin(), numbers.end(), 0.0) == 420 - (13 + 14 + 23 + 24));
}

TEST_CASE("transpose_rows brings these rows of a weight up to date, and no others") {
  Weight<float> w(5, 3);
  for (std::size_t i = 0; i < 5; i++) std::iota(w.data.view().row(i), w.data.view().row(i) + 3, 10.0F * float(i) + 1);
  w.transpose_rows({1, 2});
  for (std::size_t i = 0; i < 5; i++) {
    for (std::size_t j = 0; j < 3; j++) {
      CHECK(w.transposed.view().row(j)[i] == (i == 1 || i == 2 ? w.data.view().row(i)[j] : 0));
    }
  }
}

TEST_CASE_TEMPLATE("transpose puts every number where it belongs, and nothing beyond, in every shape", T, float,
                   double) {
  PythonRandom random(1);
  for (const std::size_t n : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64}) {
    for (const std::size_t m : {1, 2, 5, 8, 9, 16, 31, 32, 50}) {
      const Fenced<T> from = fenced_input<T>(random, n, m);
      Fenced<T> to = fenced_output<T>(m, n);
      transpose(to.view(), from.view());
      INFO("(" << n << "," << m << ")");
      CHECK(to.intact());
      bool right = true;
      for (std::size_t i = 0; i < n; i++) {
        for (std::size_t j = 0; j < m; j++) right = right && to.view().row(j)[i] == from.view().row(i)[j];
      }
      CHECK(right);
    }
  }
}

}  // namespace
}  // namespace microgpt
