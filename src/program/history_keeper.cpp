#include "program/history_keeper.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/replace_file.h"
#include "program/after_step.h"
#include "train/history.h"

namespace microgpt {
namespace {

/// Whether this training comes by the kept state, or has come by it before it was resumed.
bool is_on_the_way(const TrainingState& kept, const TrainingState& run) {
  auto comparable = [&](const TrainingState& state) {
    std::map<std::string, std::string> options = state.options;
    options.erase("data");                              // the same documents may stand elsewhere
    if (kept.step <= run.step) options.erase("steps");  // a training that is resumed may have become longer
    return options;
  };
  return kept.fingerprint == run.fingerprint && comparable(kept) == comparable(run);
}

/// So many steps that there are at most max_history_points, the model before the first step among them.
std::size_t steps_between(std::size_t num_steps) {
  constexpr std::size_t most = max_history_points - 1;
  return (num_steps + most - 1) / most;
}

}  // namespace

void open_history(const Run& run, const TrainOptions& options) {
  const std::string& directory = *options.history;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(directory, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    throw Error(fmt::format("'{}' is not a directory; choose another path", directory));
  }
  if (error) {
    throw Error(fmt::format("cannot make the directory '{}': {}; choose another path", directory, error.message()));
  }
  for (const std::string& path : history_files(directory)) {
    auto refuse = [&](const std::string& reason) {
      return Error(fmt::format("'{}' {}; choose another directory for this training", path, reason));
    };
    try {
      const Checkpoint checkpoint = load_checkpoint(path);
      if (checkpoint.training && is_on_the_way(*checkpoint.training, run.state)) continue;
    } catch (const Error&) {
      throw refuse("is no checkpoint of this training");
    }
    throw refuse("is of another training");
  }
  rehearse_replace_file(history_path(directory, run.preset.train.num_steps));
}

HistoryKeeper::HistoryKeeper(const Run& run, const TrainOptions& options)
    : run_(run),
      directory_(*options.history),
      every_(options.every.value_or(steps_between(run.preset.train.num_steps))) {}

bool HistoryKeeper::is_empty() const { return history_files(directory_).empty(); }

bool HistoryKeeper::is_due(std::size_t step, double loss) {
  loss_sum_ += loss;
  num_losses_++;
  return step % every_ == 0 || step == run_.preset.train.num_steps;
}

void HistoryKeeper::keep() {
  TrainingState state{.options = run_.state.options, .fingerprint = run_.state.fingerprint, .step = run_.state.step};
  if (num_losses_ > 0) state.recent_loss = loss_sum_ / static_cast<double>(num_losses_);
  loss_sum_ = 0;
  num_losses_ = 0;
  save_checkpoint(history_path(directory_, state.step), run_.preset.model, run_.start.tokenizer, run_.parameters,
                  state);
}

}  // namespace microgpt
