// Exercise 10: attention for a whole batch in one go. Lesson 10 went name by name. Large programs often compute the
// scores of all rows with all rows, as one matrix product, and let a mask say which of them count.
//
//   make exercise-10    fails until both functions are right, and hints at what is missing
//   make solution-10    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/python_random.h"
#include "draw/plot.h"
#include "lesson/array.h"
#include "lesson/softmax.h"
#include "tensor/batch.h"
#include "tensor/kernels.h"
#include "train/gradient.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// (N,N): mask[t][s] is 1 if row t may look at row s, else 0.
Array document_mask(const Batch& batch) {
  Array mask(batch.num_positions(), batch.num_positions());
  // TODO: which rows belong to the same name as row t, and do not come after it? (batch.document(i) has the rows of
  // name i: .first and .n.)
  return mask;
}

/// out (N,D) of one head, for all rows at once: scores = q k^T / sqrt(D) is (N,N), every row with every row; weights is
/// the softmax of each row, over what the mask lets it see; out = weights v.
Array masked_attention(const Array& q, const Array& k, const Array& v, const Array& mask) {
  Array out(q.rows, v.cols);
  // TODO: it is not enough to set the weights of other names to 0 after the softmax. (Why not? What do the rest sum to?
  // And what if the largest score of a row is one that does not count?)
  (void)k, (void)mask;
  return out;
}
#endif

namespace {

constexpr std::size_t D = 4;

/// rosimeire, chrissa and rod: 10, 8 and 4 rows. Only where they begin matters here.
Batch three_names() {
  Batch batch(16);
  for (const std::size_t n : {10, 8, 4}) batch.add(std::vector<Token>(n + 1, 0));
  return batch;
}

Array random_rows(const Batch& batch, PythonRandom& random) {
  Array x(batch.num_positions(), D);
  for (double& number : x.data) number = random.gauss(0, 1);
  return x;
}

View<const double> rows_of(const Array& x, const Share& rows) { return {x[rows.first], rows.n, x.cols, x.cols}; }

/// One name after the other, by src/tensor.
Array name_by_name(const Batch& batch, const Array& q, const Array& k, const Array& v) {
  Array out(q.rows, v.cols);
  const Mask causal = Mask::causal();
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const Share rows = batch.document(i);
    Tensor<double> log_sum(1, rows.n);
    naive<double>().attention_forward({out[rows.first], rows.n, out.cols, out.cols}, log_sum.view(),
                                      {.q = rows_of(q, rows),
                                       .k = rows_of(k, rows),
                                       .v = rows_of(v, rows),
                                       .n_head = 1,
                                       .n_kv_head = 1,
                                       .scale = 1 / std::sqrt(D),
                                       .mask = causal});
  }
  return out;
}

}  // namespace

TEST_CASE("a row sees its own name, up to itself") {
  const Array mask = document_mask(three_names());
  REQUIRE(mask.rows == 22);
  REQUIRE(mask.cols == 22);
  INFO("hint: row 12 is the third of the second name, which begins at row 10");
  CHECK(mask[12][12] == 1);
  CHECK(mask[12][10] == 1);
  CHECK(mask[12][13] == 0);
  CHECK(mask[12][9] == 0);
  INFO("hint: the names have 10, 8 and 4 rows, so there are 55 + 36 + 10 ones");
  CHECK(std::accumulate(mask.data.begin(), mask.data.end(), 0.0) == 101);
}

TEST_CASE("all names at once give what they give one by one") {
  const Batch batch = three_names();
  PythonRandom random(1);
  const Array q = random_rows(batch, random), k = random_rows(batch, random), v = random_rows(batch, random);
  const Array out = masked_attention(q, k, v, document_mask(batch)), expected = name_by_name(batch, q, k, v);
  INFO("hint: the weights of a row must sum to 1 over what it sees; and divide the scores by sqrt(D)");
  CHECK(largest_difference(out.data, expected.data) < 1e-12);
}

TEST_CASE("a score that does not count may be as large as it likes") {
  const Batch batch = three_names();
  PythonRandom random(2);
  const Array q = random_rows(batch, random), v = random_rows(batch, random);
  Array k = random_rows(batch, random);
  for (std::size_t j = 0; j < D; j++) k[3][j] = 10000 * q[15][j];  // the first name shouts at the second
  const Array out = masked_attention(q, k, v, document_mask(batch)), expected = name_by_name(batch, q, k, v);
  INFO("hint: put the mask before the softmax. Which score has an exp of exactly 0?");
  CHECK(largest_difference(out.data, expected.data) < 1e-12);
}

TEST_CASE("what the mask costs") {
  const Batch batch = three_names();
  const Array mask = document_mask(batch);
  Grid grid;
  double seen = 0;
  for (std::size_t t = 0; t < mask.rows; t++) {
    grid.row_labels.push_back(fmt::format("{}", t));
    grid.col_labels.emplace_back(" ");
    grid.rows.emplace_back(mask[t], mask[t] + mask.cols);
    seen += std::accumulate(mask[t], mask[t] + mask.cols, 0.0);
  }
  REQUIRE(seen > 0);
  fmt::print("{}scores computed: {}, used: {}\n", shades(grid), mask.data.size(), seen);
}
