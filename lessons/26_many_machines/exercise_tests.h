// The tests of exercise 26: the weights of each machine, what its Adam remembers, and what it sends.
#pragma once

#include "lesson/teach.h"

/// What a machine's names ask of weight i in a step: a whole number, so that every order gives the same sum.
inline double gradient(std::size_t machine, std::size_t step, std::size_t i) {
  return static_cast<double>((i * (machine + 2) + 5 * step) % 7) - 3;
}

/// The weights after these steps, as one Adam moves them by the gradients of the machines from `first` to before `end`.
inline Numbers moved(std::size_t first, std::size_t end, std::size_t steps, std::size_t n) {
  Numbers weights(n);
  Adam adam;
  for (std::size_t step = 1; step <= steps; step++) {
    Numbers total(n);
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t machine = first; machine < end; machine++) total[i] += gradient(machine, step, i);
    }
    adam.update(weights, total);
  }
  return weights;
}

inline void test(std::size_t N, std::size_t steps, std::size_t n) {
  const std::string call = "step() of " + std::to_string(N) + " machines with " + std::to_string(n) + " weights, ";
  teach::calling(call + "on all of them", "A machine has ended: was a chunk sent or received that is not there?");
  std::set_terminate([] { std::_Exit(1); });
  Machine machine(N);
  std::signal(SIGALRM, [](int) {
    teach::fail(teach::call + ": they wait for each other", "Send first, and receive from the one that sends to you.");
  });
  alarm(5);
  Numbers weights(n), sum(n);
  Adam adam;
  for (std::size_t i = 1; i <= steps; i++) {
    for (std::size_t j = 0; j < n; j++) sum[j] = gradient(machine.number, i, j);
    step(machine, weights, sum, adam);
  }
  weights.insert(weights.end(), {double(adam.m.size()), double(machine.bytes_sent / sizeof(double))});
  if (machine.number > 0) machine.send(0, weights);
  const double most = double((n + N - 1) / N), sent = double(steps * 2 * (N - 1)) * most;
  for (std::size_t number = 0; number < N && machine.number == 0; number++) {
    if (number > 0) machine.receive(number, weights);
    const Numbers got(weights.begin(), weights.end() - 2), want = moved(0, N, steps, n);
    Numbers partly = want;
    for (std::size_t i = 0; i < n; i++) partly[i] *= got[i] != 0;
    const std::string whose = call + "machine " + std::to_string(number) + ": ";
    teach::calling(whose + "all weights",
                   "What comes is added to a chunk. The total (in the lesson: of chunk me + 1) moves that chunk of "
                   "weights, once. Then weights go to all.");
    teach::usual(moved(number, number + 1, steps, n), "It moved them by its own gradient only. The totals decide.");
    teach::usual(partly, "Some did not move. Each belongs to a chunk. Its new weights have to go all the way round.");
    teach::usual(Numbers(n), "Nothing moved. Which chunk's total is here? Adam moves that one, and it goes round.");
    teach::should_be(got, want);
    teach::calling(whose + "numbers in adam.m", "Give adam only the chunk whose total this machine has.");
    teach::should_be(std::max(weights[n], most), {most});
    teach::calling(whose + "numbers sent", "Twice N - 1 messages: chunks of the sum, then chunks of weights.");
    teach::should_be(std::max(weights[n + 1], sent), {sent});
  }
  machine.end();
  alarm(0);
  std::printf("%zu machines: each Adam remembers at most %g of %zu numbers\n", N, most, n);
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv, {[] { test(2, 1, 5); }, [] { test(5, 4, 31); }});
}
