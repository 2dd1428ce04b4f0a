#include "train/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/replace_file.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

/// All that two checkpoints of one training have in common.
std::string description(const Checkpoint& checkpoint) {
  const Config& config = checkpoint.config;
  std::string text = fmt::format("n_layer {}, n_embd {}, n_head {}, block_size {}, {}", config.n_layer, config.n_embd,
                                 config.n_head, config.block_size, config.attention());
  if (config.n_kv_head > 0) text += fmt::format(", n_kv_head {}", config.n_kv_head);
  if (config.is_latent()) {
    text += fmt::format(", q_latent {}, kv_latent {}, rope_dim {}", config.q_latent, config.kv_latent, config.rope_dim);
  }
  return text + fmt::format(", {} positions, mask {}, {}, alphabet {}", config.rope ? "rotated" : "learned",
                            mask_spec(config.mask), named(config.activation).name, checkpoint.tokenizer.alphabet());
}

HistoryPoint load_point(const std::string& path) {
  try {
    HistoryPoint point{path, load_checkpoint(path)};
    if (!point.checkpoint.training) throw Error("cannot load '" + path + "': it does not say how many steps are done");
    point.checkpoint.training->moments.clear();
    return point;
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "; a history holds nothing but checkpoints of one training");
  }
}

/// `most` of the files, evenly spread, the first and the last among them.
std::vector<std::string> spread(const std::vector<std::string>& files, std::size_t most) {
  if (files.size() <= most) return files;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < most; i++) some.push_back(files[i * (files.size() - 1) / (most - 1)]);
  return some;
}

/// Whether this training comes by the kept state, or has come by it before it was resumed.
bool is_on_the_way(const TrainingState& kept, const TrainingState& now) {
  auto comparable = [&](const TrainingState& state) {
    std::map<std::string, std::string> options = state.options;
    options.erase("data");                              // the same documents may stand elsewhere
    if (kept.step <= now.step) options.erase("steps");  // a training that is resumed may have become longer
    return options;
  };
  return kept.fingerprint == now.fingerprint && comparable(kept) == comparable(now);
}

void require_one_training(const std::vector<HistoryPoint>& points) {
  const HistoryPoint& first = points.front();
  const std::string a = description(first.checkpoint);
  for (std::size_t i = 1; i < points.size(); i++) {
    const HistoryPoint& other = points[i];
    const std::string b = description(other.checkpoint);
    if (a != b) {
      throw Error(fmt::format("'{}' has {}, but '{}' has {}; a history is of one model", first.path, a, other.path, b));
    }
    const HistoryPoint& before = points[i - 1];
    const std::size_t step = other.checkpoint.training->step;
    if (step == before.checkpoint.training->step) {
      throw Error(fmt::format("'{}' and '{}' are both of step {}; remove one of them", before.path, other.path, step));
    }
    if (is_on_the_way(*before.checkpoint.training, *other.checkpoint.training)) continue;
    throw Error(fmt::format("'{}' and '{}' are of two trainings; a history is of one", before.path, other.path));
  }
}

void require_on_the_way(const std::string& path, const TrainingState& now) {
  std::string reason = "is of another training";
  try {
    const Checkpoint checkpoint = load_checkpoint(path);
    if (checkpoint.training && is_on_the_way(*checkpoint.training, now)) return;
  } catch (const Error&) {
    reason = "is no checkpoint of this training";
  }
  throw Error(fmt::format("'{}' {}; choose another directory for this training", path, reason));
}

}  // namespace

std::size_t steps_between(std::size_t num_steps) {
  constexpr std::size_t most = max_history_points - 1;  // beside the model before the first step
  for (std::size_t powers = 0;; powers++) {             // of two, below `every`
    const std::size_t left = most - powers, every = std::max<std::size_t>(1, (num_steps + left - 1) / left);
    if (static_cast<std::size_t>(std::bit_width(every - 1)) <= powers) return every;
  }
}

void open_history(const std::string& directory, const TrainingState& state, std::size_t num_steps) {
  std::error_code error;
  fs::create_directories(directory, error);
  std::error_code ignored;
  if (fs::exists(directory, ignored) && !fs::is_directory(directory, ignored)) {
    throw Error(fmt::format("'{}' is not a directory; choose another path", directory));
  }
  if (error) {
    throw Error(fmt::format("cannot make the directory '{}': {}; choose another path", directory, error.message()));
  }
  for (const std::string& path : history_files(directory)) require_on_the_way(path, state);
  require_writable(history_path(directory, num_steps));
}

std::string history_path(const std::string& directory, std::size_t step) {
  return (fs::path(directory) / fmt::format("step_{:06}.safetensors", step)).string();
}

std::vector<std::string> history_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with('.') && !name.ends_with(".tmp")) files.push_back(file->path().string());
  }
  if (error) throw Error(fmt::format("cannot read '{}': {}; check the path", directory, error.message()));
  // Step 1000000 has a digit more than the others.
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return std::tuple(a.size(), a) < std::tuple(b.size(), b);
  });
  return files;
}

History load_history(const std::string& directory, std::size_t max_numbers) {
  const std::vector<std::string> files = history_files(directory);
  if (files.empty()) throw Error("'" + directory + "' is empty; give a directory in which a training kept checkpoints");
  History history{.num_files = files.size()};
  history.points.push_back(load_point(files.front()));
  const std::size_t numbers = history.points.front().checkpoint.parameters.size();
  const std::size_t most = std::clamp(max_numbers / numbers, std::size_t{2}, max_history_points);
  const std::vector<std::string> chosen = spread(files, most);
  for (std::size_t i = 1; i < chosen.size(); i++) history.points.push_back(load_point(chosen[i]));
  std::sort(history.points.begin(), history.points.end(), [](const HistoryPoint& a, const HistoryPoint& b) {
    return a.checkpoint.training->step < b.checkpoint.training->step;
  });
  require_one_training(history.points);
  return history;
}

}  // namespace microgpt
