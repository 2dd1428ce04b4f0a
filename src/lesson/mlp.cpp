#include "lesson/mlp.h"

#include "scalar/ops.h"

namespace microgpt {

std::vector<Parameters::Shape> mlp_shapes(std::size_t vocab_size, std::size_t n_embd) {
  return {{"wte", vocab_size, n_embd}, {"mlp_fc1", 4 * n_embd, n_embd}, {"mlp_fc2", vocab_size, 4 * n_embd}};
}

Values mlp(const Mlp& model, Token token_id) {
  const Values x = linear(model.wte[token_id], model.mlp_fc1);
  return linear(relu(x), model.mlp_fc2);
}

Value document_loss(const Mlp& model, std::span<const Token> tokens) {
  return mean(
      Values(tokens.size() - 1, [&](std::size_t i) { return cross_entropy(mlp(model, tokens[i]), tokens[i + 1]); }));
}

}  // namespace microgpt
