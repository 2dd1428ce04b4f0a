// Exercise 14: folding for good. The lesson takes a query through two matrices, W_UQ and then the transpose of W_UK,
// and a mixture through two others, W_UV and then W_O. Two matrices, one after the other, are one matrix. Is it worth
// it?
//
//   make exercise-18    fails until both functions are right, and hints at what is missing
//   make solution-18    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "numbers.h"

using namespace microgpt;
using namespace lesson14;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The matrix (Lkv,Lq) that makes the folded query of head h from c_q, (Lq), at once. W_UQ is (H*P,Lq), W_UK (H*P,Lkv).
Matrix folded_query([[maybe_unused]] const Matrix& uq, [[maybe_unused]] const Matrix& uk,
                    [[maybe_unused]] std::size_t h, [[maybe_unused]] std::size_t P) {
  // TODO: which rows of W_UQ and of W_UK belong to head h? of_head() takes them. Number (i,j) is the sum over these
  // rows of W_UK[row][i] * W_UQ[row][j].
  return {};
}

/// The matrix (C,Lkv) that takes head h's mixture of latents, (Lkv), to what the head adds to the output, (C), at once.
/// W_UV is (H*D,Lkv), W_O (C,H*D).
Matrix folded_output([[maybe_unused]] const Matrix& uv, [[maybe_unused]] const Matrix& o,
                     [[maybe_unused]] std::size_t h, [[maybe_unused]] std::size_t D) {
  // TODO: which columns of W_O read head h? Lesson 08's exercise knows.
  return {};
}
#endif

namespace {

constexpr std::size_t C = 12, H = 3, P = 4, D = 4, Lq = 7, Lkv = 5;

struct Latent {
  PythonRandom random{1};
  Matrix uq = random_rows(H * P, Lq, random), uk = random_rows(H * P, Lkv, random);
  Matrix uv = random_rows(H * D, Lkv, random), o = random_rows(C, H*D, random);
  Numbers c_q = random_rows(1, Lq, random)[0], mixed = random_rows(1, Lkv, random)[0];
};

bool has_shape(const Matrix& w, std::size_t rows, std::size_t cols) { return w.size() == rows && w[0].size() == cols; }

/// Sums of a few dozen products around 1, in another order.
void check_equal(const Numbers& found, const Numbers& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); i++) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-11));
}

}  // namespace

TEST_CASE("one matrix makes the folded query that two would make") {
  const Latent a;
  for (std::size_t h = 0; h < H; h++) {
    INFO("head " << h << "; hint: rows h * P to h * P + P - 1 of both");
    const Matrix folded = folded_query(a.uq, a.uk, h, P);
    REQUIRE(has_shape(folded, Lkv, Lq));
    const Numbers q = times(of_head(a.uq, h, P), a.c_q);
    check_equal(times(folded, a.c_q), transposed_times(of_head(a.uk, h, P), q));
  }
}

TEST_CASE("one matrix takes a mixture to the output as two would") {
  const Latent a;
  for (std::size_t h = 0; h < H; h++) {
    INFO("head " << h << "; hint: columns h * D to h * D + D - 1 of W_O, rows h * D to h * D + D - 1 of W_UV");
    const Matrix folded = folded_output(a.uv, a.o, h, D);
    REQUIRE(has_shape(folded, C, Lkv));
    Numbers x_attn(H * D);  // of the other heads, nothing
    const Numbers out = times(of_head(a.uv, h, D), a.mixed);
    std::copy(out.begin(), out.end(), x_attn.begin() + static_cast<std::ptrdiff_t>(h * D));
    check_equal(times(folded, a.mixed), times(a.o, x_attn));
  }
}

TEST_CASE("what it costs") {
  const Latent a;
  const Matrix folded = folded_query(a.uq, a.uk, 0, P);
  REQUIRE_MESSAGE(has_shape(folded, Lkv, Lq), "hint: the first case must pass first");
  products = 0;
  times(folded, a.c_q);
  const std::size_t one = products;
  products = 0;
  transposed_times(of_head(a.uk, 0, P), times(of_head(a.uq, 0, P), a.c_q));
  MESSAGE(fmt::format("a folded query takes {} products with one matrix, {} with two", one, products));
  MESSAGE(fmt::format("with P = 128, Lq = 1536, Lkv = 512 it would be {} and {}", 512 * 1536, 128 * (1536 + 512)));
  CHECK(one == Lkv * Lq);
}
