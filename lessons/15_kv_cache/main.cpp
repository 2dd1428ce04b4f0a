// Lesson 15: the KV cache. A token's keys and values do not depend on what comes after it. So a model that invents
// keeps them, and a new letter is one row of work. What it keeps is memory, and the kinds of attention differ in how
// much.
#include <fmt/core.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kinds.h"
#include "lesson/lesson.h"
#include "rows.h"
#include "tensor/decoder.h"
#include "train/evaluation.h"

using namespace microgpt;

bool from_zero, no_reset, wrong_group;  // what --break does wrong

/// What a layer keeps of every token so far: a row (G*D) of keys, and one of values.
struct LayerCache {
  std::vector<Row> keys, values;
};

/// The mixed values (H*D) for a query (H*D), whose H heads share G heads of keys and values in groups.
Row attend(const Row& q, const LayerCache& cache, const Config& config) {
  const std::size_t D = config.head_dim(), G = config.kv_heads(), T = cache.keys.size();
  Row x_attn(q.size());
  for (std::size_t h = 0; h < config.n_head; h++) {
    const std::size_t g = wrong_group ? h % G : h / (config.n_head / G);
    Row weights(T);
    double total = 0;
    for (std::size_t t = 0; t < T; t++) {
      for (std::size_t j = 0; j < D; j++) weights[t] += q[h * D + j] * cache.keys[t][g * D + j];
      total += weights[t] = std::exp(weights[t] / std::sqrt(D));
    }
    for (std::size_t t = 0; t < T; t++) {
      for (std::size_t j = 0; j < D; j++) x_attn[h * D + j] += weights[t] / total * cache.values[t][g * D + j];
    }
    products += 2 * T * D;
  }
  return x_attn;
}

/// A model that reads, and remembers what it has read.
struct Reader {
  const Config& config;
  const Parameters& p;
  std::vector<LayerCache> caches = std::vector<LayerCache>(config.n_layer);
  std::size_t position = 0;  // of the next token

  /// Begins another document.
  void reset() {
    position = 0;
    if (!no_reset) caches.assign(config.n_layer, {});
  }

  /// Reads on. The logits (V) of what comes after the last of these tokens.
  Row read(std::span<const Token> tokens) {
    const std::size_t first = from_zero ? 0 : position;
    Row x;
    for (std::size_t i = 0; i < tokens.size(); i++) {
      const std::span<const double> token = p["wte"].row(tokens[i]);
      x = rmsnorm(add({token.begin(), token.end()}, p["wpe"].row(first + i)));
      for (std::size_t li = 0; li < config.n_layer; li++) {
        const std::string layer = fmt::format("layer{}.", li);
        const Row x_norm = rmsnorm(x);
        caches[li].keys.push_back(linear(p[layer + "attn_wk"], x_norm));
        caches[li].values.push_back(linear(p[layer + "attn_wv"], x_norm));
        const Row x_attn = attend(linear(p[layer + "attn_wq"], x_norm), caches[li], config);  // stop: kept
        x = add(linear(p[layer + "attn_wo"], x_attn), x);
        x = add(linear(p[layer + "mlp_fc2"], relu(linear(p[layer + "mlp_fc1"], rmsnorm(x)))), x);
      }
    }
    position += tokens.size();
    return linear(p["lm_head"], x);
  }
};

/// Reads names letter by letter, with its cache. Calls look(tokens so far, logits, what comes next) after each.
void read_names(Reader& reader, std::span<const std::vector<Token>> names, auto look) {
  for (const std::span<const Token> tokens : names) {
    reader.reset();
    for (std::size_t t = 0; t + 1 < tokens.size() && t < reader.config.block_size; t++) {
      look(tokens.first(t + 1), reader.read(tokens.subspan(t, 1)), tokens[t + 1]);  // stop: next
    }
  }
}

/// The draft, with a cache, beside itself without and beside src/tensor.
void compare_draft(Lesson& lesson, const Config& config, std::span<const std::vector<Token>> names) {
  const Parameters parameters = initialize(config, {.init_std = 0.4}, lesson.random);
  TensorModel<double> model(config, parameters);
  Decoder<double> decoder(model);
  Reader reader{config, parameters};
  double without = 0, src = 0;
  read_names(reader, names, [&](std::span<const Token> so_far, const Row& logits, Token) {
    without = std::max(without, largest_difference(logits, Reader{config, parameters}.read(so_far)));
    if (so_far.size() == 1) decoder.reset();
    src = std::max(src, largest_difference(logits, decoder.next(so_far.back())));
  });
  const std::string kind = fmt::format("{}, G = {}", config.attention(), config.kv_heads());
  lesson.check(kind + ": with a cache as without", without == 0);
  lesson.check(kind + ": as src/tensor/decoder.h", src < 1e-12);  // logits of about 10, after some hundred roundings
}

/// With a model that has learned a little: how surprised is it, letter by letter, with its cache?
double mean_loss(const Lesson& lesson, const Config& config, std::span<const std::vector<Token>> names) {
  const Parameters parameters = trained(config, lesson);
  Reader reader{config, parameters};
  std::vector<double> losses;
  read_names(reader, names, [&](auto, const Row& logits, Token next) { losses.push_back(surprise(logits, next)); });
  return estimate(losses).mean;
}

/// How many products it takes to read T tokens one by one.
void show_work(Config config) {
  fmt::print("\ntokens | products without a cache | with one | times\n");
  for (const std::size_t T : {1, 4, 16, 64}) {
    config.block_size = T;
    const Parameters parameters(gpt_shapes(config));
    const std::vector<Token> tokens(T);
    products = 0;
    for (std::size_t t = 0; t < T; t++) Reader{config, parameters}.read(std::span(tokens).first(t + 1));
    const std::size_t without = std::exchange(products, 0);
    Reader reader{config, parameters};
    for (const Token& token : tokens) reader.read({&token, 1});
    const double times = static_cast<double>(without) / static_cast<double>(products);
    fmt::print("{:6} | {:24} | {:8} | {:5.1f}\n", T, without, products, times);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  from_zero = lesson.broken("from-zero");
  no_reset = lesson.broken("no-reset");
  wrong_group = lesson.broken("wrong-group");
  const std::vector<std::vector<Token>> names = first_names(lesson, 100);
  const Config gqa = of_kind("gqa", lesson.tokenizer.vocab_size());
  show_work(gqa);
  fmt::print("\nthe draft, token by token\n");
  const auto few = std::span(names).first(20);
  for (const char* kind : {"mha", "gqa", "mqa"}) compare_draft(lesson, of_kind(kind, gqa.vocab_size), few);
  fmt::print("a trained model, 100 names letter by letter: loss {:.3f}\n", mean_loss(lesson, gqa, names));
  show_kinds(lesson);
  show_published();
  show_worth(lesson);
  return lesson.finish();
}
