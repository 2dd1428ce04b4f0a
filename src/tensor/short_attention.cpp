#include "tensor/short_attention.h"

#include <array>
#include <limits>
#include <utility>

#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/tile.h"
#include "tensor/transpose.h"
#include "tensor/visible.h"

namespace microgpt {
namespace {

/// The transposes of a document's keys and values: row c holds number c of every position.
template <class T>
struct Workspace {
  Tensor<T> k_t, v_t;

  static Workspace& of_thread() {
    thread_local Workspace workspace;
    return workspace;
  }
};

/// For each of n queries a number for each key.
template <class T, std::size_t n>
struct Square {
  alignas(cache_line) std::array<Vector<T>, n> row;

  View<T> view() { return {reinterpret_cast<T*>(row.data()), n, n, lanes<T>}; }
  /// Unlike view(), with the lanes beyond the keys: to be written in whole vectors.
  View<T> padded_view() { return {reinterpret_cast<T*>(row.data()), n, lanes<T>, lanes<T>}; }
};

/// c = a b or, with add, c += a b, for n rows.
template <class T, std::size_t n, bool add = false>
void multiply(View<T> c, std::type_identity_t<Left<T>> a, std::type_identity_t<View<const T>> b) {
  std::size_t col = 0;
  for (; col + lanes<T> <= c.cols; col += lanes<T>) {
    tile<T, n, 1, true, add>(c.slice_cols(col, lanes<T>), a, b.slice_cols(col, lanes<T>));
  }
  if (col < c.cols) tile<T, n, 1, false, add>(c.slice_cols(col, c.cols - col), a, b.slice_cols(col, c.cols - col));
}

/// make(t) for each query.
template <class T, std::size_t n, class Make>
void each(Square<T, n>& square, Make make) {
#pragma GCC unroll 16
  for (std::size_t t = 0; t < n; t++) square.row[t] = make(t);
}

/// One head: out (n,D), log_sum (n), q (n,K), k_t (K,lanes), v (n,D).
template <class T, std::size_t n>
void head_forward(View<T> out, T* log_sum, View<const T> q, View<const T> k_t, View<const T> v, T scale,
                  const Visible& visible) {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  Square<T, n> weights;
  multiply<T, n>(weights.padded_view(), q, k_t);
  alignas(cache_line) std::array<T, lanes<T>> most{};
  alignas(cache_line) std::array<T, lanes<T>> total;
  total.fill(1);
  each(weights, [&](std::size_t t) { return visible.select(t, 0, weights.row[t] * scale, hidden); });
  each(weights, [&](std::size_t t) {
    most[t] = max<T>(weights.row[t]);
    // A query that sees nothing: its weights are exp(-inf) = 0, and so is their sum.
    return exp<T>(weights.row[t] - (most[t] == hidden ? 0 : most[t]));
  });
#pragma GCC unroll 16
  for (std::size_t t = 0; t < n; t++) total[t] = sum<T>(weights.row[t]);
  const Vector<T> totals = load(total.data());
  store(log_sum, load(most.data()) + log<T>(totals), n);
  store(total.data(), totals > 0 ? 1 / totals : Vector<T>{});
  each(weights, [&](std::size_t t) { return weights.row[t] * total[t]; });
  multiply<T, n>(out, weights.view(), v);
}

/// The gradients of one head: dq (n,K) is set, and dk (n,K), dv (n,D) too, or with add added to.
template <class T, std::size_t n, bool add>
void head_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, const T* log_sum, View<const T> q,
                   View<const T> k, View<const T> k_t, View<const T> v_t, T scale, const Visible& visible) {
  Square<T, n> weights;
  Square<T, n> dscores;
  multiply<T, n>(weights.padded_view(), q, k_t);
  multiply<T, n>(dscores.padded_view(), dout, v_t);  // dweights, as yet
  each(weights, [&](std::size_t t) { return visible.select(t, 0, exp<T>(weights.row[t] * scale - log_sum[t]), T{0}); });
  each(dscores, [&](std::size_t t) {
    const T mean = sum<T>(weights.row[t] * dscores.row[t]);
    return weights.row[t] * (dscores.row[t] - mean) * scale;
  });
  multiply<T, n, add>(dv, transposed(weights.view()), dout);
  multiply<T, n, add>(dk, transposed(dscores.view()), q);
  multiply<T, n>(dq, dscores.view(), k);
}

template <class T, std::size_t n>
void document_forward(View<T> out, View<T> log_sum, View<const T> q, View<const T> k, View<const T> v,
                      const Heads& heads, const Mask& mask, std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const Visible visible(mask, first_query, n, 0, n);
  Workspace<T>& work = Workspace<T>::of_thread();
  work.k_t.resize(k.cols, lanes<T>);
  transpose(work.k_t.view(), k);
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h / (heads.n_head / heads.n_kv_head);
    head_forward<T, n>(out.slice_cols(h * D, D), log_sum.row(h), q.slice_cols(h * K, K),
                       work.k_t.view().slice_rows(g * K, K), v.slice_cols(g * D, D), static_cast<T>(heads.scale),
                       visible);
  }
}

template <class T, std::size_t n>
void document_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, View<const T>, View<const T> log_sum,
                       View<const T> q, View<const T> k, View<const T> v, const Heads& heads, const Mask& mask,
                       std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const std::size_t in_group = heads.n_head / heads.n_kv_head;
  const Visible visible(mask, first_query, n, 0, n);
  Workspace<T>& work = Workspace<T>::of_thread();
  work.k_t.resize(k.cols, lanes<T>);
  work.v_t.resize(v.cols, lanes<T>);
  transpose(work.k_t.view(), k);
  transpose(work.v_t.view(), v);
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h / in_group;
    const auto backward = h % in_group == 0 ? head_backward<T, n, false> : head_backward<T, n, true>;
    backward(dq.slice_cols(h * K, K), dk.slice_cols(g * K, K), dv.slice_cols(g * D, D), dout.slice_cols(h * D, D),
             log_sum.row(h), q.slice_cols(h * K, K), k.slice_cols(g * K, K), work.k_t.view().slice_rows(g * K, K),
             work.v_t.view().slice_rows(g * D, D), static_cast<T>(heads.scale), visible);
  }
}

/// The versions for 1, 2, ... queries.
template <class T>
constexpr auto forwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_forward<T, i + 1>...};
}
(std::make_index_sequence<lanes<T>>());

template <class T>
constexpr auto backwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_backward<T, i + 1>...};
}
(std::make_index_sequence<lanes<T>>());

}  // namespace

template <class T>
void short_forward(View<T> out, View<T> log_sum, View<const T> q, View<const T> k, View<const T> v, const Heads& heads,
                   const Mask& mask, std::size_t first_query) {
  forwards<T>[q.rows - 1](out, log_sum, q, k, v, heads, mask, first_query);
}

template <class T>
void short_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, View<const T> out, View<const T> log_sum,
                    View<const T> q, View<const T> k, View<const T> v, const Heads& heads, const Mask& mask,
                    std::size_t first_query) {
  backwards<T>[q.rows - 1](dq, dk, dv, dout, out, log_sum, q, k, v, heads, mask, first_query);
}

template void short_forward(View<float>, View<float>, View<const float>, View<const float>, View<const float>,
                            const Heads&, const Mask&, std::size_t);
template void short_forward(View<double>, View<double>, View<const double>, View<const double>, View<const double>,
                            const Heads&, const Mask&, std::size_t);
template void short_backward(View<float>, View<float>, View<float>, View<const float>, View<const float>,
                             View<const float>, View<const float>, View<const float>, View<const float>, const Heads&,
                             const Mask&, std::size_t);
template void short_backward(View<double>, View<double>, View<double>, View<const double>, View<const double>,
                             View<const double>, View<const double>, View<const double>, View<const double>,
                             const Heads&, const Mask&, std::size_t);

}  // namespace microgpt
