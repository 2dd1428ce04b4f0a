#include "lesson/mlp.h"

#include <map>

#include "scalar/ops.h"

namespace microgpt {

std::vector<Parameters::Shape> mlp_shapes(std::size_t vocab_size, std::size_t n_embd) {
  return {{"wte", vocab_size, n_embd}, {"mlp_fc1", 4 * n_embd, n_embd}, {"mlp_fc2", vocab_size, 4 * n_embd}};
}

namespace {

Values logits(const Mlp& model, const List& embedding) {
  return linear(relu(linear(embedding, model.mlp_fc1)), model.mlp_fc2);
}

}  // namespace

Values mlp(const Mlp& model, Token token_id) { return logits(model, model.wte[token_id]); }

Value document_loss(const Mlp& model, std::span<const Token> tokens) {
  std::map<Token, List> embeddings;  // each once, so that its whole gradient comes together first
  return mean(Values(tokens.size() - 1, [&](std::size_t i) {
    const auto [row, is_new] = embeddings.try_emplace(tokens[i]);
    if (is_new) row->second = model.wte[tokens[i]];
    return cross_entropy(logits(model, row->second), tokens[i + 1]);
  }));
}

}  // namespace microgpt
