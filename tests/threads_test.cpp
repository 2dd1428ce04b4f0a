// Threads: how work is shared, how many are worth their while, and that no number of them changes a bit of a training.
#include <doctest/doctest.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <string>

#include "base/mask_pattern.h"
#include "random_numbers.h"
#include "tensor/decoder.h"
#include "tensor/threads.h"
#include "train/batch_trainer.h"
#include "train/sampling.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

// --- Threads ---------------------------------------------------------------------------------------------------------

TEST_CASE("shares follow one another, cover everything, and differ by at most one") {
  for (std::size_t n = 0; n <= 40; n++) {
    for (std::size_t shares = 1; shares <= 12; shares++) {
      std::size_t next = 0;
      std::size_t least = n;
      std::size_t most = 0;
      for (std::size_t i = 0; i < shares; i++) {
        const Share part = share(n, i, shares);
        CHECK(part.first == next);
        next += part.n;
        least = std::min(least, part.n);
        most = std::max(most, part.n);
      }
      CHECK(next == n);
      CHECK(most - least <= 1);
    }
  }
}

TEST_CASE("parallel calls each share once, and is back when all are done") {
  for (const std::size_t shares : {1, 2, 3, 8, 33}) {
    std::vector<std::atomic<int>> calls(shares);
    parallel(shares, [&](std::size_t i) { calls[i]++; });
    for (const std::atomic<int>& count : calls) CHECK(count == 1);
  }
}

// --- Thread trials ---------------------------------------------------------------------------------------------------

using Steps = std::vector<std::size_t>;

/// How many threads the next `n` steps take, if a step takes so long with all of them and with one.
Steps steps(ThreadTrials& trials, std::size_t n, double together, double alone) {
  Steps threads;
  while (threads.size() < n) {
    threads.push_back(trials.next());
    trials.took(threads.back() == 1 ? alone : together);
  }
  return threads;
}

/// A period of n steps: three with one thread, `tried` with all, and then always the same.
Steps period(std::size_t n, std::size_t all, std::size_t tried, std::size_t chosen) {
  Steps threads(n, chosen);
  std::fill_n(threads.begin(), 3, 1);
  std::fill_n(threads.begin() + 3, tried, all);
  return threads;
}

TEST_CASE("after its trials a period uses what was faster, and the next one tries again") {
  ThreadTrials trials(4);
  CHECK(steps(trials, 300, 1.0, 3.0) == period(300, 4, 3, 4));
  CHECK(steps(trials, 300, 3.1, 3.0) == period(300, 4, 3, 1));
  CHECK(steps(trials, 1200, 2.9, 3.0) == period(1200, 4, 3, 4));
  CHECK(steps(trials, 300, 1.0, 3.0) == period(300, 4, 3, 4));
}

TEST_CASE("a trial that is lost ends at once, and after each lost one the next comes four times as late") {
  ThreadTrials trials(4);
  CHECK(steps(trials, 300, 16.0, 3.0) == period(300, 4, 1, 1));
  CHECK(steps(trials, 1200, 16.0, 3.0) == period(1200, 4, 1, 1));
  CHECK(steps(trials, 4800, 5.0, 3.0) == period(4800, 4, 2, 1));
  CHECK(steps(trials, 19200, 1.0, 3.0) == period(19200, 4, 3, 4));
  CHECK(steps(trials, 300, 1.0, 3.0) == period(300, 4, 3, 4));
}

TEST_CASE("all threads must be faster than the shortest step of one: a slow step of one does not count") {
  ThreadTrials trials(2);
  for (const double seconds : {9.0, 1.0, 9.0}) trials.took(seconds);
  CHECK(steps(trials, 4, 1.1, 1.0) == Steps{2, 2, 2, 1});
}

// --- Any threads -----------------------------------------------------------------------------------------------------

constexpr std::size_t num_configurations = 320;
constexpr std::array<std::size_t, 4> thread_counts{2, 3, 5, 8};

template <class T, std::size_t n>
const T& one_of(PythonRandom& random, const std::array<T, n>& choices) {
  return choices[random.below(n)];
}

/// A number from `least` to `greatest`.
std::size_t count(PythonRandom& random, std::size_t least, std::size_t greatest) {
  return least + random.below(greatest - least + 1);
}

/// A shape that fills vectors or does not, with any kind of attention, mask and positions.
Config random_config(PythonRandom& random) {
  static const std::array<std::string, 10> masks{"full",        "full",       "local:3",  "strided:2:3",
                                                 "strided:3:7", "global:2:2", "random:2", "bigbird:2:1:2",
                                                 "block:4",     "local:9"};
  Config config{.vocab_size = count(random, 2, 40),
                .n_layer = count(random, 1, 2),
                .n_head = count(random, 1, 4),
                .block_size = one_of(random, std::array<std::size_t, 5>{1, 7, 16, 20, 70}),
                .activation = one_of(random, all_activations).activation};
  const std::size_t head_dim = count(random, 1, 12);
  config.n_embd = config.n_head * head_dim;
  config.masks = parse_mask_patterns(one_of(random, masks));
  const std::size_t kind = random.below(4);
  if (kind == 1) config.n_kv_head = 1;
  if (kind == 2) config.n_kv_head = config.n_head % 2 == 0 ? config.n_head / 2 : 0;
  if (kind == 3) {
    config.q_latent = count(random, 1, 20);
    config.kv_latent = count(random, 1, 20);
    config.rope_dim = 2 * random.below(4);
  }
  const std::size_t rotated = config.is_latent() ? config.rope_dim : head_dim;
  config.rope = rotated > 0 && rotated % 2 == 0 && random.below(2) == 0;
  validate(config);
  return config;
}

struct Training {
  Config config;
  TrainConfig train;
  BatchOptions options;
  std::vector<Document> documents;
};

Training random_training(PythonRandom& random) {
  static const std::array<std::size_t, 6> batch_sizes{1, 2, 5, 9, 16, 19};
  static const std::array<double, 4> rates{0, 0, 0.1, 0.5};
  Training training;
  training.config = random_config(random);
  training.train = {.num_steps = 3, .init_std = 0.3};
  training.train.batch_size = one_of(random, batch_sizes);
  training.options.loss_mean = random.below(2) == 0 ? LossMean::documents : LossMean::tokens;
  training.options.dropout = {one_of(random, rates), random.below(1000)};
  for (int i = 0; i < 23; i++) {
    std::u32string document;
    const std::size_t longest = one_of(random, std::array<std::size_t, 3>{6, 18, 80});
    for (std::size_t n = count(random, 1, longest); n > 0; n--) {
      document.push_back(static_cast<char32_t>('a' + random.below(training.config.vocab_size - 1)));
    }
    training.documents.push_back(keep(document));
  }
  return training;
}

/// What a training leaves: the parameters, the losses of its steps, and the tokens that the model then generates.
struct Result {
  std::vector<double> parameters, losses;
  std::vector<Token> sample;

  bool operator==(const Result&) const = default;
};

/// Trains on threads[0], then threads[1], ... in turn.
template <class T>
Result run(Training training, const std::vector<std::size_t>& threads) {
  const Tokenizer tokenizer(training.documents);
  training.config.vocab_size = tokenizer.vocab_size();
  PythonRandom random(7);
  Parameters parameters = initialize(training.config, training.train, random);
  BatchTrainer<T> trainer(training.config, training.train, parameters, training.documents, tokenizer, training.options);
  Result result;
  for (std::size_t step = 0; step < training.train.num_steps; step++) {
    trainer.use_threads(threads[step % threads.size()]);
    result.losses.push_back(trainer.step());
  }
  trainer.model().copy_to(parameters);
  result.parameters.assign(parameters.data().begin(), parameters.data().end());
  Decoder<T> decoder(trainer.model(), fast<T>());
  result.sample = sample(decoder, 0.7, random);
  return result;
}

template <class T>
void check_any_threads(const Training& training) {
  const Result alone = run<T>(training, {1});
  for (const std::size_t threads : thread_counts) {
    INFO(threads << " threads");
    CHECK((run<T>(training, {threads}) == alone));
  }
  CHECK((run<T>(training, {2, 1, 3}) == alone));  // as a training that tries how many are worth their while
}

TEST_CASE("a batch takes the documents in order, begins again after the last, and drops other numbers in every step") {
  const std::vector<Document> documents{U"a", U"abab", U"bbb", U"ba", U"aabbab"};
  const Tokenizer tokenizer(documents);
  const Config config{.vocab_size = 3};
  PythonRandom random(1);
  const TrainConfig still{.learning_rate = 0, .init_std = 0.5};
  const Parameters parameters = initialize(config, still, random);
  auto losses = [&](std::size_t batch_size, std::vector<Document> of, const Dropout& dropout = {}) {
    TrainConfig how = still;
    how.batch_size = batch_size;
    BatchTrainer<double> trainer(config, how, parameters, of, tokenizer, {.dropout = dropout});
    std::vector<double> all;
    while (all.size() < 10) all.push_back(trainer.step());
    return all;
  };
  const std::vector<double> one = losses(1, documents), two = losses(2, documents);
  for (std::size_t i = 0; i < 5; i++) {
    CHECK(one[i + 5] == one[i]);
    CHECK(two[i] == doctest::Approx((one[2 * i] + one[2 * i + 1]) / 2).epsilon(1e-12));
  }
  const std::vector<double> dropped = losses(1, {U"aabbab"}, {0.5, 1});
  CHECK(std::set<double>(dropped.begin(), dropped.end()).size() == 10);
}

TEST_CASE("no number of threads changes a bit of what is trained, in random configurations") {
  PythonRandom random(2026);
  for (std::size_t i = 0; i < num_configurations; i++) {
    const Training training = random_training(random);
    const Config& config = training.config;
    INFO("configuration " << i << ": " << config.attention() << ", n_embd " << config.n_embd << ", n_head "
                          << config.n_head << ", mask " << mask_specs(config.masks) << ", rope " << config.rope
                          << ", dropout " << training.options.dropout.rate << ", batch " << training.train.batch_size);
    if (i % 4 == 3) {
      check_any_threads<double>(training);
    } else {
      check_any_threads<float>(training);
    }
  }
}

#ifdef _OPENMP
TEST_CASE("a step is shared among as many threads as have 200,000 multiply-adds each, documents and processors") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(8);
  const Config gist{.vocab_size = 27};  // 4192 parameters, each used in 3 * 7 multiply-adds of a document: 88,032
  const Config large{.vocab_size = 27, .n_embd = 64};
  auto all = [](std::size_t n) {
    return std::string(n == num_processors() ? "as many as this machine runs at once" : "as OMP_NUM_THREADS says");
  };
  struct Choice {
    Config config;
    std::size_t batch_size, threads;
    std::string reason;
  };
  for (const auto& [config, batch_size, threads, reason] :
       std::vector<Choice>{{large, 1, 1, "a step has one document, and one thread takes a whole document"},
                           {gist, 4, 1, "a step is too little work to share"},
                           {gist, 5, 2, "more would have too little to do"},
                           {gist, 9, 3, "more would have too little to do"},
                           {large, 7, 7, "as many as a step has documents"},
                           {large, 100, 8, all(8)}}) {
    const ThreadChoice choice = choose_threads(config, batch_size);
    CHECK(choice.threads == threads);
    CHECK(choice.reason == reason);
  }
  omp_set_num_threads(1);
  CHECK(choose_threads(large, 100, 1).reason == "as asked for");
  CHECK(choose_threads(large, 100, 999).reason.starts_with("as asked for; slow, since this machine runs "));
  CHECK(choose_threads(large, 100).reason == all(1));
  omp_set_num_threads(before);
}
#endif

}  // namespace
}  // namespace microgpt
