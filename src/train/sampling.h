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

/// How long a new document gets if the model never ends it and block_size allows it.
inline constexpr std::size_t max_new_tokens = 1000;

/// A new document of at most decoder.length() tokens, which begins with `prompt`. Each token is drawn in proportion to
/// softmax(logits / temperature), at a temperature of 0 the likeliest; the logits are the mixture's, if there is one. T
/// is float or double, here and below.
template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {}, const Mixture* mixture = nullptr);

/// The same for documents first, first + 1, ..., `num` in all, decoder.documents() side by side, which is faster. Each
/// document has random numbers of its own: it is the same wherever one begins, and however many grow side by side.
template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t first, std::size_t num, double temperature,
                                            std::uint64_t seed, std::span<const Token> prompt = {},
                                            const Mixture* mixture = nullptr);

/// softmax(logits), which are logits of one position. Throws Error if they are not finite.
template <class T>
std::vector<double> probabilities(View<T> logits);

/// How surprising each token of a document, BOS ... BOS, is after those before it: -log p, in nats. Only the first
/// decoder.length() predictions count.
template <class T>
std::vector<double> surprises(Decoder<T>& decoder, std::span<const Token> document, const Mixture* mixture = nullptr);

}  // namespace microgpt
