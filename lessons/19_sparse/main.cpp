// Lesson 19: sparse attention. A position need not look at all that came before it. Hiding a pair saves nothing; not
// visiting it does. Of what a position does not see it may still hear, through others, layer by layer. And a cache can
// forget what no later position sees.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "microgpt.h"
#include "show.h"

using namespace lesson19;

/// The weights of query t for all keys: a hidden key gets a score of minus infinity, and so a weight of 0.
Values weights_hiding(std::size_t t, const Values& q, const Rows& keys, const Visible& seen) {
  auto sees = [&](std::size_t s) { return s <= t && std::binary_search(seen[t].begin(), seen[t].end(), s); };
  const Values scores(keys.size(), [&](std::size_t s) { return dot(q, keys[s]) / std::sqrt(q.size()); });
  const Values masked(keys.size(), [&](std::size_t s) { return sees(s) ? scores[s] : Value(-INFINITY); });
  return softmax(masked);
}

/// Its weights for the keys that it sees. The others are not visited.
Values weights_skipping(std::size_t t, const Values& q, const Rows& keys, const Visible& seen) {
  return softmax(Values(seen[t].size(), [&](std::size_t i) { return dot(q, keys[seen[t][i]]) / std::sqrt(q.size()); }));
}

/// Five letters, all scores 0, a window of 2: the weights, and how much of each letter comes from the first, layer by
/// layer.
void on_paper() {
  const Scope scope;
  const Visible seen = visible_keys(parse_mask_pattern("local:2"), 5);
  const Rows keys(5, Values(1, [](std::size_t) { return 0; }));
  for (std::size_t t = 0; t < keys.size(); t++) {
    const Values hiding = weights_hiding(t, keys[t], keys, seen), skipping = weights_skipping(t, keys[t], keys, seen);
    show_weights(t, hiding, skipping);  // stop: weights
  }
  std::vector<double> x{1, 0, 0, 0, 0};
  show_layer(0, x);
  for (int layer = 1; layer <= 3; layer++) {
    std::vector<double> next(x.size());
    for (std::size_t t = 0; t < x.size(); t++) {
      const std::vector<double> weights = weights_skipping(t, keys[t], keys, seen).data();
      for (std::size_t i = 0; i < weights.size(); i++) next[t] += weights[i] * x[seen[t][i]];
    }
    x = next;  // stop: layer
    show_layer(layer, x);
  }
}

/// Sparse attention of a layer, for a whole document.
struct Sparse {
  Model::Layer w;
  Visible seen;
  bool hide;  // or skip

  Rows operator()(const Rows& x) const {
    const Rows q = linear(x, w.attn_wq), k = linear(x, w.attn_wk), v = linear(x, w.attn_wv);
    Rows out;
    std::vector<std::size_t> all(x.size());
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t t = 0; t < x.size(); t++) {
      std::vector<Value> x_attn;
      for (std::size_t hs = 0; hs < 16; hs += 4) {  // four heads
        const Values q_h = q[t].slice(hs, 4);
        const Rows k_h = slice(k, hs, 4), v_h = slice(v, hs, 4);
        const Values weights = hide ? weights_hiding(t, q_h, k_h, seen) : weights_skipping(t, q_h, k_h, seen);
        for (const Value number : mixed(weights, v_h, hide ? all : seen[t])) x_attn.push_back(number);
      }
      out.push_back(linear(Values(x_attn), w.attn_wo));
    }
    return out;
  }
};

/// The same for a window of W, one position after the other, with a cache of W keys and values. The newest takes the
/// place of the oldest, which no later position will see.
struct Window {
  Model::Layer w;
  std::size_t W;

  Rows operator()(const Rows& x) const {
    Rows keys, values, out;  // at most W keys and values
    for (std::size_t t = 0; t < x.size(); t++) {
      keys.resize(std::min(t + 1, W));
      values.resize(keys.size());
      keys[t % W] = linear(x[t], w.attn_wk);
      values[t % W] = linear(x[t], w.attn_wv);
      out.push_back(linear(all_heads(linear(x[t], w.attn_wq), keys, values, 4), w.attn_wo));
    }
    return out;
  }
};

/// A GPT with this pattern in every layer.
DraftGpt sparse_gpt(const Config& config, const StateDict& p, How how) {
  Config plain = config;
  plain.mask = {};
  std::vector<Attention> attentions;
  for (const Model::Layer& layer : scalar_model(plain, p).layers) {
    if (how == How::cache)
      attentions.push_back(Window{layer, config.mask.window});
    else
      attentions.push_back(Sparse{layer, visible_keys(config.mask, config.block_size), how == How::hide});
  }
  return {p, attentions};
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  show_patterns(lesson);
  show_pairs();
  check_losses(lesson, sparse_gpt);
  show_trained(lesson, sparse_gpt);
  if (std::getenv("LONG") != nullptr) show_long_training(lesson);
  if (Lesson::timed()) show_times();
  return lesson.finish();
}
