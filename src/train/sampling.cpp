#include "train/sampling.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/python_random.h"
#include "scalar/gpt.h"
#include "scalar/ops.h"
#include "tensor/decoder.h"

namespace microgpt {

namespace {

/// An index in proportion to its weight.
Token draw(std::span<const double> weights, PythonRandom& random) {
  if (!std::all_of(weights.begin(), weights.end(), [](double p) { return std::isfinite(p); })) {
    throw Error("the model's predictions are not numbers any more; train it with a smaller --lr");
  }
  return random.choice(weights);
}

/// BOS, then what next(token, position) makes of each token, until it makes BOS or there are max_tokens.
template <class Next>
std::vector<Token> sample_with(Next next, Token bos, std::size_t max_tokens, std::span<const Token> prompt) {
  std::vector<Token> tokens;
  Token token_id = bos;
  for (std::size_t pos_id = 0; pos_id < max_tokens; pos_id++) {
    const bool given = pos_id < prompt.size();
    token_id = next(token_id, pos_id, given);
    if (given) token_id = prompt[pos_id];
    if (token_id == bos) break;
    tokens.push_back(token_id);
  }
  return tokens;
}

}  // namespace

Token draw_token(Values logits, double temperature, PythonRandom& random) {
  const Values probs = softmax(Values(logits.size(), [&](std::size_t i) { return logits[i] / temperature; }));
  return draw(probs.data(), random);
}

template <class T>
Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random) {
  const double most = *std::max_element(logits.begin(), logits.end());
  std::vector<double> weights;
  for (const double logit : logits) weights.push_back(std::exp((logit - most) / temperature));
  return draw(weights, random);
}

std::vector<Token> sample(const Predict& predict, Token bos, std::size_t max_tokens, double temperature,
                          PythonRandom& random, std::span<const Token> prompt) {
  const Scope scope;
  auto next = [&](Token token_id, std::size_t pos_id, bool given) {
    const Values logits = predict(token_id, pos_id);
    return given ? token_id : draw_token(logits, temperature, random);
  };
  return sample_with(next, bos, max_tokens, prompt);
}

std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random, std::span<const Token> prompt) {
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  auto predict = [&](Token token_id, std::size_t pos_id) { return gpt(model, token_id, pos_id, keys, values); };
  return sample(predict, model.config.vocab_size - 1, model.config.block_size, temperature, random, prompt);
}

template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random,
                          std::span<const Token> prompt) {
  decoder.reset();
  auto next = [&](Token token_id, std::size_t, bool given) {
    const std::span<const T> logits = decoder.next(token_id);
    return given ? token_id : draw_token(logits, temperature, random);
  };
  const Config& config = decoder.config();
  return sample_with(next, config.vocab_size - 1, config.block_size, prompt);
}

template Token draw_token(std::span<const float>, double, PythonRandom&);
template Token draw_token(std::span<const double>, double, PythonRandom&);
template std::vector<Token> sample(Decoder<float>&, double, PythonRandom&, std::span<const Token>);
template std::vector<Token> sample(Decoder<double>&, double, PythonRandom&, std::span<const Token>);

}  // namespace microgpt
