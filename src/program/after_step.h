// What microgpt train does after every step: shows its line, and saves the training when it is time for that.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "draw/progress.h"
#include "program/interrupt.h"
#include "program/output_path.h"
#include "program/train_options.h"
#include "train/checkpoint.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// What training needs, and what it leaves.
struct Run {
  TrainOptions& options;
  Start start;
  Parameters parameters;
  TrainingState state;  // for a later --resume
  PythonRandom& random;
  std::vector<double> losses = {};  // of all steps of this run, for options.plot
};

class AfterStep {
 public:
  /// `collect` brings run.parameters and run.state.moments up to date.
  AfterStep(Run& run, std::function<void()> collect);

  /// Throws Interrupted, after saving, if the program was asked to stop and the training is to be saved.
  void operator()(std::size_t step, double loss);

  /// The next step cannot be done: saves the last one, and throws Interrupted. Only if the training is to be saved.
  [[noreturn]] void give_up();

 private:
  void show(double loss);
  void save(bool is_last);  // if that fails, says so, or throws the Error if it is the last time
  Interrupted interrupted(int signal) const;

  Run& run_;
  const TrainOptions& options_;
  std::function<void()> collect_;
  std::size_t num_steps_;
  std::optional<Interrupts> interrupts_;
  std::optional<OwnFile> file_;
  bool save_failed_ = false;  // the last time
  Progress progress_;
};

}  // namespace microgpt
