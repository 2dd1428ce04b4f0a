// Generates new names on the tensor path. The scalar path's functions are in src/microgpt.cpp.
#pragma once

#include <cstddef>
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

}  // namespace microgpt
