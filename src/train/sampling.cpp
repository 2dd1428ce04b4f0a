#include "train/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/counter_random.h"
#include "base/python_random.h"
#include "tensor/decoder.h"
#include "tensor/draw.h"
#include "train/generate.h"
#include "train/ngram.h"

namespace microgpt {

template <class T>
void keep_likeliest(std::span<T> logits, const Sampling& sampling) {
  if (sampling.top_k == 0 && sampling.top_p >= 1) return;
  std::vector<Token> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) { return logits[a] > logits[b]; });
  std::vector<double> weights;
  for (const Token token : order) {
    weights.push_back(std::exp((logits[token] - logits[order[0]]) / std::max(sampling.temperature, coldest)));
  }
  const double enough = sampling.top_p * std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  std::size_t kept = 0;
  while (kept < order.size() && (kept < sampling.top_k || sampling.top_k == 0) && (kept == 0 || sum < enough)) {
    sum += weights[kept++];
  }
  for (; kept < order.size(); kept++) logits[order[kept]] = -std::numeric_limits<T>::infinity();
}

template <class T>
static Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random) {
  const double max_val = *std::max_element(logits.begin(), logits.end());
  std::vector<double> weights(logits.begin(), logits.end());
  for (double& weight : weights) weight = std::exp((weight - max_val) / std::max(temperature, coldest));
  return random.choice(weights);
}

template <class T>
std::vector<Token> sample(Decoder<T>& decoder, const Sampling& sampling, PythonRandom& random,
                          std::span<const Token> prompt) {
  decoder.reset();
  std::vector<Token> tokens;
  auto next = [&](Token token_id, std::size_t pos_id) {
    const std::span<T> logits = decoder.next(token_id);
    tokens.push_back(token_id);
    if (pos_id < prompt.size()) return prompt[pos_id];
    if (sampling.mixture) sampling.mixture->mix(logits, tokens);
    keep_likeliest(logits, sampling);
    return draw_token<T>(logits, sampling.temperature, random);
  };
  return generate(next, decoder.config().vocab_size - 1, decoder.length());
}

template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t first, std::size_t num,
                                            const Sampling& sampling, std::uint64_t seed,
                                            std::span<const Token> prompt) {
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
          if (sampling.mixture) {
            std::vector<Token> tokens{bos};
            tokens.insert(tokens.end(), document.begin(), document.end());
            sampling.mixture->mix(row, tokens);
          }
          keep_likeliest(row, sampling);
          last[i] = draw(row, sampling.temperature, counter_uniform(counter_bits(seed, first + growing[i]), t));
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
template void keep_likeliest(std::span<float>, const Sampling&);
template void keep_likeliest(std::span<double>, const Sampling&);
template std::vector<Token> sample(Decoder<float>&, const Sampling&, PythonRandom&, std::span<const Token>);
template std::vector<Token> sample(Decoder<double>&, const Sampling&, PythonRandom&, std::span<const Token>);
template std::vector<std::vector<Token>> sample_many(Decoder<float>&, std::size_t, std::size_t, const Sampling&,
                                                     std::uint64_t, std::span<const Token>);
template std::vector<std::vector<Token>> sample_many(Decoder<double>&, std::size_t, std::size_t, const Sampling&,
                                                     std::uint64_t, std::span<const Token>);

}  // namespace microgpt
