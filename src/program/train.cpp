// microgpt train: trains a GPT and generates names.
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "base/error.h"
#include "base/python_random.h"
#include "inspect/progress.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "program/shape_options.h"
#include "scalar/gpt.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"
#include "train/sampling.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

struct TrainOptions {
  std::string preset = "gist";
  std::string data = "data/names.txt";
  ShapeOptions shape;
  std::optional<std::size_t> steps, batch_size, threads;
  std::optional<double> learning_rate, dropout;
  std::string seed = "42";
  std::size_t samples = 20;
  double temperature = 0.5;
  std::string digits = "4";
  std::string engine = "scalar";
  std::string optimizer = "adam";
  std::optional<std::string> dtype, kernels, loss, positions, mask;
  bool hold_out = false;
  bool quiet = false;
  std::optional<std::string> save;
};

/// Throws UsageError for options that only the tensor path supports.
void refuse_tensor_options(const TrainOptions& options) {
  auto refuse = [](bool given, const char* option) {
    if (given) throw UsageError(fmt::format("{} needs --engine tensor", option));
  };
  refuse(options.batch_size.has_value(), "--batch");
  refuse(options.threads.has_value(), "--threads");
  refuse(options.dtype.has_value(), "--dtype");
  refuse(options.kernels.has_value(), "--kernels");
  refuse(options.loss.has_value(), "--loss");
  refuse(options.dropout.has_value(), "--dropout");
  refuse(options.shape.attention.has_value(), "--attention");
  refuse(options.positions.has_value(), "--pos");
  refuse(options.mask.has_value(), "--mask");
}

/// The preset, changed by the given options.
Preset chosen_preset(const TrainOptions& options) {
  Preset chosen = preset(options.preset);
  Config& config = chosen.model;
  apply(options.shape, config);
  config.rope = options.positions == "rope";
  config.mask = given_mask(options.mask.value_or("full"));
  chosen.train.num_steps = options.steps.value_or(chosen.train.num_steps);
  chosen.train.batch_size = options.batch_size.value_or(chosen.train.batch_size);
  chosen.train.optimizer = options.optimizer == "sgd" ? OptimizerName::sgd : OptimizerName::adam;
  chosen.train.learning_rate = options.learning_rate.value_or(chosen.train.learning_rate);
  return chosen;
}

/// What training needs, and what it leaves.
struct Run {
  Preset preset;
  Start start;
  PythonRandom& random;
};

/// The line of a step, and the progress bar.
class StepLines {
 public:
  StepLines(std::size_t num_steps, const TrainOptions& options)
      : num_steps_(num_steps), all_digits_(options.digits == "17"), progress_(num_steps, options.quiet) {}

  void show(std::size_t step, double loss) {
    const std::string digits = all_digits_ ? all_digits(loss) : fmt::format("{:.4f}", loss);
    progress_.show(step, fmt::format("step {:4} / {:4} | loss {}", step, num_steps_, digits));
  }

 private:
  std::size_t num_steps_;
  bool all_digits_;
  Progress progress_;
};

/// Saves the model if asked to, then generates names.
void finish(const Run& run, const TrainOptions& options, const std::function<std::vector<Token>()>& generate) {
  const Start& trained = run.start;
  if (options.save) save_checkpoint(*options.save, run.preset.model, trained.tokenizer, trained.parameters);
  fmt::print("\n{}\n", run.preset.heading);
  print_samples(options.samples, trained.tokenizer, generate);
}

/// The loop of src/microgpt.cpp.
void train_scalar(Run& run, const TrainOptions& options) {
  auto& [documents, tokenizer, parameters] = run.start;
  const TrainConfig& how = run.preset.train;
  const Model model(run.preset.model, parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(how, parameters.size());
  {
    StepLines lines(how.num_steps, options);
    auto show = [&](std::size_t step, double value) { lines.show(step, value); };
    train(loss, parameters, *optimizer, documents, tokenizer, how, show);
  }
  finish(run, options, [&] { return sample(model, options.temperature, run.random); });
}

/// The seed is the next random number, drawn only if there is dropout: without dropout, the samples must stay the same.
Dropout chosen_dropout(const TrainOptions& options, PythonRandom& random) {
  if (options.dropout.value_or(0) == 0) return {};
  return {*options.dropout, static_cast<std::uint64_t>(random.random() * 0x1p53)};
}

template <class T>
void train_tensor(Run& run, const TrainOptions& options) {
  auto& [documents, tokenizer, parameters] = run.start;
  const Config& config = run.preset.model;
  const TrainConfig& how = run.preset.train;
  const ThreadChoice choice = choose_threads(config, how.batch_size);
  const std::size_t threads = options.threads.value_or(choice.threads);
  const Kernels<T>& kernels = options.kernels == "naive" ? naive<T>() : fast<T>();
  fmt::print("threads: {} ({}); KV cache of the samples: {} bytes per token\n", threads,
             options.threads ? "as asked for" : choice.reason,
             cache_bytes(attention_shape(config), config.n_layer, 1, sizeof(T)).value());
  const BatchOptions batch{
      .loss_mean = options.loss == "token-mean" ? LossMean::tokens : LossMean::documents,
      .threads = threads,
      .dropout = chosen_dropout(options, run.random),
  };
  BatchTrainer<T> trainer(config, how, parameters, documents, tokenizer, batch, kernels);
  ThreadTrials trials(threads);
  auto step = [&](std::size_t n) {
    trainer.use_threads(n);
    return trainer.step();
  };
  {
    StepLines lines(how.num_steps, options);
    for (std::size_t i = 1; i <= how.num_steps; i++) lines.show(i, options.threads ? step(threads) : trials.run(step));
  }
  trainer.model().copy_to(parameters);
  Decoder<T> decoder(trainer.model(), kernels);
  finish(run, options, [&] { return sample(decoder, options.temperature, run.random); });
}

// The lines are printed as in the reference, and random numbers are drawn in its order: shuffle, parameters, samples.
void train(const TrainOptions& options) {
  if (options.engine == "scalar") refuse_tensor_options(options);
  Preset chosen = chosen_preset(options);
  if (options.engine == "scalar" && chosen.train.batch_size > 1) {
    throw UsageError(fmt::format("--preset {} needs --engine tensor", options.preset));
  }
  PythonRandom random{std::string_view(options.seed)};
  Start start = prepare(options.data, options.hold_out, chosen.model, chosen.train, random);
  validate_batch(chosen.model, chosen.train.batch_size);
  fmt::print("num docs: {}\n", start.documents.size());
  fmt::print("vocab size: {}\n", start.tokenizer.vocab_size());
  fmt::print("num params: {}\n", start.parameters.size());
  if (options.save) rehearse_save(*options.save, chosen.model, start.tokenizer, start.parameters);

  Run run{chosen, std::move(start), random};
  if (options.engine == "scalar") {
    train_scalar(run, options);
  } else if (options.dtype == "f64") {
    train_tensor<double>(run, options);
  } else {
    train_tensor<float>(run, options);
  }
}

}  // namespace

Command train_command() {
  auto options = std::make_shared<TrainOptions>();
  Command command{.name = "train", .help = "Train a GPT on a file of names and generate new ones."};
  command.footer =
      "Examples:\n"
      "  microgpt train\n"
      "  microgpt train --preset walkthrough --data names.txt\n"
      "  microgpt train --steps 5000 --n-embd 32 --save names.safetensors\n"
      "  microgpt train --engine tensor --batch 16 --n-embd 64 --steps 5000";
  add_text(command, "--preset", options->preset, "NAME",
           "gist (the current microgpt.py), walkthrough (the 200-line course version) or fast");
  add_data(command, options->data);
  add_count(command, "--steps", options->steps, "training steps, one batch each [gist: 1000, walkthrough: 500]");
  add_sizes(command, options->shape);
  add_choice(command, "--optimizer", options->optimizer, "adam|sgd",
             "how a gradient changes the parameters; sgd needs a larger --lr, such as 0.1");
  add_positive(command, "--lr", options->learning_rate, "learning rate of the first step [0.01]");
  add_seed(command, options->seed);
  add_count(command, "--samples", options->samples, "names to generate [20]");
  add_positive(command, "--temperature", options->temperature, "below 1: likelier names, above 1: wilder ones [0.5]");
  add_choice(command, "--digits", options->digits, "4|17", "digits of a loss: 4 decimals, or all (17 digits)");
  add_flag(command, "--hold-out", options->hold_out,
           "train on nine tenths of the distinct documents; microgpt eval uses the others");
  add_flag(command, "--quiet", options->quiet, "no step lines and no progress bar");
  add_text(command, "--save", options->save, "FILE", "write the trained model here, in the safetensors format");
  add_choice(command, "--engine", options->engine, "scalar|tensor",
             "scalar: one number at a time, easy to read; tensor: batches, fast");
  command.heading = "The tensor engine";
  add_count(command, "--batch", options->batch_size, "documents per step [1]");
  add_choice(command, "--dtype", options->dtype, "f32|f64", "float or double [f32]");
  add_threads(command, options->threads);
  add_choice(command, "--kernels", options->kernels, "fast|naive",
             "naive: the plain loops that specify the fast ones [fast]");
  add_choice(command, "--loss", options->loss, "document-mean|token-mean",
             "a step's loss: the mean of the documents' means, or of all tokens [document-mean]");
  add_number(command, "--dropout", options->dropout, 0, 0.99,
             "share of the attention weights, and of attention's and the MLP's output, to drop [0]");
  command.heading = "Attention (the tensor engine)";
  add_attention(command, options->shape);
  add_choice(command, "--pos", options->positions, "learned|rope",
             "positions: a learned row for each, or a rotation of queries and keys [learned]");
  add_text(command, "--mask", options->mask, "PATTERN",
           "local:W, strided:W:S, global:W:G, random:R, bigbird:W:G:R or block:S [full: all so far]\n"
           "(W: window, S: stride or block, G: first tokens, R: random tokens)");
  command.run = [options] { train(*options); };
  return command;
}

}  // namespace microgpt
