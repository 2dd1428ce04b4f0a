// Lesson 07: attention. Each position says what it looks for, its query; what it can be found by, its key; and what it
// has to say, its value. Where a query and a key agree, the value counts. First three letters on paper, then the puzzle
// that lesson 06 left open. The second half adds what makes a small GPT of it, for names.
#include <cmath>

#include "lesson/lesson.h"
#include "lesson/puzzle.h"
#include "microgpt.h"
#include "show.h"

using namespace microgpt;

/// A query (D) looks at the keys of all positions so far. Returns the mixture (D) of their values.
Values draft_attention(Values query, Past& past) {
  const std::size_t n = past.keys.size();
  const double root = std::sqrt(static_cast<double>(query.size()));
  const Values scores(n, [&](std::size_t t) { return dot(query, past.keys[t]) / root; });
  const Values weights = softmax(scores);  // stop: scores
  const Values mixture(query.size(), [&](std::size_t j) {
    Value total = 0.0;
    for (std::size_t t = 0; t < n; t++) total = total + weights[t] * past.values[t][j];
    return total;
  });
  past.weights.push_back(weights);  // stop: mixture
  return mixture;
}

/// The logits, (V), of the answer to a puzzle: the last position looks back.
Values draft_answer(const Solver& model, std::span<const Token> puzzle, Past& past) {
  Values x;
  for (std::size_t i = 0; i < puzzle.size(); i++) {
    x = model.wte[puzzle[i]];
    if (i > 0) x = add(x, model.before[puzzle[i - 1]]);
    past.keys.push_back(linear(x, model.wk));
    past.values.push_back(linear(x, model.wv));
  }
  const Values query = linear(x, model.wq);
  return linear(draft_attention(query, past), model.lm_head);
}

// --- What a GPT adds -------------------------------------------------------------------------------------------------

/// x scaled to a root mean square of 1.
Values draft_rmsnorm(Values x) {
  Value total = 0.0;
  for (const Value xi : x) total = total + xi * xi;
  const Value mean_square = total / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

/// The logits, (V), of the token after token_id, which is at position pos_id.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  const Model::Layer& layer = model.layers[0];
  Values x = add(model.wte[token_id], model.wpe[pos_id]);  // which letter, and where it is
  x = draft_rmsnorm(x);

  const Values normed = draft_rmsnorm(x);
  past.keys.push_back(linear(normed, layer.attn_wk));
  past.values.push_back(linear(normed, layer.attn_wv));
  const Values found = draft_attention(linear(normed, layer.attn_wq), past);
  x = add(linear(found, layer.attn_wo), x);  // stop: residual

  const Values hidden = relu(linear(draft_rmsnorm(x), layer.mlp_fc1));
  x = add(linear(hidden, layer.mlp_fc2), x);
  return linear(x, model.lm_head);
}

/// The mean of -log p(next token) over a name. A name longer than the block is cut off.
Value draft_loss(const Model& model, std::span<const Token> tokens) {
  Past past;
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
  }));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_table_size(lesson);
  show_example(lesson, draft_attention);
  show_typical_scores();
  show_puzzle(lesson, draft_answer);

  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_head = 1};
  const Model model = draw_gpt(config, lesson.random);
  lesson.line(fmt::format("num params: {}", model.params.size()));
  const Loss loss = [&](std::span<const Token> tokens) { return draft_loss(model, tokens); };
  train(loss, model.params, sgd_update, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 0.1},
        [&](std::size_t step, double value) { lesson.step(step, 1000, value); });
  show_names(lesson, model, draft_gpt);
  const Grid early = show_where_it_looks(lesson, model, loss, draft_gpt, 1000);
  train(loss, model.params, sgd_update, lesson.documents, lesson.tokenizer,
        {.num_steps = 10000, .first_step = 1000, .learning_rate = 0.1});
  const Grid late = show_where_it_looks(lesson, model, loss, draft_gpt, 10000);
  show_pictures(lesson, early, late);
  check_draft(lesson, model, loss);
  return lesson.finish();
}
