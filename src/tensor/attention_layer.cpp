#include "tensor/attention_layer.h"

#include <algorithm>

namespace microgpt {

template <class T>
void AttentionActivations<T>::resize(const AttentionShape& s, std::size_t N, std::size_t M) {
  for (Tensor<T>* tensor : {&q, &dq}) tensor->resize(N, s.n_head * s.key_dim);
  for (Tensor<T>* tensor : {&k, &dk}) tensor->resize(M, s.n_kv_head * s.key_dim);
  for (Tensor<T>* tensor : {&v, &dv}) tensor->resize(M, s.n_kv_head * s.value_dim);
  for (Tensor<T>* tensor : {&x_attn, &dx_attn}) tensor->resize(N, s.n_head * s.value_dim);
  log_sum.resize(s.n_head, N);
  if (!s.is_latent()) return;
  for (Tensor<T>* tensor : {&c_q, &dc_q}) tensor->resize(N, s.q_latent);
  for (Tensor<T>* tensor : {&q_nope, &dq_nope}) tensor->resize(N, s.n_head * s.nope_dim());
  for (Tensor<T>* tensor : {&q_rope, &dq_rope}) tensor->resize(N, s.n_head * s.rope_dim);
  for (Tensor<T>* tensor : {&c_kv, &dc_kv}) tensor->resize(M, s.kv_latent);
  for (Tensor<T>* tensor : {&k_nope, &dk_nope}) tensor->resize(M, s.n_head * s.nope_dim());
  for (Tensor<T>* tensor : {&k_rope, &dk_rope}) tensor->resize(M, s.rope_dim);
}

namespace {

using Positions = std::span<const std::size_t>;

Sequence joined(std::span<const Sequence> sequences) {
  if (sequences.empty()) return {};
  auto to_end = [](Share first, Share last) { return Share{first.first, last.first + last.n - first.first}; };
  const Sequence &first = sequences.front(), &last = sequences.back();
  return {to_end(first.queries, last.queries), to_end(first.keys, last.keys), nullptr};
}

/// The columns of head h in a matrix with `dim` columns per head.
template <class T>
View<T> of_head(View<T> x, std::size_t h, std::size_t dim) {
  return x.slice_cols(h * dim, dim);
}

/// The attention call of one document. Each sequence of a batch drops different weights, chosen by its first row.
template <class T>
AttentionCall<T> call_of(const AttentionShape& shape, const Dropout& dropout, const Sequence& rows,
                         AttentionActivations<T>& a) {
  AttentionCall<T> call = AttentionCall<T>::of(shape, rows.x(a.q), rows.kv(a.k), rows.kv(a.v), *rows.mask);
  call.dropout = dropout.of(rows.queries.first);
  return call;
}

/// What the queries' gradient is added to: the keys' and values' gradient if x and kv are the same, otherwise nothing.
template <class T>
View<const T> before_queries(View<T> dx, View<T> dkv) {
  return dx.data == dkv.data ? View<const T>(dx) : View<const T>{};
}

// --- MHA, MQA, GQA ---------------------------------------------------------------------------------------------------

template <class T>
void forward_grouped(const AttentionLayer<T>& layer, const Kernels<T>& kernels, const AttentionInput<T>& input,
                     const Sequence& rows, AttentionActivations<T>& a) {
  kernels.linear_forward(rows.x(a.q), rows.x(input.x), layer.attn_wq, {});
  kernels.linear_forward(rows.kv(a.k), rows.kv(input.kv), layer.attn_wk, {});
  kernels.linear_forward(rows.kv(a.v), rows.kv(input.kv), layer.attn_wv, {});
  rotate_heads(rope_forward<T>, rows.x(a.q), layer.shape, rows.x(input.positions));
  rotate_heads(rope_forward<T>, rows.kv(a.k), layer.shape, rows.kv(input.kv_positions));
}

template <class T>
void backward_grouped(const AttentionLayer<T>& layer, View<T> dx, View<T> dkv, const Kernels<T>& kernels,
                      const AttentionInput<T>& input, const Sequence& rows, AttentionActivations<T>& a) {
  rotate_heads(rope_backward<T>, rows.x(a.dq), layer.shape, rows.x(input.positions));
  rotate_heads(rope_backward<T>, rows.kv(a.dk), layer.shape, rows.kv(input.kv_positions));
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dv), layer.attn_wv, {});
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dk), layer.attn_wk, rows.kv(dkv));
  kernels.linear_backward_input(rows.x(dx), rows.x(a.dq), layer.attn_wq, before_queries(rows.x(dx), rows.kv(dkv)));
}

// --- MLA -------------------------------------------------------------------------------------------------------------

template <class T>
void forward_latent(const AttentionLayer<T>& layer, const Kernels<T>& kernels, const AttentionInput<T>& input,
                    const Sequence& rows, AttentionActivations<T>& a) {
  const AttentionShape& shape = layer.shape;
  const std::size_t P = shape.nope_dim();
  const std::size_t R = shape.rope_dim;

  // 1) Queries.
  kernels.linear_forward(rows.x(a.c_q), rows.x(input.x), layer.attn_wdq, {});
  kernels.linear_forward(rows.x(a.q_nope), rows.x(a.c_q), layer.attn_wuq, {});
  kernels.linear_forward(rows.x(a.q_rope), rows.x(a.c_q), layer.attn_wqr, {});
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> q_h = of_head(rows.x(a.q), h, P + R);
    copy(q_h.slice_cols(0, P), of_head(rows.x(a.q_nope), h, P));
    rope_forward(q_h.slice_cols(P, R), of_head(rows.x(a.q_rope), h, R), rows.x(input.positions), shape.rope_base);
  }

  // 2) Keys and values.
  kernels.linear_forward(rows.kv(a.c_kv), rows.kv(input.kv), layer.attn_wdkv, {});
  kernels.linear_forward(rows.kv(a.k_nope), rows.kv(a.c_kv), layer.attn_wuk, {});
  kernels.linear_forward(rows.kv(a.v), rows.kv(a.c_kv), layer.attn_wuv, {});
  kernels.linear_forward(rows.kv(a.k_rope), rows.kv(input.kv), layer.attn_wkr, {});
  rope_forward(rows.kv(a.k_rope), rows.kv(a.k_rope), rows.kv(input.kv_positions), shape.rope_base);
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> k_h = of_head(rows.kv(a.k), h, P + R);
    copy(k_h.slice_cols(0, P), of_head(rows.kv(a.k_nope), h, P));
    copy(k_h.slice_cols(P, R), rows.kv(a.k_rope));
  }
}

// Each step is that of forward_latent, from the last to the first.
template <class T>
void backward_latent(const AttentionLayer<T>& layer, View<T> dx, View<T> dkv, const Kernels<T>& kernels,
                     const AttentionInput<T>& input, const Sequence& rows, AttentionActivations<T>& a) {
  const AttentionShape& shape = layer.shape;
  const std::size_t P = shape.nope_dim();
  const std::size_t R = shape.rope_dim;

  // 2) Keys and values. All heads have used k_rope, so its gradient is the sum of theirs.
  set_zero(rows.kv(a.dk_rope));
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> dk_h = of_head(rows.kv(a.dk), h, P + R);
    copy(of_head(rows.kv(a.dk_nope), h, P), dk_h.slice_cols(0, P));
    kernels.add_forward(rows.kv(a.dk_rope), rows.kv(a.dk_rope), dk_h.slice_cols(P, R));
  }
  rope_backward(rows.kv(a.dk_rope), rows.kv(a.dk_rope), rows.kv(input.kv_positions), shape.rope_base);
  kernels.linear_backward_input(rows.kv(a.dc_kv), rows.kv(a.dk_nope), layer.attn_wuk, {});
  kernels.linear_backward_input(rows.kv(a.dc_kv), rows.kv(a.dv), layer.attn_wuv, rows.kv(a.dc_kv));
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dc_kv), layer.attn_wdkv, {});
  kernels.linear_backward_input(rows.kv(dkv), rows.kv(a.dk_rope), layer.attn_wkr, rows.kv(dkv));

  // 1) Queries.
  for (std::size_t h = 0; h < shape.n_head; h++) {
    const View<T> dq_h = of_head(rows.x(a.dq), h, P + R);
    copy(of_head(rows.x(a.dq_nope), h, P), dq_h.slice_cols(0, P));
    rope_backward(of_head(rows.x(a.dq_rope), h, R), dq_h.slice_cols(P, R), rows.x(input.positions), shape.rope_base);
  }
  kernels.linear_backward_input(rows.x(a.dc_q), rows.x(a.dq_nope), layer.attn_wuq, {});
  kernels.linear_backward_input(rows.x(a.dc_q), rows.x(a.dq_rope), layer.attn_wqr, rows.x(a.dc_q));
  kernels.linear_backward_input(rows.x(dx), rows.x(a.dc_q), layer.attn_wdq, before_queries(rows.x(dx), rows.kv(dkv)));
}

// --- All kinds -------------------------------------------------------------------------------------------------------

/// All weights that any kind has, in the order of attention_matrices().
template <class T>
std::vector<NamedWeight<T>> all_weights(AttentionLayer<T>& layer) {
  return {{"attn_wq", &layer.attn_wq},     {"attn_wdq", &layer.attn_wdq}, {"attn_wuq", &layer.attn_wuq},
          {"attn_wqr", &layer.attn_wqr},   {"attn_wk", &layer.attn_wk},   {"attn_wv", &layer.attn_wv},
          {"attn_wdkv", &layer.attn_wdkv}, {"attn_wuk", &layer.attn_wuk}, {"attn_wuv", &layer.attn_wuv},
          {"attn_wkr", &layer.attn_wkr},   {"attn_wo", &layer.attn_wo}};
}

}  // namespace

template <class T>
AttentionLayer<T>::AttentionLayer(const AttentionShape& shape_) : shape(shape_) {
  for (const Parameters::Shape& matrix : attention_matrices(shape)) {
    for (const NamedWeight<T>& w : all_weights(*this)) {
      if (w.name == matrix.name) *w.weight = Weight<T>(matrix.rows, matrix.cols);
    }
  }
}

template <class T>
std::vector<NamedWeight<T>> AttentionLayer<T>::weights() {
  std::vector<NamedWeight<T>> weights = all_weights(*this);
  std::erase_if(weights, [](const NamedWeight<T>& w) { return w.weight->data.view().rows == 0; });
  return weights;
}

template <class T>
void AttentionLayer<T>::forward(View<T> out, View<const T> before, const Kernels<T>& kernels,
                                const AttentionInput<T>& input, AttentionActivations<T>& a) const {
  const Sequence rows = joined(input.sequences);
  const auto make_qkv = shape.is_latent() ? forward_latent<T> : forward_grouped<T>;
  make_qkv(*this, kernels, input, rows, a);
  for (const Sequence& document : input.sequences) {  // those of one thread: gpt.cpp has the parallel loop over all
    kernels.attention_forward(document.x(a.x_attn),
                              a.log_sum.view().slice_cols(document.queries.first, document.queries.n),
                              call_of(shape, input.dropout, document, a));
  }
  for (const FixedHead<T>& head : input.fixed) {
    const View<T> out_h = of_head(rows.x(a.x_attn), head.head, head.output.size());
    for (std::size_t n = 0; n < out_h.rows; n++) std::copy(head.output.begin(), head.output.end(), out_h.row(n));
  }
  kernels.linear_forward(rows.x(out), rows.x(a.x_attn), attn_wo, before.rows > 0 ? rows.x(before) : before);
}

// Each step is that of forward, from the last to the first.
template <class T>
void AttentionLayer<T>::backward(View<T> dx, View<T> dkv, View<const T> dout, const Kernels<T>& kernels,
                                 const AttentionInput<T>& input, AttentionActivations<T>& a) const {
  const Sequence rows = joined(input.sequences);
  kernels.linear_backward_input(rows.x(a.dx_attn), rows.x(dout), attn_wo, {});
  for (const Sequence& document : input.sequences) {
    kernels.attention_backward({document.x(a.dq), document.kv(a.dk), document.kv(a.dv)}, document.x(a.dx_attn),
                               document.x(a.x_attn),
                               a.log_sum.view().slice_cols(document.queries.first, document.queries.n),
                               call_of(shape, input.dropout, document, a));
  }
  const auto backward_qkv = shape.is_latent() ? backward_latent<T> : backward_grouped<T>;
  backward_qkv(*this, dx, dkv, kernels, input, rows, a);
}

template <class T>
void AttentionLayer<T>::backward_weights(View<const T> dout, const Kernels<T>& kernels, const AttentionInput<T>& input,
                                         const AttentionActivations<T>& a, const WeightRows& which) {
  const Sequence rows = joined(input.sequences);
  auto of_x = [&](Weight<T>& w, View<const T> dy, View<const T> x) {  // for y = x W^T
    weight_gradient(kernels, w, rows.x(dy), rows.x(x), which);
  };
  auto of_kv = [&](Weight<T>& w, View<const T> dy, View<const T> x) {
    weight_gradient(kernels, w, rows.kv(dy), rows.kv(x), which);
  };
  if (shape.is_latent()) {
    of_x(attn_wdq, a.dc_q.view(), input.x);
    of_x(attn_wuq, a.dq_nope.view(), a.c_q.view());
    of_x(attn_wqr, a.dq_rope.view(), a.c_q.view());
    of_kv(attn_wdkv, a.dc_kv.view(), input.kv);
    of_kv(attn_wuk, a.dk_nope.view(), a.c_kv.view());
    of_kv(attn_wuv, a.dv.view(), a.c_kv.view());
    of_kv(attn_wkr, a.dk_rope.view(), input.kv);
  } else {
    of_x(attn_wq, a.dq.view(), input.x);
    of_kv(attn_wk, a.dk.view(), input.kv);
    of_kv(attn_wv, a.dv.view(), input.kv);
  }
  of_x(attn_wo, dout, a.x_attn.view());
}

template <class T>
void rotate_heads(decltype(rope_forward<T>)* rotation, View<T> x, const AttentionShape& shape, Positions positions) {
  if (shape.rope_dim == 0) return;
  for (std::size_t at = shape.nope_dim(); at < x.cols; at += shape.key_dim) {
    const View<T> rotary = x.slice_cols(at, shape.rope_dim);
    rotation(rotary, rotary, positions, shape.rope_base);
  }
}

template struct AttentionActivations<float>;
template struct AttentionActivations<double>;
template struct AttentionLayer<float>;
template struct AttentionLayer<double>;
template void rotate_heads(decltype(rope_forward<float>)*, View<float>, const AttentionShape&, Positions);
template void rotate_heads(decltype(rope_forward<double>)*, View<double>, const AttentionShape&, Positions);

}  // namespace microgpt
