// Lesson 18: multi-head latent attention. Of each position a model keeps one short vector, c. Every head makes keys and
// values of its own from it; or makes none at all, because their matrix can be moved to the other side of the score.
#include <cmath>
#include <vector>

#include "show.h"

using namespace lesson18;

/// W x, where W are the n rows of w that belong to head h.
Values times(const Matrix& w, std::size_t h, std::size_t n, const Values& x) {
  return Values(n, [&](std::size_t i) { return dot(w[h * n + i], x); });
}

/// W^T q for the same rows.
Values transposed_times(const Matrix& w, std::size_t h, const Values& q) {
  return Values(w[0].size(), [&](std::size_t j) {
    const Values column(q.size(), [&](std::size_t i) { return w[h * q.size() + i][j]; });
    return dot(column, q);
  });
}

/// Two heads with keys of two numbers, made from a c of two numbers.
void on_paper() {
  const Scope scope;
  const Matrix w_uk{{1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}, {2.0, -1.0}};
  const Rows c{pair(1, 2), pair(3, 1)}, queries{pair(3, 1), pair(1, 1)};
  for (std::size_t h = 0; h < 2; h++) {
    for (std::size_t s = 0; s < 2; s++) {
      const Values q = queries[h], key = times(w_uk, h, 2, c[s]), folded = transposed_times(w_uk, h, q);
      const double score = dot(q, key).data(), same = dot(folded, c[s]).data();  // stop: paper
      show_score(h, s, q, key, score, folded, same);
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

/// The loss of a GPT with latent attention.
Loss latent_loss(const StateDict& p, bool absorb) {
  const Attention attention = [weights = latent_weights(p), absorb](const Rows& xs) {
    KeepsLatent latent{weights, absorb};
    Rows out;
    for (const Values& x : xs) out.push_back(latent.read(x));
    return out;
  };
  return DraftGpt(p, {attention}).as_loss();
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const Parameters plain = drawn(lesson, gpt_shapes(config));
  const Parameters latent = drawn(lesson, latent_shapes(config));
  show_shapes(lesson, latent);
  const Model model = scalar_model(config, plain);
  const LatentWeights weights = latent_weights(StateDict(latent));
  show_products("x", C, KeepsX{model.layers[0]});
  show_products("c and rotary key, expanded", L + R, KeepsLatent{weights, false});
  show_products("c and rotary key, absorbed", L + R, KeepsLatent{weights, true});
  show_kept();
  check_losses(lesson, config, latent, latent_loss);
  show_trained(lesson, config, latent_loss);
  return lesson.finish();
}
