// The preset list of microgpt train: sizes chosen for a list of names, validation, and early stopping.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "program/print.h"
#include "program/train_options.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/ngram.h"

namespace microgpt {

/// How often a training is validated, on how many documents at most, and after how many times in vain it ends.
inline constexpr std::size_t num_validations = 24;
inline constexpr std::size_t most_documents = 2000;
inline constexpr std::size_t patience = 8;

/// The longest document that is not cut off.
inline constexpr std::size_t longest_block = 512;

/// Fewer documents than this are learned with larger steps, and to the last one, as few are held out to choose by.
inline constexpr std::size_t few = 400;

/// data/names.txt, and the 32,033 names of makemore.
inline constexpr std::array<std::uint64_t, 2> published_lists{0xbe71ec2af0943ef1U, 0x9682a4e5e24a370bU};

/// Whether a file was named, and no option of the model or its training was typed.
inline bool leaves_the_choice(const Options& table) {
  const std::set<std::string> others{"--data",    "--column", "--lower",       "--save", "--force",
                                     "--samples", "--seed",   "--temperature", "--quiet"};
  return is_typed(table, "--data") && std::all_of(table.begin(), table.end(), [&](const Option& option) {
           return !option.typed || others.contains(option.name);
         });
}

/// Whether the choice is left to the program, and there are ten distinct documents at least. The two lists of names
/// with published figures are trained as published.
inline bool is_left_to_the_program(const Options& table, std::span<const Document> documents) {
  std::set<std::u32string_view> distinct;
  for (std::size_t i = 0; i < documents.size() && distinct.size() < 10; i++) distinct.insert(documents[i]);
  return leaves_the_choice(table) && distinct.size() == 10 &&
         std::find(published_lists.begin(), published_lists.end(), fingerprint(documents)) == published_lists.end();
}

/// Sets the model and the training to what suits these documents, some of which must be held out, and then to what was
/// typed. Tells of it.
//
// Found with lists of 100 to 18,000 names, words, places and languages in four alphabets. The fewer names, the sooner
// a model knows them by heart: dropout, weight decay and heads that see only the last few letters delay that, and the
// validation loss tells when it begins.
inline void choose_training(const Options& table, TrainOptions& options, const Start& start) {
  const std::size_t n = start.documents.size();
  const auto names = static_cast<double>(n);
  auto& [name, model, how, heading] = options.preset;
  model.masks[0].window = n < few ? 4 : 6;
  const std::size_t positions = std::max(longest(start.documents), longest(start.held_out)) + 1;
  model.block_size = std::clamp<std::size_t>(positions, 16, longest_block);
  how.batch_size = n < 4000 ? 16 : 32;
  how.learning_rate = n < few ? 0.012 : 0.006;
  how.dropout = std::round(100 * std::clamp(0.4 - 0.2 * std::log10(names / 300), 0.0, 0.4)) / 100;
  how.weight_decay = std::clamp(300 / names, 0.1, 1.0);
  how.num_steps = std::min<std::size_t>(300 + 12 * n / how.batch_size, 12'000);
  for (const Option& option : table) {
    if (option.typed && option.saved && option.name != "--preset") option.binding.read(option.name, *option.typed);
  }
  validate(model);
  fmt::print(
      "chosen for {} distinct documents: n_layer {}, n_embd {}, block_size {}, mask {}, dropout {}; {} batches of {}\n",
      n + start.held_out.size(), model.n_layer, model.n_embd, model.block_size, mask_specs(model.masks), how.dropout,
      how.num_steps, how.batch_size);
}

/// The moving average of the weights after each step, over the last part of the steps: a quarter if there are few
/// documents, else a sixteenth. It is steadier than the weights of any one step, so large steps do no harm.
template <class T>
struct MovingAverage {
  /// Adds the model after a step. Steps count from 1.
  void add(TensorModel<T>& model, std::size_t step) {
    model.copy_to(latest);
    const double share = part / (static_cast<double>(step - 1) + part);
    for (std::size_t i = 0; i < mean.size(); i++) mean.data()[i] += share * (latest.data()[i] - mean.data()[i]);
  }

  double part;
  Parameters latest, mean;
};

/// Computes the validation loss at times, that of the moving average of the weights on the held-out documents, or on
/// the first of thousands, each prediction mixed with that of counting so that the loss is smallest: never more than
/// counting's. (What generates counts these documents, too.) Keeps the last weights, or of many documents the last
/// whose loss is not clearly more than the smallest: the longer a model learns, the more its names look like words.
template <class T>
class EarlyStopping {
 public:
  EarlyStopping(Run& run, std::size_t threads)
      : run_(run),
        threads_(threads),
        documents_(std::span(run.start.held_out).first(std::min(run.start.held_out.size(), most_documents))),
        interval_((run.options.preset.train.num_steps + num_validations - 1) / num_validations),
        is_few_(run.start.documents.size() < few),
        average_{is_few_ ? 4.0 : 16.0, Parameters(gpt_shapes(run.options.preset.model)),
                 Parameters(gpt_shapes(run.options.preset.model))},
        counted_(counted_losses(Ngram(run.start.documents, run.start.tokenizer), documents_, run.start.tokenizer,
                                longest_block)) {
    const std::size_t n = std::min(run.start.documents.size(), most_counted - run.start.held_out.size());
    run.state.counted = run.start.held_out;
    run.state.counted.insert(run.state.counted.end(), run.start.documents.begin(), run.start.documents.begin() + n);
  }

  /// After a step. If it is time for validation, or `now`, prints a line. If these weights are to be kept, sets
  /// run.parameters and run.state, and returns true.
  bool improves(TensorModel<T>& model, std::size_t step, bool now) {
    const std::size_t num_steps = run_.options.preset.train.num_steps;
    average_.add(model, step);
    if (!run_.options.quiet) line_(step, num_steps);
    if (step % interval_ != 0 && step != num_steps && !now) return false;
    TensorModel<T> average(run_.options.preset.model, average_.mean);
    const std::vector<double> gpt = token_losses(average, documents_, run_.start.tokenizer, threads_);
    const double share = best_share(gpt, counted_);
    std::vector<double> losses = mixed_losses(share, gpt, counted_);
    const double validation = estimate(losses).mean;
    if (best_.empty() || validation < estimate(best_).mean) best_ = losses;
    for (std::size_t i = 0; i < losses.size(); i++) losses[i] -= best_[i];
    const bool is_kept = is_few_ || !estimate(losses).is_clear();
    if (is_kept) {
      kept_ = validation;
      gpt_ = estimate(gpt).mean;
      average.copy_to(run_.parameters);
      run_.state.step = step;
      run_.state.gpt_share = share;
    }
    line_ = run_line("step", start_);  // erases the one before
    if (!run_.options.quiet) {
      fmt::print("step {:5} / {:5} | validation loss, on {} documents: {:.4f}\n", step, num_steps, documents_.size(),
                 validation);
    }
    return is_kept;
  }

  /// The last step that is worth training, as far as is known.
  std::size_t last_step() const {
    return std::min(run_.options.preset.train.num_steps, run_.state.step + patience * interval_);
  }

  /// Prints the kept loss beside that of counting.
  void print_result() const {
    fmt::print("kept step {}: {:.4f} nats per token; counting runs of up to {} characters: {:.4f}\n", run_.state.step,
               kept_, Ngram::order, estimate(counted_).mean);
    fmt::print("mixed: {:.2f} of the GPT (alone {:.4f}), {:.2f} of counting; {} is kept\n", run_.state.gpt_share, gpt_,
               1 - run_.state.gpt_share, is_few_ ? "of few names, the last step" : "of equally good steps, the last");
  }

 private:
  Run& run_;
  std::size_t threads_;
  std::span<const Document> documents_;
  std::size_t interval_;  // between two validations, in steps
  bool is_few_;
  MovingAverage<T> average_;
  std::vector<double> counted_;  // the losses of counting, for each prediction
  std::vector<double> best_;     // the smallest so far, likewise
  double kept_ = 0, gpt_ = 0;    // the loss that is kept, and that of the GPT alone
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::function<void(std::size_t done, std::size_t total)> line_ = run_line("step", start_);
};

}  // namespace microgpt
