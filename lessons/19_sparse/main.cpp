// Lesson 19: sparse attention. A position need not look at all that came before it. Hiding a pair saves nothing; not
// visiting it does. Of what a position does not see it may still hear, through others, layer by layer. And a cache can
// forget what no later position sees.
#include <cstdlib>
#include <limits>

#include "base/mask_pattern.h"
#include "base/schedule.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/tensor_gradient.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

using namespace microgpt;
using Visible = std::vector<std::vector<std::size_t>>;  // of each query, the keys that it sees, in increasing order
using Layers = std::vector<std::vector<std::size_t>>;   // of each query, a number for each key up to its own
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// The keys that each of T queries sees.
Visible visible_keys(const MaskPattern& p, std::size_t T) {
  PythonRandom random;
  Visible keys(T);
  for (std::size_t t = 0; t < T; t++) {
    std::vector<std::size_t> others;
    for (std::size_t s = 0; s <= t; s++) {  // no s above t: that is the future
      const bool near = p.block > 0 ? s / p.block == t / p.block : t - s < p.window;
      const bool far = s < p.n_global || (p.stride > 0 && (t - s) % p.stride == 0);
      (near || far ? keys[t] : others).push_back(s);
    }
    random.shuffle(others);
    others.resize(std::min(others.size(), p.n_random));
    keys[t].insert(keys[t].end(), others.begin(), others.end());
    std::sort(keys[t].begin(), keys[t].end());
  }
  return keys;
}

/// In which layer position t hears of position s, [t][s]: 1 if it sees it. What u has heard of, those that see u hear
/// of one layer later.
Layers heard_in_layer(const Visible& keys) {
  Layers layers;
  for (std::size_t t = 0; t < keys.size(); t++) {
    layers.emplace_back(t + 1, never);
    for (const std::size_t u : keys[t]) {
      for (std::size_t s = 0; s < u && u < t; s++) {
        if (layers[u][s] != never) layers[t][s] = std::min(layers[t][s], layers[u][s] + 1);
      }
    }
    for (const std::size_t u : keys[t]) layers[t][u] = 1;
  }
  return layers;
}

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
  fmt::print("\n--- a window of 2, all scores 0: the weights of each letter of maria ---\n");
  fmt::print("  | {:35} | skipping\n", "hiding");
  for (std::size_t t = 0; t < keys.size(); t++) {
    const Values hiding = weights_hiding(t, keys[t], keys, seen), skipping = weights_skipping(t, keys[t], keys, seen);
    fmt::print("{} | {} | {}\n", "maria"[t], numbers(hiding.data()), numbers(skipping.data()));  // stop: weights
  }
  fmt::print("\n--- how much of each position is the m ---\n");
  std::vector<double> x{1, 0, 0, 0, 0};
  fmt::print("after layer 0 | {:6} {:6} {:6} {:6} {:6}\n", x[0], x[1], x[2], x[3], x[4]);
  for (int layer = 1; layer <= 3; layer++) {
    std::vector<double> next(x.size());
    for (std::size_t t = 0; t < x.size(); t++) {
      const std::vector<double> weights = weights_skipping(t, keys[t], keys, seen).data();
      for (std::size_t i = 0; i < weights.size(); i++) next[t] += weights[i] * x[seen[t][i]];
    }
    x = next;  // stop: layer
    fmt::print("after layer {} | {:6} {:6} {:6} {:6} {:6}\n", layer, x[0], x[1], x[2], x[3], x[4]);
  }
}

/// The values of these positions, each times its weight, added up.
Values mixed(const Values& weights, const Rows& values, const std::vector<std::size_t>& positions) {
  return Values(values[0].size(), [&](std::size_t j) {
    return dot(weights, Values(positions.size(), [&](std::size_t i) { return values[positions[i]][j]; }));
  });
}

/// Sparse attention of a layer, for a whole document. Some scores are hidden, or else skipped.
Rows sparse(const Model::Layer& w, const Visible& seen, bool hide, const Rows& x) {
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

/// The same for a window of W, one position after the other, with a cache of W keys and values. The newest takes the
/// place of the oldest, which no later position will see.
Rows with_cache(const Model::Layer& w, std::size_t W, const Rows& x) {
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

enum class How { hide, skip, cache };

/// The loss of a name: lesson 09's GPT, with this pattern in every layer.
Value sparse_loss(const Model& model, const MaskPattern& pattern, How how, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  const Visible seen = visible_keys(pattern, n);
  Rows x;
  for (std::size_t t = 0; t < n; t++) x.push_back(rmsnorm(add(model.wte[tokens[t]], model.wpe[t])));
  for (const Model::Layer& layer : model.layers) {
    Rows x_norm;
    for (const Values& row : x) x_norm.push_back(rmsnorm(row));
    const Rows found =
        how == How::cache ? with_cache(layer, pattern.window, x_norm) : sparse(layer, seen, how == How::hide, x_norm);
    for (std::size_t t = 0; t < n; t++) {
      x[t] = add(found[t], x[t]);
      x[t] = add(linear(relu(linear(rmsnorm(x[t]), layer.mlp_fc1)), layer.mlp_fc2), x[t]);
    }
  }
  return mean(Values(n, [&](std::size_t t) { return cross_entropy(linear(x[t], model.lm_head), tokens[t + 1]); }));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();

  const std::vector<std::string> patterns{"full", "local:3", "strided:2:3", "global:2:1", "block:3", "bigbird:2:1:1"};
  std::vector<std::string> letters;
  for (const Token token : lesson.tokens_of_step(1)) letters.push_back(lesson.tokenizer.label(token));
  letters.pop_back();  // nothing looks back from the end
  std::vector<Layers> heard;
  for (const std::string& pattern : patterns) {
    heard.push_back(heard_in_layer(visible_keys(parse_mask_pattern(pattern), letters.size())));
  }
  lesson.picture("19_patterns.svg", patterns_picture(letters, patterns, heard));

  // How many pairs of a query and a key are left, and how far the last of them hears.
  fmt::print("\n--- pairs of a query and a key, by positions; layers until the last of 64 has heard of all ---\n");
  fmt::print("pattern       |    16 |    64 |   256 |   1024 | layers\n");
  for (const std::string& pattern : patterns) {
    std::vector<std::size_t> pairs;
    for (const std::size_t T : {16, 64, 256, 1024}) {
      pairs.push_back(0);
      for (const auto& keys : visible_keys(parse_mask_pattern(pattern), T)) pairs.back() += keys.size();
    }
    const auto last = heard_in_layer(visible_keys(parse_mask_pattern(pattern), 64))[63];
    const std::size_t layers = *std::max_element(last.begin(), last.end());
    fmt::print("{:13} | {:5} | {:5} | {:5} | {:6} | {}\n", pattern, pairs[0], pairs[1], pairs[2], pairs[3],
               layers == never ? " never" : fmt::format("{:6}", layers));
  }

  fmt::print("\n--- trained ---\n");
  constexpr std::size_t num_names = 1000;
  const std::vector<Document>& held_out = lesson.split().held_out;
  std::vector<Outcome> outcomes;
  for (const std::string form : {"full", "local:1", "local:2", "local:2, hiding", "block:3"}) {
    const MaskPattern pattern = parse_mask_pattern(form.substr(0, form.find(',')));
    const How how = form.ends_with("hiding") ? How::hide : How::skip;  // in training
    Outcome& outcome = outcomes.emplace_back();
    outcome.label = form;
    for (std::size_t i = 0; i < num_seeds; i++) {
      PythonRandom random(1 + i);
      std::vector<Document> names = lesson.split().training;
      random.shuffle(names);
      const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
      const Parameters parameters = initialize(config, {}, random);
      outcome.parameters = parameters.size();
      const Scope whole_training;
      const Model model = scalar_model(config, parameters);
      Adam adam = make_adam({}, parameters.size());
      std::vector<double> losses;
      for (std::size_t step = 0; step < num_names; step++) {
        const Scope scope;
        const std::vector<Token> tokens = lesson.tokenizer.encode_document(names[step % names.size()]);
        const Value loss = sparse_loss(model, pattern, how, tokens);
        loss.backward();
        adam.update(model.params, learning_rate({.num_steps = num_names}, step), step);
        losses.push_back(loss.data());
      }
      outcome.training[i] = mean_of_last_hundred(losses);
      losses = document_losses([&](auto of) { return sparse_loss(model, pattern, How::skip, of); }, held_out,
                               lesson.tokenizer);
      outcome.held_out[i] = mean_over_predictions(losses, held_out);
    }
  }
  print(outcomes, num_names);

  if (std::getenv("LONG") != nullptr) {
    fmt::print("\n--- trained by src/tensor with 160 times as many names; this takes ten seconds or more ---\n");
    const Config local_2{.masks = parse_mask_patterns("local:2")}, local_3{.masks = parse_mask_patterns("local:3")};
    compare(lesson.documents, lesson.tokenizer, {{"full", {}}, {"local:2", local_2}, {"local:3", local_3}},
            {.num_steps = 10000, .batch_size = 16})
        .print();
  }
  if (Lesson::timed()) print_times();

  // The loss of a name in each way, beside that of src/tensor with the same weights. Numbers around 1 and sums of some
  // dozens: each rounding is 1.1e-16 of what is summed.
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters(gpt_shapes(config));
  draw_weights(parameters, 0.3, lesson.random);
  const Model model = scalar_model(config, parameters);
  for (const std::string pattern : {"full", "local:3", "strided:2:3", "global:2:1", "block:3"}) {
    config.masks = parse_mask_patterns(pattern);
    const double src = tensor_gradient(config, parameters, tokens).loss;
    for (const How how : {How::hide, How::skip, How::cache}) {
      if (how == How::cache && pattern != "local:3") continue;
      const Scope scope;
      const char* way = how == How::hide ? "hiding" : how == How::skip ? "skipping" : "with a cache of 3";
      const double loss = sparse_loss(model, config.masks[0], how, tokens).data();
      lesson.check(fmt::format("{}, {}: the loss of src/tensor", pattern, way), std::abs(loss - src) < 1e-12);
    }
  }
  return lesson.finish();
}
