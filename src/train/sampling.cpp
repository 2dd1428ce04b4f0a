#include "train/sampling.h"

#include "scalar/ops.h"

namespace microgpt {
namespace {

Token draw_next(Values logits, double temperature, PythonRandom& random) {
  const Values probs = softmax(Values(logits.size(), [&](std::size_t i) { return logits[i] / temperature; }));
  std::vector<double> weights;
  for (const Value p : probs) weights.push_back(p.data());
  return random.choice(weights);
}

}  // namespace

std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random, std::span<const Token> prompt) {
  const Scope scope;
  Cache keys(model.layers.size());
  Cache values(model.layers.size());
  const Token bos = model.config.vocab_size - 1;
  std::vector<Token> tokens(prompt.begin(), prompt.end());
  Token token_id = bos;
  for (std::size_t pos_id = 0; pos_id < model.config.block_size; pos_id++) {
    const Values logits = gpt(model, token_id, pos_id, keys, values);
    if (pos_id < prompt.size()) {
      token_id = prompt[pos_id];  // given, not drawn
      continue;
    }
    token_id = draw_next(logits, temperature, random);
    if (token_id == bos) break;
    tokens.push_back(token_id);
  }
  return tokens;
}

}  // namespace microgpt
