// microgpt train: trains a GPT and generates names.
#include <algorithm>
#include <memory>
#include <set>
#include <span>

#include "base/attention_shape.h"
#include "base/error.h"
#include "base/python_random.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "program/after_step.h"
#include "program/commands.h"
#include "program/output_path.h"
#include "program/print.h"
#include "program/resume.h"
#include "program/train_for_list.h"
#include "program/train_options.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"
#include "train/processes.h"
#include "train/sampling.h"
#include "train/scalar_trainer.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

void finish(const Run& run, const std::function<std::vector<Token>()>& generate) {
  const TrainOptions& options = run.options;
  const std::size_t first_step = options.preset.train.first_step + 1;
  if (options.plot) {
    replace_file(*options.plot,
                 loss_curve("The loss of each step, and the mean of 50", run.losses, {}, first_step).str());
  }
  fmt::print("\n{}\n", options.preset.heading);
  for (std::size_t i = 1; i <= options.samples; i++) print_sample(i, run.start.tokenizer.decode(generate()));
}

/// The loop of src/microgpt.cpp.
void train_scalar(Run& run) {
  const TrainConfig& how = run.options.preset.train;
  const Model model = scalar_model(run.options.preset.model, run.parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const bool is_adam = how.optimizer == OptimizerName::adam;
  Adam adam = make_adam(how, is_adam ? model.params.size() : 0);
  if (is_adam) adam.m = run.state.moments[0], adam.v = run.state.moments[1];
  {
    AfterStep after_step(run, [&] {
      copy_data(model.params, run.parameters);
      if (is_adam) run.state.moments = {adam.m, adam.v};
    });
    auto update = [&](const List& params, double learning_rate, std::size_t step) {
      is_adam ? adam.update(params, learning_rate, step) : sgd_update(params, learning_rate);
    };
    train(loss, model.params, update, run.start.documents, run.start.tokenizer, how, std::ref(after_step));
  }
  finish(run, [&] { return sample(model, run.options.temperature, run.random); });
}

template <class T>
void train_tensor(Run& run) {
  const TrainOptions& options = run.options;
  const Config& config = options.preset.model;
  const TrainConfig& how = options.preset.train;
  const std::size_t documents = std::max<std::size_t>(1, how.batch_size / processes::count());
  const auto [threads, reason] = choose_threads(config, documents, options.threads);
  const Kernels<T>& kernels = options.naive ? naive<T>() : fast<T>();
  if (processes::count() > 1) {
    fmt::print("processes: {}; each hands {} bytes of gradients on in a step\n", processes::count(),
               run.parameters.size() * sizeof(T));
  }
  fmt::print("threads: {} ({}); KV cache of the samples: {:.0f} bytes per token\n", threads, reason,
             cache_bytes(attention_shape(config), config.n_layer, 1, sizeof(T)));
  BatchTrainer<T> trainer(config, how, run.parameters, run.start.documents, run.start.tokenizer,
                          batch_options(options, threads, run.random), kernels);
  trainer.set_moments(run.state.moments);
  ThreadTrials trials(threads);
  {
    AfterStep after_step(run, [&] {
      trainer.model().copy_to(run.parameters);
      run.state.moments = trainer.moments();
    });
    try {
      for (std::size_t i = how.first_step + 1; i <= how.num_steps; i++) {
        after_step(i, options.threads ? trainer.step() : trials.step(trainer));
      }
    } catch (const processes::Lost&) {
      after_step.give_up();
    }
  }
  Decoder<T> decoder(trainer.model(), kernels);
  finish(run, [&] { return sample(decoder, options.temperature, run.random); });
}

/// Nobody who chose the length has to be told.
void tell_of_cuts(std::span<const Document> documents, std::size_t block_size) {
  const auto cut = std::count_if(documents.begin(), documents.end(),
                                 [&](const Document& document) { return document.size() > block_size; });
  if (cut == 0) return;
  tell(fmt::format("note: {} of {} documents are cut off after {} characters; the longest has {}: see --block-size",
                   cut, documents.size(), block_size, longest(documents)));
}

/// Tells of a list that was perhaps meant to be read in another way; and, if nothing but the list was given, of one
/// that is short or repeats itself. `num_lines` is how many documents were read.
void tell_of_odd_list(const Start& start, std::size_t num_lines, bool is_all) {
  auto all_have = [&](char32_t sign) {
    return std::all_of(start.documents.begin(), start.documents.end(),
                       [sign](const Document& document) { return document.find(sign) != Document::npos; });
  };
  if (all_have(U',') || all_have(U';') || all_have(U'\t')) {
    tell("note: all lines have commas, semicolons or tabs; if this is a table, add --column NAME");
  } else if (num_lines == 1) {
    tell("note: the data is a single line, and so a single name; put each name on a line of its own");
  }
  if (!is_all) return;
  const std::size_t distinct = start.documents.size() + start.held_out.size();
  if (distinct < 50) tell(fmt::format("note: {} names are few; expect copies and noise", distinct));
  const std::size_t repeated = num_lines - distinct;
  if (repeated > 0) tell(fmt::format("note: {} of {} names are repeated; they count once", repeated, num_lines));
}

/// Tells who types --hold-out and nothing else of the training that this, too, leaves nothing to the program.
void tell_of_hold_out(Options table, std::span<const Document> documents) {
  const auto num_typed = std::erase_if(table, [](const Option& o) { return o.name == "--hold-out" && o.typed; });
  if (num_typed == 0 || !is_left_to_the_program(table, documents)) return;
  tell(
      "note: --hold-out asks for the usual model; leave it out, and the program chooses one for this list, and holds a "
      "tenth back, too");
}

// The lines are printed as in the reference, and random numbers are drawn in its order: shuffle, parameters, samples.
void train(const Options& table, TrainOptions& options) {
  std::optional<Checkpoint> checkpoint;
  if (options.resume) checkpoint = resume(table, options);
  if (!options.save) options.save = options.resume;
  require_fit(table, options);
  if (processes::number() > 0) options.save = options.plot = {};  // that is the first one's work
  if (options.save) require_own_place(*options.save, options.force, {options.data.path});
  if (options.plot) require_output("--plot", *options.plot, {options.data.path});
  std::vector<Document> documents = read_documents(options.data);
  const bool left_to_us = is_left_to_the_program(table, documents);
  if (!left_to_us) tell_of_hold_out(table, documents);
  if (left_to_us) options.hold_out = true;
  const std::size_t num_lines = documents.size();
  auto& [name, model, how, heading] = options.preset;
  PythonRandom random{std::string_view(options.seed)};
  Start start = prepare(std::move(documents), options.hold_out, model, random);
  if (is_typed(table, "--data")) tell_of_odd_list(start, num_lines, left_to_us);
  if (left_to_us) choose_training(options, start);
  Run run{options, std::move(start), Parameters({}), {}, random};
  run.state.options = training_words(table, options);
  if (checkpoint || options.save) run.state.fingerprint = data_fingerprint(run.start);
  if (checkpoint) go_on(run, std::move(*checkpoint));  // before anything has the size that the options claim
  const bool nobody_chose = left_to_us || (name != "walkthrough" && !is_typed(table, "--block-size"));
  if (nobody_chose) tell_of_cuts(run.start.documents, model.block_size);
  Parameters drawn = initialize(model, how, random);  // always: names are sampled with the numbers that come after them
  if (!checkpoint) {
    run.parameters = std::move(drawn);
    run.state.moments.assign(num_moments(how), std::vector<double>(run.parameters.size()));
  }
  if (options.resume) fmt::print("data: {}\n", for_output(options.data.path));
  fmt::print("num docs: {}\nvocab size: {}\nnum params: {}\n", run.start.documents.size(),
             run.start.tokenizer.vocab_size(), run.parameters.size());
  const std::string error = processes::first_error("");  // of a process that has other files, for instance
  if (!error.empty()) throw Error(error);

  if (left_to_us) return train_watched(run);
  if (options.engine == Engine::scalar) return train_scalar(run);
  options.dtype == Dtype::f64 ? train_tensor<double>(run) : train_tensor<float>(run);
}

}  // namespace

Command train_command() {
  auto options = std::make_shared<TrainOptions>();
  return {"train", "Train a GPT on a file of names and generate new ones.",
          "Examples:\n"
          "  microgpt train\n"
          "  microgpt train --preset walkthrough --data names.txt\n"
          "  microgpt train --data towns.txt --save towns.safetensors\n"
          "  microgpt train --steps 5000 --n-embd 32 --save names.safetensors\n"
          "  microgpt train --save not_a_model.bin --force\n"
          "  microgpt train --resume names.safetensors\n"
          "  microgpt train --engine tensor --batch 16 --n-embd 64 --steps 5000",
          train_options(*options), [options](const Options& table) { train(table, *options); }};
}

}  // namespace microgpt
