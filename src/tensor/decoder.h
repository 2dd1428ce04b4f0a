// gpt() one position at a time, for sampling. It keeps the keys and values of earlier positions (a KV cache), so a new
// token costs one row of work.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/attention_cache.h"
#include "tensor/gpt.h"

namespace microgpt {

/// T is float or double. The model must outlive the decoder.
template <class T>
class Decoder {
 public:
  explicit Decoder(TensorModel<T>& model, const Kernels<T>& kernels = fast<T>(), bool absorbed = true);

  const Config& config() const { return model_.config; }

  /// How many tokens a document can have.
  std::size_t length() const { return model_.length; }

  /// How many bytes the caches of all layers hold, for length() tokens and for one. cache_bytes() in
  /// base/attention_shape.h predicts it.
  std::size_t cache_bytes() const;
  std::size_t cache_bytes_per_token() const { return cache_bytes() / length(); }

  /// Starts a new document.
  void reset() { position_ = 0; }

  /// Appends this token and returns the logits, (V), of the next one. They are valid until the next call. A document
  /// has at most length() tokens.
  std::span<const T> next(Token token);

 private:
  TensorModel<T>& model_;
  const Kernels<T>& kernels_;
  std::size_t position_ = 0;
  std::vector<AttentionCache<T>> caches_;         // one per layer
  Tensor<T> x_, x_norm_, hidden_, out_, logits_;  // (1,C), (1,C), (1,4C), (1,C), (1,V)
};

}  // namespace microgpt
