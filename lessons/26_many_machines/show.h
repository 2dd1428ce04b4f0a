// Around the idea: what is printed, drawn and checked.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.h"
#include "machine.h"
#include "picture.h"
#include "tensor/threads.h"
#include "training.h"

namespace microgpt {

constexpr std::size_t num_steps = 20;

/// How the sums of all machines are added up. Each calls it with its names of the step, and a sum of zeros.
using Way = void (*)(Machine&, Training&, Names, Numbers&);

struct NamedWay {
  std::string name;
  Way add_up;
};

/// A machine that dies before a step, if there is one.
struct Accident {
  std::size_t machine = 0, step = 0;

  void may_happen(const Machine& here, std::size_t now) const {
    if (machine > 0 && here.number == machine && now == step) ::_exit(1);
  }
};

using Train = void (*)(Machine&, Training&, Way, const Accident&);

/// What a job asks for in a step, and what a machine can do.
struct Job {
  std::string name;
  double parameters, tokens;
};
struct Hardware {
  std::string name;
  double products_per_second, bytes_per_second, delay, bytes_per_number;  // delay: of a message, in seconds
};
struct StepTime {
  double compute, send;
  double all() const { return compute + send; }
};

/// The same three numbers, added in two orders.
inline void show_order() {
  const double a = 0.1, b = 0.2, c = 0.3;
  fmt::print("\n(0.1 + 0.2) + 0.3 = {:.17g}, 0.1 + (0.2 + 0.3) = {:.17g}\n", (a + b) + c, a + (b + c));
}

/// By formula: the most bytes that a machine sends in a step, if the sum takes `bytes`.
inline std::size_t formula(const std::string& way, std::size_t N, std::size_t bytes) {
  if (way == "to one") return (N - 1) * bytes;
  if (way == "chain") return std::min<std::size_t>(N - 1, 2) * bytes;
  return 2 * (N - 1) * bytes / N;
}

/// Trains on 1, 2, 3 and 4 machines, in all ways.
inline void show_ways(Lesson& lesson, const std::vector<NamedWay>& ways, Train train) {
  Training alone(lesson);
  on_machines(1, [&](Machine& machine) { train(machine, alone, ways.back().add_up, {}); });
  const double loss = alone.held_out_loss();
  const std::size_t bytes = alone.size() * sizeof(double);
  fmt::print("\n--- {} steps of {} names; the gradient is {} numbers, {} bytes ---\n", num_steps, Training::batch_size,
             alone.size(), bytes);
  fmt::print("way    | machines | held-out loss | the bits of one machine | most bytes sent in a step | by formula\n");
  fmt::print("alone  |        1 |        {:.4f} |                         |                         0 |\n", loss);
  bool all_alike = true;
  for (const NamedWay& way : ways) {
    const std::string& name = way.name;
    for (const std::size_t N : {2, 3, 4}) {
      Training training(lesson);
      const std::vector<std::size_t> sent =
          on_machines(N, [&](Machine& machine) { train(machine, training, way.add_up, {}); });
      const bool same = training.weights() == alone.weights();
      const std::size_t most = *std::max_element(sent.begin(), sent.end()) / num_steps;
      fmt::print("{:6} | {:8} |        {:.4f} | {:23} | {:25} | {:10}\n", name, N, training.held_out_loss(),
                 same ? "yes" : "no", most, formula(name, N, bytes));
      lesson.check(fmt::format("{}, {} machines: as many bytes as the formula says", name, N),
                   most - formula(name, N, bytes) < 2 * sizeof(double));  // uneven chunks
      if (name == "chain") lesson.check(fmt::format("chain, {} machines: the bits of one machine", N), same);
      all_alike = all_alike && std::abs(training.held_out_loss() - loss) < 1e-9;
    }
  }
  lesson.check("every way has the loss of one machine, but for rounding", all_alike);
}

/// Machine 2 of four dies. What was kept goes on, on two machines.
inline void show_accident(Lesson& lesson, Way add_up, Train train) {
  Training alone(lesson), training(lesson);
  on_machines(1, [&](Machine& machine) { train(machine, alone, add_up, {}); });
  fmt::print("\n--- machine 2 of 4 dies ---\n");
  bool noticed = false;
  try {
    on_machines(4, [&](Machine& machine) { train(machine, training, add_up, {.machine = 2, .step = 13}); });
  } catch (const Gone& gone) {
    noticed = true;
    fmt::print("machine 0, after step {}: {}\n", training.step, gone.what());
  }
  training.back_to_kept();
  fmt::print("kept after step {}; two machines go on from there\n", training.step);
  on_machines(2, [&](Machine& machine) { train(machine, training, add_up, {}); });
  const bool same = training.weights() == alone.weights();
  fmt::print("after step {}: the bits of one machine that was never stopped: {}\n", training.step, same ? "yes" : "no");
  lesson.check("a machine that dies is noticed", noticed);
  lesson.check("what was kept goes on to the same bits", same);
}

/// How long a step takes if one of four machines needs twice the time for a name.
inline void show_slow() {
  auto longest = [](const std::vector<std::pair<std::size_t, double>>& shares) {  // names, milliseconds a name
    double most = 0;
    for (const auto& [names, each] : shares) most = std::max(most, static_cast<double>(names) * each);
    return most;
  };
  fmt::print("\n--- a step of 64 names on four machines, of which one needs 2 ms a name, the others 1 ms ---\n");
  fmt::print("all equally fast: {:.0f} ms\n", longest({{16, 1}, {16, 1}, {16, 1}, {16, 1}}));
  fmt::print("even shares: {:.0f} ms\n", longest({{16, 1}, {16, 1}, {16, 1}, {16, 2}}));
  fmt::print("without the slow machine: {:.0f} ms\n", longest({{21, 1}, {21, 1}, {22, 1}}));
  fmt::print("shares by speed: {:.0f} ms\n", longest({{18, 1}, {18, 1}, {19, 1}, {9, 2}}));
}

/// Seconds with three digits, and a unit.
inline std::string time_text(double seconds) {
  const auto [factor, unit] = seconds < 1e-3  ? std::pair{1e6, "us"}
                              : seconds < 1.0 ? std::pair{1e3, "ms"}
                                              : std::pair{1.0, "s"};
  const double number = factor * seconds;
  return fmt::format("{:.{}f} {}", number, number < 9.95 ? 2 : number < 99.5 ? 1 : 0, unit);
}

/// Models on many machines, from stated speeds.
inline void show_paper(StepTime (*step_time)(const Job&, const Hardware&, double)) {
  const Hardware pc{"PCs", 50e9, 125e6, 50e-6, 4}, accelerator{"accelerators", 200e12, 50e9, 10e-6, 2};
  const std::vector<std::pair<Job, Hardware>> table{{{"this lesson's", 4192, 10 * 7}, pc},
                                                    {{"GPT-2", 124e6, 16 * 1024}, pc},
                                                    {{"GPT-2", 124e6, 512 * 1024}, pc},
                                                    {{"GPT-2", 124e6, 512 * 1024}, accelerator},
                                                    {{"70 billion", 70e9, 4096 * 1024}, accelerator}};
  fmt::print("\n--- on paper ---\n");
  for (const Hardware& on : {pc, accelerator}) {
    fmt::print("{}: {:.0f} billion products and {:.3f} GB a second, {:.0f} us a message, {} bytes a number\n", on.name,
               on.products_per_second / 1e9, on.bytes_per_second / 1e9, on.delay * 1e6, on.bytes_per_number);
  }
  fmt::print("\nmodel         | tokens a step | machines         | compute |    send | times as fast as one\n");
  for (const auto& [job, on] : table) {
    for (const int N : {8, 64, 512}) {
      const StepTime time = step_time(job, on, N);
      const double faster = step_time(job, on, 1).all() / time.all();
      fmt::print("{:13} | {:13.0f} | {:3} {:12} | {:>7} | {:>7} | {:20.{}f}\n", job.name, job.tokens, N, on.name,
                 time_text(time.compute), time_text(time.send), faster,
                 faster < 0.1    ? 4
                 : faster < 9.95 ? 1
                                 : 0);
    }
    int N = 1;
    while (step_time(job, on, N + 1).compute > step_time(job, on, N + 1).send) N++;
    if (N == 1) {
      fmt::print("  two machines already send for longer than they compute\n\n");
    } else {
      fmt::print("  beyond {} machines, with {:.0f} tokens each, they send for longer than they compute\n\n", N,
                 job.tokens / N);
    }
  }
}

}  // namespace microgpt
