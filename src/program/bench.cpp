// microgpt bench: measures how fast this machine trains, attends and samples.
#include "inspect/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "program/shape_options.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

struct BenchOptions {
  std::string data = "data/names.txt";
  std::vector<std::string> what{"train", "attention", "sample"};
  std::vector<std::string> n_embd{"16", "32", "64", "128"};
  std::vector<std::string> batch{"1", "16", "64"};
  std::vector<std::string> mask{"local:64",     "local:128",     "block:48", "block:128",
                                "global:64:16", "strided:64:64", "random:8", "bigbird:64:16:8"};
  std::optional<std::size_t> steps, rounds, threads;
  bool quick = false;
  bool json = false;
};

/// Everything to measure, in the order of the tables.
std::vector<Subject> subjects(const BenchOptions& options) {
  auto counts = [](const char* option, const std::vector<std::string>& texts) {
    std::vector<std::size_t> numbers;
    for (const std::string& text : texts) numbers.push_back(parse_count(option, text));
    return numbers;
  };
  const std::vector<std::size_t> widths = counts("--n-embd", options.n_embd);
  const std::vector<std::size_t> batches = counts("--batch", options.batch);
  std::vector<std::size_t> threads{1};
  if (const std::size_t all = options.threads.value_or(available_threads()); all > 1) threads.push_back(all);
  auto wanted = [&](const char* what) { return std::count(options.what.begin(), options.what.end(), what) > 0; };

  std::vector<Subject> list;
  for (const std::size_t C : widths) {
    if (!wanted("train")) break;
    list.push_back({.engine = "scalar", .kernels = "", .dtype = "f64", .n_embd = C});
    for (const std::size_t B : batches) {
      list.push_back({.kernels = "naive", .n_embd = C, .batch = B});
      for (const std::size_t n : threads) list.push_back({.n_embd = C, .batch = B, .threads = n});
      if (!options.quick) list.push_back({.dtype = "f64", .n_embd = C, .batch = B});
    }
  }
  for (const auto& [B, T, C, H] : {std::tuple(16, 16, 64, 4), {8, 256, 384, 6}, {4, 1024, 768, 12}}) {
    if (!wanted("attention")) break;
    Subject alone{.what = "attention",
                  .n_embd = std::size_t(C),
                  .n_head = std::size_t(H),
                  .batch = std::size_t(B),
                  .length = std::size_t(T)};
    if (T <= 256 || !options.quick) {
      alone.kernels = "naive";
      list.push_back(alone);
      alone.kernels = "fast";
    }
    for (const std::size_t n : threads) {
      alone.threads = n;
      list.push_back(alone);
    }
    alone.threads = 1;
    for (const std::string& mask : options.mask) {
      if (T < 1024) break;
      alone.mask = mask;
      list.push_back(alone);
    }
  }
  for (const std::size_t C : widths) {
    if (!wanted("sample")) break;
    list.push_back({.what = "sample", .engine = "scalar", .kernels = "", .dtype = "f64", .n_embd = C});
    for (const char* attention : {"mha", "mqa", "gqa", "mla"}) {
      list.push_back({.what = "sample", .attention = attention, .n_embd = C});
    }
    list.push_back({.what = "sample", .attention = "mla", .absorbed = false, .n_embd = C});
  }
  return list;
}

/// A JSON object, one member per line. No text in it needs escaping.
std::string json(const Measurement& m) {
  const Subject& s = m.subject;
  std::string members;
  auto add = [&](const std::string& name, const std::string& value) {
    members += fmt::format("{}    \"{}\": {}", members.empty() ? "" : ",\n", name, value);
  };
  auto text = [&](const char* name, const std::string& value) { add(name, '"' + value + '"'); };
  auto count = [&](const char* name, std::size_t value) { add(name, std::to_string(value)); };
  auto number = [&](const char* name, double value) { add(name, all_digits(value)); };
  text("what", s.what);
  text("engine", s.engine);
  text("kernels", s.kernels);
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

/// A table for each kind of work, printed line by line as it is measured.
class Table {
 public:
  void print(const Measurement& m) {
    const Subject& s = m.subject;
    if (s.what != what_) print_head(s.what);
    what_ = s.what;
    const std::string label = s.engine == "scalar" ? "scalar" : s.kernels;
    const bool attention = s.what == "attention";
    const std::string shape = attention ? fmt::format("({},{},{},{})", s.batch, s.length, s.n_embd, s.n_head)
                                        : fmt::format("{:>6} {:>6}", s.n_embd, s.batch);
    const std::string more = attention            ? fmt::format("{:>16} {:>6.1f}", s.mask, m.percent_kept)
                             : s.what == "sample" ? fmt::format(" {:>13} {:>7}", kind(s), cache_bytes(m))
                                                  : "";
    fmt::print("{:>15} {:>7} {:>6}{} {:>7} {:>11.1f} {:>11.0f} {:>8.2f} {:>6.1f} {:>9} {:>9} {:>9.1f}\n", shape, label,
               s.dtype == "f32" ? "float" : "double", more, s.threads, m.us_per_step, m.per_second, m.gflops,
               m.percent_of_peak, times(m, attention ? "full" : "scalar"), times(m, "naive"), m.peak_rss_mib);
    flush_output();
  }

 private:
  static std::string kind(const Subject& s) { return s.attention + (s.absorbed ? "" : ", expanded"); }

  /// The cache's bytes per token. Empty for the scalar path, which does not measure them.
  static std::string cache_bytes(const Measurement& m) {
    return m.cache_bytes_per_token == 0 ? "" : std::to_string(m.cache_bytes_per_token);
  }

  static void print_head(const std::string& what) {
    const bool attention = what == "attention";
    const std::string title = what == "train" ? "Training: a step is a batch"
                              : attention     ? "Attention alone, (B,T,C,H), causal, forward and backward"
                                              : "Sampling: a step is a token";
    const std::string more = attention          ? fmt::format("{:>16} {:>6}", "mask", "% kept")
                             : what == "sample" ? fmt::format(" {:>13} {:>7}", "attention", "B/token")
                                                : "";
    fmt::print("\n{}\n{:>15} {:>7} {:>6}{} {:>7} {:>11} {:>11} {:>8} {:>6} {:>9} {:>9} {:>9}\n", title,
               attention ? "shape" : "n_embd  batch", "kernels", "type", more, "threads", "µs/step",
               what == "sample" ? "tokens/s" : "names/s", "GFLOP/s", "% peak", attention ? "x full" : "x scalar",
               "x naive", "peak MiB");
  }

  /// How many times as fast as a column's reference: the scalar path with one document per step, the naive kernels, or
  /// the full mask on the same number of threads.
  std::string times(const Measurement& m, const std::string& reference) {
    const Subject& s = m.subject;
    const std::string kernels = s.engine == "scalar" ? "scalar" : s.kernels;
    const bool is_full = s.mask == "full";
    const bool is_reference = reference == "full" ? is_full : kernels == reference;
    if (reference != "full" && !is_full) return "";
    const auto key = reference == "full"
                         ? std::tuple(s.what, kernels, s.n_embd, s.batch, s.threads)
                         : std::tuple(s.what, reference, s.n_embd, reference == "scalar" ? 1 : s.batch, std::size_t{0});
    if (is_reference) reference_[key] = m.per_second;
    const auto found = reference_.find(key);
    return found == reference_.end() || is_reference ? "" : fmt::format("{:.1f}", m.per_second / found->second);
  }

  std::string what_;
  std::map<std::tuple<std::string, std::string, std::size_t, std::size_t, std::size_t>, double> reference_;
};

void bench(const BenchOptions& options) {
  for (const std::string& what : options.what) {
    if (what != "train" && what != "attention" && what != "sample") {
      throw UsageError(fmt::format("--what is '{}'; there are train, attention and sample", what));
    }
  }
  for (const std::string& mask : options.mask) given_mask(mask);  // throws before anything is measured
  const std::vector<Subject> list = subjects(options);
  const std::vector<Document> documents = read_documents(options.data);
  const Effort effort{.rounds = options.rounds.value_or(options.quick ? 3 : 5),
                      .steps = options.steps.value_or(0),
                      .seconds = options.quick ? 0.02 : 0.1};
  std::string records;
  Table table;
  for (const Subject& subject : list) {
    const Measurement m = measure(subject, documents, effort);
    if (options.json) {
      records += (records.empty() ? "" : ",\n") + json(m);
    } else {
      table.print(m);
    }
  }
  if (options.json) fmt::print("[\n{}\n]\n", records);
}

}  // namespace

Command bench_command() {
  auto options = std::make_shared<BenchOptions>();
  Command command{.name = "bench", .help = "Measure how fast training, attention and sampling are."};
  command.footer =
      "% peak: percent of the processor's peak, which is measured first: fused multiply-adds on registers alone.\n"
      "B/token: bytes that the cache keeps per token. mla attends to the latents directly (absorbed), or computes keys "
      "and\nvalues from them again for every token (expanded).\n"
      "% kept: percent of the pairs (token, itself or an earlier token) that the mask keeps.\n"
      "Examples:\n"
      "  microgpt bench --quick\n"
      "  microgpt bench --what train --n-embd 64 --batch 16 --json";
  add_data(command, options->data);
  add_list(command, "--what", options->what, "WORD", "what to measure");
  add_list(command, "--n-embd", options->n_embd, "N", "widths");
  add_list(command, "--batch", options->batch, "N", "documents per step");
  add_list(command, "--mask", options->mask, "PATTERN",
           "sparse masks to measure in attention alone, over 1024 positions");
  add_threads(command, options->threads, "threads to compare with one [all]");
  add_count(command, "--steps", options->steps, "steps per round [as many as fit into 0.1 s]");
  add_count(command, "--rounds", options->rounds, "rounds, of which the median is printed [5, quick: 3]");
  add_flag(command, "--quick", options->quick, "take a fifth of the time, and skip slow measurements");
  add_flag(command, "--json", options->json, "print JSON instead of tables");
  command.run = [options] { bench(*options); };
  return command;
}

}  // namespace microgpt
