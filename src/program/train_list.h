// The preset list of microgpt train: sizes chosen for a list of names, validation, and early stopping.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "draw/chart.h"
#include "draw/progress.h"
#include "program/train_options.h"

namespace microgpt {

/// Whether the choice is left to the program: a file was named, no option of the model or its training was typed, and
/// there are ten distinct documents at least. The two lists of names with published figures are trained as published.
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
/// the first of thousands, and keeps the weights with the smallest.
template <class T>
class EarlyStopping {
 public:
  EarlyStopping(Run& run, std::size_t threads);

  /// After a step on whose batch the loss was `loss`. If it is time for validation, or `now`, prints a line. If the
  /// validation loss is the smallest so far, sets run.parameters and run.state.step, and returns true.
  bool improves(TensorModel<T>& model, std::size_t step, double loss, bool now);

  /// The last step that is worth training, as far as is known.
  std::size_t last_step() const;

  /// Prints the best loss beside that of counting, and draws the losses: on a terminal, and as a picture if
  /// options.plot says where.
  void print_result();

 private:
  Run& run_;
  std::size_t threads_;
  std::span<const Document> documents_;
  std::size_t interval_;  // between two validations, in steps
  MovingAverage<T> average_;
  double best_ = std::numeric_limits<double>::infinity();
  double sum_ = 0;  // of the losses since the last validation
  std::vector<Series> losses_{{"validation", {}}, {"training, with dropout", {}}};
  std::optional<TerminalLine> line_{std::in_place};
};

}  // namespace microgpt
