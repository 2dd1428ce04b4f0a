// microgpt bench: measures how fast this machine trains, attends and samples, and compares that with the processor's
// peak.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/python_random.h"
#include "base/schedule.h"
#include "program/commands.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "tensor/fma_peak.h"
#include "tensor/simd.h"
#include "tensor/threads.h"
#include "train/batch_trainer.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

struct BenchOptions {
  DataFile data;
  std::vector<std::string> what{"train", "attention", "sample"};
  std::vector<std::size_t> n_embd{16, 32, 64, 128}, batch{1, 16, 64};
  std::optional<std::size_t> threads;
  bool quick = false, json = false;
};

/// A line of the table.
struct Subject {
  std::string what;
  std::size_t n_embd = 16;       // C
  std::size_t batch = 1;         // B: documents in a step
  std::string kernels = "fast";  // or naive; or scalar, the scalar path, whose numbers are doubles
  std::size_t threads = 1;
  std::string attention = "mha";  // of sampling: the forms of choose_attention()
  std::size_t length = 0;         // T, for attention alone and for sampling; training reads the names as they are
  std::size_t n_head = 4;         // H; 1 if it does not divide n_embd
};

/// What was done. In sampling, a step is one token.
struct Tally {
  double steps = 0;
  double names = 0;
  /// Training: 6 * multiplied weights * positions, plus 12 * C * pairs that attention keeps (4 of them forward).
  /// Sampling: 2 instead of 6, and 4 instead of 12 for MHA. MLA takes more per pair.
  double operations = 0;
};

double causal_pairs(std::size_t n) { return static_cast<double>(n * (n + 1)) / 2; }

/// The gist at the subject's sizes, and the documents to train it on.
struct Setting {
  Setting(const Subject& subject, const std::vector<Document>& all) : documents(all), tokenizer(all) {
    random.shuffle(documents);
    config.vocab_size = tokenizer.vocab_size();
    config.n_embd = subject.n_embd;
    config.n_head = subject.n_head;
    if (subject.length > 0) config.block_size = subject.length;
    choose_attention(config, subject.attention);
    train.batch_size = subject.batch;
    train.num_steps = 1'000'000'000;
    validate(config);
    multiplied = static_cast<double>(num_parameters(config) - (config.vocab_size + config.block_size) * config.n_embd);
  }

  const Document& next() const { return documents[trained % documents.size()]; }

  /// Adds a step of training on the next documents.
  void add_training(Tally& done) {
    const double numbers = config.n_layer * config.n_embd;
    done.steps++;
    done.names += train.batch_size;
    for (std::size_t i = 0; i < train.batch_size; i++, trained++) {
      const std::size_t n = std::min(config.block_size, next().size() + 1);
      done.operations += 6 * (multiplied * n + 2 * numbers * causal_pairs(n));
    }
  }

  /// Adds a generated name of n tokens, made one by one with a cache.
  void add_sampling(Tally& done, std::size_t n) const {
    const std::size_t mixed = config.is_latent() ? config.kv_latent : config.head_dim();  // by each head
    const double per_pair = config.n_head * (2 * mixed + config.rope_dim);
    done.steps += n;
    done.names++;
    done.operations += 2 * (multiplied * n + config.n_layer * per_pair * causal_pairs(n));
  }

  PythonRandom random;
  std::vector<Document> documents;
  Tokenizer tokenizer;
  Config config = preset("gist").model;
  TrainConfig train = preset("gist").train;
  double multiplied = 0;    // how many weights are used in matrix products: all but the embeddings
  std::size_t trained = 0;  // documents
};

/// Such as "AMD EPYC 9B14, vectors of 512 bits, 3.7 GHz": what Linux calls the processor, the width that the kernels
/// are compiled for, and the frequency of a chain of additions, each of which takes a cycle.
std::string processor() {
  std::string name = "processor", line;
  for (std::ifstream file("/proc/cpuinfo"); std::getline(file, line);) {
    if (line.starts_with("model name\t: ")) name = line.substr(13);
  }
  constexpr std::size_t count = 4'000'000;
  double best = 0;
  for (int round = 0; round < 20; round++) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0, x = 1; i < count; i++) {
      x += x;
      asm("" : "+r"(x));  // or the compiler would add them up by itself
    }
    best = std::max(best, count / seconds_since(start) / 1e9);
  }
  return fmt::format("{}, vectors of {} bits, {:.1f} GHz", name, 32 * lanes<float>, best);
}

/// Measures, and prints each measurement as a line of the table or, in the end, all of them as JSON.
class Bench {
 public:
  explicit Bench(const BenchOptions& options) : options_(options), documents_(read_documents(options.data)) {}

  nlohmann::ordered_json records = nlohmann::ordered_json::array();

  void train() {
    for (const std::size_t C : options_.n_embd) {
      const double scalar = line({"train", C, 1, "scalar"});
      for (const std::size_t B : options_.batch) {
        const double naive = line({"train", C, B, "naive"}, scalar);
        line({"train", C, B}, scalar, naive);
        if (threads_ > 1) line({"train", C, B, "fast", threads_}, scalar, naive);
      }
    }
  }

  void attention() {
    for (const auto& [C, B, T, H] : {std::array<std::size_t, 4>{64, 16, 16, 4}, {384, 8, 256, 6}, {768, 4, 1024, 12}}) {
      if (options_.quick && T >= 1024) continue;
      const double naive = line({"attention", C, B, "naive", 1, "mha", T, H});
      line({"attention", C, B, "fast", 1, "mha", T, H}, 0, naive);
      if (threads_ > 1) line({"attention", C, B, "fast", threads_, "mha", T, H}, 0, naive);
    }
  }

  void sample() {
    for (const std::size_t C : options_.n_embd) {
      const double scalar = line({"sample", C, 1, "scalar"});
      for (const std::size_t context : {16, 256, 4096}) {
        if (options_.quick && context > 256) continue;
        const bool is_short = context <= preset("gist").model.block_size;
        for (const char* kind : {"mha", "gqa", "mqa", "mla"}) {
          line({"sample", C, 1, "fast", 1, kind, context}, is_short ? scalar : 0);
          if (is_short) line({"sample", C, 32, "fast", 1, kind, context}, scalar);
        }
      }
    }
  }

 private:
  /// Measures. Returns how many names there were per second, or tokens in sampling, and compares them with those of the
  /// scalar path and of the naive kernels; 0: there are none.
  double line(Subject s, double scalar = 0, double naive = 0) {
    if (s.n_embd % s.n_head != 0) s.n_head = 1;
    std::optional<TerminalLine> waiting(std::in_place);
    waiting->show(fmt::format("measuring {}: {}, n_embd {}", s.what, s.kernels, s.n_embd));
    const bool is_double = s.kernels == "scalar";
    double& peak = peaks_[{is_double, s.threads}];
    if (peak == 0) peak = is_double ? measure_fma_peak<double>(s.threads) : measure_fma_peak<float>(s.threads);
    if (s.what == "attention") {
      attend(s);
    } else {
      s.kernels == "scalar" ? run_scalar(s) : run_tensor(s);
    }
    const double us = median_ * 1e6, gflops = done_.operations / done_.steps / median_ / 1e9;
    const double per_second = (s.what == "sample" ? 1 : done_.names / done_.steps) / median_;
    records.push_back({{"processor", processor_},
                       {"what", s.what},
                       {"n_embd", s.n_embd},
                       {"n_head", s.n_head},
                       {"batch", s.batch},
                       {"length", s.length},
                       {"attention", s.attention},
                       {"kernels", s.kernels},
                       {"dtype", is_double ? "f64" : "f32"},
                       {"threads", s.threads},
                       {"us_per_step", us},
                       {s.what == "sample" ? "tokens_per_second" : "names_per_second", per_second},
                       {"gflops", gflops},
                       {"peak_gflops", peak},
                       {"percent_of_peak", 100 * gflops / peak}});
    if (options_.json) return per_second;
    waiting.reset();  // erases the line
    if (records.size() == 1) {
      fmt::print("{}\n{:>9} {:>6} {:>5} {:>7} {:>13} {:>7} {:>7} {:>11} {:>11} {:>8} {:>6} {:>9} {:>9}\n", processor_,
                 "", "n_embd", "batch", "context", "attention", "kernels", "threads", "µs/step", "per second",
                 "GFLOP/s", "% peak", "x scalar", "x naive");
    }
    auto times = [&](double reference) { return reference == 0 ? "" : fmt::format("{:.1f}", per_second / reference); };
    fmt::print("{:>9} {:>6} {:>5} {:>7} {:>13} {:>7} {:>7} {:>11.1f} {:>11.0f} {:>8.2f} {:>6.1f} {:>9} {:>9}\n", s.what,
               s.n_embd, s.batch, s.length == 0 ? "" : std::to_string(s.length), s.attention, s.kernels, s.threads, us,
               per_second, gflops, 100 * gflops / peak, times(scalar), times(naive));
    flush_output();
    return per_second;
  }

  /// step() does something and adds what it did. Sets done_ and the seconds of a step, the median of a few rounds.
  void measure(const std::function<void(Tally& done)>& step) {
    const double enough = options_.quick ? 0.02 : 0.1;  // seconds
    auto seconds_per_step = [&](double seconds) {
      const double steps_before = done_.steps;
      const auto start = std::chrono::steady_clock::now();
      double spent = 0;
      while (spent < seconds) {
        step(done_);
        spent = seconds_since(start);
      }
      return spent / (done_.steps - steps_before);
    };
    done_ = {};
    seconds_per_step(enough / 5);  // to warm up
    std::vector<double> rounds(options_.quick ? 3 : 5);
    for (double& round : rounds) round = seconds_per_step(enough);
    std::sort(rounds.begin(), rounds.end());
    median_ = rounds[rounds.size() / 2];
  }

  void run_scalar(const Subject& s) {
    Setting setting(s, documents_);
    const Model model = scalar_model(setting.config, initialize(setting.config, setting.train, setting.random));
    if (s.what == "sample") {
      return measure([&](Tally& done) {
        const std::size_t letters = microgpt::sample(model, 1, setting.random).size();
        setting.add_sampling(done, std::min(model.block_size, letters + 1));
      });
    }
    const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
    const Optimizer adam = adam_optimizer(setting.train, model.params.size());
    measure([&](Tally& done) {
      const std::vector<Token> tokens = setting.tokenizer.encode_document(setting.next());
      const std::size_t n = setting.trained;
      train_step(loss, tokens, model.params, adam, learning_rate(setting.train, n), n);
      setting.add_training(done);
    });
  }

  void run_tensor(const Subject& s) {
    Setting setting(s, documents_);
    const Parameters parameters = initialize(setting.config, setting.train, setting.random);
    if (s.what == "sample") {  // names side by side, each as long as its context: BOS is a token like any other
      TensorModel<float> model(setting.config, parameters);
      Decoder<float> decoder(model, kernels_of(s), s.batch);
      return measure([&](Tally& done) {
        std::vector<Token> last(s.batch, setting.tokenizer.bos());
        for (std::size_t i = 0; i < s.batch; i++) decoder.reset(i);
        for (std::size_t t = 0; t < decoder.length(); t++) {
          const View<float> logits = decoder.next(last);
          for (std::size_t i = 0; i < s.batch; i++) {
            last[i] = draw(std::span(logits.row(i), logits.cols), 1, setting.random.random());
          }
        }
        for (std::size_t i = 0; i < s.batch; i++) setting.add_sampling(done, decoder.length());
      });
    }
    BatchTrainer<float> trainer(setting.config, setting.train, parameters, setting.documents, setting.tokenizer,
                                {.threads = s.threads}, kernels_of(s));
    measure([&](Tally& done) {
      trainer.step();
      setting.add_training(done);
    });
  }

  /// Attention of B documents of T positions each, forward and backward, from random q, k and v. A thread takes some
  /// heads.
  void attend(const Subject& s) {
    const std::size_t B = s.batch, C = s.n_embd, H = s.n_head, D = C / H, T = s.length;
    const double scale = 1 / std::sqrt(static_cast<double>(D));
    const Mask mask = Mask::of({}, T);
    const Kernels<float>& kernels = kernels_of(s);
    PythonRandom random;
    auto tensor = [&] {
      Tensor<float> x(B * T, C);
      for (std::size_t i = 0; i < B * T; i++) {
        for (std::size_t j = 0; j < C; j++) x.view().row(i)[j] = static_cast<float>(random.gauss(0, 1));
      }
      return x;
    };
    Tensor<float> q = tensor(), k = tensor(), v = tensor(), dout = tensor();
    Tensor<float> out(B * T, C), dq(B * T, C), dk(B * T, C), dv(B * T, C), log_sum(H, B * T);
    measure([&](Tally& done) {
      parallel(s.threads, [&](std::size_t i) {
        const auto [first, n] = share(B * H, i, s.threads);
        for (std::size_t one = first; one < first + n; one++) {
          const std::size_t start = one / H * T, h = one % H;
          auto of = [&](Tensor<float>& x) { return x.view().slice_rows(start, T).slice_cols(h * D, D); };
          const View<float> sums = log_sum.view().slice_rows(h, 1).slice_cols(start, T);
          const AttentionCall<float> call{
              .q = of(q), .k = of(k), .v = of(v), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
          kernels.attention_forward(of(out), sums, call);
          kernels.attention_backward({of(dq), of(dk), of(dv)}, of(dout), of(out), sums, call);
        }
      });
      done.steps++;
      done.names += B;
      done.operations += 12 * static_cast<double>(B * C) * causal_pairs(T);
    });
  }

  static const Kernels<float>& kernels_of(const Subject& s) {
    return s.kernels == "naive" ? naive<float>() : fast<float>();
  }

  const BenchOptions& options_;
  const std::size_t threads_ = have_openmp ? options_.threads.value_or(available_threads()) : 1;
  std::vector<Document> documents_;
  const std::string processor_ = processor();
  std::map<std::pair<bool, std::size_t>, double> peaks_;  // of doubles or not, and of so many threads
  Tally done_;
  double median_ = 0;
};

}  // namespace

Command bench_command() {
  auto options = std::make_shared<BenchOptions>();
  return {"bench", "Measure how fast training, attention and sampling are.",
          "A step of training is a batch of names; attention alone goes forward and backward; a step of sampling is a "
          "token of a\nname as long as its context. % peak: percent of the processor's peak, which is measured first: "
          "fused multiply-adds on\nregisters alone. The scalar path computes in doubles, the others in floats. mla "
          "attends to the latents directly.\n"
          "Examples:\n"
          "  microgpt bench --quick\n"
          "  microgpt bench --what train --n-embd 64 --batch 16 --json",
          data_options(options->data) +
              Options{{"--what", "what to measure", list(options->what, "WORD")},
                      {"--n-embd", "widths, in training and sampling", counts(options->n_embd)},
                      {"--batch", "documents per step of training", counts(options->batch)},
                      threads_option(options->threads, "threads to compare with one [all]"),
                      {"--quick", "take a fifth of the time, and skip slow measurements", flag(options->quick)},
                      {"--json", "print JSON instead of a table", flag(options->json)}},
          [options](const Options&) {
            const std::map<std::string, void (Bench::*)()> parts{
                {"train", &Bench::train}, {"attention", &Bench::attention}, {"sample", &Bench::sample}};
            for (const std::string& what : options->what) {
              if (!parts.contains(what)) {
                throw UsageError(fmt::format("--what is '{}'; there are train, attention and sample", what));
              }
            }
            Bench bench(*options);
            for (const std::string& what : options->what) (bench.*parts.at(what))();
            if (options->json) fmt::print("{}\n", bench.records.dump(2));
          }};
}

}  // namespace microgpt
