// Lesson 26: several machines train one model. Each takes some names of every step, and the sum of all gradients must
// come to each of them: by way of one machine, round a ring, or along a chain.
#include "show.h"

using namespace microgpt;

/// What a machine does with its names: it adds their gradients to the sum, one after the other.
void add_names(Training& training, Names names, Numbers& sum) {
  for (const Document& name : names) {
    const Numbers gradient = training.gradient(name);
    for (std::size_t i = 0; i < sum.size(); i++) sum[i] += gradient[i];
  }
}

/// All send their sums to machine 0, and it sends the total to all.
void to_one(Machine& machine, Training& training, Names mine, Numbers& sum) {
  add_names(training, mine, sum);
  if (machine.number > 0) {
    machine.send(0, sum);
    return machine.receive(0, sum);
  }
  Numbers other(sum.size());
  for (std::size_t from = 1; from < machine.count; from++) {
    machine.receive(from, other);
    for (std::size_t i = 0; i < sum.size(); i++) sum[i] += other[i];
  }
  for (std::size_t to = 1; to < machine.count; to++) machine.send(to, sum);
}

/// The sum in as many chunks as there are machines. In every round, each sends a chunk to its right.
void ring(Machine& machine, Training& training, Names mine, Numbers& sum) {
  add_names(training, mine, sum);
  const std::size_t N = machine.count, me = machine.number, right = (me + 1) % N, left = (me + N - 1) % N;
  auto chunk = [&](std::size_t i) { return share(sum.size(), i % N, N).of(std::span(sum)); };
  Numbers room(sum.size());
  for (std::size_t round = 0; round + 1 < N; round++) {  // reduce-scatter: chunks grow as they go round
    machine.send(right, chunk(me + N - round));
    const std::span<double> grows = chunk(me + N - round - 1), other = std::span(room).first(grows.size());
    machine.receive(left, other);
    for (std::size_t i = 0; i < other.size(); i++) grows[i] += other[i];  // stop: ring
  }
  for (std::size_t round = 0; round + 1 < N; round++) {  // all-gather: totals go round
    machine.send(right, chunk(me + 1 + N - round));
    machine.receive(left, chunk(me + N - round));
  }
}

/// Each goes on with the sum of those before it. The last has the total, which comes back the same way.
void chain(Machine& machine, Training& training, Names mine, Numbers& sum) {
  const bool is_last = machine.number + 1 == machine.count;
  if (machine.number > 0) machine.receive(machine.number - 1, sum);
  add_names(training, mine, sum);
  if (!is_last) machine.send(machine.number + 1, sum);
  if (!is_last) machine.receive(machine.number + 1, sum);
  if (machine.number > 0) machine.send(machine.number - 1, sum);
}

/// What every machine runs, the same on all.
void train(Machine& machine, Training& training, Way add_up, const Accident& accident) {
  while (training.step < num_steps) {
    accident.may_happen(machine, training.step);
    const Names names = training.names();
    Numbers sum(training.size());
    add_up(machine, training, share(names.size(), machine.number, machine.count).of(names), sum);
    training.update(sum);
    if (training.step % 5 == 0) training.keep();
  }
}

/// The seconds of a step on N machines: to compute, and to send round the ring.
StepTime step_time(const Job& job, const Hardware& on, double N) {
  const double products = 3 * job.parameters * job.tokens;  // forward once, backward twice
  const double bytes = job.parameters * on.bytes_per_number;
  return {.compute = products / N / on.products_per_second,
          .send = 2 * (N - 1) * (on.delay + bytes / N / on.bytes_per_second)};
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_order();
  show_ways(lesson, {{"to one", to_one}, {"ring", ring}, {"chain", chain}}, train);
  show_accident(lesson, chain, train);
  show_slow();
  show_paper(step_time);
  lesson.picture("26_ring.svg", ring_picture());
  return lesson.finish();
}
