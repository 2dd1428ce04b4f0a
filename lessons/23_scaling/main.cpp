// Lesson 23: the root that scores are divided by, and how narrow a head may be. First numbers drawn by chance, then
// models with and without the root, then heads of fewer and fewer numbers.
#include <array>
#include <set>

#include "base/published.h"
#include "base/task.h"
#include "draw/chart.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "microgpt.h"
#include "pictures.h"
#include "tensor/kernels.h"
#include "train/batch_trainer.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

using namespace microgpt;
using Numbers = std::vector<double>;

/// What every score of a head of D numbers is multiplied by.
double draft_scale(std::size_t D, bool root) { return root ? 1 / std::sqrt(static_cast<double>(D)) : 1; }

/// How many of six letters are copied. A letter of the word or its copy costs log 8 if it is guessed, and there are
/// twelve. The other two of the 14 predictions, = and the end, cost nothing.
double letters_copied(double loss) { return 12 - 14 * loss / std::log(8.0); }

/// How a query shares itself out among the keys.
Values draft_weights(Values query, std::span<const Values> keys, double scale) {
  const Values scores(keys.size(), [&](std::size_t s) { return dot(query, keys[s]) * scale; });
  return softmax(scores);  // stop: scores
}

/// What the loss tells a query, if it pulls at each of its weights as strongly as `pulls` says: the size of the
/// gradient, as the root of the mean square of its numbers.
double query_gradient(Values query, Values weights, Values pulls) {
  dot(weights, pulls).backward();
  double squares = 0;
  for (const Value number : query) squares += number.grad() * number.grad();
  return std::sqrt(squares / static_cast<double>(query.size()));
}

/// The typical size of a score of an untrained model with H heads, before it is multiplied by the scale.
double score_size(std::size_t C, std::size_t H) { return 0.08 * 0.08 * static_cast<double>(C) * std::sqrt(C / H); }

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

/// Numbers drawn from gauss(0, 1).
Numbers drawn(std::size_t n, PythonRandom& random) {
  Numbers numbers(n);
  for (double& number : numbers) number = random.gauss(0, 1);
  return numbers;
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

/// A model of this form that has learnt.
TensorModel<double> learned(const Form& form, const Data& data, std::uint64_t seed) {
  PythonRandom random(seed);
  std::vector<Document> documents = data.training;
  random.shuffle(documents);
  const Config config{.vocab_size = data.tokenizer.vocab_size(), .n_embd = form.C, .n_head = form.H};
  const TrainConfig& how = form.C > 16 ? data.wide : data.narrow;
  BatchTrainer<double> trainer(config, how, initialize(config, how, random), documents, data.tokenizer,
                               {.loss_mean = LossMean::tokens});
  AttentionLayer<double>& layer = trainer.model().layers[0].attention;
  narrow(layer, form.D);
  layer.shape.score_scale = draft_scale(std::max<std::size_t>(form.D, 1), form.root);
  round_weights(trainer.model());
  while (trainer.steps_done() < how.num_steps) {
    trainer.step();
    round_weights(trainer.model());  // without the root, the last bits of sums would decide where training goes
  }
  return trainer.model();
}

/// Three models of this form: their losses on documents that they have not seen.
PerSeed losses_of(const Form& form, const Data& data) {
  PerSeed losses{};
  for (std::size_t i = 0; i < losses.size(); i++) {
    TensorModel<double> model = learned(form, data, i + 1);
    losses[i] = token_loss(model, data.held_out, data.tokenizer, 1);
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

/// Where the keys of a head of D numbers stand while it copies a word, and what each place gets from the query that
/// needs it.
Vectors keys_of(std::size_t D, const Data& copying, Lesson& lesson) {
  const Scope scope;
  const TensorModel<double> model = learned({16, 1, D}, copying, 1);
  const std::vector<Token> tokens = copying.tokenizer.encode_document(copying.held_out[0]);
  const Activations<double> all = gpt_forward(model, fast<double>(), tokens);
  const View<const double> q = all.layers[0].attention.q.view(), k = all.layers[0].attention.k.view();
  Vectors head;
  std::vector<Values> keys;
  Values weights;
  for (std::size_t t = 0; t < q.rows; t++) {
    keys.emplace_back(D, [&](std::size_t j) { return k.row(t)[j]; });
    weights = draft_weights(Values(D, [&](std::size_t j) { return q.row(t)[j]; }), keys, draft_scale(D, true));
    if (t > 6 && t < 13) head.weights[t - 7] = weights[t - 6].data();  // from = on, a letter is six places back
    head.queries.push_back({q.row(t)[0], q.row(t)[1]});
    head.keys.push_back({k.row(t)[0], k.row(t)[1]});
  }
  lesson.check(fmt::format("of a head of {}, the other numbers are still dead", D), q.row(0)[D] + k.row(0)[D] == 0);
  const Tensor<double> src = attention_weights(AttentionCall<double>::of(
      model.layers[0].attention.shape, q, k, all.layers[0].attention.v.view(), model.mask(0)));
  lesson.check("the last query's weights are those of src/tensor",
               largest_difference(weights.data(), {src.view().row(q.rows - 1), keys.size()}) < 1e-12);
  return head;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // A query of ones, and two keys: one agrees with the query in some of the D places, the other is all zeros. What the
  // first gets, and what that tells the query.
  fmt::print("\n--- two keys: the first has a score of typical size, the other 0 ---\n");
  fmt::print("numbers | root | score | weight |  slope | query's gradient\n");
  for (const auto& [D, agree] : {std::pair(4UL, 3UL), {16, 10}, {64, 36}}) {
    for (const bool root : {false, true}) {
      const Scope scope;
      const Values query(D, [](std::size_t) { return 1.0; });
      const std::vector<Values> keys{Values(D, [ones = agree](std::size_t j) { return j < ones ? 1.0 : -1.0; }),
                                     Values(D, [](std::size_t) { return 0.0; })};
      const Values weights = draft_weights(query, keys, draft_scale(D, root));
      weights[0].backward();
      const double w = weights[0].data(), score = dot(query, keys[0]).data() * draft_scale(D, root);  // stop: slope
      fmt::print("{:7} | {:4} | {:5} | {:.4f} | {:.4f} | {:.4f}\n", D, root ? "yes" : "no", score, w, w * (1 - w),
                 query[0].grad());
    }
  }

  // What becomes of random scores with the root and without, for longer and longer queries.
  constexpr int num_queries = 100, num_keys = 16;
  PythonRandom draw(1), pull(2);
  fmt::print("\n--- 16 keys for each of 100 queries, all numbers drawn from gauss(0, 1) ---\n");
  fmt::print("numbers | root | variance | largest weight | query's gradient | hear nothing\n");
  std::vector<Series> lines{{"with the root", {}}, {"without", {}}};
  for (std::size_t D = 4; D <= 512; D *= 2) {
    // Without the root, and with it: of all scores; the mean of the largest weights; of each query.
    std::array<double, 2> variance{}, largest{};
    std::array<Numbers, 2> gradients;
    for (int i = 0; i < num_queries; i++) {
      const Numbers query = drawn(D, draw);
      std::vector<Numbers> keys;
      for (int s = 0; s < num_keys; s++) keys.push_back(drawn(D, draw));
      const Numbers pulls = drawn(num_keys, pull);
      for (const bool root : {false, true}) {
        const Scope scope;
        std::vector<Values> k;
        for (const Numbers& key : keys) {
          const double score = draft_scale(D, root) * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
          variance[root] += score * score / num_keys / num_queries;
          k.emplace_back(key.begin(), key.end());
        }
        const Values q(query.begin(), query.end()), weights = draft_weights(q, k, draft_scale(D, root));
        const Numbers shares = weights.data();
        largest[root] += *std::max_element(shares.begin(), shares.end()) / num_queries;
        gradients[root].push_back(query_gradient(q, weights, Values(pulls.begin(), pulls.end())));
      }
    }
    for (const bool root : {false, true}) {
      const double mean = estimate(gradients[root]).mean;
      const auto deaf =
          std::count_if(gradients[root].begin(), gradients[root].end(), [&](double g) { return g < mean / 100; });
      fmt::print("{:7} | {:4} | {:8.1f} | {:14.2f} | {:16.3f} | {:11.0f}%\n", D, root ? "yes" : "no", variance[root],
                 largest[root], mean, 100.0 * static_cast<double>(deaf) / num_queries);
      lines[root ? 0 : 1].points.emplace_back(D, std::round(100 * largest[root]) / 100);
    }
  }
  lesson.picture("23_largest.svg", chart("Without the root, one key of 16 takes nearly all of the weight",
                                         {"numbers in a query", {4, 8, 16, 32, 64, 128, 256, 512}, true},
                                         {"largest weight", {0, 0.25, 0.5, 0.75, 1}}, lines, false));

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

  fmt::print("\n--- three seeds each: letters copied of 6, and held-out loss on names ---\n");
  fmt::print("heads x | size of score | letters copied            | names\n");
  fmt::print("numbers | root  no root | root        | no root     |  root | no root          | no attention\n");
  for (const auto& [C, H] : {std::pair(16UL, 1UL), {40, 4}, {40, 1}}) {
    const Form root{C, H, C / H}, none{C, H, C / H, false}, no_attention{C, H, 0};
    const double size = score_size(C, H);
    const PerSeed copies = losses_of(root, copying), copies_without = losses_of(none, copying);
    const PerSeed on_names = losses_of(root, names), without = losses_of(none, names),
                  blind = losses_of(no_attention, names);
    fmt::print(" {} x {} | {:.2f} {:8.2f} | {} | {} | {:.3f} | {} | {}\n", H, C / H, size * draft_scale(C / H, true),
               size, copied(copies), copied(copies_without), estimate(on_names).mean, higher(on_names, without),
               higher(on_names, blind));
  }

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

  const Vectors one = keys_of(1, copying, lesson), two = keys_of(2, copying, lesson);
  lesson.picture("23_keys.svg", draw_keys(one, two));

  fmt::print("\n--- published models: numbers in a query, and in a value ---\n");
  for (const PublishedModel& model : published_models()) {
    const AttentionShape& shape = model.attention;
    fmt::print("{:16} | width {:5} | {:3} heads | {:3} | {:3}\n", model.name, shape.n_embd, shape.n_head, shape.key_dim,
               shape.value_dim);
  }
  return lesson.finish();
}
