// Exercise 05: a batch. One name is a noisy witness of where downhill is. Ask several, and follow the mean of what they
// say. Is that worth its price?
//
//   make exercise-05    fails until train_in_batches() is right, and hints at what is missing
//   make solution-05    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "lesson/mlp.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

using Name = std::vector<Token>;  // BOS, letters, BOS

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Trains the model for num_steps steps. A step takes the next batch_size names (after the last name comes the first
/// again), and its loss is the mean of their losses: document_loss(model, name), each name counting the same. The
/// learning rate begins at `learning_rate` and shrinks in a straight line, as in the lesson. Returns the loss of each
/// step.
std::vector<double> train_in_batches([[maybe_unused]] const Mlp& model, [[maybe_unused]] std::span<const Name> names,
                                     [[maybe_unused]] std::size_t batch_size, [[maybe_unused]] std::size_t num_steps,
                                     [[maybe_unused]] double learning_rate) {
  // TODO
  return {};
}
#endif

namespace {

constexpr Token bos = 26;

/// Random letters, of random length.
std::vector<Name> make_names(std::size_t n) {
  PythonRandom random(5);
  std::vector<Name> names(n, Name{bos});
  for (Name& name : names) {
    for (std::size_t length = 2 + random.below(8); length > 0; length--) name.push_back(random.below(26));
    name.push_back(bos);
  }
  return names;
}

Mlp make_model(double size = 0.5) {
  PythonRandom random(42);
  return Mlp(StateDict(mlp_shapes(27, 16), size, random));
}

Loss loss_of(const Mlp& model) {
  return [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
}

LossAndGradient of_name(const Mlp& model, const Name& name) {
  return loss_and_gradient(loss_of(model), model.params, name);
}

std::vector<double> numbers(const Mlp& model) { return Values(model.params).data(); }

}  // namespace

TEST_CASE("one step with one name is a step of the lesson") {
  const std::vector<Name> names = make_names(1);
  const Mlp model = make_model();
  const LossAndGradient name = of_name(model, names[0]);
  std::vector<double> moved = numbers(model);
  for (std::size_t i = 0; i < moved.size(); i++) moved[i] -= 0.5 * name.gradient[i];
  const std::vector<double> losses = train_in_batches(model, names, 1, 1, 0.5);
  INFO("hint: forward, backward, update, set the gradients back to 0");
  REQUIRE(losses.size() == 1);
  CHECK(losses[0] == name.loss);
  INFO("hint: the first step is taken at the full learning rate");
  CHECK(largest_difference(moved, numbers(model)) < 1e-14);
  INFO("hint: backward() adds to what is there");
  for (const Value p : model.params) CHECK(p.grad() == 0);
}

TEST_CASE("a step with four names follows the mean of their gradients, long or short") {
  const std::vector<Name> names = make_names(4);
  const Mlp model = make_model();
  std::vector<double> moved = numbers(model);
  double loss = 0;
  for (const Name& name : names) {
    const LossAndGradient one = of_name(model, name);
    for (std::size_t i = 0; i < moved.size(); i++) moved[i] -= 0.5 * one.gradient[i] / 4;
    loss += one.loss / 4;
  }
  const std::vector<double> losses = train_in_batches(model, names, 4, 1, 0.5);
  REQUIRE(losses.size() == 1);
  INFO("hint: divide by the number of names, not by that of tokens");
  CHECK(std::abs(losses[0] - loss) < 1e-14);
  INFO(
      "hint: the loss must be made of Values all the way; a mean of data() is a number that forgot where it came from");
  CHECK(largest_difference(moved, numbers(model)) < 1e-12);
}

TEST_CASE("the next step takes the next names, and begins again after the last") {
  const std::vector<Name> names = make_names(3);
  const Mlp model = make_model();
  const std::vector<double> losses = train_in_batches(model, names, 2, 2, 0);
  REQUIRE(losses.size() == 2);
  INFO("hint: with a learning rate of 0 nothing moves: the second step has the third name and the first");
  const double second = (of_name(model, names[2]).loss + of_name(model, names[0]).loss) / 2;
  CHECK(std::abs(losses[1] - second) < 1e-14);
}

TEST_CASE("steps leave nothing on the tape, and the learning rate shrinks") {
  const std::vector<Name> names = make_names(2);
  const Mlp two_steps = make_model(), one_step = make_model();
  const std::size_t before = nodes_on_tape();
  train_in_batches(two_steps, names, 1, 2, 0.5);
  INFO("hint: each step is a Scope");
  CHECK(nodes_on_tape() == before);
  train_in_batches(one_step, {names.data(), 1}, 1, 1, 0.5);
  const LossAndGradient second = of_name(one_step, names[1]);
  std::vector<double> moved = numbers(one_step);
  for (std::size_t i = 0; i < moved.size(); i++) moved[i] -= 0.25 * second.gradient[i];
  INFO("hint: of two steps the first has the full rate, the second half of it");
  CHECK(largest_difference(moved, numbers(two_steps)) < 1e-12);
}

TEST_CASE("in the end: the same 4000 names, in batches") {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const auto [training, held_out] = split(documents);
  const Tokenizer tokenizer(documents);
  std::vector<Name> names;
  for (const Document& document : training) names.push_back(tokenizer.encode_document(document));
  PythonRandom(1).shuffle(names);
  fmt::print("batch | steps | rate | noise of a step | held-out loss\n");
  std::vector<double> noise;
  for (const auto& [batch, rate] : {std::pair{1, 1.0}, {4, 1.0}, {16, 1.0}, {16, 8.0}}) {
    const Mlp model = make_model(0.08);
    const std::size_t steps = 4000 / static_cast<std::size_t>(batch);
    const std::vector<double> losses = train_in_batches(model, names, batch, steps, rate);
    REQUIRE(losses.size() == steps);
    noise.push_back(estimate(std::span(losses).last(steps / 4)).stddev);
    fmt::print("{:5} | {:5} | {:4} | {:15.4f} | {:13.4f}\n", batch, steps, rate, noise.back(),
               mean_loss(loss_of(model), held_out, tokenizer).mean);
  }
  INFO("hint: sixteen names together are about four times less noisy than one");
  CHECK(noise[0] / noise[2] > 3);
  CHECK(noise[0] / noise[2] < 5);
}
