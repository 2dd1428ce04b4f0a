// gpt() one position at a time, as sampling needs it: the keys and values of the positions before are kept (a KV
// cache), so a new token costs one row of work.
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

  /// What the caches of all layers keep: of block_size tokens, and of one. base/attention_shape.h foretells it.
  std::size_t cache_bytes() const;
  std::size_t cache_bytes_per_token() const { return cache_bytes() / config().block_size; }

  /// Begins another document.
  void reset() { position_ = 0; }

  /// The logits, (V), of what comes after this token, which stands after those before it. At most block_size tokens to
  /// a document. Valid until the next call.
  std::span<const T> next(Token token);

 private:
  TensorModel<T>& model_;
  const Kernels<T>& kernels_;
  std::size_t position_ = 0;
  std::vector<AttentionCache<T>> caches_;         // of each layer
  Tensor<T> x_, x_norm_, hidden_, out_, logits_;  // (1,C), (1,C), (1,4C), (1,C), (1,V)
};

}  // namespace microgpt
