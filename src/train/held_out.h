// How good a trained model is at names it has never seen.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/split.h"

namespace microgpt {

class PythonRandom;
class Tokenizer;
template <class T>
struct TensorModel;

/// The mean over all predictions in all documents, long or short, of -log p(next token), in nats.
template <class T>
double token_loss(TensorModel<T>& model, std::span<const Document> documents, const Tokenizer& tokenizer,
                  std::size_t threads);

/// The same of counting pairs in the training documents: what a model has to beat.
double bigram_token_loss(const Split& split, const Tokenizer& tokenizer);

/// What there is to say of a model.
struct Quality {
  double loss = 0;                 // token_loss of the held-out documents
  double bigram_loss = 0;          // that of counting
  std::size_t predictions = 0;     // how many it is the mean of
  double new_share = 0;            // of 1,000 invented names: how many are in none of the documents, from 0 to 1
  std::vector<std::string> names;  // the first 20 of them
};

/// Invents the names at this temperature.
template <class T>
Quality judge(TensorModel<T>& model, const Split& split, const Tokenizer& tokenizer, double temperature,
              PythonRandom& random, std::size_t threads);

}  // namespace microgpt
