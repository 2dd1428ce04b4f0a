// microgpt train-fast: trains by the recipe for about a second, or for about a minute.
#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/python_random.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/output_path.h"
#include "program/print.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

struct TrainFastOptions {
  DataFile data;
  Preset recipe = preset("fast");  // changed by what was typed
  std::size_t seeds = 3;
  double temperature = 1;
  std::optional<std::size_t> threads;
  std::optional<std::string> save;
  bool force = false;
};

BatchTrainer<float> trained(const Preset& recipe, const Split& names, const Tokenizer& tokenizer, std::size_t threads,
                            std::size_t seed) {
  PythonRandom random(seed);
  std::vector<Document> documents = names.training;
  random.shuffle(documents);
  const Parameters parameters = initialize(recipe.model, recipe.train, random);
  BatchTrainer<float> trainer(recipe.model, recipe.train, parameters, documents, tokenizer,
                              {.loss_mean = LossMean::tokens,
                               .threads = threads,
                               .dropout = {recipe.train.dropout, static_cast<std::uint64_t>(seed)}});
  ThreadTrials trials(threads);
  const auto line = run_line(fmt::format("seed {}: step", seed));
  for (std::size_t step = 1; step <= recipe.train.num_steps; step++) {
    trials.step(trainer);
    line(step, recipe.train.num_steps);
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

/// Trains with every seed, and prints what each reached. Returns the seed with the smallest held-out loss, and its
/// model.
std::pair<std::size_t, TensorModel<float>> best_of_seeds(const TrainFastOptions& options, const Preset& recipe,
                                                         const Split& names, const Tokenizer& tokenizer,
                                                         std::size_t threads) {
  std::vector<double> losses;
  std::size_t best_seed = 0;
  std::optional<TensorModel<float>> best;
  for (std::size_t seed = 1; seed <= options.seeds; seed++) {
    const auto start = std::chrono::steady_clock::now();
    BatchTrainer<float> trainer = trained(recipe, names, tokenizer, threads, seed);
    const double seconds = seconds_since(start);
    losses.push_back(token_loss(trainer.model(), names.held_out, tokenizer, threads));
    fmt::print("seed {}: held-out loss {:.4f} after {} steps, {:.1f} times through the data; {:.1f} s\n", seed,
               losses.back(), trainer.steps_done(),
               static_cast<double>(trainer.documents_done()) / static_cast<double>(names.training.size()), seconds);
    flush_output();
    if (best && losses.back() >= losses[best_seed - 1]) continue;
    best_seed = seed;
    best.emplace(std::move(trainer.model()));
  }
  if (options.seeds > 1) {
    const Estimate all = estimate(losses);
    fmt::print("mean of {} seeds: {:.4f}, standard deviation {:.4f}\n", options.seeds, all.mean, all.stddev);
    fmt::print("\nThe best of them, on these names, is seed {}:\n", best_seed);
  }
  return {best_seed, std::move(*best)};
}

void train_fast(const Options& table, TrainFastOptions& options) {
  Preset recipe = options.recipe;
  Config& config = recipe.model;
  if (options.save) require_own_place(*options.save, options.force, {options.data.path});
  std::vector<Document> documents = read_documents(options.data);
  const Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  validate(config);
  const Split names = split(std::move(documents));
  TrainingState state{.options = saved_words(table), .step = recipe.train.num_steps};
  state.options["hold-out"] = "yes";
  std::optional<OwnFile> file;
  if (options.save) file.emplace(*options.save);
  const auto [threads, reason] = choose_threads(config, recipe.train.batch_size, options.threads);
  print_plan(names, recipe);
  fmt::print("threads: {} ({})\n", threads, reason);

  auto [seed, model] = best_of_seeds(options, recipe, names, tokenizer, threads);
  PythonRandom random(seed);
  print_quality(evaluate(model, names, tokenizer, options.temperature, random, threads), options.temperature);
  if (!options.save) return;
  Parameters parameters(gpt_shapes(config));
  model.copy_to(parameters);
  file->save([&] { save_checkpoint(*options.save, config, tokenizer, parameters, state); });
}

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
  const Options first{{"--preset", "the best recipe for about a second, or for about a minute",
                       preset_value(options->recipe, "fast|best"), true},
                      {"--steps", "training steps " + Defaults("fast", "best").of(&TrainConfig::num_steps),
                       count(options->recipe.train.num_steps)},
                      {"--seeds", "models to train, with the seeds 1, 2, ... [3]", count(options->seeds)},
                      threads_option(options->threads),
                      {"--temperature", "temperature of the generated names [1]", number(options->temperature)}};
  const Options save =
      save_options(options->save, options->force, "write the best model here, in the safetensors format");
  return {"train-fast", "Train by a recipe with each of several seeds, and evaluate on names that were held out.",
          "Examples:\n"
          "  microgpt train-fast --data data/makemore.txt\n"
          "  microgpt train-fast --preset best --save names.safetensors\n"
          "  microgpt train-fast --steps 20000 --n-layer 3",
          data_options(options->data) + first + save + under("The recipe", recipe_options(options->recipe)),
          [options](const Options& table) { train_fast(table, *options); }};
}

}  // namespace microgpt
