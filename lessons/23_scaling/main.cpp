// Lesson 23: the root that scores are divided by, and how narrow a head may be. First numbers drawn by chance, then
// models with and without the root, then heads of fewer and fewer numbers.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "base/published.h"
#include "base/task.h"
#include "draw/chart.h"
#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/recipe.h"
#include "lesson/softmax.h"
#include "picture.h"
#include "scalar/ops.h"
#include "tensor/kernels.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/held_out.h"

using namespace microgpt;

/// What every score of a head of D numbers is multiplied by.
double draft_scale(std::size_t D, bool root) { return root ? 1 / std::sqrt(static_cast<double>(D)) : 1; }

/// How a query shares itself out among the keys.
Values draft_weights(Values query, std::span<const Values> keys, double scale) {
  const Values scores(keys.size(), [&](std::size_t s) { return dot(query, keys[s]) * scale; });
  return softmax(scores);  // stop: scores
}

/// A query of ones, and two keys: one agrees with the query in a few more places than half, the other is all zeros.
void show_two_keys() {
  fmt::print("\n--- two keys: the first has a score of typical size, the other 0 ---\n");
  fmt::print("numbers | root | score | weight |  slope | reaches the query\n");
  for (const auto& [D, agree] : {std::pair(4UL, 3UL), {16, 10}, {64, 36}}) {
    for (const bool root : {false, true}) {
      const Scope scope;
      const std::size_t ones = agree;
      const Values query(D, [](std::size_t) { return 1.0; });
      const std::vector<Values> keys{Values(D, [&](std::size_t j) { return j < ones ? 1.0 : -1.0; }),
                                     Values(D, [](std::size_t) { return 0.0; })};
      const Values weights = draft_weights(query, keys, draft_scale(D, root));
      weights[0].backward();
      const double w = weights[0].data(), score = dot(query, keys[0]).data() * draft_scale(D, root);
      fmt::print("{:7} | {:4} | {:5} | {:.4f} | {:.4f} | {:.4f}\n", D, root ? "yes" : "no", score, w, w * (1 - w),
                 query[0].grad());  // stop: slope
    }
  }
}

/// For each of 300 queries its scores for 16 keys, all of D numbers drawn from gauss(0, 1).
std::vector<std::vector<double>> draw_scores(std::size_t D, PythonRandom& random) {
  std::vector<std::vector<double>> queries(300, std::vector<double>(16));
  for (std::vector<double>& scores : queries) {
    std::vector<double> query(D);
    for (double& number : query) number = random.gauss(0, 1);
    for (double& score : scores) {
      for (const double number : query) score += number * random.gauss(0, 1);
    }
  }
  return queries;
}

/// What becomes of such scores, as the mean of all queries: the variance of the scores; the largest weight; what
/// reaches the query, which is all slopes w (1 - w) together, times the scale; and how many queries hear next to
/// nothing.
void show_random(const Lesson& lesson) {
  PythonRandom random(1);
  fmt::print("\n--- 16 keys for each of 300 queries, all numbers drawn from gauss(0, 1) ---\n");
  fmt::print("numbers | root | variance | largest weight | reaches the query | hear nothing\n");
  std::vector<Series> lines{{"with the root", {}}, {"without", {}}};
  for (std::size_t D = 4; D <= 512; D *= 2) {
    const std::vector<std::vector<double>> queries = draw_scores(D, random);
    for (const bool root : {false, true}) {
      const double scale = draft_scale(D, root), share = 1 / static_cast<double>(queries.size());
      double variance = 0, largest = 0, reaches = 0, deaf = 0;
      for (std::vector<double> scores : queries) {
        for (double& score : scores) score *= scale;
        const std::vector<double> weights = softmax(scores);
        double slopes = 0;
        for (const double w : weights) slopes += w * (1 - w);
        variance += share * std::inner_product(scores.begin(), scores.end(), scores.begin(), 0.0) / 16;
        largest += share * *std::max_element(weights.begin(), weights.end());
        reaches += share * slopes * scale;
        deaf += share * (slopes < 0.01 ? 1 : 0);
      }
      fmt::print("{:7} | {:4} | {:8.1f} | {:14.2f} | {:17.2f} | {:11.0f}%\n", D, root ? "yes" : "no", variance, largest,
                 reaches, 100 * deaf);
      lines[root ? 0 : 1].points.emplace_back(D, std::round(100 * largest) / 100);
    }
  }
  lesson.picture("23_largest.svg", chart("Without the root, one key of 16 takes nearly all of the weight",
                                         {"numbers in a query", {4, 8, 16, 32, 64, 128, 256, 512}, true},
                                         {"largest weight", {0, 0.25, 0.5, 0.75, 1}}, lines, false));
}

/// What to learn from, what to be asked, and how long models of 16 numbers learn, and wider ones.
struct Data {
  std::vector<Document> training, held_out;
  Tokenizer tokenizer;
  TrainConfig narrow, wide;
};

/// A model of one layer: its width, its heads, and how many numbers of each head are alive.
struct Form {
  std::size_t C, H, D;
  bool root = true;
};

/// Leaves each head its first D numbers. Of two factors that are both 0, neither gets a gradient: they stay 0.
void narrow(AttentionLayer<double>& layer, std::size_t D) {
  for (std::size_t i = 0; i < layer.attn_wq.data.view().rows; i++) {
    if (i % layer.shape.key_dim < D) continue;
    for (std::size_t c = 0; c < layer.shape.n_embd; c++) {
      layer.attn_wq.data.view().row(i)[c] = 0;
      layer.attn_wk.data.view().row(i)[c] = 0;
      layer.attn_wv.data.view().row(i)[c] = 0;
      layer.attn_wo.data.view().row(c)[i] = 0;
    }
  }
}

/// How many of six letters are copied. A letter of the word or its copy costs log 8 if it is guessed, and there are
/// twelve. The other two of the 14 predictions, = and the end, cost nothing.
double letters_copied(double loss) { return 12 - 14 * loss / std::log(8.0); }

/// A model of this form that has learnt.
BatchTrainer<double> learned(const Form& form, const Data& data, std::uint64_t seed) {
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
PerSeed losses_of(const Form& form, const Data& data) {
  PerSeed losses{};
  for (std::size_t i = 0; i < losses.size(); i++) {
    BatchTrainer<double> trainer = learned(form, data, i + 1);
    losses[i] = token_loss(trainer.model(), data.held_out, data.tokenizer, 1);
  }
  return losses;
}

std::string copied(const PerSeed& losses) {
  const auto& [a, b, c] = losses;
  return fmt::format("{:.1f} {:.1f} {:.1f}", letters_copied(a), letters_copied(b), letters_copied(c));
}

/// How much higher the losses of the other are: "+0.020 +- 0.010".
std::string higher(const PerSeed& first, const PerSeed& other) {
  const Difference d = difference(other, first);
  return fmt::format("{:+.3f} +- {:.3f}", d.mean, d.margin);
}

void with_and_without(const Data& copying, const Data& names) {
  fmt::print("\n--- three seeds each: letters copied of 6, and held-out loss on names ---\n");
  fmt::print("heads x | size of score | letters copied            | names\n");
  fmt::print("numbers | root  no root | root        | no root     |  root | no root          | no attention\n");
  for (const auto& [C, H] : {std::pair(16UL, 1UL), {40, 4}, {40, 1}}) {
    const Form root{C, H, C / H}, none{C, H, C / H, false}, no_attention{C, H, 0};
    const double size = 0.08 * 0.08 * static_cast<double>(C) * std::sqrt(C / H);  // before it is divided
    const PerSeed good = losses_of(root, names);
    fmt::print(" {} x {} | {:.2f} {:8.2f} | {} | {} | {:.3f} | {} | {}\n", H, C / H, size * draft_scale(C / H, true),
               size, copied(losses_of(root, copying)), copied(losses_of(none, copying)), estimate(good).mean,
               higher(good, losses_of(none, names)), higher(good, losses_of(no_attention, names)));
  }
}

void narrow_heads(const Data& copying, const Data& names) {
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
void show_keys(Lesson& lesson, const Data& copying) {
  std::array<Vectors, 2> heads;
  for (const std::size_t D : {1, 2}) {
    const Scope scope;
    BatchTrainer<double> trainer = learned({16, 1, D}, copying, 1);
    const TensorModel<double>& model = trainer.model();
    const Activations<double> all = computed(model, copying.tokenizer.encode_document(copying.held_out[0]));
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

void show_published() {
  fmt::print("\n--- published models: numbers in a query, and in a value ---\n");
  for (const PublishedModel& model : published_models()) {
    const AttentionShape& shape = model.attention;
    fmt::print("{:16} | width {:5} | {:3} heads | {:3} | {:3}\n", model.name, shape.n_embd, shape.n_head, shape.key_dim,
               shape.value_dim);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_two_keys();
  show_random(lesson);
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 3200, random);
  const Data copying{words,
                     draw_documents({}, Part::held_out, 100, random),
                     Tokenizer(words),
                     {.num_steps = 600, .batch_size = 8},
                     {.num_steps = 300, .batch_size = 4}};
  const TrainConfig learning{.num_steps = 200, .batch_size = 16};
  Data names{lesson.split().training, lesson.split().held_out, lesson.tokenizer, learning, learning};
  names.training.resize(std::min<std::size_t>(names.training.size(), 3200));
  names.held_out.resize(std::min<std::size_t>(names.held_out.size(), 500));
  with_and_without(copying, names);
  narrow_heads(copying, names);
  show_keys(lesson, copying);
  show_published();
  return lesson.finish();
}
