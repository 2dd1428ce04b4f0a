#include "tensor/decoder.h"

#include <array>

namespace microgpt {

template <class T>
Decoder<T>::Decoder(TensorModel<T>& model, const Kernels<T>& kernels, bool absorbed)
    : model_(model), kernels_(kernels) {
  for (const typename TensorModel<T>::Layer& layer : model.layers) {
    caches_.emplace_back(layer.attention, model.length, absorbed);
  }
  for (Tensor<T>* tensor : {&x_, &x_norm_, &out_}) tensor->resize(1, model.config.n_embd);
  hidden_.resize(1, 4 * model.config.n_embd);
  logits_.resize(1, model.config.vocab_size);
}

template <class T>
std::size_t Decoder<T>::cache_bytes() const {
  std::size_t bytes = 0;
  for (const AttentionCache<T>& cache : caches_) bytes += cache.bytes();
  return bytes;
}

template <class T>
std::span<const T> Decoder<T>::next(Token token) {
  const std::array<Token, 1> tokens{token};
  const std::array<std::size_t, 1> positions{position_};
  const View<T> x = x_.view();
  const View<T> x_norm = x_norm_.view();
  const View<T> out = out_.view();
  T scale;  // of rmsnorm; only the backward needs it

  kernels_.embedding_forward(out, tokens, positions, model_.wte.data.view(), model_.wpe.data.view());
  kernels_.rmsnorm_forward(x, &scale, out);
  for (std::size_t li = 0; li < caches_.size(); li++) {
    const typename TensorModel<T>::Layer& layer = model_.layers[li];

    // 1) Attention.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    caches_[li].decode(out, x_norm, kernels_, model_.mask, position_);
    kernels_.add_forward(x, out, x);

    // 2) MLP.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    kernels_.linear_forward(hidden_.view(), x_norm, layer.mlp_fc1, {});
    kernels_.activation_forward(hidden_.view(), hidden_.view(), model_.config.activation);
    kernels_.linear_forward(x, hidden_.view(), layer.mlp_fc2, x);
  }
  kernels_.linear_forward(logits_.view(), x, model_.lm_head, {});
  position_++;
  return {logits_.view().data, logits_.view().cols};
}

template class Decoder<float>;
template class Decoder<double>;

}  // namespace microgpt
