// Two models that generate together: each token is drawn from the weighted mean of their probabilities.
//
// The documents are those of the first model, in its letters. What the other does not know has no probability with it.
// Once a document has such a letter, or is longer than the other's block, the first model goes on alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/decoder.h"
#include "train/checkpoint.h"

namespace microgpt {

template <class T>
class Blend : public Decoder<T> {
 public:
  /// For up to N documents of `model`, whose letters are those of `tokenizer`. The probabilities of `other` count with
  /// this weight, from 0 to 1.
  Blend(TensorModel<T>& model, const Tokenizer& tokenizer, const Checkpoint& other, double weight, std::size_t N);

  void reset(std::size_t i) override;
  View<T> next(std::span<const Token> tokens) override;

 private:
  TensorModel<T> other_model_;
  Decoder<T> other_;
  double weight_;
  std::vector<Token> theirs_;      // (V) what each token is to the other model; its vocab_size: it does not know it
  std::vector<std::size_t> read_;  // (N) how much of each document it has read
  std::vector<bool> is_silent_;    // (N) whether it had to stop
};

}  // namespace microgpt
