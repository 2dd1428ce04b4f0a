#include "tensor/matmul.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "fenced.h"
#include "fused.h"

namespace microgpt {
namespace {

struct Shape {
  std::size_t M, N, K;
};

/// Shapes around the edges of vectors and tiles: each of these sizes several times in each place.
std::vector<Shape> shapes() {
  constexpr std::array<std::size_t, 13> sizes{1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 64, 65, 100};
  PythonRandom random(1);
  std::vector<Shape> all;
  for (const std::size_t size : sizes) {
    auto any = [&] { return sizes[random.below(sizes.size())]; };
    for (int i = 0; i < 4; i++)
      all.insert(all.end(), {{size, any(), any()}, {any(), size, any()}, {any(), any(), size}});
  }
  for (std::size_t M = 1; M <= 40; M++) all.push_back({M, 33, 5});  // every way to cut rows into tiles
  return all;
}

/// The factors, and what c holds before.
template <class T>
struct Factors {
  Factors(const Shape& s, PythonRandom& random)
      : a(fenced_input<T>(random, s.M, s.K)),
        a_t(fenced_input<T>(random, s.K, s.M)),
        b(fenced_input<T>(random, s.K, s.N)),
        before(fenced_sum<T>(random, s.M, s.N)) {
    for (std::size_t i = 0; i < s.M; i++) {
      for (std::size_t k = 0; k < s.K; k++) a_t.view().row(k)[i] = a.view().row(i)[k];
    }
  }

  Fenced<T> a, a_t, b, before;
};

/// Whether c = a b, or before + a b, to the last bit: each number is one chain of multiply-adds, from k = 0 up. So
/// threads may cut c by rows or by columns as they like, and no bit changes.
template <class T>
bool is_product(View<const T> c, const Factors<T>& f, bool add) {
  const View<const T> a = f.a.view();
  const View<const T> b = f.b.view();
  for (std::size_t i = 0; i < c.rows; i++) {
    for (std::size_t j = 0; j < c.cols; j++) {
      T total = add ? f.before.view().row(i)[j] : 0;
      for (std::size_t k = 0; k < b.rows; k++) total = fused(a.row(i)[k], b.row(k)[j], total);
      if (c.row(i)[j] != total) return false;
    }
  }
  return true;
}

TEST_CASE_TEMPLATE("matmul and matmul_add are chains of multiply-adds, within the view and nowhere else", T, float,
                   double) {
  PythonRandom random(2);
  for (const Shape& shape : shapes()) {
    const Factors<T> f(shape, random);
    INFO("M " << shape.M << ", N " << shape.N << ", K " << shape.K);
    for (const bool is_transposed : {false, true}) {
      const Left<T> a = is_transposed ? transposed(f.a_t.view()) : Left<T>(f.a.view());
      Fenced<T> c = fenced_output<T>(shape.M, shape.N);
      matmul(c.view(), a, f.b.view());
      CHECK(c.intact());
      CHECK(is_product<T>(c.view(), f, false));
      Fenced<T> sum = f.before;
      matmul_add(sum.view(), a, f.b.view());
      CHECK(sum.intact());
      CHECK(is_product<T>(sum.view(), f, true));
    }
  }
}

TEST_CASE_TEMPLATE("a left factor from a row on is that part of it, transposed or not", T, float, double) {
  PythonRandom random(3);
  const Factors<T> f({20, 9, 6}, random);
  Fenced<T> whole = fenced_output<T>(20, 9);
  matmul(whole.view(), f.a.view(), f.b.view());
  for (const Left<T>& a : {Left<T>(f.a.view()), transposed(f.a_t.view())}) {
    Fenced<T> part = fenced_output<T>(7, 9);
    matmul(part.view(), a.from_row(13), f.b.view());
    CHECK(largest_difference(part.view(), whole.view().slice_rows(13, 7)) == 0);
  }
}

TEST_CASE_TEMPLATE("what is not a number stays in its row and its column", T, float, double) {
  PythonRandom random(5);
  Factors<T> f({9, 35, 7}, random);
  f.a.view().row(4)[2] = std::numeric_limits<T>::quiet_NaN();
  Fenced<T> c = fenced_output<T>(9, 35);
  matmul(c.view(), f.a.view(), f.b.view());
  for (std::size_t i = 0; i < 9; i++) {
    for (std::size_t j = 0; j < 35; j++) CHECK(std::isnan(c.view().row(i)[j]) == (i == 4));
  }
}

}  // namespace
}  // namespace microgpt
