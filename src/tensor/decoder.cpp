#include "tensor/decoder.h"

#include <array>

namespace microgpt {

template <class T>
Decoder<T>::Decoder(TensorModel<T>& model, const Kernels<T>& kernels)
    : model_(model), kernels_(kernels), caches_(model.config.n_layer) {
  const std::size_t C = model.config.n_embd;
  for (Cache& cache : caches_) {
    cache.keys.resize(model.config.block_size, C);
    cache.values.resize(model.config.block_size, C);
  }
  for (Tensor<T>* tensor : {&x_, &x_norm_, &x_attn_, &out_}) tensor->resize(1, C);
  qkv_.resize(1, 3 * C);
  hidden_.resize(1, 4 * C);
  log_sum_.resize(model.config.n_head, 1);
  logits_.resize(1, model.config.vocab_size);
}

template <class T>
std::span<const T> Decoder<T>::next(Token token) {
  const std::size_t C = model_.config.n_embd;
  const std::array<Token, 1> tokens{token};
  const std::array<std::size_t, 1> positions{position_};
  const View<T> x = x_.view();
  const View<T> x_norm = x_norm_.view();
  const View<T> out = out_.view();
  T scale;  // of rmsnorm; only a backward would want it

  kernels_.embedding_forward(out, tokens, positions, model_.wte.data.view(), model_.wpe.data.view());
  kernels_.rmsnorm_forward(x, &scale, out);
  for (std::size_t li = 0; li < caches_.size(); li++) {
    const typename TensorModel<T>::Layer& layer = model_.layers[li];
    const View<T> keys = caches_[li].keys.view().slice_rows(0, position_ + 1);
    const View<T> values = caches_[li].values.view().slice_rows(0, position_ + 1);

    // 1) Multi-head attention.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    kernels_.linear_forward(qkv_.view(), x_norm, layer.attn_wqkv);
    copy(keys.slice_rows(position_, 1), qkv_.view().slice_cols(C, C));
    copy(values.slice_rows(position_, 1), qkv_.view().slice_cols(2 * C, C));
    kernels_.attention_forward(x_attn_.view(), log_sum_.view(), qkv_.view().slice_cols(0, C), keys, values,
                               model_.heads, model_.mask, position_);
    kernels_.linear_forward(out, x_attn_.view(), layer.attn_wo);
    kernels_.add_forward(x, out, x);

    // 2) MLP.
    kernels_.rmsnorm_forward(x_norm, &scale, x);
    kernels_.linear_forward(hidden_.view(), x_norm, layer.mlp_fc1);
    kernels_.relu_forward(hidden_.view(), hidden_.view(), model_.config.squared_relu);
    kernels_.linear_forward(out, hidden_.view(), layer.mlp_fc2);
    kernels_.add_forward(x, out, x);
  }
  kernels_.linear_forward(logits_.view(), x, model_.lm_head);
  position_++;
  return {logits_.view().data, logits_.view().cols};
}

template class Decoder<float>;
template class Decoder<double>;

}  // namespace microgpt
