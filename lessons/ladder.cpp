// The ladder: the models of lessons 01 to 09, each trained on the same 1,000 names and evaluated on the same names
// that none of them has seen; with several seeds, because one run proves little. `make ladder` prints the table.
#include <fmt/format.h>

#include <cstdio>

#include "base/bigram.h"
#include "base/split.h"
#include "draw/progress.h"
#include "lesson/mlp.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

constexpr std::size_t num_steps = 1000, num_seeds = 10, first_seed = 42;

enum class Kind { counts, mlp, gpt };

/// A model, and how it does with each seed.
struct Rung {
  std::string name;
  Kind kind;
  std::size_t n_head = 0;
  double learning_rate = 0;
  bool adam = false;               // otherwise SGD
  std::vector<double> means = {};  // of the held-out names, a seed each
  double one_name = 0;             // standard deviation of a single name's loss, mean over the seeds
};

/// Trains a model. Returns each held-out name's loss. Every model of a seed gets the same random numbers.
std::vector<double> losses_of(const Rung& rung, const Split& names, const Tokenizer& tokenizer, PythonRandom random) {
  const Scope scope;  // of the model
  const Config config{.vocab_size = tokenizer.vocab_size(), .n_head = rung.n_head};
  Loss loss;
  List params;
  if (rung.kind == Kind::counts) {
    Bigram bigram(config.vocab_size);
    for (std::size_t step = 0; step < num_steps; step++) {
      bigram.count(tokenizer.encode_document(names.training[step % names.training.size()]));
    }
    loss = [bigram](auto tokens) { return bigram.loss(tokens); };
  } else if (rung.kind == Kind::mlp) {
    const Mlp model(StateDict(mlp_shapes(config.vocab_size, 16), 0.08, random));
    loss = [model](auto tokens) { return document_loss(model, tokens); };
    params = model.params;
  } else {
    const Model model = scalar_model(config, initialize(config, {}, random));
    loss = [model](auto tokens) { return document_loss(model, tokens); };
    params = model.params;
  }
  if (rung.kind != Kind::counts) {
    const Optimizer optimizer = rung.adam ? adam_optimizer({}, params.size()) : Optimizer(sgd_update);
    train(loss, params, optimizer, names.training, tokenizer,
          {.num_steps = num_steps, .learning_rate = rung.learning_rate});
  }
  return document_losses(loss, names.held_out, tokenizer);
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

int main(int argc, char** argv) try {
  std::array<Rung, 7> ladder{{{"counting pairs (lesson 01)", Kind::counts},
                              {"MLP, SGD (lesson 05)", Kind::mlp, 0, 1.0},
                              {"one head, SGD (lesson 07)", Kind::gpt, 1, 0.1},
                              {"four heads, SGD (lesson 08)", Kind::gpt, 4, 0.1},
                              {"four heads, SGD 0.3", Kind::gpt, 4, 0.3},
                              {"one head, Adam", Kind::gpt, 1, 0.01, true},
                              {"four heads, Adam (lesson 09)", Kind::gpt, 4, 0.01, true}}};
  const std::vector<Document> documents = read_documents(argc > 1 ? argv[1] : "data/names.txt");
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  for (std::size_t i = 0; i < num_seeds; i++) {
    PythonRandom random(first_seed + i);
    Split shuffled = names;
    random.shuffle(shuffled.training);
    for (std::size_t r = 0; r < ladder.size(); r++) {
      TerminalLine line;
      line.show(fmt::format("run {} of {}", i * ladder.size() + r + 1, num_seeds * ladder.size()));
      const Estimate losses = estimate(losses_of(ladder[r], shuffled, tokenizer, random));
      ladder[r].means.push_back(losses.mean);
      ladder[r].one_name += losses.stddev / static_cast<double>(num_seeds);
    }
  }

  fmt::print("{} names, shuffled anew with each of {} seeds; {} steps of a name each, then {} names not seen\n\n",
             names.training.size(), num_seeds, num_steps, names.held_out.size());
  fmt::print("{:28} | {:9} | {:16} | {:7} | {:7} | {}\n", "model", "mean loss", "spread of seeds", "lowest", "highest",
             "spread of one name's loss");
  for (const Rung& rung : ladder) {
    const Estimate seeds = estimate(rung.means);
    const auto [lowest, highest] = std::minmax_element(rung.means.begin(), rung.means.end());
    fmt::print("{:28} | {:9.4f} | {:16.4f} | {:7.4f} | {:7.4f} | {:.4f}\n", rung.name, seeds.mean, seeds.stddev,
               *lowest, *highest, rung.one_name);
  }
  fmt::print("\n");
  const auto& [counts, mlp, one_head, four_heads, larger_steps, one_by_adam, four_by_adam] = ladder;
  ask("Do the counts beat the MLP?", counts, mlp);
  ask("Does one head beat the MLP?", one_head, mlp);
  ask("Do four heads beat one, with SGD?", four_heads, one_head);
  ask("Do four heads beat one, with Adam?", four_by_adam, one_by_adam);
  ask("Does Adam beat SGD, with four heads?", four_by_adam, four_heads);
  ask("Does it beat SGD with a learning rate of 0.3?", four_by_adam, larger_steps);
  fmt::print(
      "How noisy is the loss of one name? It is {:.2f} off, typically: to know the mean to 0.01 takes {:.0f} names.\n",
      four_by_adam.one_name, std::pow(four_by_adam.one_name / 0.01, 2));
} catch (const Error& error) {
  fmt::print(stderr, "ladder: {}\n", error.what());
  return 1;
}
