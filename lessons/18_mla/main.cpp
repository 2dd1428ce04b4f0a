// Lesson 18: multi-head latent attention. Of each position a model keeps one short vector, c. Every head makes keys and
// values of its own from it; or makes none at all, because their matrix can be moved to the other side of the score.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "draft.h"
#include "lesson/lesson.h"
#include "lesson/tensor_gradient.h"
#include "lesson/work.h"
#include "picture.h"

using namespace lesson18;

/// W x, where W are the n rows of w that belong to head h.
Values times(const Matrix& w, std::size_t h, std::size_t n, const Values& x) {
  return Values(n, [&](std::size_t i) { return dot(w[h * n + i], x); });
}

/// W^T q for the same rows.
Values transposed_times(const Matrix& w, std::size_t h, const Values& q) {
  return Values(w.cols, [&](std::size_t j) {
    const Values column(q.size(), [&](std::size_t i) { return w[h * q.size() + i][j]; });
    return dot(column, q);
  });
}

/// Two heads with keys of two numbers, made from a c of two numbers.
void print_on_paper() {
  const Scope scope;
  Parameters parameters({{"w_uk", 4, 2}});
  const std::vector<double> numbers{1, 0, 1, 1, 0, 1, 2, -1};
  std::copy(numbers.begin(), numbers.end(), parameters.data().begin());
  const Matrix w_uk = matrix(parameters["w_uk"]);
  auto list = [](double a, double b) { return Values(2, [&](std::size_t i) { return i == 0 ? a : b; }); };
  auto text = [](const Values& x) { return fmt::format("({:2.0f} {:2.0f})", x[0].data(), x[1].data()); };
  const Rows c{list(1, 2), list(3, 1)}, queries{list(3, 1), list(1, 1)};

  fmt::print("\n--- on paper: c is (1 2) at position 0 and (3 1) at position 1 ---\n");
  fmt::print("head | query q | position | key W c | q . key | W^T q   | W^T q . c\n");
  for (std::size_t h = 0; h < 2; h++) {
    for (std::size_t s = 0; s < 2; s++) {
      const Values q = queries[h], key = times(w_uk, h, 2, c[s]), folded = transposed_times(w_uk, h, q);
      const double score = dot(q, key).data(), same = dot(folded, c[s]).data();  // stop: paper
      fmt::print("{:4} | {} | {:8} | {} | {:7.0f} | {} | {:9.0f}\n", h, text(q), s, text(key), score, text(folded),
                 same);
    }
  }
}

/// Plain attention, and the obvious attempt: keeps x, and makes keys and values of all positions anew.
struct KeepsX {
  const Model::Layer& w;
  Rows xs = {};

  Values read(const Values& x) {
    xs.push_back(x);
    const Rows k = linear(xs, w.attn_wk), v = linear(xs, w.attn_wv);
    return linear(all_heads(linear(x, w.attn_wq), k, v, H), w.attn_wo);
  }
};

/// Latent attention, in two ways that give the same numbers.
struct KeepsLatent {
  const LatentWeights& w;
  bool absorb;
  Rows kept = {};  // of each position c, (L), and then its rotary key, (R)

  Values read(const Values& x) {
    const std::size_t t = kept.size();  // the position
    kept.push_back(join(linear(x, w.dkv), rotated(linear(x, w.kr), t)));
    const Values q = linear(x, w.q), q_rope = linear(x, w.qr);
    std::vector<Value> x_attn;
    for (std::size_t h = 0; h < H; h++) {
      const Values q_h = q.slice(h * D, D), r_h = rotated(q_rope.slice(h * R, R), t);
      for (const Value out : absorb ? absorbed(h, q_h, r_h) : expanded(h, q_h, r_h)) x_attn.push_back(out);
    }
    return linear(Values(x_attn), w.o);
  }

  /// Makes the head's keys and values of all positions anew.
  Values expanded(std::size_t h, const Values& q, const Values& r) const {
    Rows k, v;
    for (const Values& old : kept) {
      const Values c = old.slice(0, L), k_rope = old.slice(L, R);
      k.push_back(join(times(w.uk, h, D, c), k_rope));
      v.push_back(times(w.uv, h, D, c));
    }
    return one_head(join(q, r), k, v, 1 / std::sqrt(D + R));  // stop: expanded
  }

  /// Makes none: the query goes through W_UK, and meets c itself; W_UV waits until the c are mixed.
  Values absorbed(std::size_t h, const Values& q, const Values& r) const {
    const Values q_latent = transposed_times(w.uk, h, q);
    const Values mixed = one_head(join(q_latent, r), kept, slice(kept, 0, L), 1 / std::sqrt(D + R));  // stop: absorbed
    return times(w.uv, h, D, mixed);
  }
};

/// How many products attention takes for the 1st, 16th, ... position, counted on the tape.
template <class Keeps>
void print_products(const char* what, std::size_t kept, Keeps attention) {
  fmt::print("{:26} | {:4}", what, kept);
  const Scope scope;
  const Values x(C, [](std::size_t) { return 1; });
  std::size_t t = 1;
  for (const std::size_t T : {1, 16, 64, 256}) {
    for (; t < T; t++) attention.read(x);
    fmt::print(" | {:6}", products_of([&] { attention.read(x); }));
    t++;
  }
  fmt::print("\n");
}

/// The loss of a GPT with latent attention.
Loss latent_loss(const Parameters& parameters, bool absorb) {
  const Attention attention = [weights = LatentWeights{parameters}, absorb](const Rows& xs) {
    KeepsLatent latent{weights, absorb};
    Rows out;
    for (const Values& x : xs) out.push_back(latent.read(x));
    return out;
  };
  return DraftGpt(parameters, {attention}).as_loss();
}

/// The loss that src/tensor finds with the same weights.
double loss_of_src(Config config, const Parameters& draft, std::span<const Token> tokens) {
  config.q_latent = C, config.kv_latent = L, config.rope_dim = 2;
  Parameters src(gpt_shapes(config));
  for (const Parameter& p : draft.matrices()) {
    std::copy_n(p.data, p.size(), src[p.name == "layer0.attn_wq" ? "layer0.attn_wuq" : p.name].data);
  }
  for (std::size_t i = 0; i < C; i++) src["layer0.attn_wdq"].row(i)[i] = 1;  // the draft has no latent for queries
  return tensor_gradient(config, src, tokens).loss;
}

/// Trains latent attention expanded, and evaluates it absorbed.
void train_and_print(const Lesson& lesson, const Config& config) {
  fmt::print("\n--- trained: mla expanded, and then evaluated absorbed ---\n");
  const auto expanded = [](const Parameters& p) { return latent_loss(p, false); };
  const auto absorbed = [](const Parameters& p) { return latent_loss(p, true); };
  const std::vector<DraftForm> forms{plain_form("mha", config), {"mla", latent_shapes(config), expanded, absorbed}};
  print(train_drafts(lesson, forms, 1000), 1000);
  fmt::print("\n");
}

void print_costs(const Model::Layer& plain, const LatentWeights& latent) {
  fmt::print("\n--- numbers kept of a token, and products of attention for the 1st, 16th, ... token ---\n");
  fmt::print("what is kept               | kept |      1 |     16 |     64 |    256\n");
  // Plain attention, lesson 15: four matrices, and for each letter a score and a share in the mixture.
  auto products = [](std::size_t T) { return 4 * C * C + 2 * C * T; };
  fmt::print("keys and values            | {:4} | {:6} | {:6} | {:6} | {:6}\n", 2 * H * D, products(1), products(16),
             products(64), products(256));
  print_products("x", C, KeepsX{plain});
  print_products("c and rotary key, expanded", L + R, KeepsLatent{latent, false});
  print_products("c and rotary key, absorbed", L + R, KeepsLatent{latent, true});

  fmt::print("\n--- numbers kept of a token in a layer: here | with the sizes of DeepSeek-V2 ---\n");
  fmt::print("mha: a key and a value for every head      | {:2} | {:5}\n", 2 * H * D, 2 * 128 * 128);
  fmt::print("gqa: for every 2 heads here, 16 there      | {:2} | {:5}\n", 2 * H / 2 * D, 2 * 128 / 16 * 128);
  fmt::print("mqa: one key and one value for all heads   | {:2} | {:5}\n", 2 * D, 2 * 128);
  fmt::print("mla: c and a rotary key                    | {:2} | {:5}\n", L + R, 512 + 64);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_on_paper();

  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters plain(gpt_shapes(config)), latent(latent_shapes(config));
  draw_weights(plain, 0.3, lesson.random);
  draw_weights(latent, 0.3, lesson.random);
  print_costs(scalar_model(config, plain).layers[0], LatentWeights{latent});
  lesson.picture("18_fold.svg", fold_picture());

  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const LossAndGradient by_expanded = loss_and_gradient(latent_loss(latent, false), latent, tokens);
  const LossAndGradient by_absorbed = loss_and_gradient(latent_loss(latent, true), latent, tokens);
  const double by_src = loss_of_src(config, latent, tokens);
  fmt::print("\n--- the loss of one name, with the same random weights ---\n");
  fmt::print("expanded {:.6f} | absorbed {:.6f} | src/tensor {:.6f}\n", by_expanded.loss, by_absorbed.loss, by_src);

  train_and_print(lesson, config);

  // Numbers around 1 and sums of some dozens: each rounding is 1.1e-16 of what is summed.
  constexpr double tolerance = 1e-12;
  lesson.check("absorbed has the loss of expanded", std::abs(by_absorbed.loss - by_expanded.loss) < tolerance);
  lesson.check("and its gradients", largest_difference(by_absorbed.gradient, by_expanded.gradient) < tolerance);
  lesson.check("src/tensor has that loss", std::abs(by_src - by_expanded.loss) < tolerance);
  return lesson.finish();
}
