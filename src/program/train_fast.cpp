// microgpt train-fast: trains the best model that a time allows, one second or one minute.
#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/options.h"
#include "program/output_path.h"
#include "program/print.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/memory.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

struct TrainFastOptions {
  std::string data = usual_names;
  Preset recipe = preset("fast");  // changed by what was typed
  std::optional<double> seconds;
  std::size_t seeds = 3;
  double temperature = 1;
  std::optional<std::size_t> threads;
  std::optional<std::string> save;
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
  TerminalLine line;
  const auto start = std::chrono::steady_clock::now();
  for (double spent = 0; spent < seconds; spent = seconds_since(start)) {
    const double loss = trials.step(trainer, spent / seconds);
    if (!line.is_due()) continue;
    line.show(fmt::format("seed {}: {:.0f} of {:.0f} s, {} steps, loss {:.3f}", seed, spent, seconds,
                          trainer.steps_done(), loss));
  }
  return trainer;
}

void print_plan(const Split& names, const Preset& recipe) {
  const Config& config = recipe.model;
  fmt::print("num docs: {} distinct, {} for training and {} held out\n", names.training.size() + names.held_out.size(),
             names.training.size(), names.held_out.size());
  fmt::print("model: {} layers, n_embd {}, {} heads, {} parameters; {} documents per step\n", config.n_layer,
             config.n_embd, config.n_head, num_parameters(config), recipe.train.batch_size);
}

void train_fast(const TrainFastOptions& options) {
  Preset recipe = options.recipe;
  Config& config = recipe.model;
  if (options.save) require_own_place(*options.save, options.data);
  const double seconds = options.seconds.value_or(recipe.name == "best" ? 60 : 1);
  std::vector<Document> documents = read_documents(options.data);
  const Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  validate(config);
  const std::size_t batch_size = recipe.train.batch_size;
  require_memory(tensor_memory<float>(config, documents, batch_size, recipe.train.dropout > 0));
  tell_of_byte_order_mark(tokenizer);
  const Split names = split(std::move(documents));
  if (options.save) rehearse_save(*options.save, config, tokenizer, Parameters(gpt_shapes(config)));
  const auto [threads, reason] = choose_threads(config, batch_size, options.threads);
  print_plan(names, recipe);
  fmt::print("threads: {} ({})\n", threads, reason);

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
      with_patience([&] { save_checkpoint(*options.save, config, tokenizer, parameters); });
    }
  }
}

/// What can be changed of the preset.
Options recipe_options(Preset& recipe) {
  TrainConfig& how = recipe.train;
  const Defaults defaults("fast", "best");
  auto of = [&](const char* name, double TrainConfig::*field, const std::string& help, double min, double max) {
    return Option{name, help + " " + defaults.of(field), number(how.*field, min, max)};
  };
  const Options numbers{
      {"--batch", "documents per step " + defaults.of(&TrainConfig::batch_size), count(how.batch_size)},
      of("--lr", &TrainConfig::learning_rate, "learning rate of the first step", 1e-9, 1e6),
      of("--beta1", &TrainConfig::beta1, "Adam's decay of the mean gradient", 0, 0.999999),
      of("--beta2", &TrainConfig::beta2, "Adam's decay of the mean squared gradient", 0, 0.999999),
      of("--init", &TrainConfig::init_std, "standard deviation of the initial weights", 1e-9, 1e6),
      of("--dropout", &TrainConfig::dropout, "share of numbers that a step sets to zero", 0, 0.99),
      of("--weight-decay", &TrainConfig::weight_decay, "every step first shrinks each weight by --lr times this", 0,
         1000)};
  return size_options(recipe.model, defaults) + numbers;
}

}  // namespace

Command train_fast_command() {
  auto options = std::make_shared<TrainFastOptions>();
  const Options first{
      data_option(options->data),
      {"--preset", "the best recipe for one second, or for one minute", preset_value(options->recipe, "fast|best")},
      {"--seconds", "time to train each model [fast: 1, best: 60]", number(options->seconds)},
      {"--seeds", "models to train, with the seeds 1, 2, ... [3]", count(options->seeds)},
      threads_option(options->threads),
      {"--temperature", "temperature of the generated names [1]", number(options->temperature)},
      {"--save", "write the last model here, in the safetensors format", text(options->save, "FILE")}};
  return {"train-fast", "Train for a second or a minute with each of several seeds, and evaluate on held-out names.",
          "Examples:\n"
          "  microgpt train-fast --data data/makemore.txt\n"
          "  microgpt train-fast --preset best --save names.safetensors\n"
          "  microgpt train-fast --seconds 10 --n-layer 3",
          first + under("The recipe", recipe_options(options->recipe)),
          [options](const Options&) { train_fast(*options); }};
}

}  // namespace microgpt
