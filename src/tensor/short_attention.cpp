#include "tensor/short_attention.h"

#include <array>
#include <bit>
#include <limits>

#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"

namespace microgpt {
namespace {

/// The transpose of a document's matrix: row c holds number c of every position, in whole vectors. The lanes beyond the
/// document may hold anything.
template <class T>
View<const T> transposed_into(Tensor<T>& workspace, View<const T> x) {
  workspace.resize(padded<T>(x.cols), padded<T>(x.rows));
  transpose(workspace.view(), x);
  return workspace.view();
}

/// One number for each pair of n keys and n queries. Rows are keys, the transpose of the usual weights: a row is one
/// number for each query, in `vectors` vectors.
template <class T, std::size_t vectors>
struct Square {
  using Row = std::array<Vector<T>, vectors>;
  static constexpr std::size_t stride = vectors * lanes<T>;

  alignas(cache_line) std::array<Row, longest_short<T>> key;

  View<T> view(std::size_t n) { return {reinterpret_cast<T*>(key.data()), n, stride, stride}; }

  /// (n,n), rows are queries.
  Left<T> by_query() { return {reinterpret_cast<T*>(key.data()), 1, stride}; }
};

/// Calls at(s, i) for vector i of each key s.
template <std::size_t vectors, class At>
[[gnu::always_inline]] inline void each(std::size_t n, At at) {
  for (std::size_t s = 0; s < n; s++) {
#pragma GCC unroll 2
    for (std::size_t i = 0; i < vectors; i++) at(s, i);
  }
}

/// Which queries see a key, for all keys of a document of n positions.
template <class T, std::size_t vectors>
struct Seen {
  using Bits = Vector<Unsigned<T>>;

  Seen(const Mask& mask, std::size_t first_query, std::size_t n) {
    std::array<Bits, vectors> keys{};  // for each query, the bits of its mask
    for (std::size_t t = 0; t < n; t++) {
      keys[t / lanes<T>][t % lanes<T>] = static_cast<Unsigned<T>>(mask.bits(first_query + t, 0));
    }
    each<vectors>(n, [&](std::size_t s, std::size_t i) {
      key[s][i] = std::bit_cast<Bits>(((keys[i] >> static_cast<Unsigned<T>>(s)) & 1) != 0);
    });
  }

  /// x where the queries of vector i see key s, and `masked` elsewhere.
  Vector<T> select(std::size_t s, std::size_t i, Vector<T> x, T masked) const {
    return key[s][i] != 0 ? x : broadcast(masked);
  }

  std::array<std::array<Bits, vectors>, longest_short<T>> key;  // a query's lane is all ones if it sees the key
};

/// Computes out (n,D) and log_sum (n) for one head. q_t (K,n) is the transpose of its queries.
template <class T, std::size_t vectors>
[[gnu::always_inline]] inline void head_forward(const View<T>& out, T* log_sum, const AttentionHead<T>& head,
                                                const View<const T>& q_t, const Seen<T, vectors>& seen) {
  constexpr T masked = -std::numeric_limits<T>::infinity();
  const std::size_t n = head.k.rows;
  Square<T, vectors> weights;
  std::array<Vector<T>, vectors> largest;
  std::array<Vector<T>, vectors> reference;
  std::array<Vector<T>, vectors> total{};
  std::array<Vector<T>, vectors> inverse;
  largest.fill(broadcast(masked));
  matmul(weights.view(n), head.k, q_t);
  each<vectors>(n, [&](std::size_t s, std::size_t i) {
    weights.key[s][i] = seen.select(s, i, weights.key[s][i] * head.scale, masked);
    largest[i] = max<T>(largest[i], weights.key[s][i]);
  });
  for (std::size_t i = 0; i < vectors; i++) {
    reference[i] =
        largest[i] == masked ? Vector<T>{} : largest[i];  // a query that sees no key gets weights exp(-inf) = 0
  }
  each<vectors>(n, [&](std::size_t s, std::size_t i) {
    weights.key[s][i] = exp<T>(weights.key[s][i] - reference[i]);
    total[i] += weights.key[s][i];
  });
  for (std::size_t i = 0; i < vectors; i++) {
    inverse[i] = total[i] > 0 ? 1 / total[i] : Vector<T>{};
    store(log_sum + i * lanes<T>, total[i] > 0 ? largest[i] + log<T>(total[i]) : largest[i],
          std::min(lanes<T>, n - i * lanes<T>));
  }
  each<vectors>(n, [&](std::size_t s, std::size_t i) { weights.key[s][i] *= inverse[i]; });
  matmul(out, weights.by_query(), head.v);
}

/// Computes the gradients of one head. Sets dq (n,K). Sets dk (n,K) and dv (n,D), or adds to them if `add`.
template <class T, std::size_t vectors>
[[gnu::always_inline]] inline void head_backward(const AttentionGradients<T>& to, const View<const T>& dout,
                                                 const View<const T>& dout_t, const T* log_sum,
                                                 const AttentionHead<T>& head, const View<const T>& q_t,
                                                 const Seen<T, vectors>& seen, bool add) {
  const std::size_t n = head.k.rows;
  Square<T, vectors> weights;
  Square<T, vectors> dweights;
  matmul(weights.view(n), head.k, q_t);
  matmul(dweights.view(n), head.v, dout_t);
  std::array<Vector<T>, vectors> log_sums;
  std::array<Vector<T>, vectors> mean{};
  for (std::size_t i = 0; i < vectors; i++) {
    log_sums[i] = load(log_sum + i * lanes<T>, std::min(lanes<T>, n - i * lanes<T>));
  }
  each<vectors>(n, [&](std::size_t s, std::size_t i) {
    weights.key[s][i] = seen.select(s, i, exp<T>(weights.key[s][i] * head.scale - log_sums[i]), T{0});
    mean[i] += weights.key[s][i] * dweights.key[s][i];
  });
  Square<T, vectors>& dscores = dweights;  // in their place
  each<vectors>(n, [&](std::size_t s, std::size_t i) {
    dscores.key[s][i] = weights.key[s][i] * (dweights.key[s][i] - mean[i]) * head.scale;
  });
  matmul_add(to.dv, add ? View<const T>(to.dv) : View<const T>{}, weights.view(n), dout);
  matmul_add(to.dk, add ? View<const T>(to.dk) : View<const T>{}, dscores.view(n), head.q);
  matmul(to.dq, dscores.by_query(), head.k);
}

template <class T, std::size_t vectors>
void document_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t K = call.key_dim();
  const std::size_t D = call.value_dim();
  const Seen<T, vectors> seen(call.mask, call.first_query, call.q.rows);
  thread_local Tensor<T> q_space;
  const View<const T> q_t = transposed_into(q_space, call.q);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_forward<T, vectors>(out.slice_cols(h * D, D), log_sum.row(h), call.head(h, K, D), q_t.slice_rows(h * K, K),
                             seen);
  }
}

template <class T, std::size_t vectors>
void document_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>&,
                       const View<const T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t K = call.key_dim();
  const std::size_t D = call.value_dim();
  const Seen<T, vectors> seen(call.mask, call.first_query, call.q.rows);
  thread_local Tensor<T> q_space, dout_space;
  const View<const T> q_t = transposed_into(q_space, call.q);
  const View<const T> dout_t = transposed_into(dout_space, dout);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_backward<T, vectors>(call.head(gradients, h, K, D), dout.slice_cols(h * D, D), dout_t.slice_rows(h * D, D),
                              log_sum.row(h), call.head(h, K, D), q_t.slice_rows(h * K, K), seen,
                              !call.is_first_of_group(h));
  }
}

/// How many vectors hold a number for each position of the longest document.
template <class T>
constexpr std::size_t most_vectors = longest_short<T> / lanes<T>;

}  // namespace

template <class T>
void short_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const bool fills_one = call.q.rows <= lanes<T>;
  (fills_one ? document_forward<T, 1> : document_forward<T, most_vectors<T>>)(out, log_sum, call);
}

template <class T>
void short_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                    const View<const T>& log_sum, const AttentionCall<T>& call) {
  const bool fills_one = call.q.rows <= lanes<T>;
  (fills_one ? document_backward<T, 1> : document_backward<T, most_vectors<T>>)(gradients, dout, out, log_sum, call);
}

template void short_forward(const View<float>&, const View<float>&, const AttentionCall<float>&);
template void short_forward(const View<double>&, const View<double>&, const AttentionCall<double>&);
template void short_backward(const AttentionGradients<float>&, const View<const float>&, const View<const float>&,
                             const View<const float>&, const AttentionCall<float>&);
template void short_backward(const AttentionGradients<double>&, const View<const double>&, const View<const double>&,
                             const View<const double>&, const AttentionCall<double>&);

}  // namespace microgpt
