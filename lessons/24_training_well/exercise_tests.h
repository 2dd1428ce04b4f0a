// The tests of exercise 24: trainings whose losses are written down beforehand, then two real ones.
#pragma once

#include <fmt/format.h>

#include "lesson/teach.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

using namespace microgpt;
using namespace teach;

/// Its weights are the number of the step: 0 before the first.
struct Written : Training {
  explicit Written(Numbers losses_, double held_out_ = 0) : losses(std::move(losses_)), held_out(held_out_) {}
  bool step() override { return weights + 1 < losses.size() && ++weights > 0 && ++steps > 0; }
  double validation_loss() override { return losses[weights]; }
  double held_out_loss() override { return peeks++, held_out; }
  void keep() override { kept = weights; }
  void back_to_kept() override { weights = kept; }

  Numbers losses;
  double held_out;
  std::size_t weights = 0, kept = 0;
  double steps = 0, peeks = 0;
};

inline void test_train_until_worse() {
  Written training({9, 3, 2.5, 2.2, 2.2, 2.6, 2.3, 1, 1});
  const std::string asked = "train_until_worse() with patience 3, validation losses 3, 2.5, 2.2, 2.2, 2.6, 2.3, 1, 1";
  calling(asked, "It returns the lowest loss of those it has seen.");
  const double lowest = train_until_worse(training, 3);
  calling(asked + "; steps made", "After the first 2.2 come three answers in a row that are no new lowest: stop.");
  usual({3}, "No loss was a new lowest. Is the lowest so far large enough at the beginning?");
  usual({7}, "It made a step after the third answer that is no new lowest. Look at patience before each step.");
  usual({8}, "It went on to the end. Three answers in a row were no new lowest: neither 2.2 again, nor 2.3.");
  usual({4}, "It stopped at the first loss that was higher, and patience is 3. Or did it ask held_out_loss()?");
  should_be(training.steps, {6});
  calling(asked + "; what it returns", "It returns the lowest loss of those it has seen.");
  usual({2.6}, "That is the last loss, and should be the lowest.");
  should_be(lowest, {2.2});
  calling(asked + "; it leaves the weights of step", "Those of the lowest loss: keep() them when it comes.");
  usual({6}, "It leaves the last weights. Those of the lowest loss are to come back.");
  usual({0}, "The weights of the beginning came back. Was keep() called?");
  should_be(double(training.weights), {3});

  Written long_one({9, 3, 3.1, 2.9, 3, 2.8, 2.9, 2.7});
  calling("train_until_worse() with a patience of 2, validation losses 3, 3.1, 2.9, 3, 2.8, 2.9, 2.7",
          "No two answers in a row were worse, so this training runs to its end.");
  usual({2.9}, "It stopped after 3.1 and 3. With 2.9 in between, patience begins again.");
  should_be(train_until_worse(long_one, 2), {2.7});
}

inline void test_choose() {
  Written a({9, 2.5, 2.6, 2.7, 2.8, 2.1}, 2.55), b({9, 2.6, 2.7, 2.8, 2.2, 2.3, 2.4, 2.5}, 2.35),
      c({9, 2.6, 2.7, 2.8, 2.3, 2.4, 2.5, 2.6}, 2.25);
  const std::string asked =
      "choose() of recipes 0, 1, 2, with lowest validation losses 2.5, 2.2, 2.3 and held-out losses 2.55, 2.35, 2.25";
  calling(asked + "; the chosen one", "The lowest validation loss decides.");
  const Report report = choose({&a, &b, &c});
  usual({0}, "Is one chosen at all? The highest? Or is patience not 3? Recipe 1 has 2.2 after two worse answers.");
  usual({2},
        "The last one. Is the lowest validation loss so far kept? Or was it chosen by its held-out loss? Then no names "
        "are left that tell how good it is.");
  should_be(double(report.recipe), {1});
  calling(asked + "; the two losses reported", "Those of the recipe that was chosen: validation, held-out.");
  usual({2.2, 2.25}, "That is the lowest held-out loss, which is also the last. It is another recipe's.");
  should_be(Numbers{report.validation_loss, report.held_out_loss}, {2.2, 2.35});
  calling(asked + "; held-out losses asked for", "The envelope is opened once, for the chosen one alone.");
  should_be(a.peeks + b.peeks + c.peeks, {1});
}

/// A wide model that reads 500 names over and over.
struct Real : Training {
  Real(double weight_decay, const Split& names_, const Tokenizer& tokenizer_)
      : names(names_),
        tokenizer(tokenizer_),
        config{.vocab_size = tokenizer.vocab_size(), .n_embd = 64},
        how{.num_steps = 300, .batch_size = 16, .learning_rate = 0.005, .weight_decay = weight_decay},
        trainer(config, how, initialize(config, how, random), std::span(names.training).first(500), tokenizer,
                {.loss_mean = LossMean::tokens}) {}
  bool step() override { return trainer.steps_done() < how.num_steps && trainer.step() > 0; }
  double validation_loss() override {
    return token_loss(trainer.model(), std::span(names.training).last(500), tokenizer, 1);
  }
  double held_out_loss() override { return token_loss(trainer.model(), names.held_out, tokenizer, 1); }
  void keep() override { kept = trainer.model(); }
  void back_to_kept() override { trainer.model() = kept.value(); }

  const Split& names;
  const Tokenizer& tokenizer;
  Config config;
  TrainConfig how;
  PythonRandom random = PythonRandom(1);
  BatchTrainer<double> trainer;
  std::optional<TensorModel<double>> kept;
};

inline void show() {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  Real without(0, names, tokenizer), with(3, names, tokenizer);
  const Report report = choose({&without, &with});
  fmt::print("500 real names: {} steps without weight decay, {} with a decay of 3\n", without.trainer.steps_done(),
             with.trainer.steps_done());
  fmt::print("chosen: {} weight decay, validation loss {:.2f}, held-out loss {:.2f}\n",
             report.recipe == 0 ? "without" : "with", report.validation_loss, report.held_out_loss);
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_train_until_worse, test_choose, show}); }
