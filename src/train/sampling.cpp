#include "train/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/counter_random.h"
#include "base/python_random.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "train/generate.h"
#include "train/ngram.h"

namespace microgpt {

template <class T>
static Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random) {
  const double max_val = *std::max_element(logits.begin(), logits.end());
  std::vector<double> weights(logits.begin(), logits.end());
  for (double& weight : weights) weight = std::exp((weight - max_val) / std::max(temperature, coldest));
  return random.choice(weights);
}

template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random, std::span<const Token> prompt,
                          const Mixture* mixture) {
  decoder.reset();
  std::vector<Token> tokens;
  auto next = [&](Token token_id, std::size_t pos_id) {
    const std::span<T> logits = decoder.next(token_id);
    tokens.push_back(token_id);
    if (pos_id < prompt.size()) return prompt[pos_id];
    if (mixture) mixture->mix(logits, tokens);
    return draw_token<T>(logits, temperature, random);
  };
  return generate(next, decoder.config().vocab_size - 1, decoder.length());
}

template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t first, std::size_t num, double temperature,
                                            std::uint64_t seed, std::span<const Token> prompt, const Mixture* mixture) {
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
        const std::span<T> row{logits.row(i), logits.cols};
        if (t < prompt.size()) {
          last[i] = prompt[t];
        } else {
          if (mixture) {
            std::vector<Token> tokens{bos};
            tokens.insert(tokens.end(), document.begin(), document.end());
            mixture->mix(row, tokens);
          }
          last[i] = draw(row, temperature, counter_uniform(counter_bits(seed, first + growing[i]), t));
        }
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

template <class T>
std::vector<double> probabilities(View<T> logits) {
  std::vector<double> p(logits.data, logits.data + logits.cols);
  const double largest = *std::max_element(p.begin(), p.end());
  double total = 0;
  for (double& x : p) total += x = std::exp(x - largest);
  require_drawable(total);
  for (double& x : p) x /= total;
  return p;
}

template <class T>
std::vector<double> surprises(Decoder<T>& decoder, std::span<const Token> document, const Mixture* mixture) {
  decoder.reset(0);
  std::vector<double> nats;
  for (std::size_t i = 0; i + 1 < document.size() && i < decoder.length(); i++) {
    double p = probabilities(decoder.next(document.subspan(i, 1)))[document[i + 1]];
    if (mixture) p = mixed(mixture->share, p, mixture->counts(document, i + 1));
    nats.push_back(-std::log(p));
  }
  return nats;
}

template std::vector<double> probabilities(View<float>);
template std::vector<double> probabilities(View<double>);
template std::vector<double> surprises(Decoder<float>&, std::span<const Token>, const Mixture*);
template std::vector<double> surprises(Decoder<double>&, std::span<const Token>, const Mixture*);
template std::vector<Token> sample(Decoder<float>&, double, PythonRandom&, std::span<const Token>, const Mixture*);
template std::vector<Token> sample(Decoder<double>&, double, PythonRandom&, std::span<const Token>, const Mixture*);
template std::vector<std::vector<Token>> sample_many(Decoder<float>&, std::size_t, std::size_t, double, std::uint64_t,
                                                     std::span<const Token>, const Mixture*);
template std::vector<std::vector<Token>> sample_many(Decoder<double>&, std::size_t, std::size_t, double, std::uint64_t,
                                                     std::span<const Token>, const Mixture*);

}  // namespace microgpt
