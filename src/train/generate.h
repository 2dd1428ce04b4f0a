// The loop that generates a name with any model, on both paths. The lessons also draw a token from Values here; the
// tensor path draws as sampling.cpp says.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/tokenizer.h"
#include "microgpt.h"

namespace microgpt {

/// Returns the token that follows `token_id` at position `pos_id`.
using Next = std::function<Token(Token token_id, std::size_t pos_id)>;

/// A new document: the token after BOS, then the token after that, until BOS comes or there are max_tokens.
inline std::vector<Token> generate(const Next& next, Token bos, std::size_t max_tokens) {
  std::vector<Token> tokens;
  Token token_id = bos;
  for (std::size_t pos_id = 0; pos_id < max_tokens; pos_id++) {
    token_id = next(token_id, pos_id);
    if (token_id == bos) break;
    tokens.push_back(token_id);
  }
  return tokens;
}

/// The next token, drawn in proportion to softmax(logits / temperature), as sample() in src/microgpt.cpp draws it.
/// Throws Error if the logits are not finite.
inline Token draw_token(List logits, double temperature, PythonRandom& random) {
  for (Value& logit : logits) logit = logit / temperature;
  std::vector<double> weights;
  for (const Value p : softmax(logits)) weights.push_back(p.data());
  return random.choice(weights);
}

}  // namespace microgpt
