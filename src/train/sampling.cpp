#include "train/sampling.h"

#include <algorithm>
#include <cmath>

#include "base/python_random.h"
#include "tensor/decoder.h"
#include "train/generate.h"

namespace microgpt {

template <class T>
Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random) {
  const double max_val = *std::max_element(logits.begin(), logits.end());
  std::vector<double> weights;
  for (const double logit : logits) weights.push_back(std::exp((logit - max_val) / temperature));
  return random.choice(weights);
}

template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random,
                          std::span<const Token> prompt) {
  decoder.reset();
  auto next = [&](Token token_id, std::size_t pos_id) {
    const std::span<const T> logits = decoder.next(token_id);
    return pos_id < prompt.size() ? prompt[pos_id] : draw_token(logits, temperature, random);
  };
  return generate(next, decoder.config().vocab_size - 1, decoder.length());
}

template Token draw_token(std::span<const float>, double, PythonRandom&);
template Token draw_token(std::span<const double>, double, PythonRandom&);
template std::vector<Token> sample(Decoder<float>&, double, PythonRandom&, std::span<const Token>);
template std::vector<Token> sample(Decoder<double>&, double, PythonRandom&, std::span<const Token>);

}  // namespace microgpt
