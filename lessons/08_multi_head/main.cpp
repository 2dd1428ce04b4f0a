// Lesson 08: multi-head attention. One head has one softmax, so all that it finds comes as one mixture. Here the
// numbers of a query, a key and a value are cut into slices, and each head does the attention of lesson 07 with its
// slices alone. What they find is laid side by side, and one more matrix, W_O, mixes it.
#include <cmath>

#include "microgpt.h"
#include "show.h"
#include "words.h"

using namespace microgpt;

/// The attention of lesson 07, once for each slice of the query, of the keys and of the values.
std::vector<Head> attend(Values q, const Rows& keys, const Rows& values, std::size_t n_head) {
  const std::size_t head_dim = q.size() / n_head;
  std::vector<Head> heads;
  for (std::size_t h = 0; h < n_head; h++) {
    const std::size_t hs = h * head_dim;
    const Values q_h = q.slice(hs, head_dim);
    Rows k_h, v_h;
    for (const Values& k : keys) k_h.push_back(k.slice(hs, head_dim));
    for (const Values& v : values) v_h.push_back(v.slice(hs, head_dim));
    const Values attn_logits(k_h.size(), [&](std::size_t t) { return dot(q_h, k_h[t]) / std::sqrt(head_dim); });
    const Values attn_weights = softmax(attn_logits);
    const Values head_out(head_dim, [&](std::size_t j) {
      return dot(attn_weights, Values(v_h.size(), [&](std::size_t t) { return v_h[t][j]; }));
    });
    heads.push_back({attn_weights, head_out});  // stop: head
  }
  return heads;
}

/// What the heads found, side by side: n_head * head_dim numbers.
Values concatenate(const std::vector<Head>& heads) {
  std::vector<Value> x_attn;
  for (const Head& head : heads) {
    for (const Value out : head.head_out) x_attn.push_back(out);
  }
  return Values(x_attn);
}

/// The last letter of a word looks back, and answers two questions: which letter came first, which is before me?
Answers answer(const Reader& model, std::span<const Token> word, std::size_t n_head) {
  Values x;
  Rows keys, values;
  for (std::size_t i = 0; i < word.size(); i++) {
    x = add(model.wte[word[i]], model.wpe[i]);
    keys.push_back(linear(x, model.wk));
    values.push_back(linear(x, model.wv));
  }
  const std::vector<Head> heads = attend(linear(x, model.wq), keys, values, n_head);
  const Values found = linear(concatenate(heads), model.wo);
  return {linear(found, model.first), linear(found, model.before), heads};
}

/// The logits, (V), of the token after token_id, which is at position pos_id: lesson 07, with heads and layers.
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

/// A name's loss, as in lesson 07. `past` begins empty.
Value draft_loss(const Model& model, std::span<const Token> tokens, Past& past) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
  }));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_on_paper(attend);
  for (const bool zero : {false, true}) show_first_steps(lesson, zero, draft_loss);
  show_words(lesson, answer);

  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};  // four heads
  const Model model = scalar_model(config, initialize(config, {}, lesson.random));
  lesson.line(fmt::format("num params: {}", model.params.size()));
  const Loss loss = loss_of(model, draft_loss);
  train(loss, model.params, sgd_update, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 0.1},
        [&](std::size_t step, double value) { lesson.step(step, 1000, value); });
  show_names(lesson, model, draft_gpt);
  const std::vector<TitledGrid> early = show_maps(lesson, model, draft_loss, 1000);
  train(loss, model.params, sgd_update, lesson.documents, lesson.tokenizer,
        {.num_steps = 10000, .first_step = 1000, .learning_rate = 0.3});
  const std::vector<TitledGrid> late = show_maps(lesson, model, draft_loss, 10000);
  show_pictures(lesson, early, late);
  check_draft(lesson, draft_loss);
  return lesson.finish();
}
