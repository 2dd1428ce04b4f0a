// A history: the checkpoints that a training kept on its way, in a directory of their own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "train/checkpoint.h"

namespace microgpt {

/// The most points of a history that are shown, and that a training keeps unless told otherwise.
inline constexpr std::size_t max_history_points = 50;

/// After how many steps a training keeps its model again, so that it keeps at most max_history_points in all: before
/// the first step, after 1, 2, 4, 8, ... of them, since it learns most there, then evenly, and at the end.
std::size_t steps_between(std::size_t num_steps);

/// Makes the directory for the history of a training. Throws Error if nothing can be written there, or if it holds
/// anything but checkpoints of this very training, up to the step of `state`, or after that with the same num_steps.
void open_history(const std::string& directory, const TrainingState& state, std::size_t num_steps);

/// "DIRECTORY/step_000120.safetensors".
std::string history_path(const std::string& directory, std::size_t step);

/// All files of the directory, in the order of their steps; without hidden ones, and without what a program that was
/// killed had not finished. Throws Error if the directory cannot be read.
std::vector<std::string> history_files(const std::string& directory);

struct HistoryPoint {
  std::string path;
  Checkpoint checkpoint;  // with the state of its training, at least its step
};

struct History {
  std::vector<HistoryPoint> points = {};  // the fewest steps first
  std::size_t num_files = 1;              // in the directory; of more than could be taken, some evenly spread
};

/// Takes at most max_history_points, and as many as together have `max_numbers` parameters, but the first and the last
/// in any case. Throws Error with the name of the file if one is not a checkpoint, does not say its step, or is of a
/// model of another shape or alphabet than the first; and if there is no file.
History load_history(const std::string& directory, std::size_t max_numbers);

}  // namespace microgpt
