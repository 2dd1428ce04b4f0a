// Lesson 18: multi-head latent attention. Of each position a model keeps one short vector, c. Every head makes keys and
// values of its own from it; or makes none at all, because their matrix can be moved to the other side of the score.
#include <string_view>

#include "base/schedule.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/tensor_gradient.h"
#include "lesson/work.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

constexpr std::size_t C = 16;  // width of the model
constexpr std::size_t H = 4;   // heads
constexpr std::size_t D = 4;   // numbers in a head's key or value
constexpr std::size_t L = 5;   // numbers in the latent vector c
constexpr std::size_t R = 2;   // numbers in the rotary key: one pair

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
  const Rows c{{1, 2}, {3, 1}}, queries{{3, 1}, {1, 1}};
  auto text = [](const Values& x) { return fmt::format("({:2.0f} {:2.0f})", x[0].data(), x[1].data()); };
  fmt::print("\n--- on paper: c is (1 2) at position 0 and (3 1) at position 1 ---\n");
  fmt::print("head | query q | position | key W c | q . key | W^T q   | W^T q . c\n");
  for (std::size_t h = 0; h < 2; h++) {
    for (std::size_t s = 0; s < 2; s++) {
      const Values q = queries[h], key = times(w_uk, h, 2, c[s]), folded = transposed_times(w_uk, h, q);
      const double score = dot(q, key).data(), same = dot(folded, c[s]).data();  // stop: paper
      fmt::print("{:4} | {} | {:8} | {} | {:7.0f} | {} | {:9.0f}\n", h, text(q), s, text(key), score, text(folded),
                 same);
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

/// The parameters of a GPT with latent attention.
std::vector<Parameters::Shape> latent_shapes(const Config& config) {
  return draft_shapes(config, {{"attn_wq", H * D, C},   // W_Q: x to the queries of all heads
                               {"attn_wdkv", L, C},     // W_DKV, down: x to c
                               {"attn_wuk", H * D, L},  // W_UK, up: c to the keys of all heads
                               {"attn_wuv", H * D, L},  // W_UV: and to their values
                               {"attn_wqr", H * R, C},  // W_QR: x to what is rotated of every head's query
                               {"attn_wkr", R, C},      // W_KR: and to the rotary key, one for all heads
                               {"attn_wo", C, H * D}});
}

struct LatentWeights {
  const StateDict& p;
  Matrix q = p["layer0.attn_wq"], qr = p["layer0.attn_wqr"], kr = p["layer0.attn_wkr"], dkv = p["layer0.attn_wdkv"],
         uk = p["layer0.attn_wuk"], uv = p["layer0.attn_wuv"], o = p["layer0.attn_wo"];
};

/// a, then b.
Values join(const Values& a, const Values& b) {
  return Values(a.size() + b.size(), [&](std::size_t i) { return i < a.size() ? a[i] : b[i - a.size()]; });
}

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

/// The loss of a name: lesson 09's GPT, with latent attention.
Value latent_loss(const StateDict& p, bool absorb, std::span<const Token> tokens) {
  const std::size_t n = std::min(p["wpe"].size(), tokens.size() - 1);
  const LatentWeights weights{p};
  KeepsLatent latent{weights, absorb};
  List losses;
  for (std::size_t t = 0; t < n; t++) {
    Values x = rmsnorm(add(p["wte"][tokens[t]], p["wpe"][t]));
    x = add(latent.read(rmsnorm(x)), x);
    x = add(linear(relu(linear(rmsnorm(x), p["layer0.mlp_fc1"])), p["layer0.mlp_fc2"]), x);
    losses.push_back(cross_entropy(linear(x, p["lm_head"]), tokens[t + 1]));
  }
  return mean(losses);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  lesson.picture("18_fold.svg", fold_picture());
  lesson.picture("18_model.svg", model_picture("Latent attention: seven numbers are kept of each letter",
                                               {{"attention", "kept: 5 and 2", "c, rotary key"}},
                                               "new: c and a rotary key are kept; every head makes its own keys and "
                                               "values from c"));
  lesson.picture("18_way.svg", way_picture());

  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters plain(gpt_shapes(config)), latent(latent_shapes(config));
  draw_weights(plain, 0.3, lesson.random);  // larger than usual, so that attention matters
  draw_weights(latent, 0.3, lesson.random);
  const StateDict p(latent);

  // How many products attention takes for the 1st, 16th, ... token. For keys and values that were kept it is known from
  // lesson 15: four matrices, and for each letter a score and a share in the mixture. The others are counted on the
  // tape.
  const Model model = scalar_model(config, plain);
  const LatentWeights weights{p};
  constexpr std::size_t lengths[] = {1, 16, 64, 256};
  fmt::print("\n--- numbers kept of a token, and products of attention for the 1st, 16th, ... token ---\n");
  fmt::print("what is kept               | kept |      1 |     16 |     64 |    256\n");
  std::string row;
  for (const std::size_t T : lengths) row += fmt::format(" | {:6}", 4 * C * C + 2 * C * T);
  fmt::print("keys and values            | {:4}{}\n", 2 * H * D, row);
  for (const std::string_view what : {"x", "c and rotary key, expanded", "c and rotary key, absorbed"}) {
    const Scope scope;
    const Values x(C, [](std::size_t) { return 1; });
    KeepsX keeps_x{model.layers[0]};
    KeepsLatent keeps_latent{weights, what.ends_with("absorbed")};
    auto read = [&] { return what == "x" ? keeps_x.read(x) : keeps_latent.read(x); };
    row.clear();
    std::size_t t = 1;
    for (const std::size_t T : lengths) {
      for (; t < T; t++) read();
      row += fmt::format(" | {:6}", products_of(read));
      t++;
    }
    fmt::print("{:26} | {:4}{}\n", what, what == "x" ? C : L + R, row);
  }

  fmt::print("\n--- numbers kept of a token in a layer: here | with the sizes of DeepSeek-V2 ---\n");
  fmt::print("mha: a key and a value for every head      | {:2} | {:5}\n", 2 * H * D, 2 * 128 * 128);
  fmt::print("gqa: for every 2 heads here, 16 there      | {:2} | {:5}\n", 2 * H / 2 * D, 2 * 128 / 16 * 128);
  fmt::print("mqa: one key and one value for all heads   | {:2} | {:5}\n", 2 * D, 2 * 128);
  fmt::print("mla: c and a rotary key                    | {:2} | {:5}\n", L + R, 512 + 64);

  constexpr std::size_t rows = H * (D + R), rows_of_deepseek = 128 * (128 + 64);  // of W_Q and W_QR
  fmt::print("\n--- weights that make the queries from x, or from c_Q: here | with the sizes of DeepSeek-V2 ---\n");
  fmt::print("from x, of 16 numbers, or 5120             | {:3} | {:9}\n", rows * C, rows_of_deepseek * 5120);
  fmt::print("from c_Q, of 12 numbers, or 1536           | {:3} | {:9}\n", 12 * (C + rows),
             1536 * (5120 + rows_of_deepseek));

  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss of_expanded = [&](auto tokens) { return latent_loss(p, false, tokens); };
  const Loss of_absorbed = [&](auto tokens) { return latent_loss(p, true, tokens); };
  const LossAndGradient expanded = loss_and_gradient(of_expanded, p.params, first);
  const LossAndGradient absorbed = loss_and_gradient(of_absorbed, p.params, first);
  Config of_src = config;
  of_src.q_latent = C, of_src.kv_latent = L, of_src.rope_dim = R;
  Parameters copy(gpt_shapes(of_src));
  for (const Parameter& matrix : latent.matrices()) {
    std::copy_n(matrix.data, matrix.size(),
                copy[matrix.name == "layer0.attn_wq" ? "layer0.attn_wuq" : matrix.name].data);
  }
  for (std::size_t i = 0; i < C; i++) copy["layer0.attn_wdq"].row(i)[i] = 1;  // the draft has no latent for queries
  const double src = tensor_gradient(of_src, copy, first).loss;
  fmt::print("\n--- the loss of one name, with the same random weights ---\n");
  fmt::print("expanded {:.6f} | absorbed {:.6f} | src/tensor {:.6f}\n", expanded.loss, absorbed.loss, src);

  fmt::print("\n--- trained: mla expanded, and then evaluated absorbed ---\n");
  constexpr std::size_t num_names = 1000;
  const std::vector<Document>& held_out = lesson.split().held_out;
  std::vector<Outcome> outcomes;
  for (const std::string form : {"mha", "mla"}) {
    Outcome& outcome = outcomes.emplace_back(Outcome{.label = form});
    for (std::size_t i = 0; i < num_seeds; i++) {
      PythonRandom random(1 + i);
      std::vector<Document> names = lesson.split().training;
      random.shuffle(names);
      Parameters parameters(form == "mha" ? gpt_shapes(config) : latent_shapes(config));
      draw_weights(parameters, 0.08, random);
      outcome.parameters = parameters.size();
      const Scope whole_training;
      const StateDict trained(parameters);
      const Model mha = form == "mha" ? scalar_model(config, trained) : Model{};
      Adam adam = make_adam({}, parameters.size());
      std::vector<double> losses;
      for (std::size_t step = 0; step < num_names; step++) {
        const Scope scope;
        const std::vector<Token> tokens = lesson.tokenizer.encode_document(names[step % names.size()]);
        const Value loss = form == "mha" ? document_loss(mha, tokens) : latent_loss(trained, false, tokens);
        loss.backward();
        adam.update(trained.params, learning_rate({.num_steps = num_names}, step), step);
        losses.push_back(loss.data());
      }
      outcome.training[i] = mean_of_last_hundred(losses);
      losses = document_losses(
          [&](auto tokens) { return form == "mha" ? document_loss(mha, tokens) : latent_loss(trained, true, tokens); },
          held_out, lesson.tokenizer);
      outcome.held_out[i] = mean_over_predictions(losses, held_out);
    }
  }
  print(outcomes, num_names);
  fmt::print("\n");

  // Numbers around 1 and sums of some dozens: each rounding is 1.1e-16 of what is summed.
  constexpr double tolerance = 1e-12;
  lesson.check("absorbed has the loss of expanded", std::abs(absorbed.loss - expanded.loss) < tolerance);
  lesson.check("and its gradients", largest_difference(absorbed.gradient, expanded.gradient) < tolerance);
  lesson.check("src/tensor has that loss", std::abs(src - expanded.loss) < tolerance);
  return lesson.finish();
}
