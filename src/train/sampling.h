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

/// The next token, drawn in proportion to softmax(logits / temperature). Throws Error if the logits are not finite.
/// T is float or double, here and below.
template <class T>
Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random);

/// How long a new document gets if the model never ends it and block_size allows it.
inline constexpr std::size_t max_new_tokens = 1000;

/// A new document of at most decoder.length() tokens. It begins with `prompt`.
template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {});

/// The same for `num` documents, decoder.documents() side by side, which is faster. Each document has random numbers of
/// its own: document i is the same for every `num` above i, and however many grow side by side.
template <class T>
std::vector<std::vector<Token>> sample_many(Decoder<T>& decoder, std::size_t num, double temperature,
                                            std::uint64_t seed, std::span<const Token> prompt = {});

}  // namespace microgpt
