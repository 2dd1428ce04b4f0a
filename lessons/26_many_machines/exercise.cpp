// Exercise 26: Adam remembers two numbers for every parameter, and so far every machine remembers all of them. Let each
// remember those of one chunk only.
//
//   make exercise-26    fails until the two functions are written
//   make solution-26    runs the same tests on solution.cpp
#include <doctest/doctest.h>

#include <cmath>

#include "machine.h"
#include "tensor/threads.h"

using namespace microgpt;

/// Adam for some of the parameters.
struct Adam {
  explicit Adam(std::size_t n) : m(n), v(n) {}

  /// Moves these weights. There must be as many as Adam remembers.
  void update(std::span<double> weights, std::span<const double> gradient) {
    if (weights.size() != m.size() || gradient.size() != m.size()) throw Error("Adam remembers other weights");
    for (std::size_t i = 0; i < m.size(); i++) {
      m[i] = 0.85 * m[i] + 0.15 * gradient[i];
      v[i] = 0.99 * v[i] + 0.01 * gradient[i] * gradient[i];
      weights[i] -= 0.01 * m[i] / (std::sqrt(v[i]) + 1e-8);
    }
  }

  Numbers m, v;
};

#ifdef SOLUTION
#include "solution.cpp"
#else

/// What this machine remembers of n parameters: about n / machine.count numbers of each kind.
Adam adam_of([[maybe_unused]] const Machine& machine, std::size_t n) {
  return Adam(n);  // TODO: these are all of them
}

/// A step. `weights` are all weights, equal on all machines, before and after. `sum` is the gradient of this machine's
/// names. The totals of all machines decide how the weights move; nobody needs all totals.
void step([[maybe_unused]] Machine& machine, std::span<double> weights, std::span<double> sum, Adam& adam) {
  // TODO: first the chunk that this machine has the total of; Adam moves its weights; then everybody gets them. The
  // ring of main.cpp has both halves. What goes round in the second?
  adam.update(weights, sum);
}
#endif

/// What a machine's names ask of each weight in a step: whole numbers, so that every order gives the same sum.
Numbers gradient_of(std::size_t machine, std::size_t step, std::size_t n) {
  Numbers gradient(n);
  for (std::size_t i = 0; i < n; i++) gradient[i] = static_cast<double>((i * (machine + 2) + 5 * step) % 7) - 3;
  return gradient;
}

constexpr std::size_t num_steps = 4;

/// The weights after all steps, as one machine computes them for all.
Numbers expected(std::size_t machines, std::size_t n) {
  Numbers weights(n);
  Adam adam(n);
  for (std::size_t step = 0; step < num_steps; step++) {
    Numbers total(n);
    for (std::size_t machine = 0; machine < machines; machine++) {
      const Numbers gradient = gradient_of(machine, step, n);
      for (std::size_t i = 0; i < n; i++) total[i] += gradient[i];
    }
    adam.update(weights, total);
  }
  return weights;
}

TEST_CASE("every machine ends with the right weights, remembers its chunk only, and sends no more than the ring") {
  for (const std::size_t N : {1, 2, 3, 5}) {
    const std::size_t n = 100;  // five machines divide it evenly, three do not
    INFO(N << " machines");
    Machine machine(N);
    Numbers weights(n);
    Adam adam = adam_of(machine, n);
    for (std::size_t i = 0; i < num_steps; i++) {
      Numbers sum = gradient_of(machine.number, i, n);
      step(machine, weights, sum, adam);
    }
    const std::size_t before = machine.bytes_sent;  // what comes now is for the test
    const auto size = static_cast<double>(adam.m.size());
    if (machine.number > 0) {
      machine.send(0, weights);
      machine.send(0, {&size, 1});
    }
    machine.bytes_sent = before;
    std::vector<Numbers> ends{weights};  // the weights of every machine
    std::vector<double> remembers{size};
    for (std::size_t other = 1; other < N && machine.number == 0; other++) {
      machine.receive(other, ends.emplace_back(n));
      machine.receive(other, {&remembers.emplace_back(), 1});
    }
    const std::vector<std::size_t> sent = machine.end();
    for (std::size_t number = 0; number < N; number++) {
      INFO("machine " << number);
      INFO("hint: does it move its chunk by the total of all machines, and do the new weights go all the way round?");
      REQUIRE(ends[number] == expected(N, n));
      INFO("hint: Adam's numbers are those of share(n, i, N), where i is the chunk whose total this machine has");
      REQUIRE(remembers[number] <= static_cast<double>(n / N + 1));
      INFO("hint: the totals need not go round, only the weights");
      REQUIRE(sent[number] <= num_steps * 2 * (N - 1) * (n / N + 1) * sizeof(double));
    }
  }
}
