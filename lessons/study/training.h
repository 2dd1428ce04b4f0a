// Trains the models of the study.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/split.h"
#include "base/task.h"
#include "draw/progress.h"
#include "lesson/recipe.h"
#include "results.h"
#include "train/held_out.h"

namespace microgpt {

inline Recipe recipe(const Subject& subject, std::size_t heads, double learning_rate) {
  return {.model = shape(subject, heads),
          .train = {.num_steps = subject.num_steps, .batch_size = batch_size, .learning_rate = learning_rate}};
}

inline Subject task_subject(const std::string& name, double target, double floor, std::vector<double> loss_ticks) {
  const Task task{parse_task_name(name)};
  constexpr std::size_t num_steps = 300;
  PythonRandom random(1);
  std::vector<Document> training = draw_documents(task, Part::training, num_steps * batch_size, random);
  std::vector<Document> held_out = draw_documents(task, Part::held_out, 500, random);
  const Tokenizer tokenizer(training);
  return {name, std::move(training), std::move(held_out), tokenizer, num_steps, target, floor, std::move(loss_ticks)};
}

inline Subject names_subject(const std::string& path) {
  const std::vector<Document> names = read_documents(path);
  Split parts = split(names);
  Subject subject{"names", std::move(parts.training), std::move(parts.held_out), Tokenizer(names), 600, 2.4, {}, {}};
  subject.loss_ticks = {2.2, 2.4, 2.6, 2.8, 3.0};
  return subject;
}

inline std::vector<Subject> subjects(const std::string& path) {
  // In copy, nothing tells the 6 letters of the word: so many of 14 predictions, each one of 8 letters. In
  // most-frequent, it is a word of the 160,784 (of 8^6) that have a single most frequent letter; a document has 9
  // predictions.
  return {task_subject("copy", 1.0, 6 * std::log(8) / 14, {0.8, 1.2, 1.6, 2.0, 2.4}),
          task_subject("most-frequent", 1.45, std::log(160784) / 9, {1.2, 1.4, 1.6, 1.8, 2.0}), names_subject(path)};
}

inline std::vector<ProbeDocument> probe_documents(const Subject& subject, std::size_t n, const Config& config) {
  std::vector<ProbeDocument> documents;
  for (std::size_t i = 0; i < std::min(n, subject.held_out.size()); i++) {
    documents.push_back(probe_document(subject.held_out[i], subject.tokenizer, config.block_size));
  }
  return documents;
}

/// The model on the first n held-out documents.
inline Probe probe(TensorModel<double>& model, const Subject& subject, std::size_t n) {
  Parameters parameters(gpt_shapes(model.config));
  model.copy_to(parameters);
  return {model.config, parameters, probe_documents(subject, n, model.config)};
}

inline HeadLooks look_at_heads(TensorModel<double>& model, const Subject& subject) {
  Probe some = probe(model, subject, 300);
  return measure_heads(some);
}

inline std::vector<double> entropies(const HeadLooks& looks) {
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

inline Run train(const Subject& subject, const Recipe& how, std::size_t seed, const std::function<void()>& after_step) {
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

inline std::vector<Job> jobs(std::vector<Result>& results) {
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
inline void run_all(const std::vector<Job>& all) {
  std::size_t total = 0, done = 0;
  for (const Job& job : all) total += job.subject.num_steps;
  Progress progress(total, !can_rewrite(STDOUT_FILENO));
  std::atomic<std::size_t> next = 0;
  std::mutex showing;
  std::string failure;
  parallel(available_threads(), [&](std::size_t) {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      const Job& job = all[i];
      auto show = [&] {
        const std::lock_guard lock(showing);
        progress.show(++done, job.label());
      };
      try {
        job.run = train(job.subject, recipe(job.subject, job.heads, job.learning_rate), job.seed, show);
      } catch (const Error& error) {  // an exception must not leave its thread
        const std::lock_guard lock(showing);
        failure = job.label() + ": " + error.what();
        next = all.size();
      }
    }
  });
  if (!failure.empty()) throw Error(failure);
}

}  // namespace microgpt
