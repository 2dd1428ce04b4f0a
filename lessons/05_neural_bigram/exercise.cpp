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

using namespace microgpt;

using Name = std::vector<Token>;  // BOS, letters, BOS

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Trains the model, whose numbers are in `parameters`, for num_steps steps. A step takes the next batch_size names
/// (after the last name comes the first again), and its loss is the mean of their losses: document_loss(model, name),
/// each name counting the same. The learning rate begins at `learning_rate` and shrinks in a straight line, as in the
/// lesson. Returns the loss of each step.
std::vector<double> train_in_batches([[maybe_unused]] const Mlp& model, [[maybe_unused]] Parameters& parameters,
                                     [[maybe_unused]] std::span<const Name> names,
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

struct Fixture {
  explicit Fixture(double size = 0.5) : parameters(mlp_shapes(27, 16)) {
    PythonRandom random(42);
    draw_weights(parameters, size, random);
  }

  /// The gradient of one name's loss, and the loss.
  std::pair<std::vector<double>, double> gradient(const Name& name) {
    const Scope scope;
    const Value loss = document_loss(model, name);
    loss.backward();
    std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
    for (double& g : parameters.grad()) g = 0;
    return {gradient, loss.data()};
  }

  std::vector<double> numbers() const { return {parameters.data().begin(), parameters.data().end()}; }

  Parameters parameters;
  Mlp model{parameters};
};

}  // namespace

TEST_CASE("one step with one name is a step of the lesson") {
  const std::vector<Name> names = make_names(1);
  Fixture by_hand, batched;
  const auto [gradient, loss] = by_hand.gradient(names[0]);
  const std::vector<double> losses = train_in_batches(batched.model, batched.parameters, names, 1, 1, 0.5);
  INFO("hint: forward, backward, update, set the gradients back to 0");
  REQUIRE(losses.size() == 1);
  CHECK(losses[0] == loss);
  double worst = 0;
  for (std::size_t i = 0; i < gradient.size(); i++) {
    worst = std::max(worst, std::abs(by_hand.parameters.data()[i] - 0.5 * gradient[i] - batched.parameters.data()[i]));
  }
  INFO("hint: the first step is taken at the full learning rate");
  CHECK(worst < 1e-14);
  INFO("hint: backward() adds to what is there");
  for (double g : batched.parameters.grad()) CHECK(g == 0);
}

TEST_CASE("a step with four names follows the mean of their gradients, long or short") {
  const std::vector<Name> names = make_names(4);
  Fixture by_hand, batched;
  std::vector<double> moved = by_hand.numbers();
  double loss = 0;
  for (const Name& name : names) {
    const auto [gradient, loss_of_name] = by_hand.gradient(name);
    for (std::size_t i = 0; i < moved.size(); i++) moved[i] -= 0.5 * gradient[i] / 4;
    loss += loss_of_name / 4;
  }
  const std::vector<double> losses = train_in_batches(batched.model, batched.parameters, names, 4, 1, 0.5);
  REQUIRE(losses.size() == 1);
  INFO("hint: divide by the number of names, not by that of tokens");
  CHECK(std::abs(losses[0] - loss) < 1e-14);
  double worst = 0;
  for (std::size_t i = 0; i < moved.size(); i++)
    worst = std::max(worst, std::abs(moved[i] - batched.parameters.data()[i]));
  INFO(
      "hint: the loss must be made of Values all the way; a mean of data() is a number that forgot where it came from");
  CHECK(worst < 1e-12);
}

TEST_CASE("the next step takes the next names, and begins again after the last") {
  const std::vector<Name> names = make_names(3);
  Fixture batched, one_by_one;
  const std::vector<double> losses = train_in_batches(batched.model, batched.parameters, names, 2, 2, 0);
  REQUIRE(losses.size() == 2);
  INFO("hint: with a learning rate of 0 nothing moves: the second step has the third name and the first");
  const double second = (one_by_one.gradient(names[2]).second + one_by_one.gradient(names[0]).second) / 2;
  CHECK(std::abs(losses[1] - second) < 1e-14);
}

TEST_CASE("steps leave nothing on the tape, and the learning rate shrinks") {
  const std::vector<Name> names = make_names(2);
  Fixture two_steps, one_step;
  const std::size_t before = nodes_on_tape();
  train_in_batches(two_steps.model, two_steps.parameters, names, 1, 2, 0.5);
  INFO("hint: each step is a Scope");
  CHECK(nodes_on_tape() == before);
  train_in_batches(one_step.model, one_step.parameters, {names.data(), 1}, 1, 1, 0.5);
  const auto [gradient, loss] = one_step.gradient(names[1]);
  double worst = 0;
  for (std::size_t i = 0; i < gradient.size(); i++) {
    worst =
        std::max(worst, std::abs(one_step.parameters.data()[i] - 0.25 * gradient[i] - two_steps.parameters.data()[i]));
  }
  INFO("hint: of two steps the first has the full rate, the second half of it");
  CHECK(worst < 1e-12);
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
    Fixture run(0.08);
    const std::size_t steps = 4000 / static_cast<std::size_t>(batch);
    const std::vector<double> losses = train_in_batches(run.model, run.parameters, names, batch, steps, rate);
    REQUIRE(losses.size() == steps);
    const Loss loss = [&](std::span<const Token> tokens) { return document_loss(run.model, tokens); };
    noise.push_back(estimate(std::span(losses).last(steps / 4)).stddev);
    fmt::print("{:5} | {:5} | {:4} | {:15.4f} | {:13.4f}\n", batch, steps, rate, noise.back(),
               mean_loss(loss, held_out, tokenizer).mean);
  }
  INFO("hint: sixteen names together are about four times less noisy than one");
  CHECK(noise[0] / noise[2] > 3);
  CHECK(noise[0] / noise[2] < 5);
}
