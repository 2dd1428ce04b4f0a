// Going on with a saved training.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "program/after_step.h"

namespace microgpt {

/// The checkpoint at options.resume. Sets all options that decide the numbers of the training to those it was trained
/// with. `readers` are the options of the command, and `typed` the names of those that were typed. Throws UsageError if
/// one of these contradicts the file, and Error if the file does not hold a training.
Checkpoint resume(const std::vector<Option>& readers, const std::set<std::string>& typed, TrainOptions& options);

/// Sets `run` to where the checkpoint's training stopped. Throws Error if the data is not the same, UsageError if there
/// are no steps left, and ModelFileError if the checkpoint contradicts itself.
void go_on(Run& run, Checkpoint checkpoint, const TrainOptions& options);

/// A text that is practically never the same for other documents, in another order or with another alphabet.
std::string data_fingerprint(const Start& start);

}  // namespace microgpt
