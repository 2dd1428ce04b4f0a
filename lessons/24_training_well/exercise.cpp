// Exercise 24: stop in time, choose a recipe, and report a loss that can be believed.
//
//   make exercise-24     fails until the three functions are written
//   make solution-24     runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "lesson/recipe.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// A training that waits for you to say when it goes on, what is kept, and when it is evaluated.
class Training {
 public:
  virtual ~Training() = default;
  virtual bool step() = 0;  // makes a step; false if there are no more
  virtual double validation_loss() = 0;
  virtual double held_out_loss() = 0;  // ask once, at the very end
  virtual void keep() = 0;             // remembers the weights as they are now
  virtual void back_to_kept() = 0;     // the weights are again as they were at the last keep()
};

/// What is published about the recipe that was chosen.
struct Report {
  std::size_t recipe;  // its place in the list
  double validation_loss, held_out_loss;
};

/// Makes a recipe's training, ready for its first step.
using Beginning = std::function<std::unique_ptr<Training>()>;

#ifdef SOLUTION
#include "solution.cpp"
#else

/// Early stopping. Asks for the validation loss after every `every` steps, and stops when `patience` answers in a row
/// were no new lowest, or when there are no more steps. Leaves the weights that had the lowest loss, and returns it.
double train_until_worse([[maybe_unused]] Training& training, [[maybe_unused]] std::size_t every,
                         [[maybe_unused]] std::size_t patience) {
  // TODO: a lowest loss so far, how many answers ago it came, and keep() at the right moments.
  return 0;
}

/// Trains every recipe with train_until_worse(), measuring after every step, with a patience of 3, and chooses one.
Report choose([[maybe_unused]] const std::vector<Beginning>& recipes) {
  // TODO: by which loss is the recipe chosen? Which training is asked for its held-out loss, and how often?
  return {};
}

/// A split that needs no list: whether this name is held out is decided by the name alone. About a tenth are. So a
/// name that comes twice is on one side only, and stays there when the list grows.
bool is_held_out([[maybe_unused]] const Document& name) {
  // TODO: make a number of all of its characters that looks random (a hash), and look at that number modulo 10.
  return false;
}

#endif

namespace {

/// A training whose losses are written down beforehand. Its weights are the number of the step.
class Written : public Training {
 public:
  explicit Written(std::vector<double> validation, double held_out = 0)
      : losses_(std::move(validation)), held_(held_out) {}
  bool step() override { return steps < losses_.size() && ++steps > 0; }
  double validation_loss() override {
    looks++;
    return losses_.at(steps - 1);
  }
  double held_out_loss() override {
    peeks++;
    return held_;
  }
  void keep() override { kept = steps; }
  void back_to_kept() override { steps = kept; }

  std::size_t steps = 0, kept = 0, looks = 0, peeks = 0;

 private:
  std::vector<double> losses_;  // after each step
  double held_;
};

/// A model that reads 500 names over and over.
class Real : public Training {
 public:
  Real(const Recipe& recipe, const Split& names, const Tokenizer& tokenizer)
      : names_(names), tokenizer_(tokenizer), config_(recipe.model), num_steps_(recipe.train.num_steps) {
    config_.vocab_size = tokenizer.vocab_size();
    PythonRandom random(1);
    trainer_.emplace(config_, recipe.train, initialize(config_, recipe.train, random),
                     std::span(names.training).first(500), tokenizer, BatchOptions{.loss_mean = LossMean::tokens});
  }
  bool step() override {
    if (trainer_->steps_done() == num_steps_) return false;
    trainer_->step();
    return true;
  }
  double validation_loss() override { return loss(std::span(names_.training).last(500)); }
  double held_out_loss() override { return loss(names_.held_out); }
  void keep() override { trainer_->model().copy_to(kept_.emplace(gpt_shapes(config_))); }
  void back_to_kept() override { best_.emplace(config_, kept_.value()); }

 private:
  double loss(std::span<const Document> names) {
    return token_loss(best_ ? *best_ : trainer_->model(), names, tokenizer_, 1);
  }

  const Split& names_;
  const Tokenizer& tokenizer_;
  Config config_;
  std::size_t num_steps_;
  std::optional<BatchTrainer<double>> trainer_;
  std::optional<Parameters> kept_;
  std::optional<TensorModel<double>> best_;
};

}  // namespace

TEST_CASE("early stopping goes back to the lowest loss") {
  Written training({3, 2.5, 2.2, 2.4, 2.3, 2.6, 1.0});
  INFO("hint: 2.2 is the lowest of what can be known; after 2.4, 2.3 and 2.6 patience is at its end");
  CHECK(train_until_worse(training, 1, 3) == 2.2);
  CHECK(training.steps == 3);
  CHECK(training.looks == 6);
}

TEST_CASE("patience begins again with every new lowest loss") {
  Written training({3, 3.1, 2.9, 3.0, 2.8, 2.9, 2.7});
  INFO("hint: no two answers in a row were worse, so this training runs to its end");
  CHECK(train_until_worse(training, 1, 2) == 2.7);
  CHECK(training.steps == 7);
}

TEST_CASE("between two measurements there are `every` steps") {
  Written training({9, 3, 9, 2, 9, 4, 9, 5});
  INFO("hint: measured are steps 2, 4, 6 and 8");
  CHECK(train_until_worse(training, 2, 5) == 2);
  CHECK(training.looks == 4);
  CHECK(training.steps == 4);
}

TEST_CASE("early stopping never looks at the held-out names") {
  Written training({3, 2, 4, 5, 6}, 1.5);
  CHECK(train_until_worse(training, 1, 2) == 2);
  CHECK(training.peeks == 0);
}

TEST_CASE("a recipe is chosen by its validation loss, and one held-out loss is asked for, once") {
  // The second has the lowest validation loss, the third the lowest held-out loss.
  const std::vector<std::vector<double>> validation{
      {3, 2.5, 2.6, 2.7, 2.8}, {3, 2.2, 2.3, 2.4, 2.5}, {3, 2.4, 2.3, 2.4, 2.5}};
  const std::vector<double> held_out{2.55, 2.35, 2.25};
  std::size_t peeks = 0;
  struct Counted : Written {
    Counted(const std::vector<double>& v, double h, std::size_t& count) : Written(v, h), count_(count) {}
    double held_out_loss() override {
      count_++;
      return Written::held_out_loss();
    }
    std::size_t& count_;
  };
  std::vector<Beginning> recipes;
  for (std::size_t i = 0; i < 3; i++)
    recipes.emplace_back([&, i] { return std::make_unique<Counted>(validation[i], held_out[i], peeks); });
  const Report report = choose(recipes);
  INFO("hint: a choice by the held-out loss would report 2.25, with no names left to check it on");
  CHECK(report.recipe == 1);
  CHECK(report.validation_loss == 2.2);
  CHECK(report.held_out_loss == 2.35);
  CHECK(peeks == 1);
}

TEST_CASE("a name alone decides whether it is held out") {
  const std::vector<Document> names = read_documents("data/names.txt");
  const auto share = [&](auto belongs) {
    const auto all = std::count_if(names.begin(), names.end(), belongs);
    const auto held = std::count_if(names.begin(), names.end(),
                                    [&](const Document& name) { return belongs(name) && is_held_out(name); });
    return static_cast<double>(held) / static_cast<double>(all);
  };
  const double all = share([](const Document&) { return true; });
  CHECK(all > 0.09);
  CHECK(all < 0.11);
  INFO("hint: the number must depend on every character, and on its place");
  for (const char32_t letter : {U'a', U'e', U'k', U'l', U'm', U'n', U'r', U's', U't'}) {
    for (const double some : {share([&](const Document& name) { return name.front() == letter; }),
                              share([&](const Document& name) { return name.back() == letter; })}) {
      CHECK(some > 0.05);
      CHECK(some < 0.15);
    }
  }
  std::size_t parted = 0;  // pairs of reversed names on different sides
  for (const Document& name : names) {
    const std::u32string backwards(name.rbegin(), name.rend());
    parted += is_held_out(name) != is_held_out(backwards) ? 1 : 0;
  }
  CHECK(parted > names.size() / 10);
}

TEST_CASE("at the end: two real recipes, and a loss to believe") {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  Recipe wide{.model = {.n_embd = 64}, .train = {.num_steps = 300, .batch_size = 16, .learning_rate = 0.005}};
  Recipe decay = wide;
  decay.train.weight_decay = 3;
  std::vector<Beginning> recipes;
  for (const Recipe& recipe : {wide, decay}) {
    recipes.emplace_back([&, recipe] { return std::make_unique<Real>(recipe, names, tokenizer); });
  }
  const Report report = choose(recipes);
  REQUIRE(report.held_out_loss > 0);
  CHECK(report.held_out_loss < 2.8);
  fmt::print("chosen: {} weight decay, validation loss {:.2f}, held-out loss {:.2f}\n",
             report.recipe == 0 ? "without" : "with", report.validation_loss, report.held_out_loss);
}
