// microgpt train-fast: trains the best model that one second allows.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "program/commands.h"
#include "program/options.h"
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
  std::string data = "data/names.txt";
  double seconds = 1;
  std::size_t seeds = 3;
  double temperature = 1;
  Preset recipe = preset("fast");
  std::optional<std::size_t> threads;
  std::optional<std::string> save;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Trains until the time is up. The time counts training only, not reading data or evaluating the model.
BatchTrainer<float> trained(const TrainFastOptions& options, const Config& config, const Split& names,
                            const Tokenizer& tokenizer, std::size_t threads, std::size_t seed) {
  PythonRandom random(seed);
  std::vector<Document> documents = names.training;
  random.shuffle(documents);
  const Parameters parameters = initialize(config, options.recipe.train, random);
  BatchTrainer<float> trainer(config, options.recipe.train, parameters, documents, tokenizer,
                              {.loss_mean = LossMean::tokens, .threads = threads});
  ThreadTrials trials(threads);
  const Clock::time_point start = Clock::now();
  for (double seconds = 0; seconds < options.seconds; seconds = seconds_since(start)) {
    trials.run([&](std::size_t n) {
      trainer.use_threads(n);
      return trainer.step(seconds / options.seconds);
    });
  }
  return trainer;
}

void train_fast(const TrainFastOptions& options) {
  Config config = options.recipe.model;
  const std::vector<Document> documents = read_documents(options.data);
  const Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  validate(config);
  const std::size_t batch_size = options.recipe.train.batch_size;
  require_memory(tensor_memory<float>(config, documents, batch_size));
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
    BatchTrainer<float> trainer = trained(options, config, names, tokenizer, threads, seed);
    losses.push_back(token_loss(trainer.model(), names.held_out, tokenizer, threads));
    fmt::print("seed {}: held-out loss {:.4f} after {:.2f} s, {} steps, {:.1f} times through the data\n", seed,
               losses.back(), options.seconds, trainer.steps_done(),
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
  Config& config = options->recipe.model;
  TrainConfig& train = options->recipe.train;
  Command command{.name = "train-fast",
                  .help = "Train for one second with each of several seeds, and evaluate on held-out names."};
  command.footer =
      "Examples:\n"
      "  microgpt train-fast --data data/makemore.txt\n"
      "  microgpt train-fast --seconds 10 --n-layer 2 --save names.safetensors";
  add_data(command, options->data);
  add_positive(command, "--seconds", options->seconds, "time to train each model [1]");
  add_count(command, "--seeds", options->seeds, "models to train, with the seeds 1, 2, ... [3]");
  add_threads(command, options->threads);
  add_positive(command, "--temperature", options->temperature, "temperature of the generated names [1]");
  add_text(command, "--save", options->save, "FILE", "write the last model here, in the safetensors format");
  command.heading = "The recipe";
  auto count = [&](const char* name, std::size_t& target, const std::string& help) {
    add_count(command, name, target, fmt::format("{} [{}]", help, target));
  };
  auto positive = [&](const char* name, double& target, const std::string& help) {
    add_positive(command, name, target, fmt::format("{} [{}]", help, target));
  };
  count("--n-layer", config.n_layer, "blocks");
  count("--n-embd", config.n_embd, "width of the residual stream");
  count("--n-head", config.n_head, "attention heads; divides n-embd");
  count("--block-size", config.block_size, "longest document, in tokens");
  count("--batch", train.batch_size, "documents per step");
  positive("--lr", train.learning_rate, "learning rate of the first step");
  auto decay = [&](const char* name, double& target, const std::string& help) {
    add_number(command, name, target, 0, 0.999999, fmt::format("{} [{}]", help, target));
  };
  decay("--beta1", train.beta1, "Adam's decay of the mean gradient");
  decay("--beta2", train.beta2, "Adam's decay of the mean squared gradient");
  positive("--init", train.init_std, "standard deviation of the initial weights");
  command.run = [options] { train_fast(*options); };
  return command;
}

}  // namespace microgpt
