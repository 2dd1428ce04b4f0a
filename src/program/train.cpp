// microgpt train: trains a GPT and generates names.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/attention_shape.h"
#include "base/error.h"
#include "base/python_random.h"
#include "program/after_step.h"
#include "program/commands.h"
#include "program/history_keeper.h"
#include "program/print.h"
#include "program/resume.h"
#include "program/train_options.h"
#include "train/scalar_trainer.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/memory.h"
#include "train/optimizer.h"
#include "train/sampling.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

/// Generates names.
void finish(const Run& run, const TrainOptions& options, const std::function<std::vector<Token>()>& generate) {
  fmt::print("\n{}\n", run.preset.heading);
  print_samples(options.samples, run.start.tokenizer, generate);
  if (!options.history) return;
  tell(fmt::format("the history is in '{0}'; look at it with: microgpt inspect '{0}' --html FILE", *options.history));
}

/// The loop of src/microgpt.cpp.
void train_scalar(Run& run, const TrainOptions& options) {
  const TrainConfig& how = run.preset.train;
  const Model model = scalar_model(run.preset.model, run.parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(how, run.parameters.size());
  const std::vector<std::span<double>> moments = optimizer->moments();
  for (std::size_t i = 0; i < run.state.moments.size(); i++) {
    std::copy(run.state.moments[i].begin(), run.state.moments[i].end(), moments[i].begin());
  }
  {
    AfterStep after_step(run, options, [&] {
      run.state.moments.clear();
      for (const std::span<double> numbers : moments) run.state.moments.emplace_back(numbers.begin(), numbers.end());
    });
    train(loss, run.parameters, *optimizer, run.start.documents, run.start.tokenizer, how, std::ref(after_step));
  }
  finish(run, options, [&] { return sample(model, options.temperature, run.random); });
}

/// The seed is the next random number, drawn only if there is dropout: without dropout, the samples must stay the same.
Dropout chosen_dropout(const TrainConfig& train, PythonRandom& random) {
  if (train.dropout == 0) return {};
  return {train.dropout, static_cast<std::uint64_t>(random.random() * 0x1p53)};
}

template <class T>
void train_tensor(Run& run, const TrainOptions& options) {
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
      .dropout = chosen_dropout(how, run.random),
  };
  BatchTrainer<T> trainer(config, how, run.parameters, run.start.documents, run.start.tokenizer, batch, kernels);
  if (how.first_step > 0) trainer.set_moments(run.state.moments);
  ThreadTrials trials(threads);
  auto step = [&](std::size_t n) {
    trainer.use_threads(n);
    return trainer.step();
  };
  {
    AfterStep after_step(run, options, [&] {
      trainer.model().copy_to(run.parameters);
      run.state.moments = trainer.moments();
    });
    for (std::size_t i = how.first_step + 1; i <= how.num_steps; i++) {
      after_step(i, options.threads ? step(threads) : trials.run(step));
    }
  }
  Decoder<T> decoder(trainer.model(), kernels);
  finish(run, options, [&] { return sample(decoder, options.temperature, run.random); });
}

TrainingMemory memory_of(const TrainOptions& options, const Preset& chosen, std::span<const Document> documents) {
  const std::size_t batch_size = chosen.train.batch_size;
  const bool dropout = chosen.train.dropout > 0;
  const std::size_t threads = options.threads.value_or(choose_threads(chosen.model, batch_size).threads);
  const std::size_t naive_threads = options.kernels == "naive" ? threads : 0;
  if (options.engine == "scalar") return scalar_memory(chosen.model, documents);
  if (options.dtype == "f64") return tensor_memory<double>(chosen.model, documents, batch_size, dropout, naive_threads);
  return tensor_memory<float>(chosen.model, documents, batch_size, dropout, naive_threads);
}

// The lines are printed as in the reference, and random numbers are drawn in its order: shuffle, parameters, samples.
void train(const std::vector<Option>& readers, const std::set<std::string>& typed, TrainOptions& options) {
  std::optional<Checkpoint> checkpoint;
  if (options.resume) {
    checkpoint = resume(readers, typed, options);
    if (!options.save) options.save = options.resume;
  }
  if (options.save_every && !options.save) throw UsageError("--save-every needs --save");
  if (options.every && !options.history) throw UsageError("--every needs --history");
  Preset chosen = chosen_preset(options);
  PythonRandom random{std::string_view(options.seed)};
  Start start = prepare(options.data, options.hold_out, chosen.model, random);
  tell_of_byte_order_mark(start.tokenizer);
  require_memory(memory_of(options, chosen, start.documents));
  Run run{chosen, std::move(start), initialize(chosen.model, chosen.train, random), {}, random};
  run.state = {.options = training_words(options, chosen), .fingerprint = data_fingerprint(run.start)};
  if (checkpoint) go_on(run, std::move(*checkpoint), options);
  if (options.history) open_history(run, options);
  fmt::print("num docs: {}\n", run.start.documents.size());
  fmt::print("vocab size: {}\n", run.start.tokenizer.vocab_size());
  fmt::print("num params: {}\n", run.parameters.size());
  if (options.save) rehearse_save(*options.save, run.preset.model, run.start.tokenizer, run.parameters);

  if (options.engine == "scalar") {
    train_scalar(run, options);
  } else if (options.dtype == "f64") {
    train_tensor<double>(run, options);
  } else {
    train_tensor<float>(run, options);
  }
}

/// Makes every option note that it was typed.
void note_typed(Command& command, std::set<std::string>& typed) {
  for (Option& option : command.options) {
    if (!option.read) continue;
    option.read = [&typed, name = option.name, read = option.read](const std::string& text) {
      typed.insert(name);
      read(text);
    };
  }
}

}  // namespace

Command train_command() {
  auto options = std::make_shared<TrainOptions>();
  auto typed = std::make_shared<std::set<std::string>>();
  Command command{.name = "train", .help = "Train a GPT on a file of names and generate new ones."};
  command.footer =
      "Examples:\n"
      "  microgpt train\n"
      "  microgpt train --preset walkthrough --data names.txt\n"
      "  microgpt train --steps 5000 --n-embd 32 --save names.safetensors\n"
      "  microgpt train --resume names.safetensors\n"
      "  microgpt train --hold-out --history names_history\n"
      "  microgpt train --engine tensor --batch 16 --n-embd 64 --steps 5000";
  add_train_options(command, *options);
  command.run = [options, typed, readers = command.options] {
    if (options->hold_out) typed->insert("--hold-out");
    train(readers, *typed, *options);
  };
  note_typed(command, *typed);
  return command;
}

}  // namespace microgpt
