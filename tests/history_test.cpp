#include "train/history.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

/// A directory with a small model for each of these steps.
struct Kept : TemporaryDirectory {
  explicit Kept(const std::vector<std::size_t>& steps) {
    for (const std::size_t step : steps) keep(step, U"ab");
  }

  void keep(std::size_t step, const std::u32string& characters) const {
    const Tokenizer tokenizer(characters);
    const Config config{.vocab_size = tokenizer.vocab_size(), .n_layer = 1, .n_embd = 2, .n_head = 1, .block_size = 2};
    PythonRandom random(step);
    save_checkpoint(history_path(path, step), config, tokenizer, initialize(config, TrainConfig{}, random),
                    TrainingState{.step = step});
  }

  std::vector<std::size_t> taken(std::size_t max_numbers) const {
    std::vector<std::size_t> steps;
    for (const HistoryPoint& point : load_history(path, max_numbers).points) {
      steps.push_back(point.checkpoint.training->step);
    }
    return steps;
  }
};

using Steps = std::vector<std::size_t>;

TEST_CASE("the files of a history sort in the order of their steps, without hidden and unfinished ones") {
  const Kept kept({1000000, 20, 0, 999999, 3});
  for (const char* name : {".hidden", "microgpt-17-0.tmp"}) write_contents(kept / name, "anything");
  CHECK(history_files(kept.path) ==
        std::vector<std::string>{kept / "step_000000.safetensors", kept / "step_000003.safetensors",
                                 kept / "step_000020.safetensors", kept / "step_999999.safetensors",
                                 kept / "step_1000000.safetensors"});
  CHECK(kept.taken(1'000'000) == Steps{0, 3, 20, 999999, 1000000});
  CHECK_THROWS_AS(history_files(kept / "nowhere"), Error);
}

TEST_CASE("of a history as many points are taken as there is room for, the first and the last among them") {
  const Kept kept({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const std::size_t n = load_checkpoint(history_path(kept.path, 0)).parameters.size();
  CHECK(kept.taken(100 * n).size() == 11);
  CHECK(kept.taken(11 * n).size() == 11);
  CHECK(kept.taken(6 * n) == Steps{0, 2, 4, 6, 8, 10});
  CHECK(kept.taken(3 * n + 1) == Steps{0, 5, 10});
  CHECK(kept.taken(1) == Steps{0, 10});
  CHECK(load_history(kept.path, 1).num_files == 11);
}

TEST_CASE("a history is of one alphabet") {
  const Kept kept({0, 1});
  kept.keep(2, U"ac");
  try {
    kept.taken(1'000'000);
    FAIL("nothing is refused");
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const std::string part : {"step_000000.safetensors' has ", "'ab'", "step_000002.safetensors' has ", "'ac'"}) {
      CHECK(message.find(part) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace microgpt
