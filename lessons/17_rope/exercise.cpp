// Exercise 17: two things that programs do with rotated keys.
//
// A model from elsewhere. This project rotates neighbours: numbers 0 and 1 of a head are a pair, then 2 and 3, and so
// on. Others, GPT-NeoX first, pair the halves: number i and number i + D / 2. Such a model can be used here without a
// new rotation, if the rows of two of its matrices are put into another order.
//
// A full cache. Keys are kept rotated. When the memory is full, the oldest are dropped, and the others should count
// from 0 again. They need not be computed anew.
//
//   make exercise-17    fails until both are right, and hints at what is missing
//   make solution-17    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "tensor/decoder.h"
#include "tensor/rope.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"
#include "train/sampling.h"

using namespace microgpt;

/// A query or a key of one head: D numbers.
using Row = std::vector<double>;

/// x, rotated as at this position. Neighbours make a pair.
Row rotate(Row x, std::size_t position) {
  const View<double> row{x.data(), 1, x.size(), x.size()};
  rope_forward(row, row, std::vector<std::size_t>{position}, 10000);
  return x;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Puts the rows of a matrix (H*D,C), made for halves, into the order for neighbours. Row h * D + j makes number j of
/// head h.
void to_neighbours([[maybe_unused]] const Parameter& matrix, [[maybe_unused]] std::size_t D) {
  // TODO: pair i of a head is now in its rows i and i + D / 2. Where should these two rows stand? matrix.row(i)[c] is a
  // number of row i. Beware of writing over a row that you still need.
}

/// The matrices of a layer that must be converted.
std::vector<std::string> to_convert() {
  return {};  // TODO: names such as "attn_wo". Which outputs are rotated?
}

/// The kept keys of positions n, n + 1, ..., each rotated as at its position. The first n positions have been dropped.
/// Returns the keys as at positions 0, 1, ...
std::vector<Row> renumber(std::vector<Row> kept, [[maybe_unused]] std::size_t n) {
  // TODO: rotate() only takes positions that are not negative. What rotates an arrow back? Flip its second number,
  // rotate, and flip it again. Draw it.
  return kept;
}
#endif

namespace {

double dot(const Row& a, const Row& b) {
  double total = 0;
  for (std::size_t j = 0; j < a.size(); j++) total += a[j] * b[j];
  return total;
}

Row random_row(std::size_t D, PythonRandom& random) {
  Row row(D);
  for (double& number : row) number = random.gauss(0, 1);
  return row;
}

/// A model that was trained here, and then written down for a program that pairs halves.
struct FromElsewhere {
  std::vector<Document> documents = read_documents("data/names.txt");
  Tokenizer tokenizer = Tokenizer(documents);
  Split names = split(documents);
  Config config{.vocab_size = tokenizer.vocab_size(), .n_embd = 32, .rope = true};  // heads of 8 numbers
  Parameters parameters = Parameters(gpt_shapes(config));
  double expected = 0;  // its held-out loss, where it comes from

  FromElsewhere() {
    const TrainConfig budget{.num_steps = 300, .batch_size = 16};
    PythonRandom random(1);
    draw_weights(parameters, 0.08, random);
    BatchTrainer<double> trainer(config, budget, parameters, names.training, tokenizer, {});
    for (std::size_t step = 0; step < budget.num_steps; step++) trainer.step();
    trainer.model().copy_to(parameters);
    expected = loss();
    const std::size_t D = config.head_dim();
    for (const char* name : {"layer0.attn_wq", "layer0.attn_wk"}) {
      const Parameter& w = parameters[name];
      const std::vector<double> old(w.data, w.data + w.size());
      for (std::size_t i = 0; i < w.rows; i++) {
        const std::size_t place = i - i % D + i % 2 * D / 2 + i % D / 2;
        std::copy_n(old.data() + i * w.cols, w.cols, w.row(place).begin());
      }
    }
  }

  double loss() const {
    TensorModel<double> model(config, parameters);
    return token_loss(model, names.held_out, tokenizer, 1);
  }

  std::string some_names() const {
    TensorModel<double> model(config, parameters);
    Decoder<double> decoder(model);
    PythonRandom random(3);
    std::string all;
    for (int i = 0; i < 6; i++) all += fmt::format(" {}", tokenizer.decode(sample(decoder, 0.5, random)));
    return all;
  }
};

}  // namespace

TEST_CASE("rows for halves become rows for neighbours") {
  const Parameters parameters({{"w", 12, 2}});  // two heads of six numbers
  for (std::size_t i = 0; i < 12; i++) parameters["w"].row(i)[0] = parameters["w"].row(i)[1] = static_cast<double>(i);
  to_neighbours(parameters["w"], 6);
  std::string rows;
  for (std::size_t i = 0; i < 12; i++) rows += fmt::format("{} ", parameters["w"].row(i)[1]);
  INFO("hint: of six numbers, 0 and 3 are a pair, 1 and 4, 2 and 5; the second head begins with row 6");
  CHECK(rows == "0 3 1 4 2 5 6 9 7 10 8 11 ");
}

TEST_CASE("a model from elsewhere does here what it did there") {
  FromElsewhere model;
  MESSAGE(fmt::format("loss there {:.3f}; here, as it came: {:.3f}, names:{}", model.expected, model.loss(),
                      model.some_names()));
  for (const std::string& name : to_convert()) {
    to_neighbours(model.parameters["layer0." + name], model.config.head_dim());
  }
  MESSAGE(fmt::format("converted: {:.3f}, names:{}", model.loss(), model.some_names()));
  INFO("hint: the first case must pass first; then: what is rotated, and what is not?");
  CHECK(std::abs(model.loss() - model.expected) < 1e-9);
}

TEST_CASE("keys count from 0 again") {
  PythonRandom random(2);
  constexpr std::size_t D = 8, num = 20, n = 7;
  std::vector<Row> keys, kept;
  for (std::size_t t = 0; t < num; t++) keys.push_back(random_row(D, random));
  for (std::size_t t = n; t < num; t++) kept.push_back(rotate(keys[t], t));
  const std::vector<Row> renumbered = renumber(kept, n);
  REQUIRE(renumbered.size() == num - n);
  for (std::size_t t = 0; t < num - n; t++) {
    const Row expected = rotate(keys[t + n], t);
    INFO("key " << t
                << " of those that are left; hint: the rotation of position p, rotated back by n positions, is that "
                << "of position p - n. Each pair has its own speed; rotate() knows it. All pairs are to be flipped");
    for (std::size_t j = 0; j < D; j++) REQUIRE(std::abs(renumbered[t][j] - expected[j]) < 1e-12);
  }
}

TEST_CASE("and no score has changed") {
  PythonRandom random(4);
  constexpr std::size_t D = 8, num = 20, n = 7;
  const Row q = random_row(D, random);
  std::vector<Row> kept;
  for (std::size_t t = n; t < num; t++) kept.push_back(rotate(random_row(D, random), t));
  const std::vector<Row> renumbered = renumber(kept, n);
  const Row before = rotate(q, num), after = rotate(q, num - n);  // the next query
  for (std::size_t t = 0; t < kept.size(); t++) {
    INFO("hint: the case before must pass first. Then this one says that only the distance counts");
    REQUIRE(std::abs(dot(before, kept[t]) - dot(after, renumbered[t])) < 1e-12);
  }
}
