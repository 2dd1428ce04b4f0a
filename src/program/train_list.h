// The preset list of microgpt train: sizes chosen for a list of names, validation, and early stopping.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "draw/chart.h"
#include "program/print.h"
#include "program/train_options.h"
#include "train/ngram.h"

namespace microgpt {

/// Whether a file was named, and no option of the model or its training was typed.
bool leaves_the_choice(const Options& table);

/// Whether the choice is left to the program, and there are ten distinct documents at least. The two lists of names
/// with published figures are trained as published.
bool is_left_to_the_program(const Options& table, std::span<const Document> documents);

/// Sets the model and the training to what suits these documents, some of which must be held out, and then to what was
/// typed. Tells of it.
void choose_training(const Options& table, TrainOptions& options, const Start& start);

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
/// the first of thousands, each prediction mixed with that of counting so that the loss is smallest. So it is never
/// worse than counting. Keeps the last weights whose loss is not clearly more than the smallest: the longer a model
/// learns, the more its names look like words.
template <class T>
class EarlyStopping {
 public:
  EarlyStopping(Run& run, std::size_t threads);

  /// After a step on whose batch the loss was `loss`. If it is time for validation, or `now`, prints a line. If these
  /// weights are to be kept, sets run.parameters and run.state, and returns true.
  bool improves(TensorModel<T>& model, std::size_t step, double loss, bool now);

  /// The last step that is worth training, as far as is known.
  std::size_t last_step() const;

  /// What generates.
  const Mixture& mixture() const { return mixture_; }

  /// Prints the kept loss beside that of counting, and draws the losses: on a terminal, and as a picture if
  /// options.plot says where.
  void print_result();

 private:
  Run& run_;
  std::size_t threads_;
  std::span<const Document> documents_;
  std::size_t interval_;  // between two validations, in steps
  MovingAverage<T> average_;
  Mixture mixture_;
  std::vector<double> counted_;  // the losses of counting, for each prediction
  std::vector<double> best_;     // the smallest so far, likewise
  double kept_ = 0, gpt_ = 0;    // the loss that is kept, and that of the GPT alone
  double sum_ = 0;               // of the losses since the last validation
  std::vector<Series> losses_{{"validation", {}}, {"training, with dropout", {}}};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::function<void(std::size_t done, std::size_t total)> line_ = run_line("step", start_);
};

}  // namespace microgpt
