#include "train/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/counter_random.h"
#include "base/python_random.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
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

template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t num, double temperature,
                                            std::uint64_t seed, std::span<const Token> prompt) {
  const Token bos = decoder.config().vocab_size - 1;
  std::vector<std::vector<Token>> documents(num);
  std::vector<std::size_t> growing(std::min(num, decoder.documents()));  // which document grows in each row
  std::iota(growing.begin(), growing.end(), 0);
  std::vector<Token> last(growing.size(), bos);
  for (std::size_t i = 0; i < growing.size(); i++) decoder.reset(i);
  std::size_t next = growing.size(), unfinished = decoder.length() > 0 ? num : 0;
  while (unfinished > 0) {
    const View<T> logits = decoder.next(last);
    for (std::size_t i = 0; i < growing.size(); i++) {
      if (growing[i] < num) {
        std::vector<Token>& document = documents[growing[i]];
        const std::size_t t = document.size();
        const double uniform = counter_uniform(counter_bits(seed, growing[i]), t);
        last[i] = t < prompt.size() ? prompt[t] : draw<T>({logits.row(i), logits.cols}, temperature, uniform);
        if (last[i] != bos) document.push_back(last[i]);
        if (last[i] != bos && document.size() < decoder.length()) continue;
        growing[i] = next < num ? next++ : num;
        unfinished--;
      }
      decoder.reset(i);  // for the next document; if there is none, what grows in this row is nobody's
      last[i] = bos;
    }
  }
  return documents;
}

template Token draw_token(std::span<const float>, double, PythonRandom&);
template Token draw_token(std::span<const double>, double, PythonRandom&);
template std::vector<Token> sample(Decoder<float>&, double, PythonRandom&, std::span<const Token>);
template std::vector<Token> sample(Decoder<double>&, double, PythonRandom&, std::span<const Token>);
template std::vector<std::vector<Token>> sample_many(Decoder<float>&, std::size_t, double, std::uint64_t,
                                                     std::span<const Token>);
template std::vector<std::vector<Token>> sample_many(Decoder<double>&, std::size_t, double, std::uint64_t,
                                                     std::span<const Token>);

}  // namespace microgpt
