#include "inspect/bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "base/schedule.h"
#include "scalar/gpt.h"
#include "tensor/decoder.h"
#include "tensor/fma_peak.h"
#include "train/batch_trainer.h"
#include "train/memory.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

/// Resets the process's peak memory. Only Linux can; elsewhere the peak is that since the start.
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes / 1024;
  }
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

/// What one round did.
struct Tally {
  double steps = 0;
  double items = 0;  // documents or tokens
  double operations = 0;
};

/// Runs step() in rounds. step() adds what it did to a Tally.
void measure_rounds(const Effort& effort, const std::function<void(Tally&)>& step, Measurement& m) {
  using Clock = std::chrono::steady_clock;
  auto run = [&](std::size_t steps, double seconds, Tally& tally) {
    const Clock::time_point start = Clock::now();
    std::chrono::duration<double> spent{};
    for (std::size_t i = 0; steps > 0 ? i < steps : i == 0 || spent.count() < seconds; i++) {
      step(tally);
      tally.steps++;
      spent = Clock::now() - start;
    }
    return spent.count();
  };
  Tally warm_up;
  if (effort.steps == 0) run(0, effort.seconds / 5, warm_up);
  std::vector<double> us_per_step;
  Tally total;
  for (std::size_t round = 0; round < effort.rounds; round++) {
    Tally of_round;
    const double seconds = run(effort.steps, effort.seconds, of_round);
    us_per_step.push_back(seconds * 1e6 / of_round.steps);
    total.steps += of_round.steps;
    total.items += of_round.items;
    total.operations += of_round.operations;
  }
  std::sort(us_per_step.begin(), us_per_step.end());
  m.us_per_step = us_per_step[effort.rounds / 2];
  m.us_fastest = us_per_step.front();
  m.per_second = total.items / total.steps / m.us_per_step * 1e6;
  m.gflops = total.operations / total.steps / m.us_per_step / 1e3;
}

/// The number of weights used in matrix products: all but the embeddings.
double multiplied_weights(const Config& config) {
  return static_cast<double>(num_parameters(config) - (config.vocab_size + config.block_size) * config.n_embd);
}

/// How many pairs (t, s) of n positions there are in which t sees s.
double pairs(const Mask& mask, std::size_t n) {
  double sum = 0;
  for (std::size_t t = 0; t < n; t++) {
    for (std::size_t s = 0; s <= t; s += Mask::block) sum += std::popcount(mask.bits(t, s));
  }
  return sum;
}

double causal_pairs(std::size_t n) { return static_cast<double>(n * (n + 1)) / 2; }

/// Multiply-adds of attention's two products over this many pairs of positions.
double attention_work(const Config& config, double pairs_seen) {
  return 2 * static_cast<double>(config.n_layer * config.n_embd) * pairs_seen;
}

/// Operations of training on a document: the forward, and twice as many for the backward. `weights` is
/// multiplied_weights(config).
double training_operations(const Config& config, double weights, const Document& document) {
  const std::size_t n = std::min(config.block_size, document.size() + 1);
  return 6 * (weights * static_cast<double>(n) + attention_work(config, causal_pairs(n)));
}

/// Operations of generating n tokens one by one, with a cache.
double sampling_operations(const Config& config, double weights, bool absorbed, std::size_t n) {
  const bool mixes_latents = config.is_latent() && absorbed;
  const std::size_t mixed = mixes_latents ? config.kv_latent : config.head_dim();  // how many numbers each head mixes
  const std::size_t per_pair = config.n_head * (2 * mixed + config.rope_dim);
  const std::size_t expanded = config.is_latent() && !absorbed ? 2 * config.kv_latent * config.n_embd : 0;
  const auto layers = static_cast<double>(config.n_layer);
  const double pairs_before = causal_pairs(n) - static_cast<double>(n);  // pairs of a token and an earlier one
  return 2 * (weights * static_cast<double>(n) + layers * (static_cast<double>(per_pair) * causal_pairs(n) +
                                                           static_cast<double>(expanded) * pairs_before));
}

/// The gist at the subject's sizes, and the documents to train it on.
struct Setting {
  Setting(const Subject& subject, std::span<const Document> all)
      : documents(all.begin(), all.end()), tokenizer(all), gist(preset("gist")) {
    random.shuffle(documents);
    gist.model.vocab_size = tokenizer.vocab_size();
    gist.model.n_embd = subject.n_embd;
    gist.model.n_head = subject.n_head;
    choose_attention(gist.model, subject.attention);
    gist.train.batch_size = subject.batch;
    gist.train.num_steps = 1'000'000'000;
    validate(gist.model);
    require_memory(tensor_memory<double>(gist.model, documents, subject.batch));
  }

  PythonRandom random;
  std::vector<Document> documents;
  Tokenizer tokenizer;
  Preset gist;
};

template <class Step>
void measure_training(Setting& setting, Step step, const Effort& effort, Measurement& m) {
  const double weights = multiplied_weights(setting.gist.model);
  std::size_t next = 0;
  measure_rounds(
      effort,
      [&](Tally& tally) {
        step();
        for (std::size_t i = 0; i < setting.gist.train.batch_size; i++) {
          tally.operations += training_operations(setting.gist.model, weights, setting.documents[next]);
          next = (next + 1) % setting.documents.size();
        }
        tally.items += static_cast<double>(setting.gist.train.batch_size);
      },
      m);
}

template <class Generate>
void measure_sampling(const Config& config, const Effort& effort, Generate generate, Measurement& m) {
  const bool absorbed = m.subject.absorbed;
  const double weights = multiplied_weights(config);
  // A call generates a whole document; a step is one token.
  measure_rounds(
      effort,
      [&](Tally& tally) {
        const std::size_t n = std::min(config.block_size, generate() + 1);
        tally.steps += static_cast<double>(n) - 1;
        tally.items += static_cast<double>(n);
        tally.operations += sampling_operations(config, weights, absorbed, n);
      },
      m);
}

template <class T>
const Kernels<T>& kernels_of(const Subject& subject) {
  return subject.kernels == "naive" ? naive<T>() : fast<T>();
}

void measure_scalar(const Subject& subject, Setting& setting, const Effort& effort, Measurement& m) {
  Parameters parameters = initialize(setting.gist.model, setting.gist.train, setting.random);
  m.num_params = parameters.size();
  if (subject.what == "train") {
    const Model model(setting.gist.model, parameters);
    const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
    Adam adam(setting.gist.train, parameters.size());
    auto step = [&, n = std::size_t{0}]() mutable {
      const std::vector<Token> tokens =
          setting.tokenizer.encode_document(setting.documents[n % setting.documents.size()]);
      train_step(loss, tokens, parameters, adam, learning_rate(setting.gist.train, n), n);
      n++;
    };
    measure_training(setting, step, effort, m);
  } else {
    const Model model(setting.gist.model, parameters);
    measure_sampling(
        setting.gist.model, effort, [&] { return sample(model, 1, setting.random).size(); }, m);
  }
}

template <class T>
void measure_tensor(const Subject& subject, Setting& setting, const Effort& effort, Measurement& m) {
  const Parameters parameters = initialize(setting.gist.model, setting.gist.train, setting.random);
  m.num_params = parameters.size();
  if (subject.what == "train") {
    BatchTrainer<T> trainer(setting.gist.model, setting.gist.train, parameters, setting.documents, setting.tokenizer,
                            {.threads = subject.threads}, kernels_of<T>(subject));
    measure_training(
        setting, [&] { trainer.step(); }, effort, m);
  } else {
    TensorModel<T> model(setting.gist.model, parameters);
    Decoder<T> decoder(model, kernels_of<T>(subject), subject.absorbed);
    m.cache_bytes_per_token = decoder.cache_bytes_per_token();
    measure_sampling(
        setting.gist.model, effort, [&] { return sample(decoder, 1, setting.random).size(); }, m);
  }
}

/// Attention of B documents of T positions each, forward and backward, from random q, k and v. A thread takes some
/// heads.
template <class T>
void measure_attention(const Subject& subject, const Effort& effort, Measurement& m) {
  const std::size_t D = subject.n_embd / subject.n_head;
  const Config config{
      .vocab_size = 1, .n_embd = subject.n_embd, .n_head = subject.n_head, .block_size = subject.length};
  validate(config);
  const double scale = 1 / std::sqrt(static_cast<double>(D));
  const Mask mask = Mask::of(parse_mask_pattern(subject.mask), subject.length);
  const double kept = pairs(mask, subject.length);
  m.percent_kept = 100 * kept / causal_pairs(subject.length);
  const Kernels<T>& kernels = kernels_of<T>(subject);
  const std::size_t rows = subject.batch * subject.length;
  PythonRandom random;
  auto tensor = [&] {
    Tensor<T> x(rows, subject.n_embd);
    for (std::size_t i = 0; i < rows; i++) {
      for (std::size_t j = 0; j < subject.n_embd; j++) x.view().row(i)[j] = static_cast<T>(random.gauss(0, 1));
    }
    return x;
  };
  Tensor<T> q = tensor(), k = tensor(), v = tensor(), dout = tensor();
  Tensor<T> out(rows, subject.n_embd), dq(rows, subject.n_embd), dk(rows, subject.n_embd), dv(rows, subject.n_embd);
  Tensor<T> log_sum(subject.n_head, rows);
  measure_rounds(
      effort,
      [&](Tally& tally) {
        parallel(subject.threads, [&](std::size_t i) {
          const auto [first, n] = share(subject.batch * subject.n_head, i, subject.threads);
          for (std::size_t one = first; one < first + n; one++) {
            const std::size_t start = one / subject.n_head * subject.length;
            const std::size_t h = one % subject.n_head;
            auto of = [&](Tensor<T>& x) { return x.view().slice_rows(start, subject.length).slice_cols(h * D, D); };
            const View<T> sums = log_sum.view().slice_rows(h, 1).slice_cols(start, subject.length);
            const AttentionCall<T> call{
                .q = of(q), .k = of(k), .v = of(v), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
            kernels.attention_forward(of(out), sums, call);
            kernels.attention_backward({of(dq), of(dk), of(dv)}, of(dout), of(out), sums, call);
          }
        });
        tally.items += static_cast<double>(subject.batch);
        tally.operations += 6 * static_cast<double>(subject.batch) * attention_work(config, kept);
      },
      m);
}

}  // namespace

Measurement measure(const Subject& subject, std::span<const Document> documents, const Effort& effort) {
  Measurement m{.subject = subject};
  Subject& s = m.subject;
  if (s.n_embd % s.n_head != 0) s.n_head = 1;
  m.peak_gflops = fma_peak(s.dtype, s.threads);
  reset_peak_memory();
  if (s.what == "attention") {
    s.dtype == "f32" ? measure_attention<float>(s, effort, m) : measure_attention<double>(s, effort, m);
  } else {
    Setting setting(s, documents);
    if (s.engine == "scalar") {
      measure_scalar(s, setting, effort, m);
    } else {
      s.dtype == "f32" ? measure_tensor<float>(s, setting, effort, m) : measure_tensor<double>(s, setting, effort, m);
    }
  }
  m.percent_of_peak = 100 * m.gflops / m.peak_gflops;
  m.peak_rss_mib = peak_mebibytes();
  return m;
}

}  // namespace microgpt
