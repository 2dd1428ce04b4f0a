// Generates new names on the tensor path. The scalar path's functions are in src/microgpt.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

class PythonRandom;
template <class T>
class Decoder;
struct Mixture;
template <class T>
struct View;

/// How the next token is drawn: in proportion to softmax(logits / temperature), at a temperature of 0 the likeliest.
struct Sampling {
  Sampling(double temperature_, std::size_t top_k_ = 0, double top_p_ = 1, const Mixture* mixture_ = nullptr)
      : temperature(temperature_), top_k(top_k_), top_p(top_p_), mixture(mixture_) {}

  double temperature;
  std::size_t top_k;       // only among so many of the likeliest; 0: all
  double top_p;            // only among the likeliest that together have this probability
  const Mixture* mixture;  // whose logits these are; null: the GPT's
};

/// Sets the logits of the tokens that are not to be drawn to minus infinity. T is float or double, here and below.
template <class T>
void keep_likeliest(std::span<T> logits, const Sampling& sampling);

/// How long a new document gets if the model never ends it and block_size allows it.
inline constexpr std::size_t max_new_tokens = 1000;

/// A new document of at most decoder.length() tokens. It begins with `prompt`.
template <class T>
std::vector<Token> sample(Decoder<T>& decoder, const Sampling& sampling, PythonRandom& random,
                          std::span<const Token> prompt = {});

/// The same for documents first, first + 1, ..., `num` in all, decoder.documents() side by side, which is faster. Each
/// document has random numbers of its own: it is the same wherever one begins, and however many grow side by side.
template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t first, std::size_t num,
                                            const Sampling& sampling, std::uint64_t seed,
                                            std::span<const Token> prompt = {});

/// softmax(logits), which are logits of one position. Throws Error if they are not finite.
template <class T>
std::vector<double> probabilities(View<T> logits);

/// How surprising each token of a document, BOS ... BOS, is after those before it: -log p, in nats. Only the first
/// decoder.length() predictions count.
template <class T>
std::vector<double> surprises(Decoder<T>& decoder, std::span<const Token> document, const Mixture* mixture = nullptr);

}  // namespace microgpt
