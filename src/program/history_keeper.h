// microgpt train --history: keeps the model in a directory, again and again, while it is trained.
#pragma once

#include <cstddef>
#include <string>

#include "program/train_options.h"

namespace microgpt {

struct Run;

/// Makes the directory of options.history. Throws Error if nothing can be written there, or if it holds anything but
/// checkpoints of this very training, up to where `run` begins, or after that with the same number of steps.
void open_history(const Run& run, const TrainOptions& options);

class HistoryKeeper {
 public:
  HistoryKeeper(const Run& run, const TrainOptions& options);

  /// Whether the directory has no checkpoint yet.
  bool is_empty() const;

  /// Takes note of a step's loss. Returns whether its model is to be kept: after every so many steps, and the last.
  bool is_due(std::size_t step, double loss);

  /// Keeps run.parameters.
  void keep();

 private:
  const Run& run_;
  std::string directory_;
  std::size_t every_;
  double loss_sum_ = 0;  // of the steps since the last checkpoint
  std::size_t num_losses_ = 0;
};

}  // namespace microgpt
