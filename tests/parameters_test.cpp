#include "base/parameters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/config.h"
#include "base/python_random.h"
#include "first_difference.h"

namespace microgpt {
namespace {

constexpr Config shape{.vocab_size = 5, .n_layer = 2, .n_embd = 4, .n_head = 2, .block_size = 3};

TEST_CASE("the matrices come in the reference's order, a row for each output") {
  std::string text;
  for (const auto& [name, rows, cols] : gpt_shapes(shape)) text += fmt::format("{} {}x{}\n", name, rows, cols);
  CHECK(text ==
        "wte 5x4\nwpe 3x4\nlm_head 5x4\n"
        "layer0.attn_wq 4x4\nlayer0.attn_wk 4x4\nlayer0.attn_wv 4x4\nlayer0.attn_wo 4x4\n"
        "layer0.mlp_fc1 16x4\nlayer0.mlp_fc2 4x16\n"
        "layer1.attn_wq 4x4\nlayer1.attn_wk 4x4\nlayer1.attn_wv 4x4\nlayer1.attn_wo 4x4\n"
        "layer1.mlp_fc1 16x4\nlayer1.mlp_fc2 4x16\n");
}

TEST_CASE("the matrices lie one behind the other, row by row, and begin as zeros") {
  Parameters parameters(gpt_shapes(shape));
  CHECK(parameters.size() == num_parameters(shape));
  CHECK(std::count(parameters.data().begin(), parameters.data().end(), 0.0) == std::ssize(parameters.data()));
  CHECK(std::count(parameters.grad().begin(), parameters.grad().end(), 0.0) == std::ssize(parameters.grad()));
  const double* data = parameters.data().data();
  const double* grad = parameters.grad().data();
  for (const Parameter& matrix : parameters.matrices()) {
    for (std::size_t i = 0; i < matrix.rows; i++, data += matrix.cols, grad += matrix.cols) {
      CHECK(matrix.row(i).data() == data);
      CHECK(matrix.grad_row(i).data() == grad);
      CHECK(matrix.row(i).size() == matrix.cols);
    }
  }
}

TEST_CASE("a matrix is found by its name, also after the store has moved") {
  Parameters first(gpt_shapes(shape));
  first["layer1.mlp_fc2"].row(3)[15] = 7;  // the very last
  const Parameters parameters = std::move(first);
  CHECK(parameters["layer1.mlp_fc2"].row(3)[15] == 7);
  CHECK(parameters.data().back() == 7);
  CHECK_THROWS_WITH_AS(parameters["layer2.attn_wq"], doctest::Contains("layer2.attn_wq"), std::out_of_range);
}

TEST_CASE("weights are drawn from one stream in the order of the store") {
  PythonRandom random(42);
  PythonRandom same(42);
  const Parameters parameters = initialize(shape, {.init_std = 0.5}, random);
  std::vector<double> expected;
  for (std::size_t i = 0; i < parameters.size(); i++) expected.push_back(same.gauss(0, 0.5));
  CHECK(first_difference(parameters.data(), expected) == "");
}

TEST_CASE("projections that start at zero still draw their numbers") {
  PythonRandom random(42);
  PythonRandom same(42);
  const Parameters zeroed = initialize(shape, {.zero_projections = true}, random);
  const Parameters plain = initialize(shape, {.zero_projections = false}, same);
  for (std::size_t i = 0; i < zeroed.matrices().size(); i++) {
    const Parameter& matrix = zeroed.matrices()[i];
    const std::span<const double> data(matrix.data, matrix.size());
    if (matrix.name.ends_with("attn_wo") || matrix.name.ends_with("mlp_fc2")) {
      CHECK(std::count(data.begin(), data.end(), 0.0) == std::ssize(data));
    } else {
      CHECK(first_difference(data, {plain.matrices()[i].data, matrix.size()}) == "");
    }
  }
  CHECK(random.bits32() == same.bits32());
}

}  // namespace
}  // namespace microgpt
