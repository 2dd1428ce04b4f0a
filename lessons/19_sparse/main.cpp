// Lesson 19: sparse attention. A position need not look at all that came before it. Hiding a pair saves nothing; not
// visiting it does. Of what a position does not see it may still hear, through others, layer by layer. And dropout: a
// mask that is drawn anew at every step of training.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "draft.h"
#include "draw/plot.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/tensor_gradient.h"
#include "picture.h"
#include "scalar/ops.h"
#include "train/evaluation.h"

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

/// Drops each weight with probability p, and makes up for it: the others grow.
Values dropped(const Values& weights, double p, PythonRandom& random) {
  return Values(weights.size(), [&](std::size_t i) {
    const double factor = random.random() < p ? 0.0 : 1 / (1 - p);
    return weights[i] * factor;
  });
}

/// The values of these positions, each times its weight, added up.
Values mixed(const Values& weights, const Rows& values, const std::vector<std::size_t>& positions) {
  return Values(values[0].size(), [&](std::size_t j) {
    return dot(weights, Values(positions.size(), [&](std::size_t i) { return values[positions[i]][j]; }));
  });
}

struct How {
  bool hide = false;      // or skip
  double p_drop = 0;      // dropout; 0: none
  bool training = false;  // or evaluating
};

/// Sparse attention of a layer, for a whole document.
struct Sparse {
  Model::Layer w;
  Visible seen;
  How how;
  mutable PythonRandom random = PythonRandom(1);

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
        Values weights = how.hide ? weights_hiding(t, q_h, k_h, seen) : weights_skipping(t, q_h, k_h, seen);
        if (how.training && how.p_drop > 0) weights = dropped(weights, how.p_drop, random);
        for (const Value number : mixed(weights, v_h, how.hide ? all : seen[t])) x_attn.push_back(number);
      }
      out.push_back(linear(Values(x_attn), w.attn_wo));
    }
    return out;
  }
};

/// A GPT with this pattern in every layer.
DraftGpt sparse_gpt(const Config& config, const Parameters& parameters, const How& how = {}) {
  Config plain = config;
  plain.mask = {};
  const Model model = scalar_model(plain, parameters);
  std::vector<Attention> attentions;
  for (const Model::Layer& layer : model.layers) {
    attentions.push_back(Sparse{layer, visible_keys(config.mask, config.block_size), how});
  }
  return {parameters, attentions};
}

/// Five letters, all scores 0, a window of 2: the weights, and how much of each letter comes from the first, layer by
/// layer.
void print_on_paper() {
  const Scope scope;
  const Visible seen = visible_keys(parse_mask_pattern("local:2"), 5);
  const Rows keys(5, Values(1, [](std::size_t) { return 0; }));
  fmt::print("\n--- a window of 2, all scores 0: the weights of each letter of maria ---\n");
  fmt::print("  | {:35} | skipping\n", "hiding");
  for (std::size_t t = 0; t < keys.size(); t++) {
    const Values hiding = weights_hiding(t, keys[t], keys, seen), skipping = weights_skipping(t, keys[t], keys, seen);
    fmt::print("{} | {} | {}\n", "maria"[t], numbers(hiding), numbers(skipping));  // stop: weights
  }
  fmt::print("\n--- how much of each position is the m ---\n");
  std::vector<double> x{1, 0, 0, 0, 0};
  for (int layer = 0; layer <= 3; layer++) {
    fmt::print("after layer {} | {:6} {:6} {:6} {:6} {:6}\n", layer, x[0], x[1], x[2], x[3], x[4]);
    std::vector<double> next(x.size());
    for (std::size_t t = 0; t < x.size(); t++) {
      const std::vector<double> weights = weights_skipping(t, keys[t], keys, seen).data();
      for (std::size_t i = 0; i < weights.size(); i++) next[t] += weights[i] * x[seen[t][i]];
    }
    x = next;  // stop: layer
  }
}

/// How many pairs of a query and a key are left, and how far the last of them hears.
void print_pairs(const std::vector<std::string>& specs) {
  fmt::print("\n--- pairs of a query and a key, by positions; layers until the last of 64 has heard of all ---\n");
  fmt::print("pattern       |    16 |    64 |   256 |   1024 | layers\n");
  for (const std::string& spec : specs) {
    auto pairs = [&](std::size_t T) {
      std::size_t n = 0;
      for (const auto& keys : visible_keys(parse_mask_pattern(spec), T)) n += keys.size();
      return n;
    };
    const auto last = heard_in_layer(visible_keys(parse_mask_pattern(spec), 64))[63];
    const std::size_t layers = *std::max_element(last.begin(), last.end());
    fmt::print("{:13} | {:5} | {:5} | {:5} | {:6} | {}\n", spec, pairs(16), pairs(64), pairs(256), pairs(1024),
               layers == never ? " never" : fmt::format("{:6}", layers));
  }
}

/// The loss of a name by the draft, hiding and skipping, beside that of src/tensor with the same weights.
void check_losses(Lesson& lesson, const std::vector<std::string>& patterns) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters(gpt_shapes(config));
  draw_weights(parameters, 0.3, lesson.random);
  for (const std::string& pattern : patterns) {
    const Scope scope;
    config.mask = parse_mask_pattern(pattern);
    const double hiding = sparse_gpt(config, parameters, {.hide = true}).loss(tokens).data();
    const double skipping = sparse_gpt(config, parameters).loss(tokens).data();
    const double src = tensor_gradient(config, parameters, tokens).loss;
    // Numbers around 1 and sums of some dozens: each rounding is 1.1e-16 of what is summed.
    lesson.check(pattern + ", hiding: the loss of src/tensor", std::abs(hiding - src) < 1e-12);
    lesson.check(pattern + ", skipping: the loss of src/tensor", std::abs(skipping - src) < 1e-12);
  }
}

/// The loss of one name with weights dropped, and not.
void print_dropout(Lesson& lesson) {
  fmt::print("\n--- dropout of a quarter: the loss of one name, three times ---\n");
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters parameters(gpt_shapes(config));
  draw_weights(parameters, 0.3, lesson.random);
  for (const bool training : {true, false}) {
    const Loss loss = sparse_gpt(config, parameters, {.p_drop = 0.25, .training = training}).as_loss();
    const std::vector<Document> same(3, lesson.documents[0]);
    const std::vector<double> losses = document_losses(loss, same, lesson.tokenizer);
    fmt::print("{}: {:.4f} {:.4f} {:.4f}\n", training ? "training  " : "evaluating", losses[0], losses[1], losses[2]);
  }
}

/// Each pattern is trained by skipping, one also by hiding. They are evaluated by skipping, and without dropout.
void train_and_print(const Lesson& lesson) {
  auto form = [&](const std::string& pattern, const std::string& what = "", bool hide = false, double p_drop = 0) {
    const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .mask = parse_mask_pattern(pattern)};
    const auto training = [=](const Parameters& p) { return sparse_gpt(config, p, {hide, p_drop, true}).as_loss(); };
    const auto evaluation = [=](const Parameters& p) { return sparse_gpt(config, p, {false, p_drop}).as_loss(); };
    return DraftForm{pattern + what, gpt_shapes(config), training, evaluation};
  };
  fmt::print("\n--- trained ---\n");
  const std::vector<DraftForm> forms{form("full"),    form("local:1"),
                                     form("local:2"), form("local:2", ", hiding", true),
                                     form("block:3"), form("full", ", dropout of a quarter", false, 0.25)};
  print(train_drafts(lesson, forms, 1000), 1000);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_on_paper();
  std::vector<std::string> letters;
  for (const Token token : lesson.tokens_of_step(1)) letters.push_back(lesson.tokenizer.label(token));
  letters.pop_back();  // nothing looks back from the end
  lesson.picture("19_patterns.svg", patterns_picture(letters));
  print_pairs({"full", "local:3", "strided:2:3", "global:2:1", "block:3", "bigbird:2:1:1"});
  check_losses(lesson, {"full", "local:3", "strided:2:3", "global:2:1", "block:3"});
  print_dropout(lesson);
  train_and_print(lesson);
  if (std::getenv("LONG") != nullptr) {
    fmt::print("\n--- trained by src/tensor with 160 times as many names; this takes ten seconds or more ---\n");
    const Config local_2{.mask = parse_mask_pattern("local:2")}, local_3{.mask = parse_mask_pattern("local:3")};
    const std::vector<Candidate> candidates{{"full", {}}, {"local:2", local_2}, {"local:3", local_3}};
    compare(lesson.documents, lesson.tokenizer, candidates, {.num_steps = 10000, .batch_size = 16}).print();
  }
  return lesson.finish();
}
