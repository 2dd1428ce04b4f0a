// Lesson 18: multi-head latent attention. Of each position a model remembers one short vector, the latent, from which
// all heads make their keys and values; or do not make them, because W_UK can be taken into the query instead.
#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "compare.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "numbers.h"

using namespace microgpt;
using namespace lesson14;

bool whole_key, wrong_scale, offset;  // what --break does wrong

/// Attention of a model that generates. P, R: numbers of a query or key that know no position, and that do; D of a
/// value.
struct Draft {
  Draft(const Config& config, const Parameters& parameters)
      : H(config.n_head), P(config.head_dim()), R(config.rope_dim), D(config.head_dim()), w(parameters) {}

  /// What is remembered of a position.
  struct Kept {
    Numbers c_kv;    // (Lkv)
    Numbers k_rope;  // (R) rotated
  };

  /// From x, (C), of the next position to what attention adds to it, (C).
  Numbers decode(const Numbers& x, bool absorbed) {
    const std::size_t t = kept.size();
    const Numbers c_q = times(w.dq, x);                                  // (37)
    const Numbers q_nope = times(w.uq, c_q), q_rope = times(w.qr, c_q);  // (38), (39)
    kept.push_back({times(w.dkv, x), rotated(times(w.kr, x), t)});       // (41), (43)
    const std::size_t position = offset ? kept.size() : t;               // of the query
    Numbers x_attn;
    for (std::size_t h = 0; h < H; h++) {
      Numbers q = of_head(q_nope, h, P);
      if (whole_key) q = rotated(q, position);
      const Numbers rotated_q = rotated(of_head(q_rope, h, R), position);
      const Numbers out = absorbed ? attend_absorbed(h, q, rotated_q) : attend_expanded(h, q, rotated_q);
      x_attn.insert(x_attn.end(), out.begin(), out.end());
    }
    return times(w.o, x_attn);  // (47)
  }

  /// Makes the keys and values of all positions anew.
  Numbers attend_expanded(std::size_t h, const Numbers& q, const Numbers& q_rope) const {
    const Matrix w_uk_h = of_head(w.uk, h, P), w_uv_h = of_head(w.uv, h, D);
    Numbers scores, out(D);
    for (std::size_t s = 0; s < kept.size(); s++) {
      Numbers k = times(w_uk_h, kept[s].c_kv);  // (42)
      if (whole_key) k = rotated(k, s);
      scores.push_back((dot(q, k) + dot(q_rope, kept[s].k_rope)) * scale());  // stop: expanded
    }
    const Numbers weights = softmax(scores);
    for (std::size_t s = 0; s < kept.size(); s++) add(out, weights[s], times(w_uv_h, kept[s].c_kv));  // (45), (46)
    return out;
  }

  /// Makes none: q . (W_UK c) is (W_UK^T q) . c, and the mixture of W_UV c is W_UV times the mixture of c.
  Numbers attend_absorbed(std::size_t h, const Numbers& q, const Numbers& q_rope) const {
    const Matrix w_uk_h = of_head(w.uk, h, P), w_uv_h = of_head(w.uv, h, D);
    const Numbers q_latent = transposed_times(w_uk_h, q);
    Numbers scores, mixed(w.dkv.size());
    for (const Kept& key : kept) {
      scores.push_back((dot(q_latent, key.c_kv) + dot(q_rope, key.k_rope)) * scale());  // stop: absorbed
    }
    const Numbers weights = softmax(scores);
    for (std::size_t s = 0; s < kept.size(); s++) add(mixed, weights[s], kept[s].c_kv);
    return times(w_uv_h, mixed);
  }

  double scale() const { return 1 / std::sqrt(wrong_scale ? D : P + R); }

  std::size_t H, P, R, D;
  Weights w;
  std::vector<Kept> kept;
};

/// The first number of a query of position 3, folded with W_UK of head 0 for keys that are not rotated, and that are.
void show_folded(const Draft& draft, const Numbers& q) {
  const Matrix w_uk_0 = of_head(draft.w.uk, 0, draft.P);
  auto show = [&](const char* keys, auto query) {
    fmt::print("{}", keys);
    for (std::size_t s = 0; s < 4; s++) fmt::print(" | {:6.3f}", transposed_times(w_uk_0, query(s))[0]);
    fmt::print("\n");
  };
  show("not rotated        ", [&](std::size_t) { return q; });
  show("rotated by position", [&](std::size_t s) { return rotated_back(rotated(q, 3), s); });
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  whole_key = lesson.broken("whole-key");
  wrong_scale = lesson.broken("scale");
  offset = lesson.broken("offset");
  const Config mha, mla{.q_latent = 8, .kv_latent = 8}, rotary{.q_latent = 8, .kv_latent = 8, .rope_dim = 2};
  const std::vector<Numbers> xs = random_rows(256, 16, lesson.random);

  fmt::print("\n--- 16 positions: largest difference from src/tensor/attention_layer.h ---\n");
  fmt::print("    R | draft, expanded | absorbed | src/, expanded | absorbed\n");
  for (const Config& config : {mla, rotary}) {
    Parameters parameters(gpt_shapes(config));
    draw_weights(parameters, 0.3, lesson.random);
    const std::vector<Numbers> x(xs.begin(), xs.begin() + 16), training = src_training(config, parameters, x);
    const std::vector<Numbers> expanded = decode_all(Draft(config, parameters), x, false);
    const std::vector<Numbers> absorbed = decode_all(Draft(config, parameters), x, true);
    fmt::print("R = {} | {:15.6f} | {:8.6f} | {:14.6f} | {:.6f}\n", config.rope_dim,
               largest_difference(expanded, training), largest_difference(absorbed, training),
               largest_difference(src_decoding(config, parameters, x, false), training),
               largest_difference(src_decoding(config, parameters, x, true), training));
    lesson.check("absorbed is expanded, but for rounding", largest_difference(absorbed, expanded) < tolerance);
    lesson.check("the draft is that of src/", largest_difference(expanded, training) < tolerance &&
                                                  largest_difference(absorbed, training) < tolerance);
  }

  Parameters parameters(gpt_shapes(rotary));
  draw_weights(parameters, 0.3, lesson.random);
  const Draft draft(rotary, parameters);
  fmt::print("\n--- a query of position 3, folded with W_UK for keys: the first number ---\n");
  fmt::print("the key's position  |      0 |      1 |      2 |      3\n");
  show_folded(draft, of_head(times(draft.w.uq, times(draft.w.dq, xs[3])), 0, draft.P));

  fmt::print("\n--- one more token: products, and numbers kept of each token ---\n");
  fmt::print("tokens | mha: products | kept | mla: products, expanded | absorbed | kept\n");
  for (const std::size_t T : {1, 16, 64, 256}) {
    fmt::print("{:6} | {:13} | {:4} | {:23} | {:8} | {:4}\n", T, 4 * 16 * 16 + 2 * 16 * T, 2 * 16,
               products_of_token(draft, xs, T, false), products_of_token(draft, xs, T, true), 8 + 2);
  }
  fmt::print("\n--- kept of a token in a layer; 128 query heads of 128 numbers, Lkv = 512, R = 64 ---\n");
  for (const std::size_t G : {128, 8, 1}) fmt::print("heads of keys and values: {:3} | {:5}\n", G, 2 * G * 128);
  fmt::print("latent and rotary key:        | {:5}\n", 512 + 64);

  fmt::print("\n--- trained ---\n");
  compare(lesson.documents, lesson.tokenizer, {{"mha", mha}, {"mla", mla}, {"mla, rotary part", rotary}}).print();
  return lesson.finish();
} catch (const Error& error) {
  fmt::print(stderr, "lesson: {}\n", error.what());
  return 1;
}
