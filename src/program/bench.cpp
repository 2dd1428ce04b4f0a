// microgpt bench: measures how fast this machine trains, attends and samples, and compares that with the processor's
// peak.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "program/commands.h"
#include "program/measurement.h"
#include "program/print.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  DataFile data;
  std::vector<std::string> what{"train", "attention", "sample"};
  std::vector<std::size_t> n_embd{16, 32, 64, 128};
  std::vector<std::size_t> batch{1, 16, 64};
  std::vector<std::size_t> context{16, 256, 4096};
  std::vector<std::string> mask{"local:64",     "local:128",     "block:48", "block:128",
                                "global:64:16", "strided:64:64", "random:8", "bigbird:64:16:8"};
  std::optional<std::size_t> steps, rounds, threads;
  bool quick = false, json = false;
};

Json json(const Measurement& m) {
  const Subject& s = m.subject;
  const bool tensor = s.kernels == "fast" || s.kernels == "naive";
  return {{"what", s.what},
          {"engine", tensor ? "tensor" : s.kernels},
          {"kernels", tensor ? s.kernels : ""},
          {"attention", s.attention},
          {"absorbed", s.absorbed},
          {"dtype", s.dtype},
          {"n_embd", s.n_embd},
          {"n_head", s.n_head},
          {"batch", s.batch},
          {"length", s.length},
          {"mask", s.mask},
          {"percent_kept", m.percent_kept},
          {"threads", s.threads},
          {"num_params", m.num_params},
          {"cache_bytes_per_token", m.cache_bytes_per_token},
          {"us_per_step", m.us_per_step},
          {"us_fastest", m.us_fastest},
          {"names_per_second", m.names_per_second},
          {"tokens_per_second", s.what == "sample" ? Json(m.per_second) : Json()},
          {"gflops", m.gflops},
          {"peak_gflops", m.peak_gflops},
          {"percent_of_peak", m.percent_of_peak},
          {"peak_rss_mib", m.peak_rss_mib}};
}

/// "1.7", how many times as fast as a reference, or nothing if there is no reference.
std::string times(double per_second, double reference) {
  return reference == 0 ? "" : fmt::format("{:.1f}", per_second / reference);
}

const char* type(const Subject& s) { return s.dtype == "f32" ? "float" : "double"; }

/// At least three digits, or a dash for what was not measured.
std::string figure(double x) {
  if (x == 0) return "-";
  return x < 100 ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x);
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
      const bool is_large = subject.length >= 1024;
      subject.kernels = "naive";
      const double naive = is_large && options_.quick ? 0 : line(subject);
      subject.kernels = "fast";
      const double full = line(subject, 0, naive);
      subject.threads = threads_;
      if (threads_ > 1) line(subject, 0, naive);
      subject.threads = 1;
      for (const std::string& mask : options_.mask) {
        subject.mask = mask;
        if (is_large) line(subject, mask == "full" ? 0 : full, mask == "full" ? naive : 0);
      }
    }
  }

  void sample() {
    begin("Sampling: a step is a token of a name as long as its context", "n_embd  batch",
          fmt::format(" {:>7} {:>13} {:>7} {:>8}", "context", "attention", "B/token", "names/s"), "tokens/s",
          "x scalar");
    for (const std::size_t C : options_.n_embd) {
      const double scalar = line({.what = "sample", .kernels = "scalar", .dtype = "f64", .n_embd = C});
      for (const std::size_t context : options_.context) {
        const bool short_names = context <= preset("gist").model.block_size;
        const double reference = short_names ? scalar : 0;
        for (const char* kind : {"mha", "gqa", "mqa", "mla"}) {
          Subject subject{.what = "sample", .attention = kind, .n_embd = C, .length = context};
          line(subject, reference);
          subject.batch = 32;
          if (short_names) line(subject, reference);
        }
        if (context > 256) continue;  // expanded, every token makes the keys and values of all others anew
        line({.what = "sample", .attention = "mla", .absorbed = false, .n_embd = C, .length = context}, reference);
      }
    }
  }

  /// The published model and the same names, the slowest way first. A batch is for training only.
  void ladder() {
    std::vector<Measurement> trained;
    for (const Subject& s : {Subject{.kernels = "microgpt.py", .dtype = "f64"},
                             {.kernels = "scalar", .dtype = "f64"},
                             {.kernels = "naive"},
                             {.kernels = "fast"},
                             {.batch = 16}}) {
      trained.push_back(record(s));
    }
    if (threads_ > 1) trained.push_back(record({.batch = 16, .threads = threads_}));
    auto row = [&](auto... cells) {
      if (!options_.json) fmt::print("{:>11} {:>6} {:>5} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>10}\n", cells...);
    };
    if (!options_.json) fmt::print("\nThe ladder: one model, trained on the same names, and sampled from\n");
    row("kernels", "type", "batch", "threads", "µs/name", "names/s", "% peak", "x scalar", "µs/token", "32 at once");
    for (const Measurement& m : trained) {
      Subject s = m.subject;
      double alone = 0, at_once = 0;
      if (s.batch == 1) {
        s.what = "sample";
        alone = record(s).us_per_step;
        s.batch = 32;
        if (s.dtype == "f32") at_once = record(s).us_per_step;
      }
      row(s.kernels, type(s), m.subject.batch, s.threads, figure(m.us_per_step / static_cast<double>(m.subject.batch)),
          figure(m.per_second), figure(m.percent_of_peak), figure(m.per_second / trained[1].per_second), figure(alone),
          figure(at_once));
    }
  }

  void end() const {
    if (options_.json) fmt::print("{}\n", records_.dump(2));
  }

 private:
  /// Begins a table. `more` are columns that only this table has.
  void begin(const std::string& title, const std::string& shape, const std::string& more, const std::string& per_second,
             const std::string& reference) {
    head_ = fmt::format("\n{}\n{:>15} {:>7} {:>6}{} {:>7} {:>11} {:>11} {:>8} {:>6} {:>9} {:>9} {:>9}\n", title, shape,
                        "kernels", "type", more, "threads", "µs/step", per_second, "GFLOP/s", "% peak", reference,
                        "x naive", "peak MiB");
  }

  /// Measures, and keeps the result for the JSON. Without MICROGPT_PY there are no figures of microgpt.py.
  Measurement record(const Subject& s) {
    if (s.kernels == "microgpt.py" && std::getenv("MICROGPT_PY") == nullptr) return {.subject = s};
    Measurement m = measure(s, documents_, effort_);
    records_.push_back(json(m));
    return m;
  }

  /// Measures. Returns how many documents or tokens there were per second, and compares them with `reference`, the
  /// number of the column "x scalar" or "x full", and with that of the naive kernels; 0: there is none.
  double line(const Subject& s, double reference = 0, double naive = 0) {
    const Measurement m = record(s);
    if (options_.json) return m.per_second;
    std::string shape = fmt::format("{:>6} {:>6}", s.n_embd, s.batch), more;
    if (s.what == "attention") {
      shape = fmt::format("({},{},{},{})", s.batch, s.length, s.n_embd, s.n_head);
      more = fmt::format("{:>16} {:>6.1f}", s.mask, m.percent_kept);
    } else if (s.what == "sample") {
      const std::string cache = m.cache_bytes_per_token == 0 ? "" : std::to_string(m.cache_bytes_per_token);
      more = fmt::format(" {:>7} {:>13} {:>7} {:>8.1f}", s.length > 0 ? std::to_string(s.length) : "",
                         s.attention + (s.absorbed ? "" : ", expanded"), cache, m.names_per_second);
    }
    fmt::print("{}{:>15} {:>7} {:>6}{} {:>7} {:>11.1f} {:>11.0f} {:>8.2f} {:>6.1f} {:>9} {:>9} {:>9.1f}\n", head_,
               shape, s.kernels, type(s), more, s.threads, m.us_per_step, m.per_second, m.gflops, m.percent_of_peak,
               times(m.per_second, reference), times(m.per_second, naive), m.peak_rss_mib);
    flush_output();
    head_.clear();
    return m.per_second;
  }

  const BenchOptions& options_;
  const std::size_t threads_ = have_openmp ? options_.threads.value_or(available_threads()) : 1;
  const Effort effort_{.rounds = options_.rounds.value_or(options_.quick ? 3 : 5),
                       .steps = options_.steps.value_or(0),
                       .seconds = options_.quick ? 0.02 : 0.1};
  std::vector<Document> documents_;
  std::string head_;  // of a table that has no line yet
  Json records_ = Json::array();
};

void run_bench(const BenchOptions& options) {
  for (const std::string& what : options.what) {
    if (what != "train" && what != "attention" && what != "sample" && what != "ladder") {
      throw UsageError(fmt::format("--what is '{}'; there are train, attention, sample and ladder", what));
    }
  }
  auto wanted = [&](const char* what) { return std::count(options.what.begin(), options.what.end(), what) > 0; };
  Bench bench(options);
  if (wanted("train")) bench.train();
  if (wanted("attention")) bench.attention();
  if (wanted("sample")) bench.sample();
  if (wanted("ladder")) bench.ladder();
  bench.end();
}

}  // namespace

Command bench_command() {
  auto options = std::make_shared<BenchOptions>();
  return {
      "bench", "Measure how fast training, attention and sampling are.",
      "% peak: percent of the processor's peak, which is measured first: fused multiply-adds on registers alone.\n"
      "B/token: bytes that the cache keeps per token. mla attends to the latents directly (absorbed), or computes keys "
      "and\nvalues from them again for every token (expanded).\n"
      "% kept: percent of the pairs (token, itself or an earlier token) that the mask keeps.\n"
      "ladder: how fast each way is to train the published model, and to sample from it. To measure microgpt.py, too, "
      "set\nMICROGPT_PY to its file; it needs python3.\n"
      "Examples:\n"
      "  microgpt bench --quick\n"
      "  microgpt bench --what train --n-embd 64 --batch 16 --json",
      data_options(options->data) +
          Options{{"--what", "what to measure", list(options->what, "WORD")},
                  {"--n-embd", "widths", counts(options->n_embd)},
                  {"--batch", "documents per step", counts(options->batch)},
                  {"--context", "tokens in a generated name", counts(options->context)},
                  {"--mask", "sparse masks to measure in attention alone, over 1024 positions",
                   list(options->mask, "PATTERN")},
                  threads_option(options->threads, "threads to compare with one [all]"),
                  {"--steps", "steps per round [as many as fit into 0.1 s]", count(options->steps)},
                  {"--rounds", "rounds, of which the median is printed [5, quick: 3]", count(options->rounds)},
                  {"--quick", "take a fifth of the time, and skip slow measurements", flag(options->quick)},
                  {"--json", "print JSON instead of tables", flag(options->json)}},
      [options](const Options&) { run_bench(*options); }};
}

}  // namespace microgpt
