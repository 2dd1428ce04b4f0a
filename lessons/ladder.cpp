// The ladder: the models of lessons 01 to 09, each trained on the same 1,000 names and evaluated on the same names
// that none of them has seen; with several seeds, because one run proves little. `make ladder` prints the table.
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "base/bigram.h"
#include "base/error.h"
#include "base/python_random.h"
#include "base/split.h"
#include "lesson/mlp.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

namespace {

constexpr std::size_t num_steps = 1000;
constexpr std::size_t num_seeds = 10;
constexpr std::size_t first_seed = 42;

/// What a model is trained and evaluated on. Every model of a seed gets the same, and the same random numbers.
struct Task {
  std::span<const Document> training;
  std::span<const Document> held_out;
  const Tokenizer& tokenizer;
  PythonRandom random;
};

/// Each held-out name's loss.
using Losses = std::vector<double>;

Losses counting(const Task& task) {
  Bigram bigram(task.tokenizer.vocab_size());
  for (std::size_t step = 0; step < num_steps; step++) {
    bigram.count(task.tokenizer.encode_document(task.training[step % task.training.size()]));
  }
  return document_losses([&](auto tokens) { return bigram.loss(tokens); }, task.held_out, task.tokenizer);
}

Losses trained(const Loss& loss, const List& params, const Optimizer& optimizer, const Task& task,
               double learning_rate) {
  train(loss, params, optimizer, task.training, task.tokenizer,
        {.num_steps = num_steps, .learning_rate = learning_rate});
  return document_losses(loss, task.held_out, task.tokenizer);
}

Losses mlp_sgd(Task task) {
  Parameters parameters(mlp_shapes(task.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, task.random);
  const Mlp model(parameters);
  return trained([&](auto tokens) { return document_loss(model, tokens); }, model.params, sgd_update, task, 1.0);
}

Losses gpt_sgd(std::size_t n_head, Task task, double learning_rate = 0.1) {
  const Config config{.vocab_size = task.tokenizer.vocab_size(), .n_head = n_head};
  const Model model = scalar_model(config, initialize(config, {}, task.random));
  return trained([&](auto tokens) { return document_loss(model, tokens); }, model.params, sgd_update, task,
                 learning_rate);
}

Losses gpt_adam(std::size_t n_head, Task task) {
  const Config config{.vocab_size = task.tokenizer.vocab_size(), .n_head = n_head};
  const Model model = scalar_model(config, initialize(config, {}, task.random));
  return trained([&](auto tokens) { return document_loss(model, tokens); }, model.params,
                 adam_optimizer({}, model.params.size()), task, 0.01);
}

/// A model, and how it does with each seed.
struct Rung {
  std::string name;
  std::function<Losses(const Task&)> run;
  std::vector<double> means = {};  // of the held-out names, a seed each
  double one_name = 0;             // standard deviation of a single name's loss, mean over the seeds
};

using Ladder = std::vector<Rung*>;

void show_progress(std::size_t done, std::size_t total) {
  if (isatty(STDERR_FILENO) == 0) return;
  if (done < total) {
    fmt::print(stderr, "\rrun {} of {}", done + 1, total);
  } else {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void climb(const Ladder& ladder, const std::string& path) {
  const std::vector<Document> documents = read_documents(path);
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  for (std::size_t i = 0; i < num_seeds; i++) {
    PythonRandom random(first_seed + i);
    std::vector<Document> training = names.training;
    random.shuffle(training);
    const Task task{training, names.held_out, tokenizer, random};
    for (std::size_t r = 0; r < ladder.size(); r++) {
      show_progress(i * ladder.size() + r, num_seeds * ladder.size());
      const Scope scope;  // of the model
      const Estimate losses = estimate(ladder[r]->run(task));
      ladder[r]->means.push_back(losses.mean);
      ladder[r]->one_name += losses.stddev / static_cast<double>(num_seeds);
    }
  }
  show_progress(1, 1);
  fmt::print("{} names, shuffled anew with each of {} seeds; {} steps of a name each, then {} names not seen\n\n",
             names.training.size(), num_seeds, num_steps, names.held_out.size());
}

void print_table(const Ladder& ladder) {
  fmt::print("{:28} | {:9} | {:16} | {:7} | {:7} | {}\n", "model", "mean loss", "spread of seeds", "lowest", "highest",
             "spread of one name's loss");
  for (const Rung* rung : ladder) {
    const Estimate seeds = estimate(rung->means);
    const auto [lowest, highest] = std::minmax_element(rung->means.begin(), rung->means.end());
    fmt::print("{:28} | {:9.4f} | {:16.4f} | {:7.4f} | {:7.4f} | {:.4f}\n", rung->name, seeds.mean, seeds.stddev,
               *lowest, *highest, rung->one_name);
  }
}

/// Answers "does a beat b?" seed by seed, with the same names, and says how sure the answer is.
void ask(const std::string& question, const Rung& a, const Rung& b) {
  std::vector<double> gain;
  for (std::size_t i = 0; i < num_seeds; i++) gain.push_back(b.means[i] - a.means[i]);
  const Estimate seeds = estimate(gain);
  const bool clear = std::abs(seeds.mean) > 2.26 * seeds.standard_error;  // Student's t of ten seeds: lesson 05
  fmt::print("{} {}: {} by {:.5f} +- {:.5f}, lower with {} of {} seeds\n", question,
             clear ? (seeds.mean > 0 ? "yes" : "no") : "cannot tell", seeds.mean > 0 ? "lower" : "higher",
             std::abs(seeds.mean), seeds.standard_error,
             std::count_if(gain.begin(), gain.end(), [](double g) { return g > 0; }), num_seeds);
}

}  // namespace

int main(int argc, char** argv) {
  Rung counts{"counting pairs (lesson 01)", counting};
  Rung mlp_by_sgd{"MLP, SGD (lesson 05)", mlp_sgd};
  Rung one_head{"one head, SGD (lesson 07)", [](const Task& task) { return gpt_sgd(1, task); }};
  Rung four_heads{"four heads, SGD (lesson 08)", [](const Task& task) { return gpt_sgd(4, task); }};
  Rung larger_steps{"four heads, SGD 0.3", [](const Task& task) { return gpt_sgd(4, task, 0.3); }};
  Rung one_head_by_adam{"one head, Adam", [](const Task& task) { return gpt_adam(1, task); }};
  Rung four_heads_by_adam{"four heads, Adam (lesson 09)", [](const Task& task) { return gpt_adam(4, task); }};
  const Ladder ladder{&counts,       &mlp_by_sgd,       &one_head,          &four_heads,
                      &larger_steps, &one_head_by_adam, &four_heads_by_adam};
  try {
    climb(ladder, argc > 1 ? argv[1] : "data/names.txt");
  } catch (const Error& error) {
    fmt::print(stderr, "ladder: {}\n", error.what());
    return 1;
  }
  print_table(ladder);
  fmt::print("\n");
  ask("Do the counts beat the MLP?", counts, mlp_by_sgd);
  ask("Does one head beat the MLP?", one_head, mlp_by_sgd);
  ask("Do four heads beat one, with SGD?", four_heads, one_head);
  ask("Do four heads beat one, with Adam?", four_heads_by_adam, one_head_by_adam);
  ask("Does Adam beat SGD, with four heads?", four_heads_by_adam, four_heads);
  ask("Does it beat SGD with a learning rate of 0.3?", four_heads_by_adam, larger_steps);
  fmt::print(
      "How noisy is the loss of one name? It is {:.2f} off, typically: to know the mean to 0.01 takes {:.0f} names.\n",
      four_heads_by_adam.one_name, std::pow(four_heads_by_adam.one_name / 0.01, 2));
}
