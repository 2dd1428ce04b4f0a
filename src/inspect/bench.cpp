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
#include "train/scalar_trainer.h"
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

/// What a step did.
struct Tally {
  double steps = 1;
  double items = 0;  // documents or tokens
  double operations = 0;
};

/// Runs step() in rounds.
Measurement measure_rounds(const Effort& effort, const std::function<Tally()>& step) {
  using Clock = std::chrono::steady_clock;
  Tally total{.steps = 0};
  auto us_per_step = [&](std::size_t steps, double seconds) {
    const double steps_before = total.steps;
    const Clock::time_point start = Clock::now();
    std::chrono::duration<double> spent{};
    for (std::size_t i = 0; steps > 0 ? i < steps : i == 0 || spent.count() < seconds; i++) {
      const Tally done = step();
      total.steps += done.steps;
      total.items += done.items;
      total.operations += done.operations;
      spent = Clock::now() - start;
    }
    return spent.count() * 1e6 / (total.steps - steps_before);
  };
  if (effort.steps == 0) us_per_step(0, effort.seconds / 5);  // to warm up
  total = {.steps = 0};
  std::vector<double> rounds;
  while (rounds.size() < effort.rounds) rounds.push_back(us_per_step(effort.steps, effort.seconds));
  std::sort(rounds.begin(), rounds.end());
  const double median = rounds[effort.rounds / 2];
  return {.us_per_step = median,
          .us_fastest = rounds.front(),
          .per_second = total.items / total.steps / median * 1e6,
          .gflops = total.operations / total.steps / median / 1e3};
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
Measurement measure_training(const Setting& setting, const Effort& effort, Step step) {
  const Config& config = setting.gist.model;
  const std::size_t B = setting.gist.train.batch_size;
  const double weights = multiplied_weights(config);
  return measure_rounds(effort, [&, next = std::size_t{0}]() mutable {
    step();
    Tally tally{.items = static_cast<double>(B)};
    for (std::size_t i = 0; i < B; i++, next++) {
      tally.operations += training_operations(config, weights, setting.documents[next % setting.documents.size()]);
    }
    return tally;
  });
}

/// generate() makes a whole document and returns its length; a step is one token.
template <class Generate>
Measurement measure_sampling(const Config& config, bool absorbed, const Effort& effort, Generate generate) {
  const double weights = multiplied_weights(config);
  return measure_rounds(effort, [&] {
    const std::size_t n = std::min(config.block_size, generate() + 1);
    const auto tokens = static_cast<double>(n);
    return Tally{.steps = tokens, .items = tokens, .operations = sampling_operations(config, weights, absorbed, n)};
  });
}

template <class T>
const Kernels<T>& kernels_of(const Subject& subject) {
  return subject.kernels == "naive" ? naive<T>() : fast<T>();
}

Measurement measure_scalar(const Subject& subject, Setting& setting, const Effort& effort) {
  const TrainConfig& train = setting.gist.train;
  Parameters parameters = initialize(setting.gist.model, train, setting.random);
  const Model model = scalar_model(setting.gist.model, parameters);
  if (subject.what == "sample") {
    auto generate = [&] { return sample(model, 1, setting.random).size(); };
    return measure_sampling(setting.gist.model, true, effort, generate);
  }
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  AdamOptimizer adam(train, parameters.size());
  return measure_training(setting, effort, [&, n = std::size_t{0}]() mutable {
    const Document& document = setting.documents[n % setting.documents.size()];
    const std::vector<Token> tokens = setting.tokenizer.encode_document(document);
    train_step(loss, tokens, parameters, adam, learning_rate(train, n), n);
    n++;
  });
}

template <class T>
Measurement measure_tensor(const Subject& subject, Setting& setting, const Effort& effort) {
  const Config& config = setting.gist.model;
  const Parameters parameters = initialize(config, setting.gist.train, setting.random);
  if (subject.what == "sample") {
    TensorModel<T> model(config, parameters);
    Decoder<T> decoder(model, kernels_of<T>(subject), subject.absorbed);
    auto generate = [&] { return sample(decoder, 1, setting.random).size(); };
    Measurement m = measure_sampling(config, subject.absorbed, effort, generate);
    m.cache_bytes_per_token = decoder.cache_bytes_per_token();
    return m;
  }
  BatchTrainer<T> trainer(config, setting.gist.train, parameters, setting.documents, setting.tokenizer,
                          {.threads = subject.threads}, kernels_of<T>(subject));
  return measure_training(setting, effort, [&] { trainer.step(); });
}

/// Attention of B documents of T positions each, forward and backward, from random q, k and v. A thread takes some
/// heads.
template <class T>
Measurement measure_attention(const Subject& subject, const Effort& effort) {
  const std::size_t B = subject.batch, C = subject.n_embd, H = subject.n_head, D = C / H, length = subject.length;
  const Config config{.vocab_size = 1, .n_embd = C, .n_head = H, .block_size = length};
  validate(config);
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
  Measurement m = measure_rounds(effort, [&] {
    parallel(subject.threads, [&](std::size_t i) {
      const auto [first, n] = share(B * H, i, subject.threads);
      for (std::size_t one = first; one < first + n; one++) {
        const std::size_t start = one / H * length;
        const std::size_t h = one % H;
        auto of = [&](Tensor<T>& x) { return x.view().slice_rows(start, length).slice_cols(h * D, D); };
        const View<T> sums = log_sum.view().slice_rows(h, 1).slice_cols(start, length);
        const AttentionCall<T> call{
            .q = of(q), .k = of(k), .v = of(v), .n_head = 1, .n_kv_head = 1, .scale = scale, .mask = mask};
        kernels.attention_forward(of(out), sums, call);
        kernels.attention_backward({of(dq), of(dk), of(dv)}, of(dout), of(out), sums, call);
      }
    });
    const auto documents = static_cast<double>(B);
    return Tally{.items = documents, .operations = 6 * documents * attention_work(config, kept)};
  });
  m.percent_kept = 100 * kept / causal_pairs(length);
  return m;
}

}  // namespace

Measurement measure(Subject subject, std::span<const Document> documents, const Effort& effort) {
  if (subject.n_embd % subject.n_head != 0) subject.n_head = 1;
  const bool in_float = subject.dtype == "f32";
  const double peak_gflops = fma_peak(subject.dtype, subject.threads);
  reset_peak_memory();
  Measurement m;
  if (subject.what == "attention") {
    m = in_float ? measure_attention<float>(subject, effort) : measure_attention<double>(subject, effort);
  } else {
    Setting setting(subject, documents);
    m = subject.kernels == "scalar" ? measure_scalar(subject, setting, effort)
        : in_float                  ? measure_tensor<float>(subject, setting, effort)
                                    : measure_tensor<double>(subject, setting, effort);
    m.num_params = num_parameters(setting.gist.model);
  }
  m.subject = subject;
  m.peak_gflops = peak_gflops;
  m.percent_of_peak = 100 * m.gflops / peak_gflops;
  m.peak_rss_mib = peak_mebibytes();
  return m;
}

}  // namespace microgpt
