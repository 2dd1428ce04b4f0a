// Evaluates a model of the tensor path on names it has never seen, beside models that only count.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/split.h"

namespace microgpt {

class PythonRandom;
class Tokenizer;
struct Mixture;
template <class T>
struct TensorModel;

/// -log p(next token), in nats, for each prediction in all documents, in their order; a document's first block_size.
template <class T>
std::vector<double> token_losses(TensorModel<T>& model, std::span<const Document> documents, const Tokenizer& tokenizer,
                                 std::size_t threads);

/// Their mean.
template <class T>
double token_loss(TensorModel<T>& model, std::span<const Document> documents, const Tokenizer& tokenizer,
                  std::size_t threads);

/// The same for a bigram model that counts pairs in the training documents: the baseline to beat.
double bigram_token_loss(const Split& split, const Tokenizer& tokenizer);

/// Throws Error if this loss is not finite. `name` says which it is.
void require_finite(const char* name, double loss);

/// The results of an evaluation.
struct Quality {
  double loss = 0;                 // token_loss of the held-out documents, of the mixture if there is one
  double gpt_loss = 0;             // of the GPT alone
  double bigram_loss = 0;          // bigram_token_loss()
  double ngram_loss = 0;           // of an Ngram, the best opponent that only counts
  std::size_t predictions = 0;     // how many predictions `loss` is the mean of
  std::size_t generated = 0;       // how many names: 1,000, or fewer if the alphabet has thousands of characters
  double new_share = 0;            // the share of these names that are not in the data, from 0 to 1
  std::vector<std::string> names;  // the first 20 of them
};

/// Evaluates the model on the held-out documents, and generates names at this temperature. Throws Error if
/// the loss is not finite. With a mixture, that is what predicts and generates.
template <class T>
Quality evaluate(TensorModel<T>& model, const Split& split, const Tokenizer& tokenizer, double temperature,
                 PythonRandom& random, std::size_t threads, const Mixture* mixture = nullptr);

}  // namespace microgpt
