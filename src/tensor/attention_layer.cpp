#include "tensor/attention_layer.h"

#include "tensor/rope.h"

namespace microgpt {

// --- All kinds -------------------------------------------------------------------------------------------------------

template <class T>
void AttentionActivations<T>::resize(const AttentionShape& shape, std::size_t N, std::size_t M) {
  for (Tensor<T>* tensor : {&q, &dq}) tensor->resize(N, shape.n_head * shape.key_dim);
  for (Tensor<T>* tensor : {&k, &dk}) tensor->resize(M, shape.n_kv_head * shape.key_dim);
  for (Tensor<T>* tensor : {&v, &dv}) tensor->resize(M, shape.n_kv_head * shape.value_dim);
  for (Tensor<T>* tensor : {&x_attn, &dx_attn}) tensor->resize(N, shape.n_head * shape.value_dim);
  log_sum.resize(shape.n_head, N);
}

namespace {

using Positions = std::span<const std::size_t>;

template <class T>
View<T> slice(View<T> x, Share rows) {
  return x.slice_rows(rows.first, rows.n);
}

/// Selects the rows of some sequences from any matrix or list that has one row per row of x (x()) or of kv (kv()).
template <class T>
class Rows {
 public:
  explicit Rows(std::span<const Sequence> sequences) {
    if (sequences.empty()) return;
    queries_ = between(sequences.front().queries, sequences.back().queries);
    keys_ = between(sequences.front().keys, sequences.back().keys);
  }

  View<T> x(Tensor<T>& tensor) const { return slice(tensor.view(), queries_); }
  View<T> x(View<T> view) const { return slice(view, queries_); }
  View<const T> x(View<const T> view) const { return slice(view, queries_); }
  Positions x(Positions positions) const { return positions.subspan(queries_.first, queries_.n); }

  View<T> kv(Tensor<T>& tensor) const { return slice(tensor.view(), keys_); }
  View<T> kv(View<T> view) const { return slice(view, keys_); }
  View<const T> kv(View<const T> view) const { return slice(view, keys_); }
  Positions kv(Positions positions) const { return positions.subspan(keys_.first, keys_.n); }

 private:
  static Share between(Share first, Share last) { return {first.first, last.first + last.n - first.first}; }

  Share queries_{0, 0};
  Share keys_{0, 0};
};

/// The columns of head h in a matrix with `dim` columns per head.
template <class T>
View<T> of_head(View<T> x, std::size_t h, std::size_t dim) {
  return x.slice_cols(h * dim, dim);
}

/// Rotates the last R numbers of every head of x, queries or keys, in place. `rope` is the forward or the backward.
template <class T, class Rope>
void rotate_heads(Rope rope, View<T> x, const AttentionShape& shape, Positions positions) {
  if (shape.rope_dim == 0) return;
  for (std::size_t at = shape.nope_dim(); at < x.cols; at += shape.key_dim) {
    const View<T> rotary = x.slice_cols(at, shape.rope_dim);
    rope(rotary, rotary, positions, shape.rope_base);
  }
}

/// The attention call of one document. Each sequence of a batch drops different weights, chosen by its first row.
template <class T>
AttentionCall<T> call_of(const AttentionShape& shape, const Dropout& dropout, const Sequence& sequence,
                         AttentionActivations<T>& a) {
  const Rows<T> rows(std::span(&sequence, 1));
  const Dropout its = dropout.of(sequence.queries.first);
  return AttentionCall<T>::of(shape, rows.x(a.q), rows.kv(a.k), rows.kv(a.v), *sequence.mask, 0, its);
}

/// q, k, v to x_attn, sequence by sequence.
template <class T>
void attend_forward(const Kernels<T>& kernels, const AttentionShape& shape, const AttentionInput<T>& input,
                    AttentionActivations<T>& a) {
  for (const Sequence& sequence : input.sequences) {
    const Rows<T> rows(std::span(&sequence, 1));
    kernels.attention_forward(rows.x(a.x_attn), a.log_sum.view().slice_cols(sequence.queries.first, sequence.queries.n),
                              call_of(shape, input.dropout, sequence, a));
  }
}

/// dx_attn to dq, dk, dv.
template <class T>
void attend_backward(const Kernels<T>& kernels, const AttentionShape& shape, const AttentionInput<T>& input,
                     AttentionActivations<T>& a) {
  for (const Sequence& sequence : input.sequences) {
    const Rows<T> rows(std::span(&sequence, 1));
    kernels.attention_backward({rows.x(a.dq), rows.kv(a.dk), rows.kv(a.dv)}, rows.x(a.dx_attn), rows.x(a.x_attn),
                               a.log_sum.view().slice_cols(sequence.queries.first, sequence.queries.n),
                               call_of(shape, input.dropout, sequence, a));
  }
}

/// What the queries' gradient is added to: the keys' and values' gradient if x and kv are the same, otherwise nothing.
template <class T>
View<const T> before_queries(View<T> dx, View<T> dkv) {
  return dx.data == dkv.data ? View<const T>(dx) : View<const T>{};
}

/// Computes share i of the rows of a weight's gradient, for y = x W^T.
template <class T>
void backward_weight(const Kernels<T>& kernels, Weight<T>& w, View<const T> dy, View<const T> x, std::size_t i,
                     std::size_t shares) {
  const auto [first, n] = share(w.grad.view().rows, i, shares);
  kernels.linear_backward_weight(w.grad.view().slice_rows(first, n), first, dy, x);
}

}  // namespace

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
GroupedAttention<T>::GroupedAttention(const AttentionShape& s)
    : shape(s),
      attn_wq(s.n_head * s.key_dim, s.n_embd),
      attn_wk(s.n_kv_head * s.key_dim, s.n_embd),
      attn_wv(s.n_kv_head * s.value_dim, s.n_embd),
      attn_wo(s.n_embd, s.n_head * s.value_dim) {}

template <class T>
std::vector<NamedWeight<T>> GroupedAttention<T>::weights() {
  return {{"attn_wq", &attn_wq}, {"attn_wk", &attn_wk}, {"attn_wv", &attn_wv}, {"attn_wo", &attn_wo}};
}

template <class T>
void GroupedAttention<T>::rotate(View<T> q, Positions positions, View<T> k, Positions kv_positions) const {
  rotate_heads(rope_forward<T>, q, shape, positions);
  rotate_heads(rope_forward<T>, k, shape, kv_positions);
}

template <class T>
void GroupedAttention<T>::Activations::resize(const GroupedAttention& layer, std::size_t N, std::size_t M) {
  AttentionActivations<T>::resize(layer.shape, N, M);
}

template <class T>
void GroupedAttention<T>::forward(View<T> out, View<const T> before, const Kernels<T>& kernels,
                                  const AttentionInput<T>& input, Activations& a) const {
  const Rows<T> rows(input.sequences);
  kernels.linear_forward(rows.x(a.q), rows.x(input.x), attn_wq, {});
  kernels.linear_forward(rows.kv(a.k), rows.kv(input.kv), attn_wk, {});
  kernels.linear_forward(rows.kv(a.v), rows.kv(input.kv), attn_wv, {});
  rotate(rows.x(a.q), rows.x(input.positions), rows.kv(a.k), rows.kv(input.kv_positions));
  attend_forward(kernels, shape, input, a);
  kernels.linear_forward(rows.x(out), rows.x(a.x_attn), attn_wo, before.rows > 0 ? rows.x(before) : before);
}

// Each step is that of forward, from the last to the first.
template <class T>
void GroupedAttention<T>::backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels,
                                   const AttentionInput<T>& input, Activations& a) const {
  const Rows<T> rows(input.sequences);
  kernels.linear_backward_input(rows.x(a.dx_attn), rows.x(dout), attn_wo, {});
  attend_backward(kernels, shape, input, a);
  rotate_heads(rope_backward<T>, rows.x(a.dq), shape, rows.x(input.positions));
  rotate_heads(rope_backward<T>, rows.kv(a.dk), shape, rows.kv(input.kv_positions));
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dv), attn_wv, {});
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dk), attn_wk, rows.kv(dkv));
  kernels.linear_backward_input(rows.x(dx), rows.x(a.dq), attn_wq, before_queries(rows.x(dx), rows.kv(dkv)));
}

template <class T>
void GroupedAttention<T>::backward_weights(View<const T> dout, const Kernels<T>& kernels,
                                           const AttentionInput<T>& input, const Activations& a, std::size_t i,
                                           std::size_t shares) {
  backward_weight(kernels, attn_wq, a.dq.view(), input.x, i, shares);
  backward_weight(kernels, attn_wk, a.dk.view(), input.kv, i, shares);
  backward_weight(kernels, attn_wv, a.dv.view(), input.kv, i, shares);
  backward_weight(kernels, attn_wo, dout, a.x_attn.view(), i, shares);
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
LatentAttention<T>::LatentAttention(const AttentionShape& s)
    : shape(s),
      attn_wdq(s.q_latent, s.n_embd),
      attn_wuq(s.n_head * s.nope_dim(), s.q_latent),
      attn_wqr(s.n_head * s.rope_dim, s.q_latent),
      attn_wdkv(s.kv_latent, s.n_embd),
      attn_wuk(s.n_head * s.nope_dim(), s.kv_latent),
      attn_wuv(s.n_head * s.value_dim, s.kv_latent),
      attn_wkr(s.rope_dim, s.n_embd),
      attn_wo(s.n_embd, s.n_head * s.value_dim) {}

template <class T>
std::vector<NamedWeight<T>> LatentAttention<T>::weights() {
  if (shape.rope_dim == 0) {
    return {{"attn_wdq", &attn_wdq}, {"attn_wuq", &attn_wuq}, {"attn_wdkv", &attn_wdkv},
            {"attn_wuk", &attn_wuk}, {"attn_wuv", &attn_wuv}, {"attn_wo", &attn_wo}};
  }
  return {{"attn_wdq", &attn_wdq}, {"attn_wuq", &attn_wuq}, {"attn_wqr", &attn_wqr}, {"attn_wdkv", &attn_wdkv},
          {"attn_wuk", &attn_wuk}, {"attn_wuv", &attn_wuv}, {"attn_wkr", &attn_wkr}, {"attn_wo", &attn_wo}};
}

template <class T>
void LatentAttention<T>::Activations::resize(const LatentAttention& layer, std::size_t N, std::size_t M) {
  AttentionActivations<T>::resize(layer.shape, N, M);
  const AttentionShape& s = layer.shape;
  for (Tensor<T>* tensor : {&c_q, &dc_q}) tensor->resize(N, s.q_latent);
  for (Tensor<T>* tensor : {&q_nope, &dq_nope}) tensor->resize(N, s.n_head * s.nope_dim());
  for (Tensor<T>* tensor : {&q_rope, &dq_rope}) tensor->resize(N, s.n_head * s.rope_dim);
  for (Tensor<T>* tensor : {&c_kv, &dc_kv}) tensor->resize(M, s.kv_latent);
  for (Tensor<T>* tensor : {&k_nope, &dk_nope}) tensor->resize(M, s.n_head * s.nope_dim());
  for (Tensor<T>* tensor : {&k_rope, &dk_rope}) tensor->resize(M, s.rope_dim);
}

template <class T>
void LatentAttention<T>::forward(View<T> out, View<const T> before, const Kernels<T>& kernels,
                                 const AttentionInput<T>& input, Activations& a) const {
  const std::size_t P = shape.nope_dim();
  const std::size_t R = shape.rope_dim;
  const Rows<T> rows(input.sequences);

  // 1) Queries.
  kernels.linear_forward(rows.x(a.c_q), rows.x(input.x), attn_wdq, {});
  kernels.linear_forward(rows.x(a.q_nope), rows.x(a.c_q), attn_wuq, {});
  kernels.linear_forward(rows.x(a.q_rope), rows.x(a.c_q), attn_wqr, {});
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> q_h = of_head(rows.x(a.q), h, P + R);
    copy(q_h.slice_cols(0, P), of_head(rows.x(a.q_nope), h, P));
    rope_forward(q_h.slice_cols(P, R), of_head(rows.x(a.q_rope), h, R), rows.x(input.positions), shape.rope_base);
  }

  // 2) Keys and values.
  kernels.linear_forward(rows.kv(a.c_kv), rows.kv(input.kv), attn_wdkv, {});
  kernels.linear_forward(rows.kv(a.k_nope), rows.kv(a.c_kv), attn_wuk, {});
  kernels.linear_forward(rows.kv(a.v), rows.kv(a.c_kv), attn_wuv, {});
  kernels.linear_forward(rows.kv(a.k_rope), rows.kv(input.kv), attn_wkr, {});
  rope_forward(rows.kv(a.k_rope), rows.kv(a.k_rope), rows.kv(input.kv_positions), shape.rope_base);
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> k_h = of_head(rows.kv(a.k), h, P + R);
    copy(k_h.slice_cols(0, P), of_head(rows.kv(a.k_nope), h, P));
    copy(k_h.slice_cols(P, R), rows.kv(a.k_rope));
  }

  // 3) Attention.
  attend_forward(kernels, shape, input, a);
  kernels.linear_forward(rows.x(out), rows.x(a.x_attn), attn_wo, before.rows > 0 ? rows.x(before) : before);
}

// Each step is that of forward, from the last to the first.
template <class T>
void LatentAttention<T>::backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels,
                                  const AttentionInput<T>& input, Activations& a) const {
  const std::size_t P = shape.nope_dim();
  const std::size_t R = shape.rope_dim;
  const Rows<T> rows(input.sequences);

  // 3) Attention.
  kernels.linear_backward_input(rows.x(a.dx_attn), rows.x(dout), attn_wo, {});
  attend_backward(kernels, shape, input, a);

  // 2) Keys and values. All heads have used k_rope, so its gradient is the sum of theirs.
  set_zero(rows.kv(a.dk_rope));
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> dk_h = of_head(rows.kv(a.dk), h, P + R);
    copy(of_head(rows.kv(a.dk_nope), h, P), dk_h.slice_cols(0, P));
    kernels.add_forward(rows.kv(a.dk_rope), rows.kv(a.dk_rope), dk_h.slice_cols(P, R));
  }
  rope_backward(rows.kv(a.dk_rope), rows.kv(a.dk_rope), rows.kv(input.kv_positions), shape.rope_base);
  kernels.linear_backward_input(rows.kv(a.dc_kv), rows.kv(a.dk_nope), attn_wuk, {});
  kernels.linear_backward_input(rows.kv(a.dc_kv), rows.kv(a.dv), attn_wuv, rows.kv(a.dc_kv));
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dc_kv), attn_wdkv, {});
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dk_rope), attn_wkr, rows.kv(dkv));

  // 1) Queries.
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> dq_h = of_head(rows.x(a.dq), h, P + R);
    copy(of_head(rows.x(a.dq_nope), h, P), dq_h.slice_cols(0, P));
    rope_backward(of_head(rows.x(a.dq_rope), h, R), dq_h.slice_cols(P, R), rows.x(input.positions), shape.rope_base);
  }
  kernels.linear_backward_input(rows.x(a.dc_q), rows.x(a.dq_nope), attn_wuq, {});
  kernels.linear_backward_input(rows.x(a.dc_q), rows.x(a.dq_rope), attn_wqr, rows.x(a.dc_q));
  kernels.linear_backward_input(rows.x(dx), rows.x(a.dc_q), attn_wdq, before_queries(rows.x(dx), rows.kv(dkv)));
}

template <class T>
void LatentAttention<T>::backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                                          const Activations& a, std::size_t i, std::size_t shares) {
  backward_weight(kernels, attn_wdq, a.dc_q.view(), input.x, i, shares);
  backward_weight(kernels, attn_wuq, a.dq_nope.view(), a.c_q.view(), i, shares);
  backward_weight(kernels, attn_wqr, a.dq_rope.view(), a.c_q.view(), i, shares);
  backward_weight(kernels, attn_wdkv, a.dc_kv.view(), input.kv, i, shares);
  backward_weight(kernels, attn_wuk, a.dk_nope.view(), a.c_kv.view(), i, shares);
  backward_weight(kernels, attn_wuv, a.dv.view(), a.c_kv.view(), i, shares);
  backward_weight(kernels, attn_wkr, a.dk_rope.view(), input.kv, i, shares);
  backward_weight(kernels, attn_wo, dout, a.x_attn.view(), i, shares);
}

// --- Of a model ------------------------------------------------------------------------------------------------------

namespace {

template <class T>
std::variant<GroupedAttention<T>, LatentAttention<T>> attention_of(const AttentionShape& shape) {
  if (shape.is_latent()) return LatentAttention<T>(shape);
  return GroupedAttention<T>(shape);
}

}  // namespace

template <class T>
SelfAttention<T>::SelfAttention(const AttentionShape& shape) : kind_(attention_of<T>(shape)) {}

template <class T>
std::vector<NamedWeight<T>> SelfAttention<T>::weights() {
  return std::visit([](auto& layer) { return layer.weights(); }, kind_);
}

namespace {

template <class T>
auto& activations_of(const GroupedAttention<T>&, auto& a) {
  return a.grouped;
}

template <class T>
auto& activations_of(const LatentAttention<T>&, auto& a) {
  return a.latent;
}

}  // namespace

template <class T>
void SelfAttention<T>::Activations::resize(const SelfAttention& self, std::size_t N) {
  std::visit([&](const auto& layer) { activations_of(layer, *this).resize(layer, N, N); }, self.kind_);
}

template <class T>
void SelfAttention<T>::forward(View<T> out, View<const T> before, const Kernels<T>& kernels,
                               const AttentionInput<T>& input, Activations& a) const {
  std::visit([&](const auto& layer) { layer.forward(out, before, kernels, input, activations_of(layer, a)); }, kind_);
}

template <class T>
void SelfAttention<T>::backward(View<T> dx, View<const T> dout, const Kernels<T>& kernels,
                                const AttentionInput<T>& input, Activations& a) const {
  std::visit([&](const auto& layer) { layer.backward(dx, dx, dout, kernels, input, activations_of(layer, a)); }, kind_);
}

template <class T>
void SelfAttention<T>::backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                                        const Activations& a, std::size_t i, std::size_t shares) {
  std::visit([&](auto& layer) { layer.backward_weights(dout, kernels, input, activations_of(layer, a), i, shares); },
             kind_);
}

template class SelfAttention<float>;
template class SelfAttention<double>;
template struct AttentionActivations<float>;
template struct AttentionActivations<double>;
template struct GroupedAttention<float>;
template struct GroupedAttention<double>;
template struct LatentAttention<float>;
template struct LatentAttention<double>;

}  // namespace microgpt
