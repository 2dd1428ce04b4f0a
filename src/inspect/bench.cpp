#include "inspect/bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "train/trainer.h"

namespace microgpt {
namespace {

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr double unit = 1;  // bytes
#else
  constexpr double unit = 1024;
#endif
  return static_cast<double>(usage.ru_maxrss) * unit / (1024.0 * 1024.0);
}

}  // namespace

Measurement measure_training(std::span<const Document> documents, std::size_t n_embd, std::size_t steps,
                             std::size_t rounds) {
  Preset gist = preset("gist");
  PythonRandom random;
  std::vector<Document> shuffled(documents.begin(), documents.end());
  random.shuffle(shuffled);
  const Tokenizer tokenizer(shuffled);
  if (shuffled.size() > steps) shuffled.resize(steps);  // every round learns from the same documents
  gist.model.vocab_size = tokenizer.vocab_size();
  gist.model.n_embd = n_embd;
  if (n_embd % gist.model.n_head != 0) gist.model.n_head = 1;
  gist.train.num_steps = steps * rounds;
  validate(gist.model);
  Parameters parameters = initialize(gist.model, gist.train, random);
  Trainer trainer(gist.model, gist.train, parameters, shuffled, tokenizer);

  std::vector<double> microseconds;
  std::size_t nodes = 0;
  for (std::size_t round = 0; round < rounds; round++) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < steps; i++) {
      trainer.step();
      nodes += trainer.nodes();
    }
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    microseconds.push_back(spent.count() / static_cast<double>(steps));
  }
  std::sort(microseconds.begin(), microseconds.end());
  const double median = microseconds[rounds / 2];
  return {.n_embd = n_embd,
          .num_params = parameters.size(),
          .microseconds_per_step = median,
          .fastest_round = microseconds.front(),
          .names_per_second = 1e6 / median,
          .nodes_per_step = static_cast<double>(nodes) / static_cast<double>(steps * rounds),
          .peak_mebibytes = peak_mebibytes()};
}

}  // namespace microgpt
