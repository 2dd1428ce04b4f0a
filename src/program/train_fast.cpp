// microgpt train-fast: trains the best model that a time allows, one second or one minute.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "program/shape_options.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/memory.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

/// A number of the training that can be changed by an option.
struct NumberOfRecipe {
  const char* name;
  double TrainConfig::*in;
  std::optional<double> max;  // without it: any positive number
  const char* help;
};
constexpr std::array numbers_of_recipe{
    NumberOfRecipe{"--lr", &TrainConfig::learning_rate, {}, "learning rate of the first step"},
    NumberOfRecipe{"--beta1", &TrainConfig::beta1, 0.999999, "Adam's decay of the mean gradient"},
    NumberOfRecipe{"--beta2", &TrainConfig::beta2, 0.999999, "Adam's decay of the mean squared gradient"},
    NumberOfRecipe{"--init", &TrainConfig::init_std, {}, "standard deviation of the initial weights"},
    NumberOfRecipe{"--dropout", &TrainConfig::dropout, 0.99, "share of numbers that a step sets to zero"},
    NumberOfRecipe{"--weight-decay", &TrainConfig::weight_decay, 1000,
                   "every step first shrinks each weight by --lr times this"},
};

struct TrainFastOptions {
  std::string data = "data/names.txt";
  std::string preset = "fast";
  std::optional<double> seconds;
  std::size_t seeds = 3;
  double temperature = 1;
  ShapeOptions shape;  // the sizes of its model
  std::optional<std::size_t> batch_size;
  std::array<std::optional<double>, numbers_of_recipe.size()> numbers;
  std::optional<std::size_t> threads;
  std::optional<std::string> save;
};

/// The preset, changed by the given options.
Preset chosen_recipe(const TrainFastOptions& options) {
  Preset recipe = preset(options.preset);
  apply(options.shape, recipe.model);
  recipe.train.batch_size = options.batch_size.value_or(recipe.train.batch_size);
  for (std::size_t i = 0; i < numbers_of_recipe.size(); i++) {
    double& number = recipe.train.*numbers_of_recipe[i].in;
    number = options.numbers[i].value_or(number);
  }
  return recipe;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// On a terminal, a line that is rewritten while a model is trained; elsewhere nothing.
class TimeLine {
 public:
  explicit TimeLine(std::size_t seed) : seed_(seed), is_shown_(::isatty(STDERR_FILENO) != 0) {}
  ~TimeLine() {
    if (is_shown_) std::fputs("\r\x1b[K", stderr);
  }
  TimeLine(const TimeLine&) = delete;
  TimeLine& operator=(const TimeLine&) = delete;

  void show(double spent, double seconds, std::size_t steps, double loss) {
    if (!is_shown_ || spent < next_) return;
    next_ = spent + 0.1;
    fmt::print(stderr, "\rseed {}: {:.0f} of {:.0f} s, {} steps, loss {:.3f}\x1b[K", seed_, spent, seconds, steps,
               loss);
  }

 private:
  std::size_t seed_;
  bool is_shown_;
  double next_ = 0;  // seconds
};

/// Trains until the time is up. The time counts training only, not reading data or evaluating the model.
BatchTrainer<float> trained(const Preset& recipe, double seconds, const Split& names, const Tokenizer& tokenizer,
                            std::size_t threads, std::size_t seed) {
  PythonRandom random(seed);
  std::vector<Document> documents = names.training;
  random.shuffle(documents);
  const Parameters parameters = initialize(recipe.model, recipe.train, random);
  BatchTrainer<float> trainer(recipe.model, recipe.train, parameters, documents, tokenizer,
                              {.loss_mean = LossMean::tokens,
                               .threads = threads,
                               .dropout = {recipe.train.dropout, static_cast<std::uint64_t>(seed)}});
  ThreadTrials trials(threads);
  TimeLine time_line(seed);
  const Clock::time_point start = Clock::now();
  for (double spent = 0; spent < seconds; spent = seconds_since(start)) {
    const double loss = trials.run([&](std::size_t n) {
      trainer.use_threads(n);
      return trainer.step(spent / seconds);
    });
    time_line.show(spent, seconds, trainer.steps_done(), loss);
  }
  return trainer;
}

void train_fast(const TrainFastOptions& options) {
  Preset recipe = chosen_recipe(options);
  Config& config = recipe.model;
  const double seconds = options.seconds.value_or(options.preset == "best" ? 60 : 1);
  const std::vector<Document> documents = read_documents(options.data);
  const Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  validate(config);
  const std::size_t batch_size = recipe.train.batch_size;
  require_memory(tensor_memory<float>(config, documents, batch_size, recipe.train.dropout > 0));
  tell_of_byte_order_mark(tokenizer);
  const Split names = split(documents);
  if (options.save) rehearse_save(*options.save, config, tokenizer, Parameters(gpt_shapes(config)));
  const ThreadChoice choice = choose_threads(config, batch_size);
  const std::size_t threads = options.threads.value_or(choice.threads);
  fmt::print("num docs: {} distinct, {} for training and {} held out\n", names.training.size() + names.held_out.size(),
             names.training.size(), names.held_out.size());
  fmt::print("model: {} layers, n_embd {}, {} heads, {} parameters; {} documents per step\n", config.n_layer,
             config.n_embd, config.n_head, num_parameters(config), batch_size);
  fmt::print("threads: {} ({})\n", threads, options.threads ? "as asked for" : choice.reason);

  std::vector<double> losses;
  for (std::size_t seed = 1; seed <= options.seeds; seed++) {
    BatchTrainer<float> trainer = trained(recipe, seconds, names, tokenizer, threads, seed);
    losses.push_back(token_loss(trainer.model(), names.held_out, tokenizer, threads));
    fmt::print("seed {}: held-out loss {:.4f} after {:.2f} s, {} steps, {:.1f} times through the data\n", seed,
               losses.back(), seconds, trainer.steps_done(),
               static_cast<double>(trainer.documents_done()) / static_cast<double>(names.training.size()));
    flush_output();
    if (seed < options.seeds) continue;
    const Estimate all = estimate(losses);
    if (options.seeds > 1) {
      fmt::print("mean of {} seeds: {:.4f}, standard deviation {:.4f}\n", options.seeds, all.mean, all.stddev);
    }
    fmt::print("\nThe last of them:\n");
    PythonRandom random(seed);
    print_quality(evaluate(trainer.model(), names, tokenizer, options.temperature, random, threads),
                  options.temperature);
    if (options.save) {
      Parameters parameters(gpt_shapes(config));
      trainer.model().copy_to(parameters);
      save_checkpoint(*options.save, config, tokenizer, parameters);
    }
  }
}

}  // namespace

Command train_fast_command() {
  auto options = std::make_shared<TrainFastOptions>();
  Command command{.name = "train-fast",
                  .help = "Train for a second or a minute with each of several seeds, and evaluate on held-out names."};
  command.footer =
      "Examples:\n"
      "  microgpt train-fast --data data/makemore.txt\n"
      "  microgpt train-fast --preset best --save names.safetensors\n"
      "  microgpt train-fast --seconds 10 --n-layer 3";
  add_data(command, options->data);
  add_choice(command, "--preset", options->preset, "fast|best",
             "the best recipe for one second, or for one minute [fast]");
  add_positive(command, "--seconds", options->seconds, "time to train each model [fast: 1, best: 60]");
  add_count(command, "--seeds", options->seeds, "models to train, with the seeds 1, 2, ... [3]");
  add_threads(command, options->threads);
  add_positive(command, "--temperature", options->temperature, "temperature of the generated names [1]");
  add_text(command, "--save", options->save, "FILE", "write the last model here, in the safetensors format");
  command.heading = "The recipe";
  const Preset fast = preset("fast");
  const Preset best = preset("best");
  auto both = [](auto in_fast, auto in_best) { return fmt::format("fast: {}, best: {}", in_fast, in_best); };
  add_sizes(command, options->shape,
            [&](const SizeOption& option) { return both(fast.model.*option.size, best.model.*option.size); });
  add_count(command, "--batch", options->batch_size,
            fmt::format("documents per step [{}]", both(fast.train.batch_size, best.train.batch_size)));
  for (std::size_t i = 0; i < numbers_of_recipe.size(); i++) {
    const auto& [name, in, max, help] = numbers_of_recipe[i];
    const std::string text = fmt::format("{} [{}]", help, both(fast.train.*in, best.train.*in));
    if (max) add_number(command, name, options->numbers[i], 0, *max, text);
    if (!max) add_positive(command, name, options->numbers[i], text);
  }
  command.run = [options] { train_fast(*options); };
  return command;
}

}  // namespace microgpt
