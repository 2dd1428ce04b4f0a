#include "train/sampling.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "scalar/ops.h"

namespace microgpt {

Token draw_token(Values logits, double temperature, PythonRandom& random) {
  const Values probs = softmax(Values(logits.size(), [&](std::size_t i) { return logits[i] / temperature; }));
  const std::vector<double> weights = probs.data();
  if (!std::ranges::all_of(weights, [](double p) { return std::isfinite(p); })) {
    throw Error("the model's predictions are not numbers any more; train it with a smaller --lr");
  }
  return random.choice(weights);
}

std::vector<Token> sample(const Predict& predict, Token bos, std::size_t max_tokens, double temperature,
                          PythonRandom& random, std::span<const Token> prompt) {
  const Scope scope;
  std::vector<Token> tokens;
  Token token_id = bos;
  for (std::size_t pos_id = 0; pos_id < max_tokens; pos_id++) {
    const Values logits = predict(token_id, pos_id);
    const bool given = pos_id < prompt.size();
    token_id = given ? prompt[pos_id] : draw_token(logits, temperature, random);
    if (token_id == bos) break;
    tokens.push_back(token_id);
  }
  return tokens;
}

std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random, std::span<const Token> prompt) {
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  auto predict = [&](Token token_id, std::size_t pos_id) { return gpt(model, token_id, pos_id, keys, values); };
  return sample(predict, model.config.vocab_size - 1, model.config.block_size, temperature, random, prompt);
}

}  // namespace microgpt
