// What a model expects next, as text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

/// The n most likely tokens, the most likely first: "a 0.309, k 0.121". BOS is written ".".
inline std::string likeliest(std::span<const double> probabilities, const Tokenizer& tokenizer, std::size_t n) {
  std::vector<Token> order(probabilities.size());
  std::iota(order.begin(), order.end(), Token{0});
  std::sort(order.begin(), order.end(), [&](Token a, Token b) {
    return probabilities[a] > probabilities[b] || (probabilities[a] == probabilities[b] && a < b);
  });
  order.resize(std::min(n, order.size()));
  std::string text;
  for (Token token : order) {
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", tokenizer.label(token), probabilities[token]);
  }
  return text;
}

}  // namespace microgpt
