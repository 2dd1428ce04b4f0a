#include "train/thread_trials.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace microgpt {
namespace {

/// Which numbers of threads a period takes, if a step takes so long with all of them and with one.
std::vector<std::size_t> period(ThreadTrials& trials, double together, double alone) {
  std::vector<std::size_t> threads;
  while (threads.size() < ThreadTrials::period) {
    threads.push_back(trials.next());
    trials.took(threads.back() == 1 ? alone : together);
  }
  return threads;
}

/// The trials of a period, and then always the same.
std::vector<std::size_t> trials_then(std::size_t all, std::size_t chosen) {
  std::vector<std::size_t> threads(ThreadTrials::period, chosen);
  std::fill_n(threads.begin(), ThreadTrials::trial, all);
  std::fill_n(threads.begin() + ThreadTrials::trial, ThreadTrials::trial, 1);
  return threads;
}

}  // namespace

TEST_CASE("after its trials a period uses what was faster, and the next one tries again") {
  ThreadTrials trials(4);
  CHECK((period(trials, 1.0, 3.0) == trials_then(4, 4)));
  CHECK((period(trials, 16.0, 3.0) == trials_then(4, 1)));
  CHECK((period(trials, 16.0, 3.0) == trials_then(4, 1)));
  CHECK((period(trials, 2.9, 3.0) == trials_then(4, 4)));
}

TEST_CASE("where there is one thread, there is nothing to try") {
  ThreadTrials trials(1);
  CHECK((period(trials, 1.0, 1.0) == std::vector<std::size_t>(ThreadTrials::period, 1)));
}

TEST_CASE("run hands on the threads of the next step, and what the step returns") {
  ThreadTrials trials(2);
  std::vector<std::size_t> threads;
  for (std::size_t i = 0; i < 2 * ThreadTrials::trial; i++) {
    const std::size_t returned = trials.run([&](std::size_t n) {
      threads.push_back(n);
      return i;
    });
    CHECK(returned == i);
  }
  CHECK((threads == std::vector<std::size_t>{2, 2, 2, 1, 1, 1}));
}

}  // namespace microgpt
