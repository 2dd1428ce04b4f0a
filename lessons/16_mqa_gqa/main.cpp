// Lesson 16: heads that share keys and values. The cache of lesson 15 is large because every head keeps keys and values
// of its own. Must it? In multi-query attention all query heads read the same ones, in grouped-query attention each
// group has its own.
#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "compare.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "scalar/ops.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

constexpr std::size_t num_names = 5000;

/// The head of keys and values, of G, that query head h of H reads.
std::size_t kv_head(std::size_t h, std::size_t H, std::size_t G) { return h / (H / G); }

/// How many numbers all G heads of keys have together. A key is as wide as the query that it meets.
std::size_t kv_width(std::size_t C, std::size_t H, std::size_t G) { return G * (C / H); }

/// The D numbers of head i. Throws Error if there are not that many.
Values of_head(Values x, std::size_t i, std::size_t D) {
  if ((i + 1) * D > x.size()) {
    throw Error(fmt::format("head {} needs numbers {} to {}, and there are {}", i, i * D, (i + 1) * D - 1, x.size()));
  }
  return x.slice(i * D, D);
}

/// Attention of one position: the H heads of its query (H*D) look back over keys and values (G*D) of G heads.
Values attend(Values q, const Rows& keys, const Rows& values, std::size_t H, std::size_t G) {
  const std::size_t D = q.size() / H;
  std::vector<Value> x_attn;
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    const Values q_h = of_head(q, h, D);
    auto k_g = [&](std::size_t t) { return of_head(keys[t], g, D); };
    const Values scores(keys.size(), [&](std::size_t t) { return dot(q_h, k_g(t)) / std::sqrt(D); });
    const Values weights = softmax(scores);
    auto v_g = [&](std::size_t t) { return of_head(values[t], g, D); };
    for (std::size_t j = 0; j < D; j++) {  // stop: weights
      x_attn.push_back(dot(weights, Values(keys.size(), [&](std::size_t t) { return v_g(t)[j]; })));
    }
  }
  return Values(x_attn);
}

/// The matrices of a GPT with one layer. Only W_K and W_V are new: (G*D, C).
std::vector<Parameters::Shape> shapes(const Config& config) {
  const std::size_t C = config.n_embd, kv = kv_width(C, config.n_head, config.kv_heads());
  return draft_shapes(config, {{"attn_wq", C, C}, {"attn_wk", kv, C}, {"attn_wv", kv, C}, {"attn_wo", C, C}});
}

/// Its attention: what each position of a name finds. The GPT around it is that of src/lesson/draft_gpt.h.
Attention grouped(const Config& config, const Parameters& p) {
  return [config, wq = matrix(p["layer0.attn_wq"]), wk = matrix(p["layer0.attn_wk"]), wv = matrix(p["layer0.attn_wv"]),
          wo = matrix(p["layer0.attn_wo"])](const Rows& x) {
    Rows keys, values, out;  // keys and values are the cache of this name
    for (const Values& row : x) {
      keys.push_back(linear(row, wk));
      values.push_back(linear(row, wv));
      const Values x_attn = attend(linear(row, wq), keys, values, config.n_head, config.kv_heads());
      out.push_back(linear(x_attn, wo));
    }
    return out;
  };
}

/// Two query heads read one head of keys and values; then each gets a copy of its own.
void show_two_heads() {
  fmt::print("\n--- two query heads on paper ---\n");
  auto row = [](std::vector<double> x) { return Values(x.size(), [&](std::size_t j) { return x[j]; }); };
  auto show = [&](const char* what, std::size_t G, const Rows& keys, const Rows& values) {
    const Values x_attn = attend(row({2, 0, 0, 2}), keys, values, 2, G);
    fmt::print("{}: head 0 finds ({:.2f}, {:.2f}), head 1 ({:.2f}, {:.2f})\n", what, x_attn[0].data(), x_attn[1].data(),
               x_attn[2].data(), x_attn[3].data());
    sum(x_attn).backward();  // stop: slopes
    fmt::print("  slopes of the first key:");
    for (const Value number : keys[0]) fmt::print(" {:.3f}", number.grad());
    fmt::print("\n");
  };
  const Scope scope;
  show("shared", 1, {row({1, 0}), row({0, 1})}, {row({4, 0}), row({0, 2})});
  show("copies", 2, {row({1, 0, 1, 0}), row({0, 1, 0, 1})}, {row({4, 0, 4, 0}), row({0, 2, 0, 2})});
}

/// The draft learns names with G heads of keys and values. Then it is evaluated on others, and its weights are
/// loaded into src/tensor, which is asked the same.
void train_draft(Lesson& lesson, std::size_t G) {
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_kv_head = G};
  Parameters parameters(shapes(config));
  PythonRandom random(1);
  draw_weights(parameters, 0.08, random);
  const std::vector<double> before(parameters.data().begin(), parameters.data().end());
  const Loss loss = DraftGpt(parameters, {grouped(config, parameters)}).as_loss();
  std::vector<double> losses;
  AdamOptimizer adam({}, parameters.size());
  train(loss, parameters, adam, lesson.documents, lesson.tokenizer, {.num_steps = num_names},
        [&](std::size_t, double value) { losses.push_back(value); });

  const std::vector<Document> names = lesson.held_out(num_names);
  const std::vector<double> held_out = document_losses(loss, names, lesson.tokenizer);
  std::size_t unmoved = 0;  // weights of keys and values that training never touched
  for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"}) {
    const Parameter& w = parameters[name];
    for (std::size_t i = 0; i < w.size(); i++) unmoved += w.data[i] == before[w.data + i - parameters.data().data()];
  }
  const std::size_t width = parameters["layer0.attn_wk"].rows;
  fmt::print("{:8} | {:10} | {:11} | {:5} | {:8.3f} | {:15.3f} | {:11.3f}", G, parameters.size(), unmoved,
             2 * width * sizeof(double), estimate(std::span(losses).last(100)).mean, estimate(held_out).mean,
             mean_over_predictions(held_out, names));
  if (parameters.size() != num_parameters(config)) {
    fmt::print(" | its matrices do not fit\n");
    return lesson.check(fmt::format("G = {}: as many parameters as in src/", G), false);
  }
  TensorModel<double> elsewhere(config, parameters);
  fmt::print(" | {:.3f}\n", token_loss(elsewhere, names, lesson.tokenizer, 1));
  check_beside_tensor(lesson, fmt::format("G = {}: ", G), loss, config, parameters);
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  lesson.picture("16_heads.svg", heads_picture(kv_head));
  fmt::print("\n--- which head of keys and values a query head reads ---\nquery head  | 0 1 2 3 4 5 6 7\n");
  for (const std::size_t G : {8, 4, 2, 1}) {
    fmt::print("{} to read   |", G);
    for (std::size_t h = 0; h < 8; h++) fmt::print(" {}", kv_head(h, 8, G));
    fmt::print("\n");
  }
  show_two_heads();

  fmt::print("\n--- how wide all keys of a position are, C = 64 ---\n");
  fmt::print("query heads | heads of keys | G * (C / H) | C / G\n");
  for (const std::size_t H : {4, 16}) {
    for (std::size_t G = H; G > 0; G /= 2) {
      const std::size_t right = G * (64 / H), wrong = 64 / G;
      fmt::print("{:11} | {:13} | {:11} | {:5} {}\n", H, G, right, wrong,
                 wrong < right   ? "too narrow"
                 : wrong > right ? "too wide"
                                 : "the same");
    }
  }

  fmt::print("\n--- the draft, after {} names; cache: bytes of a position, in double ---\n", num_names);
  fmt::print("kv heads | parameters | never moved | cache | last 100 | held-out: names | predictions | in src/\n");
  for (const std::size_t G : {1, 2, 4}) train_draft(lesson, G);
  show_published();
  fmt::print("\n--- 16 times as many names, and three seeds ---\n");
  const Comparison forms = compare(lesson.documents, lesson.tokenizer,
                                   {{"mha", {}}, {"gqa, 2 of 4", {.n_kv_head = 2}}, {"mqa", {.n_kv_head = 1}}});
  forms.print();
  show_differences(forms);
  show_when_measured(lesson.split(), lesson.tokenizer);
  return lesson.finish();
} catch (const Error& error) {
  fmt::print("the lesson stops: {}\n", error.what());
  return 1;
}
