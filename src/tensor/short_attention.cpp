#include "tensor/short_attention.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/tile.h"
#include "tensor/transpose.h"

namespace microgpt {
namespace {

/// Transposes of a document's matrices: row c holds number c of every position, and the lanes beyond the document are
/// left as they were.
template <class T>
struct Workspace {
  Tensor<T> q, dout;

  static Workspace& of_thread() {
    thread_local Workspace workspace;
    return workspace;
  }
};

template <class T>
View<const T> transposed_into(Tensor<T>& workspace, View<const T> x) {
  workspace.resize(x.cols, lanes<T>);
  transpose(workspace.view(), x);
  return workspace.view();
}

/// For each of n keys a vector with a number for each query: the transpose of what attention is about.
template <class T, std::size_t n>
struct Square {
  alignas(cache_line) std::array<Vector<T>, n> key;

  View<T> view() { return {reinterpret_cast<T*>(key.data()), n, lanes<T>, lanes<T>}; }

  /// (n,n), rows are queries.
  Left<T> by_query() { return {view().data, 1, lanes<T>}; }
};

/// The lanes of a half or a quarter of a vector, of 16 bytes at least.
template <class T, std::size_t parts>
constexpr std::size_t narrow = std::max(lanes<T> / parts, 16 / sizeof(T));

/// c = a b or, with add, c += a b, for n rows of c. Its columns are often less than a vector: a head's few numbers.
template <class T, std::size_t n, bool add = false>
void multiply(const View<T>& c, const std::type_identity_t<Left<T>>& a, const std::type_identity_t<View<const T>>& b) {
  for (std::size_t col = 0; col < c.cols;) {
    auto part = [&]<std::size_t width, bool whole>() {
      const std::size_t cols = std::min(width, c.cols - col);
      tile<T, n, 1, whole, add, width>(c.slice_cols(col, cols), a, b.slice_cols(col, cols));
      col += cols;
    };
    if (c.cols - col >= lanes<T>) {
      part.template operator()<lanes<T>, true>();
    } else if (c.cols - col >= narrow<T, 2>) {
      part.template operator()<narrow<T, 2>, true>();
    } else if (c.cols - col >= narrow<T, 4>) {
      part.template operator()<narrow<T, 4>, true>();
    } else {
      part.template operator()<lanes<T>, false>();
    }
  }
}

/// make(s) for each key.
template <class T, std::size_t n, class Make>
void each(Square<T, n>& square, Make make) {
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) square.key[s] = make(s);
}

/// The queries that see a key, for all keys of a document.
template <class T>
struct Seen {
  Seen(const Mask& mask, std::size_t first_query, std::size_t n) {
    for (std::size_t t = 0; t < n; t++) keys[t] = static_cast<Unsigned<T>>(mask.bits(first_query + t, 0));
  }

  /// x where a query sees key s, and `hidden` elsewhere.
  Vector<T> select(std::size_t s, Vector<T> x, T hidden) const {
    return ((keys >> static_cast<Unsigned<T>>(s)) & 1) != 0 ? x : broadcast(hidden);
  }

  Vector<Unsigned<T>> keys{};  // of each query, the bits of its mask
};

/// One head: out (n,D), log_sum (n), q_t (K,lanes), k (n,K), v (n,D).
template <class T, std::size_t n>
void head_forward(const View<T>& out, T* log_sum, const View<const T>& q_t, const View<const T>& k,
                  const View<const T>& v, T scale, const Seen<T>& seen) {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  Square<T, n> weights;
  multiply<T, n>(weights.view(), k, q_t);
  each(weights, [&](std::size_t s) { return seen.select(s, weights.key[s] * scale, hidden); });
  Vector<T> most = broadcast(hidden);
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) most = max<T>(most, weights.key[s]);
  const Vector<T> reference = most == hidden ? Vector<T>{} : most;  // who sees nothing gets weights exp(-inf) = 0
  each(weights, [&](std::size_t s) { return exp<T>(weights.key[s] - reference); });
  Vector<T> total{};
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) total += weights.key[s];
  const Vector<T> inverse = total > 0 ? 1 / total : Vector<T>{};
  each(weights, [&](std::size_t s) { return weights.key[s] * inverse; });
  store(log_sum, total > 0 ? most + log<T>(total) : most, n);
  multiply<T, n>(out, weights.by_query(), v);
}

/// The gradients of one head: dq (n,K) is set, and dk (n,K) and dv (n,D) are too or, with add, added to.
template <class T, std::size_t n, bool add>
void head_backward(const View<T>& dq, const View<T>& dk, const View<T>& dv, const View<const T>& dout,
                   const View<const T>& dout_t, const T* log_sum, const View<const T>& q, const View<const T>& q_t,
                   const View<const T>& k, const View<const T>& v, T scale, const Seen<T>& seen) {
  Square<T, n> weights;
  Square<T, n> dscores;
  multiply<T, n>(weights.view(), k, q_t);
  multiply<T, n>(dscores.view(), v, dout_t);  // dweights, as yet
  const Vector<T> log_sums = load(log_sum, n);
  each(weights, [&](std::size_t s) { return seen.select(s, exp<T>(weights.key[s] * scale - log_sums), T{0}); });
  Vector<T> mean{};
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) mean += weights.key[s] * dscores.key[s];
  each(dscores, [&](std::size_t s) { return weights.key[s] * (dscores.key[s] - mean) * scale; });
  multiply<T, n, add>(dv, weights.view(), dout);
  multiply<T, n, add>(dk, dscores.view(), q);
  multiply<T, n>(dq, dscores.by_query(), k);
}

template <class T, std::size_t n>
void document_forward(View<T> out, View<T> log_sum, View<const T> q, View<const T> k, View<const T> v,
                      const Heads& heads, const Mask& mask, std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const Seen<T> seen(mask, first_query, n);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, q);
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h / (heads.n_head / heads.n_kv_head);
    head_forward<T, n>(out.slice_cols(h * D, D), log_sum.row(h), q_t.slice_rows(h * K, K), k.slice_cols(g * K, K),
                       v.slice_cols(g * D, D), static_cast<T>(heads.scale), seen);
  }
}

template <class T, std::size_t n>
void document_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, View<const T>, View<const T> log_sum,
                       View<const T> q, View<const T> k, View<const T> v, const Heads& heads, const Mask& mask,
                       std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const std::size_t in_group = heads.n_head / heads.n_kv_head;
  const Seen<T> seen(mask, first_query, n);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, q);
  const View<const T> dout_t = transposed_into(Workspace<T>::of_thread().dout, dout);
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h / in_group;
    const auto backward = h % in_group == 0 ? head_backward<T, n, false> : head_backward<T, n, true>;
    backward(dq.slice_cols(h * K, K), dk.slice_cols(g * K, K), dv.slice_cols(g * D, D), dout.slice_cols(h * D, D),
             dout_t.slice_rows(h * D, D), log_sum.row(h), q.slice_cols(h * K, K), q_t.slice_rows(h * K, K),
             k.slice_cols(g * K, K), v.slice_cols(g * D, D), static_cast<T>(heads.scale), seen);
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
