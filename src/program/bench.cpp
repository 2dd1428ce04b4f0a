// microgpt bench: measures how fast this machine trains, attends and samples.
#include "inspect/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

struct BenchOptions {
  std::string data = "data/names.txt";
  std::vector<std::string> what{"train", "attention", "sample"};
  std::vector<std::size_t> n_embd{16, 32, 64, 128};
  std::vector<std::size_t> batch{1, 16, 64};
  std::vector<std::string> mask{"local:64",     "local:128",     "block:48", "block:128",
                                "global:64:16", "strided:64:64", "random:8", "bigbird:64:16:8"};
  std::optional<std::size_t> steps, rounds, threads;
  bool quick = false;
  bool json = false;
};

/// A JSON object, one member per line. No text in it needs escaping.
std::string json(const Measurement& m) {
  const Subject& s = m.subject;
  const bool scalar = s.kernels == "scalar";
  std::string members;
  auto add = [&](const std::string& name, const std::string& value) {
    members += fmt::format("{}    \"{}\": {}", members.empty() ? "" : ",\n", name, value);
  };
  auto text = [&](const char* name, const std::string& value) { add(name, '"' + value + '"'); };
  auto count = [&](const char* name, std::size_t value) { add(name, std::to_string(value)); };
  auto number = [&](const char* name, double value) { add(name, all_digits(value)); };
  text("what", s.what);
  text("engine", scalar ? "scalar" : "tensor");
  text("kernels", scalar ? "" : s.kernels);
  text("attention", s.attention);
  add("absorbed", s.absorbed ? "true" : "false");
  text("dtype", s.dtype);
  count("n_embd", s.n_embd);
  count("n_head", s.n_head);
  count("batch", s.batch);
  count("length", s.length);
  text("mask", s.mask);
  number("percent_kept", m.percent_kept);
  count("threads", s.threads);
  count("num_params", m.num_params);
  count("cache_bytes_per_token", m.cache_bytes_per_token);
  number("us_per_step", m.us_per_step);
  number("us_fastest", m.us_fastest);
  number(s.what == "sample" ? "tokens_per_second" : "names_per_second", m.per_second);
  number("gflops", m.gflops);
  number("peak_gflops", m.peak_gflops);
  number("percent_of_peak", m.percent_of_peak);
  number("peak_rss_mib", m.peak_rss_mib);
  return "  {\n" + members + "\n  }";
}

/// "1.7", how many times as fast as a reference, or nothing if there is no reference.
std::string times(double per_second, double reference) {
  return reference == 0 ? "" : fmt::format("{:.1f}", per_second / reference);
}

/// Measures, and prints each measurement as a line of a table or, in the end, all of them as JSON.
class Bench {
 public:
  explicit Bench(const BenchOptions& options) : options_(options) {
    for (const std::string& mask : options.mask) given_mask(mask);  // throws before anything is measured
    documents_ = read_documents(options.data);
  }

  void train() {
    begin("Training: a step is a batch", "n_embd  batch", "", "names/s", "x scalar");
    for (const std::size_t C : options_.n_embd) {
      const double scalar = line({.kernels = "scalar", .dtype = "f64", .n_embd = C});
      for (const std::size_t B : options_.batch) {
        const double naive = line({.kernels = "naive", .n_embd = C, .batch = B}, scalar);
        line({.n_embd = C, .batch = B}, scalar, naive);
        if (threads_ > 1) line({.n_embd = C, .batch = B, .threads = threads_}, scalar, naive);
        if (!options_.quick) line({.dtype = "f64", .n_embd = C, .batch = B}, scalar, naive);
      }
    }
  }

  void attention() {
    begin("Attention alone, (B,T,C,H), causal, forward and backward", "shape",
          fmt::format("{:>16} {:>6}", "mask", "% kept"), "names/s", "x full");
    for (Subject subject : {Subject{.what = "attention", .n_embd = 64, .n_head = 4, .batch = 16, .length = 16},
                            {.what = "attention", .n_embd = 384, .n_head = 6, .batch = 8, .length = 256},
                            {.what = "attention", .n_embd = 768, .n_head = 12, .batch = 4, .length = 1024}}) {
      auto with = [&](const char* kernels, std::size_t threads, const std::string& mask) -> const Subject& {
        subject.kernels = kernels;
        subject.threads = threads;
        subject.mask = mask;
        return subject;
      };
      const bool is_large = subject.length >= 1024;
      const double naive = is_large && options_.quick ? 0 : line(with("naive", 1, "full"));
      const double full = line(with("fast", 1, "full"), 0, naive);
      if (threads_ > 1) line(with("fast", threads_, "full"), 0, naive);
      for (const std::string& mask : options_.mask) {
        if (is_large) line(with("fast", 1, mask), mask == "full" ? 0 : full, mask == "full" ? naive : 0);
      }
    }
  }

  void sample() {
    begin("Sampling: a step is a token", "n_embd  batch", fmt::format(" {:>13} {:>7}", "attention", "B/token"),
          "tokens/s", "x scalar");
    for (const std::size_t C : options_.n_embd) {
      const double scalar = line({.what = "sample", .kernels = "scalar", .dtype = "f64", .n_embd = C});
      for (const char* kind : {"mha", "mqa", "gqa", "mla"}) {
        line({.what = "sample", .attention = kind, .n_embd = C}, scalar);
      }
      line({.what = "sample", .attention = "mla", .absorbed = false, .n_embd = C}, scalar);
    }
  }

  void end() const {
    if (options_.json) fmt::print("[\n{}\n]\n", records_);
  }

 private:
  /// Begins a table. `more` are columns that only this table has.
  void begin(const std::string& title, const std::string& shape, const std::string& more, const std::string& per_second,
             const std::string& reference) {
    head_ = fmt::format("\n{}\n{:>15} {:>7} {:>6}{} {:>7} {:>11} {:>11} {:>8} {:>6} {:>9} {:>9} {:>9}\n", title, shape,
                        "kernels", "type", more, "threads", "µs/step", per_second, "GFLOP/s", "% peak", reference,
                        "x naive", "peak MiB");
  }

  /// Measures. Returns how many documents or tokens there were per second, and compares them with `reference`, the
  /// number of the column "x scalar" or "x full", and with that of the naive kernels; 0: there is none.
  double line(const Subject& s, double reference = 0, double naive = 0) {
    const Measurement m = measure(s, documents_, effort_);
    if (options_.json) {
      records_ += (records_.empty() ? "" : ",\n") + json(m);
      return m.per_second;
    }
    const bool attention = s.what == "attention";
    const std::string shape = attention ? fmt::format("({},{},{},{})", s.batch, s.length, s.n_embd, s.n_head)
                                        : fmt::format("{:>6} {:>6}", s.n_embd, s.batch);
    const std::string kind = s.attention + (s.absorbed ? "" : ", expanded");
    const std::string cache = m.cache_bytes_per_token == 0 ? "" : std::to_string(m.cache_bytes_per_token);
    const std::string more = attention            ? fmt::format("{:>16} {:>6.1f}", s.mask, m.percent_kept)
                             : s.what == "sample" ? fmt::format(" {:>13} {:>7}", kind, cache)
                                                  : "";
    fmt::print("{}{:>15} {:>7} {:>6}{} {:>7} {:>11.1f} {:>11.0f} {:>8.2f} {:>6.1f} {:>9} {:>9} {:>9.1f}\n", head_,
               shape, s.kernels, s.dtype == "f32" ? "float" : "double", more, s.threads, m.us_per_step, m.per_second,
               m.gflops, m.percent_of_peak, times(m.per_second, reference), times(m.per_second, naive), m.peak_rss_mib);
    flush_output();
    head_.clear();
    return m.per_second;
  }

  const BenchOptions& options_;
  const std::size_t threads_ = options_.threads.value_or(available_threads());
  const Effort effort_{.rounds = options_.rounds.value_or(options_.quick ? 3 : 5),
                       .steps = options_.steps.value_or(0),
                       .seconds = options_.quick ? 0.02 : 0.1};
  std::vector<Document> documents_;
  std::string head_;     // of a table that has no line yet
  std::string records_;  // JSON
};

void run_bench(const BenchOptions& options) {
  for (const std::string& what : options.what) {
    if (what != "train" && what != "attention" && what != "sample") {
      throw UsageError(fmt::format("--what is '{}'; there are train, attention and sample", what));
    }
  }
  auto wanted = [&](const char* what) { return std::count(options.what.begin(), options.what.end(), what) > 0; };
  Bench bench(options);
  if (wanted("train")) bench.train();
  if (wanted("attention")) bench.attention();
  if (wanted("sample")) bench.sample();
  bench.end();
}

}  // namespace

Command bench_command() {
  auto options = std::make_shared<BenchOptions>();
  return {
      "bench",
      "Measure how fast training, attention and sampling are.",
      "% peak: percent of the processor's peak, which is measured first: fused multiply-adds on registers alone.\n"
      "B/token: bytes that the cache keeps per token. mla attends to the latents directly (absorbed), or computes keys "
      "and\nvalues from them again for every token (expanded).\n"
      "% kept: percent of the pairs (token, itself or an earlier token) that the mask keeps.\n"
      "Examples:\n"
      "  microgpt bench --quick\n"
      "  microgpt bench --what train --n-embd 64 --batch 16 --json",
      {data_option(options->data),
       {"--what", "what to measure", list(options->what, "WORD")},
       {"--n-embd", "widths", counts(options->n_embd)},
       {"--batch", "documents per step", counts(options->batch)},
       {"--mask", "sparse masks to measure in attention alone, over 1024 positions", list(options->mask, "PATTERN")},
       threads_option(options->threads, "threads to compare with one [all]"),
       {"--steps", "steps per round [as many as fit into 0.1 s]", count(options->steps)},
       {"--rounds", "rounds, of which the median is printed [5, quick: 3]", count(options->rounds)},
       {"--quick", "take a fifth of the time, and skip slow measurements", flag(options->quick)},
       {"--json", "print JSON instead of tables", flag(options->json)}},
      [options](const Options&) { run_bench(*options); }};
}

}  // namespace microgpt
