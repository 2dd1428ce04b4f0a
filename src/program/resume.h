// Going on with a saved training.
#pragma once

#include "program/train_options.h"

namespace microgpt {

/// The checkpoint at options.resume. Sets all options that a checkpoint keeps to those of that training. `table` is of
/// `options`. Throws UsageError if something that was typed contradicts the file, and Error if the file does not hold a
/// training.
Checkpoint resume(const Options& table, TrainOptions& options);

/// Sets `run` to where the checkpoint's training stopped. Throws Error if the data is not the same, UsageError if there
/// are no steps left, and ModelFileError if the checkpoint contradicts itself.
void go_on(Run& run, Checkpoint checkpoint);

}  // namespace microgpt
