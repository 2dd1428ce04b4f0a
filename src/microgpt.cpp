// The whole algorithm, from a file of names to new ones, in the order of Karpathy's microgpt.py:
//
//   text -> tokens -> parameters -> logits -> loss -> gradients -> Adam -> names
//
// `microgpt train` runs these lines. What they use stands in scalar/, a few lines each: Value, a number that remembers
// how it was computed (value.h); Values, a list of them; Matrix, a matrix of parameters; and in ops.h linear(x, w), the
// product of a matrix and a list; softmax, which makes probabilities of any numbers; and rmsnorm, which scales a list
// to a mean square of 1. Everything else in src checks these lines, does the same faster, or looks at what they do.
//
// Sizes: T most tokens of a name, C width of the model, H heads, D = C / H numbers in a head, V different tokens.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/libm.h"
#include "base/python_random.h"
#include "base/schedule.h"
#include "base/split.h"
#include "scalar/gpt.h"
#include "scalar/ops.h"

namespace microgpt {

// --- 1. Text to tokens to parameters ---------------------------------------------------------------------------------

Start prepare(const std::string& path, bool hold_out, Config& config, PythonRandom& random) {
  std::vector<Document> documents = read_documents(path);  // a document is a line: one name
  Tokenizer tokenizer(documents);  // a -> 0, b -> 1, ...; the highest token is BOS, which begins and ends a name
  config.vocab_size = tokenizer.vocab_size();
  if (hold_out) documents = split(documents).training;  // a tenth is kept back, to evaluate the model on new names
  random.shuffle(documents);
  validate(config);
  return {std::move(documents), std::move(tokenizer)};
}

// The parameters are all that the model knows; they begin random: initialize(). A row of wte says what a token means, a
// row of wpe what a position means. Each layer has four matrices for attention, which looks at earlier tokens, and two
// for an MLP ("multilayer perceptron"), which works on what was found. lm_head makes logits: a score for each token.
Model::Model(const Config& config_, const Parameters& parameters)
    : config(config_), wte(parameters["wte"]), wpe(parameters["wpe"]), lm_head(parameters["lm_head"]) {
  if (!config.is_plain()) throw UsageError("the scalar path has multi-head attention only, no " + config.attention());
  for (std::size_t i = 0; i < config.n_layer; i++) {
    auto matrix = [&](const char* name) { return Matrix(parameters["layer" + std::to_string(i) + "." + name]); };
    layers.push_back({matrix("attn_wq"), matrix("attn_wk"), matrix("attn_wv"), matrix("attn_wo"), matrix("mlp_fc1"),
                      matrix("mlp_fc2")});
  }
}

// --- 2. The model: in goes a token with its position, out comes a score for each possible next token -----------------

// x, the "residual stream", is a list of C Values. Every layer reads it and adds something to it. keys and values
// remember the earlier positions of each layer; gpt() appends this one to them.
Values gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values) {
  const std::size_t H = model.config.n_head;
  const std::size_t D = model.config.head_dim();
  const double sqrt_head_dim = libm_pow(static_cast<double>(D), 0.5);

  const Values tok_emb = model.wte[token_id];
  const Values pos_emb = model.wpe[pos_id];
  Values x = add(tok_emb, pos_emb);  // what the token is, and where it stands
  x = rmsnorm(x);                    // needed although every layer begins with one: this x is kept as x_residual

  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];

    // 1) Multi-head attention: each head looks back over the positions so far with its own slice of q, k and v, so that
    // each can look for something else.
    Values x_residual = x;
    x = rmsnorm(x);
    const Values q = linear(x, layer.attn_wq);  // what this position looks for
    const Values k = linear(x, layer.attn_wk);  // what it offers to those that look
    const Values v = linear(x, layer.attn_wv);  // what it hands over if it is found
    keys[li].push_back(k);
    values[li].push_back(v);
    std::vector<Value> x_attn;
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t hs = h * D;  // head h has the numbers hs to hs + D - 1 of q, k and v
      const Values q_h = q.slice(hs, D);
      auto k_h = [&](std::size_t t) { return keys[li][t].slice(hs, D); };
      auto v_h = [&](std::size_t t) { return values[li][t].slice(hs, D); };
      const Values attn_logits(pos_id + 1, [&](std::size_t t) { return dot(q_h, k_h(t)) / sqrt_head_dim; });
      const Values attn_weights = softmax(attn_logits);  // positive, with a sum of 1: how much of each position
      const Values head_out(D, [&](std::size_t j) {      // the positions' v_h, each times its weight, added up
        return dot(attn_weights, Values(pos_id + 1, [&](std::size_t t) { return v_h(t)[j]; }));
      });
      for (const Value out : head_out) x_attn.push_back(out);  // the heads' results stand side by side: C numbers
    }
    x = linear(Values(x_attn), layer.attn_wo);  // mixes what the heads found
    x = add(x, x_residual);

    // 2) MLP: each position by itself is widened to 4C numbers and narrowed to C again.
    x_residual = x;
    x = rmsnorm(x);
    x = linear(x, layer.mlp_fc1);
    x = activate(x, model.config.activation);  // ReLU: what is negative becomes 0
    x = linear(x, layer.mlp_fc2);
    x = add(x, x_residual);
  }
  return linear(x, model.lm_head);
}

// --- 3. The loss: how surprised the model is by a document -----------------------------------------------------------

// tokens is BOS, the name, BOS. Each token is predicted from those before it, so "emma" is five predictions. The loss
// of a prediction is -log of the probability that the model gave to the token that came; the loss of a name is their
// mean. A name of more than T predictions is cut off.
Value document_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.config.block_size, tokens.size() - 1);
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  return mean(Values(n, [&](std::size_t pos_id) {
    const Values logits = gpt(model, tokens[pos_id], pos_id, keys, values);
    return cross_entropy(logits, tokens[pos_id + 1]);
  }));
}

// --- 4. Adam: from gradients to better parameters --------------------------------------------------------------------

Adam::Adam(const TrainConfig& train, std::size_t n)
    : beta1_(train.beta1), beta2_(train.beta2), eps_(train.eps_adam), m_(n), v_(n), squares_(n), v_hat_(n), roots_(n) {}

// The gradient says where the loss grows, so a parameter moves the other way: by learning_rate * m_hat / sqrt(v_hat). m
// is a running mean of its gradients, in which recent ones count more; v is the same of their squares. Both begin at 0,
// hence too small; the corrections make up for that. (All squares at once, and all roots, are faster than one by one.)
void Adam::update(Parameters& parameters, double learning_rate, std::size_t step) {
  const std::span<double> data = parameters.data();
  const std::span<double> grad = parameters.grad();
  const double m_correction = 1 - libm_pow(beta1_, static_cast<double>(step + 1));
  const double v_correction = 1 - libm_pow(beta2_, static_cast<double>(step + 1));
  libm_squares(grad, squares_);
#pragma omp simd  // no array overlaps another
  for (std::size_t i = 0; i < data.size(); i++) {
    m_[i] = beta1_ * m_[i] + (1 - beta1_) * grad[i];
    v_[i] = beta2_ * v_[i] + (1 - beta2_) * squares_[i];
    v_hat_[i] = v_[i] / v_correction;
    grad[i] = 0;  // backward() adds to it in the next step
  }
  libm_roots(v_hat_, roots_);
#pragma omp simd
  for (std::size_t i = 0; i < data.size(); i++) {
    const double m_hat = m_[i] / m_correction;
    data[i] -= learning_rate * m_hat / (roots_[i] + eps_);
  }
}

// --- 5. Training: forward, backward, update; then the next name ------------------------------------------------------

double train_step(const Loss& loss, std::span<const Token> tokens, Parameters& parameters, Optimizer& optimizer,
                  double learning_rate, std::size_t step) {
  const Scope scope;  // all Values made from here on are discarded when the step ends; the parameters stay
  const Value mean_loss = loss(tokens);
  if (!std::isfinite(mean_loss.data())) throw Diverged(step + 1, mean_loss.data());
  mean_loss.backward();
  optimizer.update(parameters, learning_rate, step);
  return mean_loss.data();
}

void train(const Loss& loss, Parameters& parameters, Optimizer& optimizer, std::span<const Document> documents,
           const Tokenizer& tokenizer, const TrainConfig& how, const OnStep& on_step) {
  for (std::size_t step = how.first_step; step < how.num_steps; step++) {
    const std::vector<Token> tokens = tokenizer.encode_document(documents[step % documents.size()]);
    on_step(step + 1, train_step(loss, tokens, parameters, optimizer, learning_rate(how, step), step));
  }
}

// --- 6. New names: predict, draw, and feed the drawn token back in ---------------------------------------------------

// A temperature below 1 makes likely tokens likelier, one above 1 evens them out.
Token draw_token(Values logits, double temperature, PythonRandom& random) {
  const Values probs = softmax(Values(logits.size(), [&](std::size_t i) { return logits[i] / temperature; }));
  return random.choice(probs.data());
}

// A name begins after BOS. It is finished when BOS is drawn, or when it has max_tokens.
std::vector<Token> generate(const Next& next, Token bos, std::size_t max_tokens) {
  std::vector<Token> tokens;
  Token token_id = bos;
  for (std::size_t pos_id = 0; pos_id < max_tokens; pos_id++) {
    token_id = next(token_id, pos_id);
    if (token_id == bos) break;
    tokens.push_back(token_id);
  }
  return tokens;
}

// A new name. If there is a prompt, it begins with that.
std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random, std::span<const Token> prompt) {
  const Scope scope;
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  auto next = [&](Token token_id, std::size_t pos_id) {
    const Values logits = gpt(model, token_id, pos_id, keys, values);
    return pos_id < prompt.size() ? prompt[pos_id] : draw_token(logits, temperature, random);
  };
  return generate(next, model.config.vocab_size - 1, model.config.block_size);  // BOS is the highest token
}

}  // namespace microgpt
