// Lesson 16: heads that share keys and values. The cache of lesson 15 is large because every head keeps keys and values
// of its own. Must it? In multi-query attention all query heads read the same ones, in grouped-query attention each
// group has its own.
#include "base/error.h"
#include "base/schedule.h"
#include "by_hand.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/recipe.h"
#include "lesson/tensor_gradient.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// The head of keys and values, of G, that query head h of H reads.
std::size_t kv_head(std::size_t h, std::size_t H, std::size_t G) { return h / (H / G); }

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

/// How many numbers all G heads of keys have together. A key is as wide as the query that it meets.
std::size_t kv_width(std::size_t C, std::size_t H, std::size_t G) { return G * (C / H); }

/// The way back by hand: the slopes, from dx (1,H*D), the slope of each number that attend() returns.
Heads attend_back(const Array& dx, const Heads& of, std::size_t H, std::size_t G) {
  const std::size_t D = of.q.cols / H;
  Heads slopes{Array(1, of.q.cols), Array(of.k.rows, of.k.cols), Array(of.v.rows, of.v.cols)};
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    const auto [weights, dscores] = back_to_scores(&dx[0][h * D], of, h, g, D);  // lesson 11
    for (std::size_t t = 0; t < of.k.rows; t++) {
      for (std::size_t j = 0; j < D; j++) {
        slopes.v[t][g * D + j] += weights[t] * dx[0][h * D + j];
        slopes.k[t][g * D + j] += dscores[t] * of.q[0][h * D + j];
        slopes.q[0][h * D + j] += dscores[t] * of.k[t][g * D + j];
      }
    }
  }
  return slopes;
}

/// Two query heads, on the tape and by hand. The loss is the sum of all that they find.
void on_paper(const char* what, const Heads& heads, std::size_t G) {
  const Scope scope;
  const Rows keys = values_of(heads.k), values = values_of(heads.v);
  const Values found = attend(values_of(heads.q)[0], keys, values, 2, G);
  sum(found).backward();
  const Heads slopes = attend_back(row_of({1, 1, 1, 1}), heads, 2, G);
  fmt::print("{}: head 0 finds ({:.2f}, {:.2f}), head 1 ({:.2f}, {:.2f})\n", what, found[0].data(), found[1].data(),
             found[2].data(), found[3].data());  // stop: slopes
  fmt::print("  slopes of the first key:");
  for (const Value number : keys[0]) fmt::print(" {:.3f}", number.grad());
  fmt::print("; by hand:");
  for (std::size_t j = 0; j < slopes.k.cols; j++) fmt::print(" {:.3f}", slopes.k[0][j]);
  fmt::print("\n");
}

/// The loss of a name: lesson 09's GPT, with this attention.
Value draft_loss(const Config& config, const StateDict& p, std::span<const Token> tokens) {
  const std::size_t n = std::min(config.block_size, tokens.size() - 1);
  Rows keys, values;  // the cache of this name
  List losses;
  for (std::size_t t = 0; t < n; t++) {
    Values x = rmsnorm(add(p["wte"][tokens[t]], p["wpe"][t]));
    const Values x_norm = rmsnorm(x);
    keys.push_back(linear(x_norm, p["layer0.attn_wk"]));
    values.push_back(linear(x_norm, p["layer0.attn_wv"]));
    const Values q = linear(x_norm, p["layer0.attn_wq"]);
    const Values x_attn = attend(q, keys, values, config.n_head, config.kv_heads());
    x = add(linear(x_attn, p["layer0.attn_wo"]), x);
    x = add(linear(relu(linear(rmsnorm(x), p["layer0.mlp_fc1"])), p["layer0.mlp_fc2"]), x);
    losses.push_back(cross_entropy(linear(x, p["lm_head"]), tokens[t + 1]));
  }
  return mean(losses);
}

/// The parameters of a GPT with G heads of keys and values, each the mean of the heads that a group of query heads
/// read.
Parameters averaged_heads(const Parameters& mha, const Config& gqa) {
  Parameters result(gpt_shapes(gqa));
  const std::size_t D = gqa.head_dim();
  for (const Parameter& from : mha.matrices()) {
    const Parameter& to = result[from.name];
    for (std::size_t row = 0; row < from.rows; row++) {
      const std::size_t g = kv_head(row / D, gqa.n_head, gqa.n_kv_head);
      const std::span<double> shared = to.row(to.rows < from.rows ? g * D + row % D : row);
      for (std::size_t c = 0; c < to.cols; c++) shared[c] += from.row(row)[c] * to.rows / from.rows;
    }
  }
  return result;
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  lesson.picture("16_heads.svg", heads_picture([](auto h, auto H, auto G) { return kv_head(h, H, G); }));
  lesson.picture("16_model.svg", model_picture("Heads that share keys and values: only attention changes",
                                               {{"attention", "q: 16, k, v: 8", "4 heads read 2"}},
                                               "new: fewer numbers for keys and values, so a smaller cache"));

  fmt::print("\n--- two query heads on paper ---\n");
  on_paper("shared", {row_of({2, 0, 0, 2}), rows_of({{1, 0}, {0, 1}}), rows_of({{4, 0}, {0, 2}})}, 1);
  on_paper("copies",
           {row_of({2, 0, 0, 2}), rows_of({{1, 0, 1, 0}, {0, 1, 0, 1}}), rows_of({{4, 0, 4, 0}, {0, 2, 0, 2}})}, 2);
  for (const std::size_t G : {1, 2, 3, 6}) {  // six query heads of five numbers read G heads, at four positions
    constexpr std::size_t H = 6, D = 5, n = 4;
    const Heads heads{waves(1, H * D, 1), waves(n, G * D, 2), waves(n, G * D, 3)};
    const Array dx = waves(1, H * D, 4);
    const Scope scope;
    const Rows q = values_of(heads.q), k = values_of(heads.k), v = values_of(heads.v);
    dot(attend(q[0], k, v, H, G), values_of(dx)[0]).backward();
    const Heads slopes = attend_back(dx, heads, H, G);
    auto same = [](const Rows& rows, const Array& by_hand) {
      std::vector<double> on_tape;
      for (const Values& row : rows) {
        for (const Value x : row) on_tape.push_back(x.grad());
      }
      return largest_difference(on_tape, by_hand.data) < 1e-12;
    };
    lesson.check(fmt::format("6 heads read {}: the slopes by hand are those of the tape", G),
                 same(q, slopes.q) && same(k, slopes.k) && same(v, slopes.v));
  }
  print_published();

  // The draft learns names with G heads of keys and values.
  constexpr std::size_t num_names = 5000;
  const std::vector<Document> names = lesson.held_out(num_names);
  fmt::print("\n--- the draft, after {} names; cache: bytes of a position, in double ---\n", num_names);
  fmt::print("kv heads | parameters | never moved | cache | held-out loss | in src/\n");
  for (const std::size_t G : {1, 2, 4}) {
    const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_kv_head = G};
    const std::size_t C = config.n_embd, width = kv_width(C, config.n_head, G);  // only W_K and W_V are new: (G*D, C)
    Parameters parameters(
        draft_shapes(config, {{"attn_wq", C, C}, {"attn_wk", width, C}, {"attn_wv", width, C}, {"attn_wo", C, C}}));
    PythonRandom random(1);
    draw_weights(parameters, 0.08, random);
    const Scope whole_training;
    const StateDict p(parameters);
    Adam adam = make_adam({}, parameters.size());
    for (std::size_t step = 0; step < num_names; step++) {
      const Scope scope;
      const Value loss = draft_loss(config, p, lesson.tokens_of_step(step + 1));
      loss.backward();
      adam.update(p.params, learning_rate({.num_steps = num_names}, step), step);
    }

    // It is evaluated on names that it has not seen. Then src/tensor loads its weights, and is asked the same.
    const Loss loss = [&](auto tokens) { return draft_loss(config, p, tokens); };
    const std::vector<double> losses = document_losses(loss, names, lesson.tokenizer);
    std::size_t unmoved = 0;  // weights of keys and values that training never touched
    for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"}) {
      const Parameter& before = parameters[name];
      for (std::size_t i = 0; i < before.size(); i++) {
        unmoved += p[name][i / before.cols][i % before.cols].data() == before.data[i];
      }
    }
    copy_data(p.params, parameters);
    const std::string form = fmt::format("G = {}: ", G);
    std::string in_src = "its matrices do not fit";
    if (parameters.size() == num_parameters(config)) {
      TensorModel<double> elsewhere(config, parameters);
      in_src = fmt::format("{:.3f}", token_loss(elsewhere, names, lesson.tokenizer, 1));
      check_beside_tensor(lesson, form, loss, p.params, config, parameters);
    } else {
      lesson.check(form + "as many parameters as in src/", false);
    }
    fmt::print("{:8} | {:10} | {:11} | {:5} | {:13.3f} | {}\n", G, parameters.size(), unmoved,
               2 * width * sizeof(double), mean_over_predictions(losses, names), in_src);
  }

  // Each form is trained by src/ with three seeds. And each MHA becomes a GQA, which trains on for 200 steps.
  PerSeed mha{};
  Outcome averaged{.label = "mha, then averaged"}, uptrained{.label = "and 200 more steps"};
  const TrainConfig more{.num_steps = 200, .batch_size = comparison_budget.batch_size};
  const auto [training, held_out] = split(lesson.documents);
  for (std::size_t i = 0; i < num_seeds; i++) {
    BatchTrainer<double> trainer = trained({{}, comparison_budget}, training, lesson.tokenizer, 1 + i);
    mha[i] = token_loss(trainer.model(), held_out, lesson.tokenizer, 1);
    Config config = trainer.model().config;
    Parameters parameters(gpt_shapes(config));
    trainer.model().copy_to(parameters);
    config.n_kv_head = 2;
    BatchTrainer<double> gqa(config, more, averaged_heads(parameters, config), training, lesson.tokenizer,
                             {.loss_mean = LossMean::tokens});
    averaged.held_out[i] = token_loss(gqa.model(), held_out, lesson.tokenizer, 1);
    while (gqa.steps_done() < more.num_steps) gqa.step();
    uptrained.held_out[i] = token_loss(gqa.model(), held_out, lesson.tokenizer, 1);
  }
  auto compared = [&](const char* label, std::size_t G, const TrainConfig& budget) {
    return compare(lesson.documents, lesson.tokenizer, {{label, {.n_kv_head = G}}}, budget).outcomes[0];
  };
  fmt::print("\n--- 16000 names, seeds 1, 2 and 3: how much higher than mha's {:.3f} {:.3f} {:.3f} is the loss? ---\n",
             mha[0], mha[1], mha[2]);
  for (const Outcome& form : {compared("gqa, 2 of 4", 2, comparison_budget), compared("mqa", 1, comparison_budget),
                              averaged, uptrained, compared("gqa, only 200 steps", 2, more)}) {
    std::string seeds;
    for (std::size_t i = 0; i < num_seeds; i++) seeds += fmt::format(" {:+.3f}", form.held_out[i] - mha[i]);
    const Difference of = difference(form.held_out, mha);
    fmt::print("{:19} |{} | {:.3f} +- {:.3f}: {}\n", form.label, seeds, of.mean, of.margin,
               of.is_clear() ? "higher" : "cannot tell");
  }
  if (Lesson::timed()) print_throughput();
  return lesson.finish();
} catch (const Error& error) {
  fmt::print("the lesson stops: {}\n", error.what());
  return 1;
}
