// Lesson 08: multi-head attention. One head has one softmax, so it can look for one kind of thing at a time. Here the
// 16 numbers of a query, a key and a value are cut into four slices of 4, and each head does the attention of lesson 07
// with its slices alone. The four results are laid side by side, and one more matrix, W_O, mixes them.
#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/work.h"
#include "picture.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"

using namespace microgpt;

/// What one head makes at one position, from where it looks at t positions: those before, and its own.
struct Head {
  Values q_h;                        // (head_dim)
  std::vector<Values> k_h, v_h;      // (t, head_dim)
  Values attn_logits, attn_weights;  // (t)
  Values head_out;                   // (head_dim)
};

/// The attention of lesson 07 for each slice of q, keys and values.
std::vector<Head> attend(Values q, const std::vector<Values>& keys, const std::vector<Values>& values,
                         std::size_t n_head) {
  const std::size_t head_dim = q.size() / n_head;
  std::vector<Head> heads;
  for (std::size_t h = 0; h < n_head; h++) {
    const std::size_t hs = h * head_dim;
    const Values q_h = q.slice(hs, head_dim);
    std::vector<Values> k_h, v_h;
    for (const Values& k : keys) k_h.push_back(k.slice(hs, head_dim));
    for (const Values& v : values) v_h.push_back(v.slice(hs, head_dim));
    const Values attn_logits(k_h.size(), [&](std::size_t t) { return dot(q_h, k_h[t]) / std::sqrt(head_dim); });
    const Values attn_weights = softmax(attn_logits);
    const Values head_out(head_dim, [&](std::size_t j) {
      return dot(attn_weights, Values(v_h.size(), [&](std::size_t t) { return v_h[t][j]; }));
    });
    heads.push_back({q_h, k_h, v_h, attn_logits, attn_weights, head_out});  // stop: head
  }
  return heads;
}

/// The heads' results side by side: n_head * head_dim numbers.
Values concatenate(const std::vector<Head>& heads) {
  std::vector<Value> x_attn;
  for (const Head& head : heads) {
    for (const Value out : head.head_out) x_attn.push_back(out);
  }
  return Values(x_attn);
}

/// What the positions so far have left behind.
struct Past {
  explicit Past(const Model& model) : keys(model.layers.size()), values(model.layers.size()) {}

  std::vector<std::vector<Values>> keys, values;  // [layer][position], (C)
  std::vector<std::vector<Head>> heads;           // position by position; in it layer by layer; kept only to be shown
};

/// The logits, (V), of the token after token_id, which stands at position pos_id.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  Values x = rmsnorm(add(model.wte[token_id], model.wpe[pos_id]));
  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];
    const Values x_residual = x;
    x = rmsnorm(x);
    const Values q = linear(x, layer.attn_wq);
    past.keys[li].push_back(linear(x, layer.attn_wk));
    past.values[li].push_back(linear(x, layer.attn_wv));
    const std::vector<Head> heads = attend(q, past.keys[li], past.values[li], model.n_head);
    const Values x_attn = concatenate(heads);
    x = linear(x_attn, layer.attn_wo);  // stop: concatenated
    x = add(x, x_residual);             // stop: mixed
    x = add(linear(relu(linear(rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2), x);
    past.heads.push_back(heads);
  }
  return linear(x, model.lm_head);
}

Value draft_loss(const Model& model, std::span<const Token> tokens, Past& past) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
  }));
}

Loss draft_loss(const Model& model) {
  return [&model](std::span<const Token> tokens) {
    Past past(model);
    return draft_loss(model, tokens, past);
  };
}

/// mira and rima, seen from their last letter. It asks for two letters: the first one, and the one before it.
void print_mira_and_rima() {
  auto list = [](const std::vector<double>& x) { return Values(x.size(), [&](std::size_t i) { return x[i]; }); };
  fmt::print("\n");
  for (const std::size_t n_head : {1, 2}) {
    for (const std::string_view name : {"mira", "rima"}) {
      const Scope scope;
      const Values q = list({8, 0, 0, 8});
      const std::vector<Values> keys{list({1, 0, 0, 0}), list({0, 0, 0, 0}), list({0, 0, 0, 1}), list({0, 0, 0, 0})};
      std::vector<Values> values;
      for (const char letter : name) {
        values.push_back(letter == 'm' ? list({4, 0, 4, 0}) : letter == 'r' ? list({0, 4, 0, 4}) : list({2, 2, 2, 2}));
      }
      const std::vector<Head> heads = attend(q, keys, values, n_head);
      for (std::size_t h = 0; h < n_head; h++) {
        fmt::print("{}, head {} of {}: looks at", name, h, n_head);
        for (std::size_t t = 0; t < 4; t++) fmt::print("  {} {:.3f}", name[t], heads[h].attn_weights[t].data());
        fmt::print("  and finds {}\n", numbers(heads[h].head_out));
      }
    }
  }
}

/// What H heads of D numbers each cost at n positions of width C: their four matrices are made, used, and counted.
void print_costs(std::size_t n, std::size_t C) {
  fmt::print("\nheads   | parameters | products: projections | attention | exp\n");
  for (const auto& [H, D] : {std::pair(std::size_t{1}, C), {4, C / 4}, {4, C}}) {
    const Scope scope;
    const Parameters weights({{"wq", H * D, C}, {"wk", H * D, C}, {"wv", H * D, C}, {"wo", C, H * D}});
    const Matrix wq = matrix(weights["wq"]), wk = matrix(weights["wk"]), wv = matrix(weights["wv"]),
                 wo = matrix(weights["wo"]);
    std::vector<Values> keys, values;
    for (std::size_t pos_id = 0; pos_id < n; pos_id++) {
      const Values x(C, [](std::size_t) { return 1.0; });
      keys.push_back(linear(x, wk));
      values.push_back(linear(x, wv));
      linear(concatenate(attend(linear(x, wq), keys, values, H)), wo);
    }
    const Work work = work_on_tape();
    fmt::print("{} of {:2} | {:10} | {:21} | {:9} | {:3}\n", H, D, weights.size(), work.linear, work.dot, work.exp);
  }
}

/// Head 0 at position 3 of a name, where it sees four positions, and what all heads hand to W_O there.
void print_head_0(const std::vector<Head>& heads) {
  const Head& head = heads[0];
  fmt::print("\nrosimeire, head 0 at position 3: hs = 0*4, q[0:4] {}\n", numbers(head.q_h));
  for (std::size_t t = 0; t < head.k_h.size(); t++) {
    fmt::print("position {}: k[0:4] {} | attn_logit {:6.3f} | attn_weight {:.3f} | v[0:4] {}\n", t,
               numbers(head.k_h[t]), head.attn_logits[t].data(), head.attn_weights[t].data(), numbers(head.v_h[t]));
  }
  for (std::size_t h = 0; h < heads.size(); h++) {
    fmt::print("head_out of head {}, x_attn[{}:{}]: {}\n", h, 4 * h, 4 * h + 4, numbers(heads[h].head_out));
  }
}

/// Where each head looks from every position of a name.
std::vector<TitledGrid> maps(const Lesson& lesson, const Past& past, std::span<const Token> tokens, int step) {
  std::vector<TitledGrid> grids;
  for (std::size_t h = 0; h < past.heads[0].size(); h++) {
    std::vector<Values> weights;
    for (const std::vector<Head>& heads : past.heads) weights.push_back(heads[h].attn_weights);
    grids.emplace_back(fmt::format("head {}, step {}", h, step),
                       times_even_share(attention_grid(weights, tokens, lesson.tokenizer)));
  }
  fmt::print("\n▒▒ is an even share, darker is more\n{}", shades(grids));
  return grids;
}

/// One head against four, on the same held-out names.
void print_one_against_four(const Lesson& lesson, const Model& one_head, const Model& four_heads, int step) {
  const std::vector<Document> names = lesson.held_out(10000);
  const std::vector<double> one = document_losses(draft_loss(one_head), names, lesson.tokenizer);
  std::vector<double> gain = document_losses(draft_loss(four_heads), names, lesson.tokenizer);
  const double four = estimate(gain).mean;
  for (std::size_t i = 0; i < gain.size(); i++) gain[i] = one[i] - gain[i];
  const Estimate e = estimate(gain);
  fmt::print("after step {}, {} held-out names: one head {:.4f}, four heads {:.4f}, gain {:.4f} +- {:.4f}\n", step,
             names.size(), estimate(one).mean, four, e.mean, e.standard_error);
}

/// Trains from one step to another.
void learn(
    const Lesson& lesson, const Model& model, Parameters& parameters, std::size_t from, std::size_t to,
    double learning_rate, const OnStep& on_step = [](std::size_t, double) {}) {
  Sgd sgd;
  train(draft_loss(model), parameters, sgd, lesson.documents, lesson.tokenizer,
        {.num_steps = to, .first_step = from, .learning_rate = learning_rate}, on_step);
}

void print_names(Lesson& lesson, const Model& model) {
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    Past past(model);
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(draft_gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), model.block_size)));
  }
}

/// The checks: nobody looks ahead, and with two layers it is what src/microgpt.cpp computes.
void check(Lesson& lesson, const Past& past) {
  lesson.check("the first position sees only itself", past.heads[0][0].attn_weights.size() == 1);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters = initialize(config, {}, lesson.random);
  const Model model = scalar_model(config, parameters);
  const Loss in_src = [&](auto document) { return document_loss(model, document); };
  const LossAndGradient draft = loss_and_gradient(draft_loss(model), parameters, lesson.tokens_of_step(1));
  const LossAndGradient src = loss_and_gradient(in_src, parameters, lesson.tokens_of_step(1));
  lesson.check("with two layers, the loss is that of src/microgpt.cpp", draft.loss == src.loss);
  lesson.check("so is every gradient", draft.gradient == src.gradient);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()}, one{.vocab_size = config.vocab_size, .n_head = 1};
  lesson.picture("08_flow.svg", flow_picture());
  print_mira_and_rima();
  print_costs(tokens.size() - 1, config.n_embd);

  // Four heads, and one, from the same first weights.
  fmt::print("\n");
  PythonRandom random = lesson.random;
  Parameters parameters = initialize(config, {}, lesson.random), parameters_of_one = initialize(one, {}, random);
  const Model model = scalar_model(config, parameters), one_head = scalar_model(one, parameters_of_one);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  learn(lesson, model, parameters, 0, 1000, 0.1, [&](std::size_t step, double loss) { lesson.step(step, 1000, loss); });
  learn(lesson, one_head, parameters_of_one, 0, 1000, 0.1);
  print_names(lesson, model);

  const Scope scope;
  Past early(model), late(model);
  draft_loss(model, tokens, early);
  print_head_0(early.heads[std::min<std::size_t>(3, early.heads.size() - 1)]);
  const std::vector<TitledGrid> after_1000 = maps(lesson, early, tokens, 1000);
  print_one_against_four(lesson, one_head, model, 1000);

  learn(lesson, model, parameters, 1000, 10000, 0.3);
  learn(lesson, one_head, parameters_of_one, 1000, 10000, 0.3);
  draft_loss(model, tokens, late);
  const std::vector<TitledGrid> after_10000 = maps(lesson, late, tokens, 10000);
  print_one_against_four(lesson, one_head, model, 10000);
  lesson.picture("08_heads.svg",
                 heat_maps("Four heads: nearly even after 1000 steps; after 10000, three of them pick letters",
                           {after_1000, after_10000},
                           "Row: who looks; column: at whom; . is BOS. Half dark: an even share; "
                           "darkest: twice that or more."));
  check(lesson, early);
  return lesson.finish();
}
