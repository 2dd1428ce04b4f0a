// Going on with a saved training.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "program/train_options.h"
#include "train/checkpoint.h"

namespace microgpt {

struct Start;

/// The checkpoint at options.resume. Sets all options that decide the numbers of the training to those it was trained
/// with. `readers` are the options of the command, and `typed` the names of those that were typed. Throws UsageError if
/// one of these contradicts the file, and Error if the file does not hold a training.
Checkpoint resume(const std::vector<Option>& readers, const std::set<std::string>& typed, TrainOptions& options);

/// A text that is practically never the same for other documents, in another order or with another alphabet.
std::string data_fingerprint(const Start& start);

}  // namespace microgpt
