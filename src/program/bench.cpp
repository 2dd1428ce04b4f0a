// microgpt bench: measures how fast this machine trains, attends and samples, and compares that with the processor's
// peak.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/python_random.h"
#include "base/schedule.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "tensor/fma_peak.h"
#include "tensor/threads.h"
#include "train/batch_trainer.h"
#include "train/memory.h"
#include "train/sampling.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Json = nlohmann::ordered_json;

struct Subject {
  std::string what = "train";     // train, attention (alone, forward and backward), or sample
  std::string kernels = "fast";   // or naive, scalar (the scalar path, in double), or microgpt.py
  std::string attention = "mha";  // or mqa, gqa, mla: sampling on the tensor path, with choose_attention()'s sizes
  bool absorbed = true;           // mla only: see AttentionCache
  std::string dtype = "f32";      // or f64
  std::size_t n_embd = 16;        // C
  std::size_t n_head = 4;         // H; 1 is used if it does not divide n_embd
  std::size_t batch = 1;          // B
  std::size_t threads = 1;
  std::size_t length = 0;     // T, for attention alone and for sampling on the tensor path; the others use names
  std::string mask = "full";  // for attention alone
};

struct Effort {
  std::size_t rounds;  // their median counts
  std::size_t steps;   // per round; 0: as many as fit into `seconds`
  double seconds;
};

/// What was done. In sampling, a step is one token.
struct Tally {
  double steps = 0;
  double names = 0;
  /// Training: 6 * multiplied weights * positions, plus 12 * C * pairs that attention keeps (4 of them forward).
  /// Sampling: 2 instead of 6, and 4 instead of 12 for MHA. MLA takes more per pair; expanded, it also computes keys
  /// and values again for every pair.
  double operations = 0;
};

struct Measurement {
  Subject subject = {};
  double us_per_step = 0;  // median of the rounds
  double us_fastest = 0;   // in the best round
  double names_per_second = 0;
  double per_second = 0;  // tokens in sampling, otherwise names
  double gflops = 0;
  double peak_gflops = 0;  // of fused multiply-adds on the same number of threads
  double percent_of_peak = 0;
  double peak_rss_mib = 0;                // peak resident memory of the process during the measurement
  double percent_kept = 100;              // of the pairs that a full mask keeps
  std::size_t num_params = 0;             // in attention alone: none
  std::size_t cache_bytes_per_token = 0;  // in sampling on the tensor path
};

/// step() does something and adds what it did.
Measurement measure_rounds(const Effort& effort, const std::function<void(Tally& done)>& step) {
  using Clock = std::chrono::steady_clock;
  Tally done;
  auto us_per_step = [&](double seconds) {
    const double steps_before = done.steps;
    const Clock::time_point start = Clock::now();
    std::chrono::duration<double> spent{};
    for (std::size_t i = 0; effort.steps > 0 ? i < effort.steps : i == 0 || spent.count() < seconds; i++) {
      step(done);
      spent = Clock::now() - start;
    }
    return spent.count() * 1e6 / (done.steps - steps_before);
  };
  if (effort.steps == 0) us_per_step(effort.seconds / 5);  // to warm up
  done = {};
  std::vector<double> rounds(effort.rounds);
  for (double& round : rounds) round = us_per_step(effort.seconds);
  std::sort(rounds.begin(), rounds.end());
  const double median = rounds[effort.rounds / 2];
  return {.us_per_step = median,
          .us_fastest = rounds.front(),
          .names_per_second = done.names / done.steps / median * 1e6,
          .gflops = done.operations / done.steps / median / 1e3};
}

/// Resets the process's peak memory. Only Linux can; elsewhere the peak is that since the start.
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr double unit = 1;  // bytes
#else
  constexpr double unit = 1024;
#endif
  return static_cast<double>(usage.ru_maxrss) * unit / (1024.0 * 1024.0);
}

/// Measured once for each dtype and number of threads.
double fma_peak(const std::string& dtype, std::size_t threads) {
  static std::map<std::pair<std::string, std::size_t>, double> known;
  double& peak = known[{dtype, threads}];
  if (peak == 0) peak = dtype == "f32" ? measure_fma_peak<float>(threads) : measure_fma_peak<double>(threads);
  return peak;
}

double causal_pairs(std::size_t n) { return static_cast<double>(n * (n + 1)) / 2; }

/// How many pairs (t, s) of n positions there are in which t sees s.
double pairs(const Mask& mask, std::size_t n) {
  double sum = 0;
  for (std::size_t t = 0; t < n; t++) {
    for (std::size_t s = 0; s <= t; s += Mask::block) sum += std::popcount(mask.bits(t, s));
  }
  return sum;
}

/// The gist at the subject's sizes, and the documents to train it on.
struct Setting {
  Setting(const Subject& s, const std::vector<Document>& all) : subject(s), documents(all), tokenizer(all) {
    random.shuffle(documents);
    config.vocab_size = tokenizer.vocab_size();
    config.n_embd = subject.n_embd;
    config.n_head = subject.n_head;
    if (subject.length > 0) config.block_size = subject.length;
    choose_attention(config, subject.attention);
    train.batch_size = subject.batch;
    train.num_steps = 1'000'000'000;
    validate(config);
    require_memory(tensor_memory<double>(config, train, documents));
    multiplied = static_cast<double>(num_parameters(config) - (config.vocab_size + config.block_size) * config.n_embd);
  }

  const Document& next() const { return documents[trained % documents.size()]; }

  /// Adds a step of training on the next documents.
  void add_training(Tally& done) {
    const auto numbers = static_cast<double>(config.n_layer * config.n_embd);
    done.steps++;
    done.names += static_cast<double>(subject.batch);
    for (std::size_t i = 0; i < subject.batch; i++, trained++) {
      const std::size_t n = std::min(config.block_size, next().size() + 1);
      done.operations += 6 * (multiplied * static_cast<double>(n) + 2 * numbers * causal_pairs(n));
    }
  }

  /// Adds a generated name of n tokens, made one by one with a cache.
  void add_sampling(Tally& done, std::size_t n) const {
    const bool expands = config.is_latent() && !subject.absorbed;
    const std::size_t mixed = config.is_latent() && !expands ? config.kv_latent : config.head_dim();  // by each head
    const std::size_t per_pair = config.n_head * (2 * mixed + config.rope_dim);
    const std::size_t expanded = expands ? 2 * config.kv_latent * config.n_embd : 0;  // for each earlier token
    const auto tokens = static_cast<double>(n), layers = static_cast<double>(config.n_layer);
    done.steps += tokens;
    done.names++;
    done.operations += 2 * (multiplied * tokens + layers * (static_cast<double>(per_pair) * causal_pairs(n) +
                                                            static_cast<double>(expanded) * causal_pairs(n - 1)));
  }

  const Subject& subject;
  PythonRandom random;
  std::vector<Document> documents;
  Tokenizer tokenizer;
  Config config = preset("gist").model;
  TrainConfig train = preset("gist").train;
  double multiplied = 0;    // how many weights are used in matrix products: all but the embeddings
  std::size_t trained = 0;  // documents
};

Measurement measure_scalar(Setting& setting, const Effort& effort) {
  Parameters parameters = initialize(setting.config, setting.train, setting.random);
  const Model model = scalar_model(setting.config, parameters);
  if (setting.subject.what == "sample") {
    return measure_rounds(effort, [&](Tally& done) {
      const std::size_t letters = sample(model, 1, setting.random).size();
      setting.add_sampling(done, std::min(model.block_size, letters + 1));
    });
  }
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  AdamOptimizer adam(setting.train, parameters.size());
  return measure_rounds(effort, [&](Tally& done) {
    const std::vector<Token> tokens = setting.tokenizer.encode_document(setting.next());
    const std::size_t n = setting.trained;
    train_step(loss, tokens, parameters, adam, learning_rate(setting.train, n), n);
    setting.add_training(done);
  });
}

/// The published program, in a process of its own that reads `documents` and goes on until nobody reads what it prints.
/// It shuffles them as a Setting does. Its steps take long, so it has ten times as long for them.
Measurement measure_python(Setting& setting, const std::vector<Document>& documents, Effort effort) {
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const bool samples = setting.subject.what == "sample";
  const File names(std::tmpfile(), std::fclose);
  if (names == nullptr) throw Error("cannot make a temporary file for microgpt.py");
  for (const Document& document : documents) fmt::print(names.get(), "{}\n", encode_utf8(document));
  std::rewind(names.get());
  const std::string command = fmt::format(  // Python's file 0 is standard input
      "exec 2>/dev/null </dev/fd/{}; python3 -u -c \"$(sed \"s/'input.txt'/0/; {}\" \"$MICROGPT_PY\")\"",
      ::fileno(names.get()),
      samples ? "s/^num_steps = .*/num_steps = 1/; s/range(20)/range(10**9)/" : "s/^num_steps = .*/num_steps = 10**9/");
  const File printed(::popen(command.c_str(), "r"), ::pclose);
  auto next = [&] {
    std::string line;
    while (!line.starts_with(samples ? "sample " : "step ") || !line.ends_with('\n')) {
      const int c = printed == nullptr ? EOF : std::getc(printed.get());
      if (c == EOF) throw Error("python3 does not run the file that MICROGPT_PY names as microgpt.py");
      if (line.ends_with('\n')) line.clear();
      line += c == '\r' ? '\n' : static_cast<char>(c);
    }
    return line;
  };
  next();  // by then it has started
  effort.seconds *= 10;
  return measure_rounds(effort, [&](Tally& done) {
    const std::string line = next();
    if (!samples) return setting.add_training(done);
    const std::size_t tokens = decode_utf8(line.substr(line.find(": ") + 2)).value_or(Document()).size();
    setting.add_sampling(done, std::min(setting.config.block_size, tokens));  // the end of the line stands for BOS
  });
}

template <class T>
const Kernels<T>& kernels_of(const Subject& subject) {
  return subject.kernels == "naive" ? naive<T>() : fast<T>();
}

/// Names side by side, each as long as its context: BOS is a token like any other.
template <class T>
void sample_names(Decoder<T>& decoder, Setting& setting, Tally& done) {
  std::vector<Token> last(setting.subject.batch, setting.tokenizer.bos());
  for (std::size_t i = 0; i < last.size(); i++) decoder.reset(i);
  for (std::size_t t = 0; t < decoder.length(); t++) {
    const View<T> logits = decoder.next(last);
    for (std::size_t i = 0; i < last.size(); i++) {
      last[i] = draw(std::span(logits.row(i), logits.cols), 1, setting.random.random());
    }
  }
  for (std::size_t i = 0; i < last.size(); i++) setting.add_sampling(done, decoder.length());
}

template <class T>
Measurement measure_tensor(Setting& setting, const Effort& effort) {
  const Subject& subject = setting.subject;
  const Parameters parameters = initialize(setting.config, setting.train, setting.random);
  if (subject.what == "sample") {
    TensorModel<T> model(setting.config, parameters);
    Decoder<T> decoder(model, kernels_of<T>(subject), subject.absorbed, subject.batch);
    Measurement m = measure_rounds(effort, [&](Tally& done) { sample_names(decoder, setting, done); });
    m.cache_bytes_per_token = decoder.cache_bytes_per_token();
    return m;
  }
  BatchTrainer<T> trainer(setting.config, setting.train, parameters, setting.documents, setting.tokenizer,
                          {.threads = subject.threads}, kernels_of<T>(subject));
  return measure_rounds(effort, [&](Tally& done) {
    trainer.step();
    setting.add_training(done);
  });
}

/// Attention of B documents of T positions each, forward and backward, from random q, k and v. A thread takes some
/// heads.
template <class T>
Measurement measure_attention(const Subject& subject, const Effort& effort) {
  const std::size_t B = subject.batch, C = subject.n_embd, H = subject.n_head, D = C / H, length = subject.length;
  const double scale = 1 / std::sqrt(static_cast<double>(D));
  const Mask mask = Mask::of(parse_mask_pattern(subject.mask), length);
  const double kept = pairs(mask, length);
  const Kernels<T>& kernels = kernels_of<T>(subject);
  PythonRandom random;
  auto tensor = [&] {
    Tensor<T> x(B * length, C);
    for (std::size_t i = 0; i < B * length; i++) {
      for (std::size_t j = 0; j < C; j++) x.view().row(i)[j] = static_cast<T>(random.gauss(0, 1));
    }
    return x;
  };
  Tensor<T> q = tensor(), k = tensor(), v = tensor(), dout = tensor();
  Tensor<T> out(B * length, C), dq(B * length, C), dk(B * length, C), dv(B * length, C), log_sum(H, B * length);
  Measurement m = measure_rounds(effort, [&](Tally& done) {
    parallel(subject.threads, [&](std::size_t i) {
      const auto [first, n] = share(B * H, i, subject.threads);
      for (std::size_t one = first; one < first + n; one++) {
        const std::size_t start = one / H * length, h = one % H;
        auto of = [&](Tensor<T>& x) { return x.view().slice_rows(start, length).slice_cols(h * D, D); };
        const View<T> sums = log_sum.view().slice_rows(h, 1).slice_cols(start, length);
        const AttentionCall<T> call{
            .q = of(q), .k = of(k), .v = of(v), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
        kernels.attention_forward(of(out), sums, call);
        kernels.attention_backward({of(dq), of(dk), of(dv)}, of(dout), of(out), sums, call);
      }
    });
    done.steps++;
    done.names += static_cast<double>(B);
    done.operations += 12 * static_cast<double>(B * C) * kept;
  });
  m.percent_kept = 100 * kept / causal_pairs(length);
  return m;
}

Measurement measure(Subject subject, const std::vector<Document>& documents, const Effort& effort) {
  if (subject.n_embd % subject.n_head != 0) subject.n_head = 1;
  TerminalLine line;
  line.show(
      fmt::format("measuring {}: {} {}, n_embd {}", subject.what, subject.kernels, subject.dtype, subject.n_embd));
  const bool in_float = subject.dtype == "f32";
  const double peak_gflops = fma_peak(subject.dtype, subject.threads);
  reset_peak_memory();
  Measurement m;
  if (subject.what == "attention") {
    m = in_float ? measure_attention<float>(subject, effort) : measure_attention<double>(subject, effort);
  } else {
    Setting setting(subject, documents);
    m = subject.kernels == "microgpt.py" ? measure_python(setting, documents, effort)
        : subject.kernels == "scalar"    ? measure_scalar(setting, effort)
        : in_float                       ? measure_tensor<float>(setting, effort)
                                         : measure_tensor<double>(setting, effort);
    m.num_params = num_parameters(setting.config);
  }
  m.subject = subject;
  m.per_second = subject.what == "sample" ? 1e6 / m.us_per_step : m.names_per_second;
  m.peak_gflops = peak_gflops;
  m.percent_of_peak = 100 * m.gflops / peak_gflops;
  m.peak_rss_mib = peak_mebibytes();
  return m;
}

struct BenchOptions {
  DataFile data;
  std::vector<std::string> what{"train", "attention", "sample"};
  std::vector<std::size_t> n_embd{16, 32, 64, 128};
  std::vector<std::size_t> batch{1, 16, 64};
  std::vector<std::size_t> context{16, 256, 4096};
  std::vector<std::string> mask{"local:64",     "local:128",     "block:48", "block:128",
                                "global:64:16", "strided:64:64", "random:8", "bigbird:64:16:8"};
  std::optional<std::size_t> steps, rounds, threads;
  bool quick = false;
  bool json = false;
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
