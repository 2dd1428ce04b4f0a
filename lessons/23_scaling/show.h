// What lesson 23 prints, trains, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/published.h"
#include "base/task.h"
#include "draw/chart.h"
#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "picture.h"
#include "microgpt.h"
#include "tensor/kernels.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/held_out.h"

namespace lesson23 {

using namespace microgpt;

// --- The functions of main.cpp ---------------------------------------------------------------------------------------

double draft_scale(std::size_t D, bool root);
double letters_copied(double loss);
Values draft_weights(Values query, std::span<const Values> keys, double scale);
double query_gradient(Values query, Values weights, Values pulls);
double score_size(std::size_t C, std::size_t H);
void narrow(AttentionLayer<double>& layer, std::size_t D);
void two_keys(std::size_t D, std::size_t agree, bool root);

// --- Numbers drawn by chance -----------------------------------------------------------------------------------------

/// What the first of two keys gets, and what that tells the query.
inline void show_slope(bool root, Values query, Values key, Value weight) {
  const double w = weight.data(), score = dot(query, key).data() * draft_scale(query.size(), root);
  fmt::print("{:7} | {:4} | {:5} | {:.4f} | {:.4f} | {:.4f}\n", query.size(), root ? "yes" : "no", score, w,
             w * (1 - w), query[0].grad());
}

inline void show_two_keys() {
  fmt::print("\n--- two keys: the first has a score of typical size, the other 0 ---\n");
  fmt::print("numbers | root | score | weight |  slope | query's gradient\n");
  for (const auto& [D, agree] : {std::pair(4UL, 3UL), {16, 10}, {64, 36}}) {
    for (const bool root : {false, true}) two_keys(D, agree, root);
  }
}

/// Numbers drawn from gauss(0, 1).
inline std::vector<double> drawn(std::size_t n, PythonRandom& random) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = random.gauss(0, 1);
  return numbers;
}

inline Values as_values(const std::vector<double>& numbers) {
  return Values(numbers.size(), [&](std::size_t i) { return numbers[i]; });
}

constexpr int num_queries = 100;

/// What was measured of these queries.
struct Measured {
  double variance = 0;  // of all scores
  double largest = 0;   // the mean of the largest weights
  std::vector<double> gradients;

  double gradient() const { return estimate(gradients).mean; }

  /// The share of queries whose gradient is not a hundredth of the mean.
  double deaf() const {
    const double little = gradient() / 100;
    const auto n = std::count_if(gradients.begin(), gradients.end(), [&](double g) { return g < little; });
    return static_cast<double>(n) / static_cast<double>(gradients.size());
  }
};

/// One more query, and its 16 keys.
inline void measure(Measured& all, const std::vector<double>& query, const std::vector<std::vector<double>>& keys,
                    const std::vector<double>& pulls, double scale) {
  const Scope scope;
  std::vector<Values> k;
  for (const std::vector<double>& key : keys) {
    const double score = scale * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
    all.variance += score * score / 16 / num_queries;
    k.push_back(as_values(key));
  }
  const Values q = as_values(query), weights = draft_weights(q, k, scale);
  const std::vector<double> shares = weights.data();
  all.largest += *std::max_element(shares.begin(), shares.end()) / num_queries;
  all.gradients.push_back(query_gradient(q, weights, as_values(pulls)));
}

/// What becomes of random scores with the root and without, for longer and longer queries.
inline void show_random(const Lesson& lesson) {
  PythonRandom random(1), pull(2);
  fmt::print("\n--- 16 keys for each of 100 queries, all numbers drawn from gauss(0, 1) ---\n");
  fmt::print("numbers | root | variance | largest weight | query's gradient | hear nothing\n");
  std::vector<Series> lines{{"with the root", {}}, {"without", {}}};
  for (std::size_t D = 4; D <= 512; D *= 2) {
    std::array<Measured, 2> measured;  // without the root, and with it
    for (int i = 0; i < num_queries; i++) {
      const std::vector<double> query = drawn(D, random);
      std::vector<std::vector<double>> keys;
      for (int s = 0; s < 16; s++) keys.push_back(drawn(D, random));
      const std::vector<double> pulls = drawn(16, pull);
      for (const bool root : {false, true}) measure(measured[root], query, keys, pulls, draft_scale(D, root));
    }
    for (const bool root : {false, true}) {
      const Measured& of = measured[root];
      fmt::print("{:7} | {:4} | {:8.1f} | {:14.2f} | {:16.3f} | {:11.0f}%\n", D, root ? "yes" : "no", of.variance,
                 of.largest, of.gradient(), 100 * of.deaf());
      lines[root ? 0 : 1].points.emplace_back(D, std::round(100 * of.largest) / 100);
    }
  }
  lesson.picture("23_largest.svg", chart("Without the root, one key of 16 takes nearly all of the weight",
                                         {"numbers in a query", {4, 8, 16, 32, 64, 128, 256, 512}, true},
                                         {"largest weight", {0, 0.25, 0.5, 0.75, 1}}, lines, false));
}

// --- Trained models --------------------------------------------------------------------------------------------------

/// What to learn from, what to be asked, and how long models of 16 numbers learn, and wider ones.
struct Data {
  std::vector<Document> training, held_out;
  Tokenizer tokenizer;
  TrainConfig narrow, wide;
};

inline Data words_to_copy() {
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 3200, random);
  return {words,
          draw_documents({}, Part::held_out, 100, random),
          Tokenizer(words),
          {.num_steps = 600, .batch_size = 8},
          {.num_steps = 300, .batch_size = 4}};
}

inline Data some_names(const Lesson& lesson) {
  const TrainConfig learning{.num_steps = 200, .batch_size = 16};
  Data names{lesson.split().training, lesson.split().held_out, lesson.tokenizer, learning, learning};
  names.training.resize(std::min<std::size_t>(names.training.size(), 3200));
  names.held_out.resize(std::min<std::size_t>(names.held_out.size(), 500));
  return names;
}

/// A model of one layer: its width, its heads, and how many numbers of each head are alive.
struct Form {
  std::size_t C, H, D;
  bool root = true;
};

/// A model of this form that has learnt.
inline BatchTrainer<double> learned(const Form& form, const Data& data, std::uint64_t seed) {
  const Recipe recipe{.model = {.n_embd = form.C, .n_head = form.H},
                      .train = form.C > 16 ? data.wide : data.narrow,
                      .rounded = true};  // without the root, the last bits of sums decide where training goes
  const BeforeTraining before = [&](TensorModel<double>& model) {
    AttentionLayer<double>& layer = model.layers[0].attention;
    narrow(layer, form.D);
    layer.shape.score_scale = draft_scale(std::max<std::size_t>(form.D, 1), form.root);
  };
  return trained(
      recipe, data.training, data.tokenizer, seed, [](auto&, double) {}, before);
}

/// Three models of this form: their losses on documents that they have not seen.
inline PerSeed losses_of(const Form& form, const Data& data) {
  PerSeed losses{};
  for (std::size_t i = 0; i < losses.size(); i++) {
    BatchTrainer<double> trainer = learned(form, data, i + 1);
    losses[i] = token_loss(trainer.model(), data.held_out, data.tokenizer, 1);
  }
  return losses;
}

inline std::string copied(const PerSeed& losses) {
  const auto& [a, b, c] = losses;
  return fmt::format("{:.1f} {:.1f} {:.1f}", letters_copied(a), letters_copied(b), letters_copied(c));
}

/// How much higher the losses of the other are: "+0.020 +- 0.010".
inline std::string higher(const PerSeed& first, const PerSeed& other) {
  const Difference d = difference(other, first);
  return fmt::format("{:+.3f} +- {:.3f}", d.mean, d.margin);
}

inline void show_with_and_without(const Data& copying, const Data& names) {
  fmt::print("\n--- three seeds each: letters copied of 6, and held-out loss on names ---\n");
  fmt::print("heads x | size of score | letters copied            | names\n");
  fmt::print("numbers | root  no root | root        | no root     |  root | no root          | no attention\n");
  for (const auto& [C, H] : {std::pair(16UL, 1UL), {40, 4}, {40, 1}}) {
    const Form root{C, H, C / H}, none{C, H, C / H, false}, no_attention{C, H, 0};
    const double size = score_size(C, H);
    const PerSeed good = losses_of(root, names);
    fmt::print(" {} x {} | {:.2f} {:8.2f} | {} | {} | {:.3f} | {} | {}\n", H, C / H, size * draft_scale(C / H, true),
               size, copied(losses_of(root, copying)), copied(losses_of(none, copying)), estimate(good).mean,
               higher(good, losses_of(none, names)), higher(good, losses_of(no_attention, names)));
  }
}

inline void show_narrow_heads(const Data& copying, const Data& names) {
  fmt::print("\n--- narrower heads in a model of 16 numbers: letters copied of 6, and held-out loss on names ---\n");
  fmt::print("numbers | one head            | as many heads as have room\n");
  for (const std::size_t D : {16, 8, 4, 2, 1}) {
    fmt::print("{:7}", D);
    for (const std::size_t H : std::set<std::size_t>{1, 16 / D}) {
      const Form form{16, H, D};
      fmt::print(" | {} | {:.3f}", copied(losses_of(form, copying)), estimate(losses_of(form, names)).mean);
    }
    fmt::print("\n");
  }
}

/// Where the keys of a narrow head stand while it copies a word, and what each place gets from the query that needs it.
inline void show_keys(Lesson& lesson, const Data& copying) {
  std::array<Vectors, 2> heads;
  for (const std::size_t D : {1, 2}) {
    const Scope scope;
    BatchTrainer<double> trainer = learned({16, 1, D}, copying, 1);
    const TensorModel<double>& model = trainer.model();
    const std::vector<Token> tokens = copying.tokenizer.encode_document(copying.held_out[0]);
    const Activations<double> all = gpt_forward(model, fast<double>(), tokens);
    const View<const double> q = all.layers[0].attention.q.view(), k = all.layers[0].attention.k.view();
    std::vector<Values> keys;
    Values weights;
    for (std::size_t t = 0; t < q.rows; t++) {
      keys.emplace_back(D, [&](std::size_t j) { return k.row(t)[j]; });
      weights = draft_weights(Values(D, [&](std::size_t j) { return q.row(t)[j]; }), keys, draft_scale(D, true));
      if (t > 6 && t < 13) heads[D - 1].weights[t - 7] = weights[t - 6].data();
      heads[D - 1].queries.push_back({q.row(t)[0], q.row(t)[1]});
      heads[D - 1].keys.push_back({k.row(t)[0], k.row(t)[1]});
    }
    lesson.check(fmt::format("of a head of {}, the other numbers are still dead", D), q.row(0)[D] + k.row(0)[D] == 0);
    const Tensor<double> src = attention_weights(
        AttentionCall<double>::of(model.layers[0].attention.shape, q, k, all.layers[0].attention.v.view(), model.mask));
    lesson.check("the last query's weights are those of src/tensor",
                 largest_difference(weights.data(), {src.view().row(q.rows - 1), keys.size()}) < 1e-12);
  }
  lesson.picture("23_keys.svg", keys_picture(heads[0], heads[1]));
}

inline void show_published() {
  fmt::print("\n--- published models: numbers in a query, and in a value ---\n");
  for (const PublishedModel& model : published_models()) {
    const AttentionShape& shape = model.attention;
    fmt::print("{:16} | width {:5} | {:3} heads | {:3} | {:3}\n", model.name, shape.n_embd, shape.n_head, shape.key_dim,
               shape.value_dim);
  }
}

}  // namespace lesson23
