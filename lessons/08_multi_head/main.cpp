// Lesson 08: multi-head attention. The 16 numbers of a query, a key and a value are cut into four slices of 4. Each
// head does the attention of lesson 07 with its slices alone; the four results are laid side by side, and one more
// matrix, W_O, mixes them. Attention and MLP together are a layer; a loop stacks as many as the model has.
#include <fmt/core.h>

#include <cmath>

#include "inspect/plot.h"
#include "inspect/work.h"
#include "lesson/lesson.h"
#include "scalar/gpt.h"
#include "scalar/ops.h"
#include "train/gradient.h"
#include "train/optimizer.h"

using namespace microgpt;

bool same_slice, no_wo, future;  // what --break does wrong

/// What one head makes at one position, from where it looks at t positions: those before, and its own.
struct Head {
  Values q_h;                        // (head_dim)
  std::vector<Values> k_h, v_h;      // (t, head_dim)
  Values attn_logits, attn_weights;  // (t)
  Values head_out;                   // (head_dim)
};

/// Minus infinity for the positions after pos_id: softmax turns it into a weight of 0.
Values masked(Values attn_logits, std::size_t pos_id) {
  return Values(attn_logits.size(), [&](std::size_t t) { return attn_logits[t] + (t > pos_id ? -INFINITY : 0.0); });
}

std::vector<Head> attend(Values q, const std::vector<Values>& keys, const std::vector<Values>& values,
                         std::size_t n_head, std::size_t pos_id) {
  const std::size_t head_dim = q.size() / n_head;
  std::vector<Head> heads;
  for (std::size_t h = 0; h < n_head; h++) {
    const std::size_t hs = same_slice ? 0 : h * head_dim;
    const Values q_h = q.slice(hs, head_dim);
    std::vector<Values> k_h, v_h;
    for (const Values& k : keys) k_h.push_back(k.slice(hs, head_dim));
    for (const Values& v : values) v_h.push_back(v.slice(hs, head_dim));
    const Values attn_logits(k_h.size(), [&](std::size_t t) { return dot(q_h, k_h[t]) / std::sqrt(head_dim); });
    if (future) masked(attn_logits, pos_id);  // gives back the right logits, and nobody takes them
    const Values attn_weights = softmax(attn_logits);
    const Values head_out(head_dim, [&](std::size_t j) {
      return dot(attn_weights, Values(v_h.size(), [&](std::size_t t) { return v_h[t][j]; }));
    });
    heads.push_back({q_h, k_h, v_h, attn_logits, attn_weights, head_out});  // stop: head
  }
  return heads;
}

Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values,
                 std::vector<std::vector<Head>>* seen = nullptr) {
  Values x = rmsnorm(add(model.wte[token_id], model.wpe[pos_id]));
  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];
    const Values x_residual = x;
    x = rmsnorm(x);
    const Values q = linear(x, layer.attn_wq);
    if (keys[li].size() == pos_id) keys[li].push_back(linear(x, layer.attn_wk));
    if (values[li].size() == pos_id) values[li].push_back(linear(x, layer.attn_wv));
    const std::vector<Head> heads = attend(q, keys[li], values[li], model.config.n_head, pos_id);
    std::vector<Value> x_attn;
    for (const Head& head : heads) {
      for (const Value out : head.head_out) x_attn.push_back(out);
    }
    if (seen != nullptr) seen->push_back(heads);
    x = no_wo ? Values(x_attn) : linear(Values(x_attn), layer.attn_wo);  // stop: concatenated
    x = add(x, x_residual);                                              // stop: mixed
    x = add(linear(relu(linear(rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2), x);
  }
  return linear(x, model.lm_head);
}

Value draft_loss(const Model& model, std::span<const Token> tokens, std::vector<std::vector<Head>>* seen = nullptr) {
  const std::size_t n = std::min(model.config.block_size, tokens.size() - 1);
  Cache keys(model.layers.size()), values(model.layers.size());
  for (std::size_t i = 0; future && i < n; i++) draft_gpt(model, tokens[i], i, keys, values);  // fills both
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, keys, values, seen), tokens[pos_id + 1]);
  }));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  same_slice = lesson.broken("same-slice");
  no_wo = lesson.broken("no-wo");
  future = lesson.broken("future");
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters parameters = initialize(config, {}, lesson.random);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  const Model model(config, parameters);
  const Loss loss = [&](auto document) { return draft_loss(model, document); };
  Sgd sgd;
  train(loss, parameters, sgd, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 0.1},
        [&](std::size_t step, double value) { lesson.step(step, 1000, value); });
  for (int i = 0; i < 20; i++) lesson.name(lesson.tokenizer.decode(sample(model, 0.5, lesson.random)));

  // What H heads of D numbers cost over the positions of the first name: fed with zeros, and counted on the tape.
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const std::size_t n = std::min(config.block_size, tokens.size() - 1), C = config.n_embd;
  fmt::print("\nheads   | parameters | multiply-adds: projections | attention | exp\n");
  for (const auto& [H, D] : {std::pair(std::size_t{1}, C), {4, C / 4}, {4, C}}) {
    const Scope scope;
    std::vector<Values> zeros;
    for (std::size_t pos_id = 0; pos_id < n; pos_id++) {
      zeros.emplace_back(H * D, [](std::size_t) { return 0.0; });
      attend(zeros[pos_id], zeros, zeros, H, pos_id);
    }
    const Work work = work_on_tape();
    const std::size_t weights = 4 * C * H * D;  // of W_Q, W_K, W_V and W_O
    fmt::print("{} of {:2} | {:10} | {:26} | {:9} | {:3}\n", H, D, weights, n * weights, work.dot, work.exp);
  }

  // Head 0 in numbers, at one position of that name; then where each head looks from every position.
  const Scope scope;
  std::vector<std::vector<Head>> seen;
  draft_loss(model, tokens, &seen);
  const std::size_t pos_id = std::min<std::size_t>(3, n - 1);
  const std::vector<Head>& heads = seen[pos_id];
  const Head& head = heads[0];
  fmt::print("\n{}\n", lesson.tokenizer.decode(std::span(tokens).subspan(1, tokens.size() - 2)));
  fmt::print("head 0 at position {}: hs = 0*4, q[0:4] {}\n", pos_id, numbers(head.q_h));
  for (std::size_t t = 0; t < head.k_h.size(); t++) {
    fmt::print("position {}: k[0:4] {} | attn_logit {:6.3f} | attn_weight {:.3f} | v[0:4] {}\n", t,
               numbers(head.k_h[t]), head.attn_logits[t].data(), head.attn_weights[t].data(), numbers(head.v_h[t]));
  }
  std::vector<TitledGrid> grids;
  for (std::size_t h = 0; h < config.n_head; h++) {
    fmt::print("head_out of head {}, x_attn[{}:{}]: {}\n", h, 4 * h, 4 * h + 4, numbers(heads[h].head_out));
    std::vector<Values> weights;
    for (const std::vector<Head>& position : seen) weights.push_back(position[h].attn_weights);
    const Grid grid = attention_grid(weights, tokens, lesson.tokenizer);
    grids.emplace_back(fmt::format("head {}", h), times_even_share(grid));
  }
  fmt::print("\n▒▒ is an even share, darker is more\n{}", shades(grids));
  lesson.picture("08_heads.svg", heat_maps(grids));
  lesson.picture("08_loss.svg", loss_curve("Lesson 08: four heads, trained with SGD", lesson.losses()));

  const std::size_t used = parameters.size() - parameters["wte"].size() - parameters["wpe"].size();
  lesson.check("every linear layer uses each of its weights once a position", work_on_tape().linear == n * used);
  lesson.check("the first position sees only itself", seen[0][0].attn_weights.size() == 1);
  const Config deep{.vocab_size = config.vocab_size, .n_layer = 2};
  Parameters fresh = initialize(deep, {}, lesson.random);
  const Model two_layers(deep, fresh);
  const Loss draft = [&](auto document) { return draft_loss(two_layers, document); };
  const Loss published = [&](auto document) { return document_loss(two_layers, document); };
  lesson.check("with two layers, the loss and every gradient are those of src/scalar/gpt.h",
               loss_and_gradient(draft, fresh, tokens) == loss_and_gradient(published, fresh, tokens));
  return lesson.finish();
}
