// Lesson 07: attention. Each position asks a question (its query); each position so far holds up a key; where query and
// key agree, that position's value flows over. Around it stands what makes it work: positions, RMSNorm, the residual
// connection. One head, one block. The training loop is that of lesson 05.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "inspect/plot.h"
#include "lesson/lesson.h"
#include "scalar/gpt.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"

using namespace microgpt;

std::function<bool(const char*)> broken;  // by --break

/// What the positions so far have left behind, one of each for every position.
struct Past {
  std::vector<Values> keys, values;  // (C)
  std::vector<Values> weights;       // (t + 1): how position t looked back; kept only to be shown
};

/// x scaled to a root mean square of 1.
Values draft_rmsnorm(Values x) {
  Value total = 0.0;
  for (const Value xi : x) total = total + xi * xi;
  const Value mean_square = total / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

/// One position looks back over all positions so far, its own among them.
Values draft_attention(Values x, const Model::Layer& layer, Past& past) {
  const Values query = linear(x, layer.attn_wq);    // what this position looks for
  past.keys.push_back(linear(x, layer.attn_wk));    // what it can be found by
  past.values.push_back(linear(x, layer.attn_wv));  // what it has to say
  const std::size_t n = past.keys.size();           // no mask: what comes later is not there yet
  const double sqrt_head_dim = broken("no-sqrt") ? 1 : std::sqrt(static_cast<double>(x.size()));

  const Values scores(n, [&](std::size_t t) { return dot(query, past.keys[t]) / sqrt_head_dim; });
  const Values weights = softmax(broken("softmax-twice") ? softmax(scores) : scores);  // stop: scores
  const Values mixture(x.size(), [&](std::size_t j) {
    Value total = 0.0;
    for (std::size_t t = 0; t < n; t++) total = total + weights[t] * past.values[t][j];
    return total;
  });
  past.weights.push_back(weights);  // stop: mixture
  if (broken("detached")) {         // those that come later get copies
    past.keys.back() = detach(past.keys.back());
    past.values.back() = detach(past.values.back());
  }
  return linear(mixture, layer.attn_wo);
}

/// The logits, (V), of the token after token_id, which stands at position pos_id.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  const Model::Layer& layer = model.layers[0];
  Values x = model.wte[token_id];
  if (!broken("no-positions")) x = add(x, model.wpe[pos_id]);
  if (!broken("no-first-norm")) x = draft_rmsnorm(x);
  if (!broken("no-attention")) {
    const Values normed = broken("no-second-norm") ? x : draft_rmsnorm(x);
    x = add(draft_attention(normed, layer, past), x);  // the residual connection: what is new is added to what was
  }
  x = add(linear(relu(linear(draft_rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2), x);  // stop: residual
  return linear(x, model.lm_head);
}

Loss draft_loss(const Model& model) {
  return [&model](std::span<const Token> tokens) {
    Past past;
    const std::size_t n = std::min(model.config.block_size, tokens.size() - 1);  // a longer name is cut off here
    return mean(Values(n, [&](std::size_t pos_id) {
      return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
    }));
  };
}

void show_attention(const Lesson& lesson, const Model& model, const std::string& file) {
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(lesson.documents.back());
  const std::size_t n = std::min(model.config.block_size, tokens.size() - 1);
  Past past;
  for (std::size_t i = 0; i < n; i++) draft_gpt(model, tokens[i], i, past);
  const Grid grid = attention_grid(past.weights, tokens, lesson.tokenizer);
  fmt::print("{}▒▒ is an even share, darker is more\n{}", numbers(grid), shades(times_even_share(grid)));
  lesson.picture(file, heat_map("lesson 07, attention", times_even_share(grid)));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  broken = [&](const char* idea) { return lesson.broken(idea); };
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_head = 1};
  std::vector<Parameters::Shape> shapes = gpt_shapes(config);
  std::rotate(shapes.begin() + 2, shapes.begin() + 3, shapes.end());  // lm_head is drawn last here
  Parameters parameters(shapes);
  draw_weights(parameters, 0.08, lesson.random);
  const Model model(config, parameters);
  lesson.line(fmt::format("num params: {}", parameters.size()));

  Sgd sgd;
  train(draft_loss(model), parameters, sgd, lesson.documents, lesson.tokenizer,
        {.num_steps = 1000, .learning_rate = 0.1},
        [&](std::size_t step, double loss) { lesson.step(step, 1000, loss); });
  lesson.picture("07_loss.svg", loss_curve("Lesson 07: one head of attention, trained with SGD", lesson.losses()));
  for (int i = 0; i < 20; i++) {
    Past past;
    const Scope scope;
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(draft_gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16)));
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());

  auto judge = [&](const char* what, const Loss& loss) {
    const Estimate e = mean_loss(loss, lesson.held_out(9000), lesson.tokenizer);
    fmt::print("\n--- {}: held-out loss {:.4f} +- {:.4f} ---\n", what, e.mean, e.standard_error);
  };
  judge("after 1000 steps", draft_loss(model));
  show_attention(lesson, model, "07_attention.svg");
  train(draft_loss(model), parameters, sgd, lesson.documents, lesson.tokenizer,
        {.num_steps = 9000, .learning_rate = 0.1});
  judge("after 9000 more", draft_loss(model));
  show_attention(lesson, model, "07_attention_more.svg");

  fmt::print("\n--- two norms in a row ---\n");
  const Scope scope;
  auto rms = [](Values x) { return std::sqrt(dot(x, x).data() / static_cast<double>(x.size())); };
  const Values x = add(model.wte[lesson.tokenizer.bos()], model.wpe[0]);
  const Values once = draft_rmsnorm(x);
  fmt::print("root mean square of BOS + position 0: {:.6f}; after a norm: {:.6f}; after a second one: {:.6f}\n", rms(x),
             rms(once), rms(draft_rmsnorm(once)));

  fmt::print("\n--- the draft, and src/scalar/gpt.h with n_head = 1, on the first name ---\n");
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss src_loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const LossAndGradient draft = loss_and_gradient(draft_loss(model), parameters, first);
  const LossAndGradient src = loss_and_gradient(src_loss, parameters, first);
  fmt::print("loss {:.6f} and {:.6f}, gradients up to {:.6f} apart\n", draft.loss, src.loss,
             largest_difference(draft.gradient, src.gradient));
  lesson.check("the same loss, bit for bit", draft.loss == src.loss);
  lesson.check("the same gradient of every parameter, bit for bit", draft.gradient == src.gradient);
  for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"}) {
    const double error = largest_slope_error(draft_loss(model), parameters, name, first);
    lesson.check(fmt::format("nudging each weight of {} shows that gradient ({:.6f} off)", name, error), error < 1e-6);
  }
  return lesson.finish();
}
