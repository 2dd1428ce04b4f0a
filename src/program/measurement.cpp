#include "program/measurement.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/python_random.h"
#include "base/schedule.h"
#include "base/utf8.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "tensor/fma_peak.h"
#include "train/batch_trainer.h"
#include "train/sampling.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

/// What was done. In sampling, a step is one token.
struct Tally {
  double steps = 0;
  double names = 0;
  /// Training: 6 * multiplied weights * positions, plus 12 * C * pairs that attention keeps (4 of them forward).
  /// Sampling: 2 instead of 6, and 4 instead of 12 for MHA. MLA takes more per pair; expanded, it also computes keys
  /// and values again for every pair.
  double operations = 0;
};

/// step() does something and adds what it did.
Measurement measure_rounds(const Effort& effort, const std::function<void(Tally& done)>& step) {
  Tally done;
  auto us_per_step = [&](double seconds) {
    const double steps_before = done.steps;
    const auto start = std::chrono::steady_clock::now();
    double spent = 0;
    for (std::size_t i = 0; effort.steps > 0 ? i < effort.steps : i == 0 || spent < seconds; i++) {
      step(done);
      spent = seconds_since(start);
    }
    return spent * 1e6 / (done.steps - steps_before);
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
  const Model model = scalar_model(setting.config, initialize(setting.config, setting.train, setting.random));
  if (setting.subject.what == "sample") {
    return measure_rounds(effort, [&](Tally& done) {
      const std::size_t letters = sample(model, 1, setting.random).size();
      setting.add_sampling(done, std::min(model.block_size, letters + 1));
    });
  }
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const Optimizer adam = adam_optimizer(setting.train, model.params.size());
  return measure_rounds(effort, [&](Tally& done) {
    const std::vector<Token> tokens = setting.tokenizer.encode_document(setting.next());
    const std::size_t n = setting.trained;
    train_step(loss, tokens, model.params, adam, learning_rate(setting.train, n), n);
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
    const std::size_t tokens = decode_utf8(line.substr(line.find(": ") + 2)).value_or(U"").size();
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

}  // namespace

Measurement measure(Subject subject, const std::vector<Document>& documents, const Effort& effort) {
  if (subject.n_embd % subject.n_head != 0) subject.n_head = 1;
  TerminalLine line;
  line.show(
      fmt::format("measuring {}: {} {}, n_embd {}", subject.what, subject.kernels, subject.dtype, subject.n_embd));
  const bool in_float = subject.dtype == "f32";
  const double peak_gflops = fma_peak(subject.dtype, subject.threads);
  std::ofstream("/proc/self/clear_refs") << "5";  // only Linux can reset the peak of memory
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

}  // namespace microgpt
