// Inventing text: the model's prediction becomes probabilities, one token is drawn and fed back, until BOS is drawn.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/tokenizer.h"
#include "scalar/values.h"

namespace microgpt {

class PythonRandom;
struct Model;
template <class T>
class Decoder;

/// The next token, drawn in proportion to softmax(logits / temperature). A temperature below 1 makes likely tokens
/// likelier still, above 1 it evens them out. Throws Error if the logits are not finite.
Token draw_token(Values logits, double temperature, PythonRandom& random);

/// The same for the tensor path.
template <class T>
Token draw_token(std::span<const T> logits, double temperature, PythonRandom& random);

/// The logits, (V), of the token after the given one, which stands at the given position.
using Predict = std::function<Values(Token token_id, std::size_t pos_id)>;

/// A new document: what `predict` says comes after BOS, then after that, until BOS or max_tokens. It begins
/// with `prompt`.
std::vector<Token> sample(const Predict& predict, Token bos, std::size_t max_tokens, double temperature,
                          PythonRandom& random, std::span<const Token> prompt = {});

/// The same of a GPT; at most block_size tokens.
std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {});

/// The same of a GPT on the tensor path. T is float or double.
template <class T>
std::vector<Token> sample(Decoder<T>& decoder, double temperature, PythonRandom& random,
                          std::span<const Token> prompt = {});

}  // namespace microgpt
