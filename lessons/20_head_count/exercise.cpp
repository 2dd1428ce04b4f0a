// Exercise 20: a model without its config. Somebody hands you the matrices of a trained model, and nothing else. Can
// you run it? You can read most sizes from the shapes. But the number of heads is not among them: that is what this
// lesson is about. So find out which numbers are possible, and let the model itself tell you which one is right.
//
//   make exercise-20    fails until the three functions are right, and hints at what is missing
//   make solution-20    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/task.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"

using namespace microgpt;

/// The loss of a model, if its parameters are read with this config.
using LossOf = double (*)(const Config& config, const Parameters& parameters);

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What the shapes tell of a plain GPT (gpt_shapes() in base/parameters.h): vocab_size, n_embd, block_size and n_layer.
/// The number of heads is not set.
Config sizes_of([[maybe_unused]] const Parameters& parameters) {
  // TODO: parameters["wte"].rows is a number of rows; parameters.matrices() are all matrices, each with a name
  return {};
}

/// All configs that fit the shapes: the sizes, n_head and n_kv_head. Fewest heads first.
std::vector<Config> possible_configs([[maybe_unused]] const Parameters& parameters) {
  // TODO: "layer0.attn_wq" has H * D rows, "layer0.attn_wk" has G * D. Which D divide both?
  return {};
}

/// The config that the model was trained with.
Config config_of([[maybe_unused]] const Parameters& parameters, [[maybe_unused]] LossOf loss_of) {
  // TODO: the matrices fit all of them. But only one makes the model that was trained
  return {};
}
#endif

namespace {

/// Documents like "cbebhh=cbebhh" to learn from, and others to be tested on.
struct Words {
  PythonRandom random{1};
  std::vector<Document> training = draw_documents({}, Part::training, 4800, random);
  std::vector<Document> held_out = draw_documents({}, Part::held_out, 600, random);
  Tokenizer tokenizer{training};
};

const Words& words() {
  static const Words all;
  return all;
}

double copying_loss(const Config& config, const Parameters& parameters) {
  TensorModel<double> model(config, parameters);
  return token_loss(model, words().held_out, words().tokenizer, 1);
}

/// Learns to copy, with the tensor path.
Parameters trained(Config config) {
  PythonRandom random(1);
  const TrainConfig how{.num_steps = 300, .batch_size = 16, .learning_rate = 0.02};
  Parameters parameters = initialize(config, how, random);
  BatchTrainer<double> trainer(config, how, parameters, words().training, words().tokenizer, {});
  while (trainer.steps_done() < how.num_steps) trainer.step();
  trainer.model().copy_to(parameters);
  return parameters;
}

/// "1/1 2/2 4/4": the possible numbers of heads, and of heads of keys and values.
std::string heads_of(const std::vector<Config>& configs) {
  std::string text;
  for (const Config& config : configs) text += fmt::format("{}/{} ", config.n_head, config.kv_heads());
  return text;
}

void show_losses(const Config& config, const Parameters& parameters) {
  for (const Config& tried : possible_configs(parameters)) {
    MESSAGE(fmt::format("trained with {}/{} heads, read with {:2}/{:2}: loss {:.3f}", config.n_head, config.kv_heads(),
                        tried.n_head, tried.kv_heads(), copying_loss(tried, parameters)));
  }
}

}  // namespace

TEST_CASE("the shapes tell everything but the heads") {
  const Parameters parameters(
      gpt_shapes({.vocab_size = 27, .n_layer = 3, .n_embd = 24, .n_head = 6, .block_size = 12}));
  const Config found = sizes_of(parameters);
  INFO("hint: wte is (V,C), wpe (T,C); each layer has one matrix whose name ends in attn_wo");
  CHECK(found.vocab_size == 27);
  CHECK(found.n_embd == 24);
  CHECK(found.block_size == 12);
  CHECK(found.n_layer == 3);
}

TEST_CASE("six numbers of heads fit a plain model of 12 numbers") {
  const Parameters parameters(gpt_shapes({.vocab_size = 27, .n_embd = 12, .n_head = 3}));
  INFO("hint: W_Q has 12 rows, and so has W_K. D can be 12, 6, 4, 3, 2 or 1, and there are 12 / D heads");
  CHECK(heads_of(possible_configs(parameters)) == "1/1 2/2 3/3 4/4 6/6 12/12 ");
}

TEST_CASE("shared keys say more: only their ratio to the queries is known") {
  const Parameters parameters(gpt_shapes({.vocab_size = 27, .n_embd = 16, .n_head = 8, .n_kv_head = 2}));
  INFO("hint: W_Q has 16 rows and W_K has 4, so four query heads share a head of keys. D must divide 4");
  CHECK(heads_of(possible_configs(parameters)) == "4/1 8/2 16/4 ");
}

TEST_CASE("the model knows how many heads it has") {
  for (Config config : {Config{.n_head = 4}, Config{.n_head = 8}, Config{.n_head = 8, .n_kv_head = 2}}) {
    config.vocab_size = words().tokenizer.vocab_size();
    const Parameters parameters = trained(config);
    show_losses(config, parameters);
    const Config found = config_of(parameters, copying_loss);
    INFO("hint: ask loss_of() about each possible config. All of them run; what differs?");
    CHECK(found.n_head == config.n_head);
    CHECK(found.kv_heads() == config.kv_heads());
  }
}

TEST_CASE("does every model?") {
  const Config config{.vocab_size = words().tokenizer.vocab_size(), .n_head = 2};
  const Parameters parameters = trained(config);
  show_losses(config, parameters);
  INFO("hint: the other cases must pass first");
  CHECK(possible_configs(parameters).size() == 5);
}
