// Lesson 26: several machines train one model. Each takes some names of every step, and the sum of all gradients must
// come to each of them: by way of one machine, round a ring, or along a chain.
#include <unistd.h>

#include "lesson/lesson.h"
#include "machine.h"
#include "microgpt.h"
#include "pictures.h"
#include "tensor/threads.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

using Names = std::span<const Document>;
constexpr std::size_t num_steps = 20, batch_size = 10, steps_between_keeps = 5;
constexpr double learning_rate = 0.01;

/// A training that can be kept and gone back to. Every machine has a copy.
struct Training {
  const Lesson& lesson;
  Model model;
  Adam adam;
  std::size_t step = 0;  // how many are done

  Numbers kept_weights = {};
  Adam kept_adam = adam;
  std::size_t kept_step = 0;

  Numbers weights() const { return Values(model.params).data(); }

  /// Keeps the weights, what Adam remembers, and the step. A program would write them to a file.
  void keep() {
    kept_weights = weights();
    kept_adam = adam;
    kept_step = step;
  }
  void back_to_kept() {
    for (std::size_t i = 0; i < model.params.size(); i++) model.params[i].node->data = kept_weights[i];
    adam = kept_adam;
    step = kept_step;
  }
};

Training new_training(const Lesson& lesson) {
  PythonRandom random(42);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const Model model = scalar_model(config, initialize(config, {}, random));
  Training training{lesson, model, make_adam({}, model.params.size())};
  training.keep();
  return training;
}

/// What a machine does with its names: it adds their gradients to the sum, one after the other.
void add_names(Training& training, Names names, Numbers& sum) {
  for (const Document& name : names) {
    const Scope scope;
    document_loss(training.model, training.lesson.tokenizer.encode_document(name)).backward();
    for (std::size_t i = 0; i < sum.size(); i++) sum[i] += std::exchange(training.model.params[i].node->grad, 0);
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
  // In round r it sends the chunk that set out r machines to its left. (+ N keeps the index positive.)
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

/// How the sums of all machines are added up. Each calls it with its names of the step, and a sum of zeros.
using Way = void (*)(Machine&, Training&, Names, Numbers&);

/// A machine that dies before a step.
struct Accident {
  std::size_t machine, step;
};

/// What every machine runs, the same on all.
void train(Machine& machine, Training& training, Way add_up, const std::optional<Accident>& accident = {}) {
  while (training.step < num_steps) {
    if (accident && machine.number == accident->machine && training.step == accident->step) ::_exit(1);
    const Names names = Names(training.lesson.documents).subspan(training.step * batch_size, batch_size);
    Numbers sum(training.model.params.size());
    add_up(machine, training, share(names.size(), machine.number, machine.count).of(names), sum);
    for (std::size_t i = 0; i < sum.size(); i++) training.model.params[i].node->grad = sum[i] / batch_size;
    training.adam.update(training.model.params, learning_rate, training.step);
    training.step++;
    if (training.step % steps_between_keeps == 0) training.keep();
  }
}

/// On names that it has not seen.
double held_out_loss(const Training& training) {
  const std::vector<Document> names = training.lesson.held_out(training.step * batch_size);
  double sum = 0;
  for (const Document& name : Names(names).first(100)) {
    const Scope scope;
    sum += document_loss(training.model, training.lesson.tokenizer.encode_document(name)).data();
  }
  return sum / 100;
}

/// By formula: the most bytes that a machine sends in a step, if the sum takes `bytes`.
std::size_t formula(const std::string& way, std::size_t N, std::size_t bytes) {
  if (way == "to one") return (N - 1) * bytes;
  if (way == "chain") return std::min<std::size_t>(N - 1, 2) * bytes;
  return 2 * (N - 1) * bytes / N;
}

/// The same for a ring whose n numbers make uneven chunks: in each half, a machine sends all of them but one.
std::size_t ring_bytes(std::size_t N, std::size_t n) {
  std::size_t most = 0;
  for (std::size_t me = 0; me < N; me++) {
    most = std::max(most, 2 * n - share(n, (me + 1) % N, N).n - share(n, (me + 2) % N, N).n);
  }
  return most * sizeof(double);
}

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

/// The seconds of a step on N machines: to compute, and to send round the ring.
StepTime step_time(const Job& job, const Hardware& on, double N) {
  const double products = 3 * job.parameters * job.tokens;  // forward once, backward twice
  const double bytes = job.parameters * on.bytes_per_number;
  return {.compute = products / N / on.products_per_second,
          .send = 2 * (N - 1) * (on.delay + bytes / N / on.bytes_per_second)};
}

/// Seconds with three digits, and a unit.
std::string time_text(double seconds) {
  const auto [factor, unit] = seconds < 1e-3  ? std::pair{1e6, "us"}
                              : seconds < 1.0 ? std::pair{1e3, "ms"}
                                              : std::pair{1.0, "s"};
  const double number = factor * seconds;
  return fmt::format("{:.{}f} {}", number, number < 9.95 ? 2 : number < 99.5 ? 1 : 0, unit);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const double a = 0.1, b = 0.2, c = 0.3;
  fmt::print("\n(0.1 + 0.2) + 0.3 = {:.17g}, 0.1 + (0.2 + 0.3) = {:.17g}\n", (a + b) + c, a + (b + c));

  // One machine, then 2, 3 and 4 machines in all ways.
  Training alone = new_training(lesson);
  Machine only(1);
  train(only, alone, chain);
  const double loss = held_out_loss(alone);
  const std::size_t size = alone.model.params.size(), bytes = size * sizeof(double);
  fmt::print("\n--- {} steps of {} names; the gradient is {} numbers, {} bytes ---\n", num_steps, batch_size, size,
             bytes);
  fmt::print("way    | machines | held-out loss | the bits of one machine | most bytes sent in a step | by formula\n");
  fmt::print("alone  |        1 |        {:.4f} |                         |                         0 |\n", loss);
  bool all_alike = true;
  for (const auto& [name, add_up] : {std::pair<std::string, Way>{"to one", to_one}, {"ring", ring}, {"chain", chain}}) {
    for (const std::size_t N : {2, 3, 4}) {
      Training training = new_training(lesson);
      Machine machine(N);
      train(machine, training, add_up);
      const std::vector<std::size_t> sent = machine.end();  // from here on there is only machine 0
      const std::size_t most = *std::max_element(sent.begin(), sent.end()) / num_steps;
      const double its_loss = held_out_loss(training);
      const bool same = training.weights() == alone.weights();
      fmt::print("{:6} | {:8} |        {:.4f} | {:23} | {:25} | {:10}\n", name, N, its_loss, same ? "yes" : "no", most,
                 formula(name, N, bytes));
      lesson.check(fmt::format("{}, {} machines: as many bytes as the formula says", name, N),
                   most == (name == "ring" ? ring_bytes(N, size) : formula(name, N, bytes)));
      if (name == "chain") lesson.check(fmt::format("chain, {} machines: the bits of one machine", N), same);
      all_alike = all_alike && std::abs(its_loss - loss) < 1e-9;
    }
  }
  lesson.check("every way has the loss of one machine, but for rounding", all_alike);

  // Machine 2 of four dies. What was kept goes on, on two machines.
  fmt::print("\n--- machine 2 of 4 dies ---\n");
  Training training = new_training(lesson);
  bool noticed = false;
  try {
    Machine machine(4);
    train(machine, training, chain, Accident{.machine = 2, .step = 13});
  } catch (const Gone& gone) {
    noticed = true;
    fmt::print("machine 0, after step {}: {}\n", training.step, gone.what());
  }
  training.back_to_kept();
  fmt::print("kept after step {}; two machines go on from there\n", training.step);
  {
    Machine machine(2);
    train(machine, training, chain);
    machine.end();
  }  // machine 0 waits here for the other to end
  const bool same = training.weights() == alone.weights();
  fmt::print("after step {}: the bits of one machine that was never stopped: {}\n", training.step, same ? "yes" : "no");
  lesson.check("a machine that dies is noticed", noticed);
  lesson.check("what was kept goes on to the same bits", same);

  fmt::print("\n--- a step of 64 names on four machines, of which one needs 2 ms a name, the others 1 ms ---\n");
  fmt::print("all equally fast: {} ms\n", std::max({16 * 1, 16 * 1, 16 * 1, 16 * 1}));
  fmt::print("even shares: {} ms\n", std::max({16 * 1, 16 * 1, 16 * 1, 16 * 2}));
  fmt::print("without the slow machine: {} ms\n", std::max({21 * 1, 21 * 1, 22 * 1}));
  fmt::print("shares by speed: {} ms\n", std::max({18 * 1, 18 * 1, 19 * 1, 9 * 2}));

  // Models on many machines, from stated speeds; a name of this lesson's has 7 tokens.
  const Hardware pc{"PCs", 50e9, 125e6, 50e-6, 4}, accelerator{"accelerators", 200e12, 50e9, 10e-6, 2};
  const std::vector<std::pair<Job, Hardware>> table{{{"this lesson's", static_cast<double>(size), batch_size * 7}, pc},
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
  lesson.picture("26_ring.svg", draw_ring());
  return lesson.finish();
}
