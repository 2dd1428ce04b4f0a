// The study: do more heads help, and do they specialise? Models of one width, and so of the same number of parameters,
// are cut into 1 to 16 heads and trained on two tasks and on names, with two learning rates and several seeds.
// `make study` prints the tables and draws the pictures beside this file. Everything is computed in double, so that any
// processor prints the same.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>

#include "base/error.h"
#include "base/split.h"
#include "base/task.h"
#include "inspect/progress.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "pictures.h"
#include "results.h"
#include "train/held_out.h"

using namespace microgpt;

namespace {

constexpr std::size_t batch_size = 32;
constexpr std::size_t d_model = 256;

Recipe recipe(const Subject& subject, std::size_t heads, double learning_rate) {
  return {.model = {.n_layer = 1, .n_embd = d_model, .n_head = heads},
          .train = {.num_steps = subject.num_steps, .batch_size = batch_size, .learning_rate = learning_rate}};
}

Subject task_subject(const std::string& name, double target, double floor, std::vector<double> loss_ticks) {
  const Task task{parse_task_name(name)};
  constexpr std::size_t num_steps = 300;
  PythonRandom random(1);
  std::vector<Document> training = draw_documents(task, Part::training, num_steps * batch_size, random);
  std::vector<Document> held_out = draw_documents(task, Part::held_out, 500, random);
  const Tokenizer tokenizer(training);
  return {name, std::move(training), std::move(held_out), tokenizer, num_steps, target, floor, std::move(loss_ticks)};
}

std::vector<Subject> subjects(const std::string& path) {
  const std::vector<Document> names = read_documents(path);
  Split split_names = split(names);
  return {// The letters of a word are the only ones that nothing tells: 6 of 14 predictions, each one of 8 letters.
          task_subject("copy", 1.0, 6 * std::log(8) / 14, {0.8, 1.2, 1.6, 2.0, 2.4}),
          // Of 8^6 words, 160,784 have a single most frequent letter. A document has 9 predictions.
          task_subject("most-frequent", 1.45, std::log(160784) / 9, {1.2, 1.4, 1.6, 1.8, 2.0}),
          {"names",
           std::move(split_names.training),
           std::move(split_names.held_out),
           Tokenizer(names),
           600,
           2.4,
           {},
           {2.2, 2.4, 2.6, 2.8, 3.0}}};
}

std::vector<ProbeDocument> probe_documents(const Subject& subject, std::size_t n, const Config& config) {
  std::vector<ProbeDocument> documents;
  for (std::size_t i = 0; i < std::min(n, subject.held_out.size()); i++) {
    documents.push_back(probe_document(subject.held_out[i], subject.tokenizer, config.block_size));
  }
  return documents;
}

/// The model on the first n held-out documents.
Probe probe(TensorModel<double>& model, const Subject& subject, std::size_t n) {
  Parameters parameters(gpt_shapes(model.config));
  model.copy_to(parameters);
  return {model.config, parameters, probe_documents(subject, n, model.config)};
}

HeadLooks look_at_heads(TensorModel<double>& model, const Subject& subject) {
  Probe some = probe(model, subject, 300);
  return measure_heads(some);
}

std::vector<double> entropies(const HeadLooks& looks) {
  std::vector<double> all;
  for (const HeadLook& head : looks.heads) all.push_back(head.entropy.value);
  return all;
}

/// Called after each step. Adds up the time between its calls, which is that of the steps.
class Watch {
 public:
  void stop() { spent_ += begun_ ? Clock::now() - *begun_ : Clock::duration{}; }
  void go_on() { begun_ = Clock::now(); }
  double milliseconds() const { return std::chrono::duration<double, std::milli>(spent_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<Clock::time_point> begun_;
  Clock::duration spent_{};
};

Run train(const Subject& subject, const Recipe& how, std::size_t seed, const std::function<void()>& after_step) {
  const auto some = std::span(subject.held_out).first(std::min<std::size_t>(250, subject.held_out.size()));
  Recipe untrained = how;
  untrained.train.num_steps = 0;
  Run run;
  const HeadLooks before =
      look_at_heads(trained(untrained, subject.training, subject.tokenizer, seed).model(), subject);
  run.fresh_entropy = estimate(entropies(before)).mean;
  run.fresh = before.layers[0];
  Watch watch;
  BatchTrainer<double> trainer = trained(how, subject.training, subject.tokenizer, seed, [&](auto& model, double) {
    watch.stop();
    if (model.steps_done() % steps_between == 0) {
      run.curve.push_back(token_loss(model.model(), some, subject.tokenizer, 1));
    }
    after_step();
    watch.go_on();
  });
  run.milliseconds = watch.milliseconds() / static_cast<double>(how.train.num_steps - 1);
  run.loss = token_loss(trainer.model(), subject.held_out, subject.tokenizer, 1);
  run.accuracy = estimate(probe(trainer.model(), subject, subject.held_out.size()).scores().accuracies).mean;
  const HeadLooks after = look_at_heads(trainer.model(), subject);
  run.entropies = entropies(after);
  run.heads = after.layers[0];
  return run;
}

/// A model to train: where its results go, and how it is trained.
struct Job {
  Run& run;
  const Subject& subject;
  std::size_t heads;
  double learning_rate;
  std::size_t seed;

  std::string label() const {
    return fmt::format("{}, learning rate {}, {}, seed {}", subject.name, learning_rate, heads_text(heads), seed);
  }
};

std::vector<Job> jobs(std::vector<Result>& results) {
  std::vector<Job> all;
  for (Result& result : results) {
    for (std::size_t r = 0; r < learning_rates.size(); r++) {
      for (std::size_t h = 0; h < head_counts.size(); h++) {
        for (std::size_t i = 0; i < num_seeds; i++) {
          all.push_back({result.runs[r][h][i], result.subject, head_counts[h], learning_rates[r], i + 1});
        }
      }
    }
  }
  return all;
}

/// Trains as many models at a time as this machine runs threads. Each is trained by one thread, so that none waits for
/// another.
void run_all(const std::vector<Job>& all) {
  std::size_t total = 0, done = 0;
  for (const Job& job : all) total += job.subject.num_steps;
  Progress progress(total, isatty(STDOUT_FILENO) == 0);
  std::atomic<std::size_t> next = 0;
  std::mutex showing;
  std::string failure;  // an exception must not leave a thread
  parallel(available_threads(), [&](std::size_t) {
    for (std::size_t i = next++; i < all.size() && failure.empty(); i = next++) {
      const Job& job = all[i];
      auto show = [&] {
        const std::lock_guard lock(showing);
        progress.show(++done, job.label());
      };
      try {
        job.run = train(job.subject, recipe(job.subject, job.heads, job.learning_rate), job.seed, show);
      } catch (const Error& error) {
        const std::lock_guard lock(showing);
        failure = job.label() + ": " + error.what();
      }
    }
  });
  if (!failure.empty()) throw Error(failure);
}

/// "0.9012 ± 0.0034", or a dash for what one head alone does not have.
std::string with_margin(Mean number, int digits) {
  if (std::isnan(number.mean)) return "-";
  return fmt::format("{:.{}f} ± {:.{}f}", number.mean, digits, number.margin, digits);
}

/// "140 ± 13", "never", or "140, never with 2".
std::string steps_text(const Seeds& runs, double target) {
  std::vector<double> steps;
  for (const Run& run : runs) {
    if (const auto reached = run.steps_to(target)) steps.push_back(static_cast<double>(*reached));
  }
  if (steps.empty()) return "never";
  if (steps.size() == runs.size()) return with_margin(mean_of(steps), 0);
  return fmt::format("{:.0f}, never with {}", estimate(steps).mean, runs.size() - steps.size());
}

double loss(const Run& run) { return run.loss; }
double accuracy(const Run& run) { return run.accuracy; }
double mean_entropy(const Run& run) { return estimate(run.entropies).mean; }
double fresh_entropy(const Run& run) { return run.fresh_entropy; }
double entropy_spread(const Run& run) { return run.heads.entropy_spread; }
double distance(const Run& run) { return run.heads.distance; }
double fresh_distance(const Run& run) { return run.fresh.distance; }
double learnt_distance(const Run& run) { return run.heads.distance - run.fresh.distance; }

/// "0.001  |     4 x 64   "
std::string row_label(std::size_t r, std::size_t h) {
  return fmt::format("{:<6} | {:5} x {:<4}", learning_rates[r], head_counts[h], d_model / head_counts[h]);
}

void print_learning(const Result& result) {
  const Subject& subject = result.subject;
  Config config = recipe(subject, 1, 0).model;
  config.vocab_size = subject.tokenizer.vocab_size();
  fmt::print("\n{}: {} parameters, {} steps, then {} documents not seen{}\n", subject.name, num_parameters(config),
             subject.num_steps, subject.held_out.size(),
             subject.floor ? fmt::format("; a perfect model has a loss of {:.4f}", *subject.floor) : "");
  fmt::print("rate   | heads x size | steps to loss {:.2f} | held-out loss   | accuracy{}\n", subject.target,
             Lesson::timed() ? "      | ms a step" : "");
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      const Seeds& runs = result.runs[r][h];
      const auto times = by_seed(runs, [](const Run& run) { return run.milliseconds; });
      fmt::print("{} | {:>18} | {} | {}{}\n", row_label(r, h), steps_text(runs, subject.target),
                 with_margin(mean_of(runs, loss), 4), with_margin(mean_of(runs, accuracy), 3),
                 Lesson::timed() ? fmt::format(" | {:.1f}", *std::min_element(times.begin(), times.end())) : "");
    }
  }
}

void print_heads(const Result& result) {
  fmt::print("\n{}:\nrate   | heads x size | mean entropy  | before        | spread        | distance      | before\n",
             result.subject.name);
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      const Seeds& runs = result.runs[r][h];
      fmt::print("{} | {} | {} | {:>13} | {:>13} | {}\n", row_label(r, h), with_margin(mean_of(runs, mean_entropy), 3),
                 with_margin(mean_of(runs, fresh_entropy), 3), with_margin(mean_of(runs, entropy_spread), 3),
                 with_margin(mean_of(runs, distance), 3), with_margin(mean_of(runs, fresh_distance), 3));
    }
  }
}

std::string in_words(Mean difference) {
  return fmt::format("{} by {:.4f} ± {:.4f}, {}", difference.mean > 0 ? "higher" : "lower", std::abs(difference.mean),
                     difference.margin,
                     std::abs(difference.mean) > difference.margin ? "more than noise" : "which may be noise");
}

/// The learning rate whose models have the lowest loss.
std::size_t best_rate(const Result& result, std::size_t h) {
  std::size_t best = 0;
  for (std::size_t r = 1; r < learning_rates.size(); r++) {
    if (mean_of(result.runs[r][h], loss).mean < mean_of(result.runs[best][h], loss).mean) best = r;
  }
  return best;
}

/// Sixteen heads beside one, each with the learning rate that suits it best.
void print_best(const Result& result) {
  const std::size_t many = head_counts.size() - 1;
  const std::size_t one_rate = best_rate(result, 0), many_rate = best_rate(result, many);
  fmt::print("{}: 16 heads at {} beside 1 at {}: loss {}\n", result.subject.name, learning_rates[many_rate],
             learning_rates[one_rate],
             in_words(difference(result.runs[many_rate][many], result.runs[one_rate][0], loss)));
}

/// Do sixteen heads differ from each other more than two do?
void print_specialisation(const Result& result) {
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    auto ask = [&](const char* what, const Figure& figure) {
      fmt::print("{}, rate {}: {} {}\n", result.subject.name, learning_rates[r], what,
                 in_words(difference(result.runs[r].back(), result.runs[r][1], figure)));
    };
    ask("spread of entropies", entropy_spread);
    ask("distance", distance);
    ask("distance added by training", learnt_distance);
  }
}

/// The entropy of every head: of the lowest, of the next and so on, each the mean over seeds.
void print_entropies(const Result& result) {
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      std::string line;
      for (std::size_t i = 0; i < head_counts[h]; i++) {
        line += fmt::format(" {:.2f}", mean_of(result.runs[r][h], [&](const Run& run) {
                                         std::vector<double> sorted = run.entropies;
                                         std::sort(sorted.begin(), sorted.end());
                                         return sorted[i];
                                       }).mean);
      }
      fmt::print("{:13} {:6} {:>8}:{}\n", result.subject.name, learning_rates[r], heads_text(head_counts[h]), line);
    }
  }
}

void draw(const std::vector<Result>& all) {
  const std::string folder = "lessons/study/";
  convergence("With large steps, few heads learn slowly or not at all; with small steps all learn", all)
      .write(folder + "convergence.svg");
  accuracies("More heads forgive a learning rate that is too large", all).write(folder + "accuracy.svg");
  head_entropies("The entropy of each head", all).write(folder + "entropy.svg");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<Result> all;
    for (Subject& subject : subjects(argc > 1 ? argv[1] : "data/names.txt")) all.push_back({std::move(subject), {}});
    run_all(jobs(all));
    fmt::print("One layer of width {}; {} seeds, {} documents a step. Margins: 2.78 standard errors (Student's t).\n",
               d_model, num_seeds, batch_size);
    for (const Result& result : all) print_learning(result);
    fmt::print("\nSixteen heads beside one, each at its best rate, seed by seed:\n");
    for (const Result& result : all) print_best(result);
    fmt::print(
        "\nWhat the heads look like. Spread: of a layer's entropies, their standard deviation. Distance: between\n"
        "two heads' rows, from 0 (alike) to 1 (nothing in common), the mean over all pairs. Before: before "
        "training.\n");
    for (const Result& result : all) print_heads(result);
    fmt::print("\nSixteen heads beside two, seed by seed:\n");
    for (const Result& result : all) print_specialisation(result);
    fmt::print("\nThe entropy of every head, from the lowest on; each the mean over seeds:\n");
    for (const Result& result : all) print_entropies(result);
    draw(all);
  } catch (const Error& error) {
    fmt::print(stderr, "study: {}\n", error.what());
    return 1;
  }
}
