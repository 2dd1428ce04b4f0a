#include "tensor/short_attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/tile.h"

namespace microgpt {
namespace {

/// How many vectors hold one number for each of n positions.
template <class T, std::size_t n>
constexpr std::size_t vectors_of = (n + lanes<T> - 1) / lanes<T>;

/// Transposes of a document's matrices: row c holds number c of every position, in whole vectors. The lanes beyond the
/// document may hold anything.
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
  workspace.resize(padded<T>(x.cols), padded<T>(x.rows));
  const View<T> to = workspace.view();
  for (std::size_t t = 0; t < x.rows; t += lanes<T>) {
    for (std::size_t c = 0; c < x.cols; c += lanes<T>) {
      const std::size_t cols = std::min(lanes<T>, x.cols - c);
      const auto transpose = cols == lanes<T> ? transpose_rows<T, true> : transpose_rows<T, false>;
      transpose(to.row(c) + t, to.stride, x.row(t) + c, x.stride, std::min(lanes<T>, x.rows - t), cols);
    }
  }
  return to;
}

/// One number for each pair of n keys and n queries, in whole vectors. Rows are keys: the transpose of the usual
/// weights.
template <class T, std::size_t n>
struct Square {
  static constexpr std::size_t vectors = vectors_of<T, n>;
  using Row = std::array<Vector<T>, vectors>;

  alignas(cache_line) std::array<Row, n> key;

  View<T> view() { return {reinterpret_cast<T*>(key.data()), n, vectors * lanes<T>, vectors * lanes<T>}; }

  /// (n,n), rows are queries.
  Left<T> by_query() { return {view().data, 1, vectors * lanes<T>}; }
};

/// How many lanes 1 / parts of a vector has, but at least 16 bytes of them.
template <class T, std::size_t parts>
constexpr std::size_t narrow = std::max(lanes<T> / parts, 16 / sizeof(T));

/// A tile of any height, cut into as few tiles as the registers allow.
template <class T, std::size_t rows, std::size_t vectors, bool whole, std::size_t width = lanes<T>>
[[gnu::always_inline]] inline void tall_tile(const View<T>& c, const View<const T>& before, const Left<T>& a,
                                             const View<const T>& b) {
  if constexpr (rows <= tile_rows<vectors>) {
    tile<T, rows, vectors, whole, width>(c, before, a, b);
  } else {
    constexpr std::size_t upper = rows / 2;
    const View<const T> lower_before = before.data == nullptr ? before : before.slice_rows(upper, rows - upper);
    tall_tile<T, upper, vectors, whole, width>(c.slice_rows(0, upper), before, a, b);
    tall_tile<T, rows - upper, vectors, whole, width>(c.slice_rows(upper, rows - upper), lower_before,
                                                      a.from_row(upper), b);
  }
}

/// multiply() for any number of columns.
template <class T, std::size_t n>
void multiply_any(const View<T>& c, const View<const T>& before, const Left<T>& a, const View<const T>& b) {
  for (std::size_t col = 0; col < c.cols;) {
    auto part = [&]<std::size_t width, bool whole>() {
      const std::size_t cols = std::min(width, c.cols - col);
      tall_tile<T, n, 1, whole, width>(c.slice_cols(col, cols),
                                       before.data == nullptr ? before : before.slice_cols(col, cols), a,
                                       b.slice_cols(col, cols));
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

/// c = a b, or c = before + a b, for n rows of c. A head has few numbers, so the columns often fill less than a vector.
/// If `dim` is not 0, it is the number of columns, which fill 16 bytes.
template <class T, std::size_t n, std::size_t dim>
[[gnu::always_inline]] inline void multiply(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                                            const std::type_identity_t<Left<T>>& a,
                                            const std::type_identity_t<View<const T>>& b) {
  if constexpr (dim > 0) {
    tall_tile<T, n, 1, true, dim>(c, before, a, b);
  } else {
    multiply_any<T, n>(c, before, a, b);
  }
}

/// square = k q^T for one head, or v dout^T. The second factor is given transposed: one row for each of the K numbers.
template <class T, std::size_t n>
[[gnu::always_inline]] inline void multiply(Square<T, n>& square, const View<const T>& k, const View<const T>& q_t) {
  tall_tile<T, n, Square<T, n>::vectors, true>(square.view(), {}, k, q_t);
}

/// Sets vector i of each key s to make(s, i).
template <class T, std::size_t n, class Make>
void each(Square<T, n>& square, Make make) {
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) {
#pragma GCC unroll 2
    for (std::size_t i = 0; i < Square<T, n>::vectors; i++) square.key[s][i] = make(s, i);
  }
}

/// Calls take(s, i) for vector i of each key s: for sums and maxima over the keys.
template <class T, std::size_t n, class Take>
void each_key(Take take) {
#pragma GCC unroll 16
  for (std::size_t s = 0; s < n; s++) {
#pragma GCC unroll 2
    for (std::size_t i = 0; i < vectors_of<T, n>; i++) take(s, i);
  }
}

/// Which queries see a key, for all keys of a document of n positions.
template <class T, std::size_t n>
struct Seen {
  using Bits = Vector<Unsigned<T>>;

  Seen(const Mask& mask, std::size_t first_query) {
    std::array<Bits, vectors_of<T, n>> keys{};  // for each query, the bits of its mask
    for (std::size_t t = 0; t < n; t++) {
      keys[t / lanes<T>][t % lanes<T>] = static_cast<Unsigned<T>>(mask.bits(first_query + t, 0));
    }
    for (std::size_t s = 0; s < n; s++) {
      for (std::size_t i = 0; i < vectors_of<T, n>; i++) {
        key[s][i] = std::bit_cast<Bits>(((keys[i] >> static_cast<Unsigned<T>>(s)) & 1) != 0);
      }
    }
  }

  /// x where the queries of vector i see key s, and `masked` elsewhere.
  Vector<T> select(std::size_t s, std::size_t i, Vector<T> x, T masked) const {
    return key[s][i] != 0 ? x : broadcast(masked);
  }

  std::array<std::array<Bits, vectors_of<T, n>>, n> key;  // a query's lane is all ones if it sees the key
};

/// Computes out (n,D) and log_sum (n) for one head. q_t (K,n) is the transpose of its queries.
template <class T, std::size_t n, std::size_t dim>
[[gnu::always_inline]] inline void head_forward(const View<T>& out, T* log_sum, const AttentionHead<T>& head,
                                                const View<const T>& q_t, const Seen<T, n>& seen) {
  constexpr T masked = -std::numeric_limits<T>::infinity();
  constexpr std::size_t vectors = vectors_of<T, n>;
  Square<T, n> weights;
  multiply(weights, head.k, q_t);
  each(weights,
       [&](std::size_t s, std::size_t i) { return seen.select(s, i, weights.key[s][i] * head.scale, masked); });
  std::array<Vector<T>, vectors> largest;
  std::array<Vector<T>, vectors> reference;
  std::array<Vector<T>, vectors> total{};
  std::array<Vector<T>, vectors> inverse;
  largest.fill(broadcast(masked));
  each_key<T, n>([&](std::size_t s, std::size_t i) { largest[i] = max<T>(largest[i], weights.key[s][i]); });
  for (std::size_t i = 0; i < vectors; i++) {
    reference[i] =
        largest[i] == masked ? Vector<T>{} : largest[i];  // a query that sees no key gets weights exp(-inf) = 0
  }
  each(weights, [&](std::size_t s, std::size_t i) { return exp<T>(weights.key[s][i] - reference[i]); });
  each_key<T, n>([&](std::size_t s, std::size_t i) { total[i] += weights.key[s][i]; });
  for (std::size_t i = 0; i < vectors; i++) {
    inverse[i] = total[i] > 0 ? 1 / total[i] : Vector<T>{};
    store(log_sum + i * lanes<T>, total[i] > 0 ? largest[i] + log<T>(total[i]) : largest[i],
          std::min(lanes<T>, n - i * lanes<T>));
  }
  each(weights, [&](std::size_t s, std::size_t i) { return weights.key[s][i] * inverse[i]; });
  multiply<T, n, dim>(out, {}, weights.by_query(), head.v);
}

/// Computes the gradients of one head. Sets dq (n,K). Sets dk (n,K) and dv (n,D), or adds to them if `add`.
template <class T, std::size_t n, std::size_t dim>
[[gnu::always_inline]] inline void head_backward(const AttentionGradients<T>& to, const View<const T>& dout,
                                                 const View<const T>& dout_t, const T* log_sum,
                                                 const AttentionHead<T>& head, const View<const T>& q_t,
                                                 const Seen<T, n>& seen, bool add) {
  constexpr std::size_t vectors = vectors_of<T, n>;
  Square<T, n> weights;
  Square<T, n> dweights;
  multiply(weights, head.k, q_t);
  multiply(dweights, head.v, dout_t);
  std::array<Vector<T>, vectors> log_sums;
  std::array<Vector<T>, vectors> mean{};
  for (std::size_t i = 0; i < vectors; i++) {
    log_sums[i] = load(log_sum + i * lanes<T>, std::min(lanes<T>, n - i * lanes<T>));
  }
  each(weights, [&](std::size_t s, std::size_t i) {
    return seen.select(s, i, exp<T>(weights.key[s][i] * head.scale - log_sums[i]), T{0});
  });
  each_key<T, n>([&](std::size_t s, std::size_t i) { mean[i] += weights.key[s][i] * dweights.key[s][i]; });
  Square<T, n>& dscores = dweights;  // in their place
  each(dscores,
       [&](std::size_t s, std::size_t i) { return weights.key[s][i] * (dweights.key[s][i] - mean[i]) * head.scale; });
  const View<const T> nothing;
  multiply<T, n, dim>(to.dv, add ? View<const T>(to.dv) : nothing, weights.view(), dout);
  multiply<T, n, dim>(to.dk, add ? View<const T>(to.dk) : nothing, dscores.view(), head.q);
  multiply<T, n, dim>(to.dq, nothing, dscores.by_query(), head.k);
}

/// If `dim` is not 0, it is both K and D, known to the compiler.
template <class T, std::size_t n, std::size_t dim>
void document_forward(View<T> out, View<T> log_sum, const AttentionCall<T>& call) {
  const std::size_t K = dim > 0 ? dim : call.key_dim();
  const std::size_t D = dim > 0 ? dim : call.value_dim();
  const Seen<T, n> seen(call.mask, call.first_query);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, call.q);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_forward<T, n, dim>(out.slice_cols(h * D, D), log_sum.row(h), call.head(h, K, D), q_t.slice_rows(h * K, K),
                            seen);
  }
}

template <class T, std::size_t n, std::size_t dim>
void document_backward(const AttentionGradients<T>& gradients, View<const T> dout, View<const T>, View<const T> log_sum,
                       const AttentionCall<T>& call) {
  const std::size_t K = dim > 0 ? dim : call.key_dim();
  const std::size_t D = dim > 0 ? dim : call.value_dim();
  const Seen<T, n> seen(call.mask, call.first_query);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, call.q);
  const View<const T> dout_t = transposed_into(Workspace<T>::of_thread().dout, dout);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_backward<T, n, dim>(call.head(gradients, h, K, D), dout.slice_cols(h * D, D), dout_t.slice_rows(h * D, D),
                             log_sum.row(h), call.head(h, K, D), q_t.slice_rows(h * K, K), seen,
                             !call.is_first_of_group(h));
  }
}

/// K and D of the published model have their own version, for floats. 0: there is none.
template <class T>
constexpr std::size_t usual_dim = sizeof(T) == 4 ? 4 : 0;

template <class T>
bool is_usual(const AttentionCall<T>& call) {
  return call.key_dim() == usual_dim<T> && call.value_dim() == usual_dim<T>;
}

/// Versions for 1, 2, ... queries.
template <class T, std::size_t dim>
constexpr auto forwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_forward<T, i + 1, dim>...};
}
(std::make_index_sequence<longest_short<T>>());

template <class T, std::size_t dim>
constexpr auto backwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_backward<T, i + 1, dim>...};
}
(std::make_index_sequence<longest_short<T>>());

}  // namespace

template <class T>
void short_forward(View<T> out, View<T> log_sum, const AttentionCall<T>& call) {
  const auto& forward = is_usual(call) ? forwards<T, usual_dim<T>> : forwards<T, 0>;
  forward[call.q.rows - 1](out, log_sum, call);
}

template <class T>
void short_backward(const AttentionGradients<T>& gradients, View<const T> dout, View<const T> out,
                    View<const T> log_sum, const AttentionCall<T>& call) {
  const auto& backward = is_usual(call) ? backwards<T, usual_dim<T>> : backwards<T, 0>;
  backward[call.q.rows - 1](gradients, dout, out, log_sum, call);
}

template void short_forward(View<float>, View<float>, const AttentionCall<float>&);
template void short_forward(View<double>, View<double>, const AttentionCall<double>&);
template void short_backward(const AttentionGradients<float>&, View<const float>, View<const float>, View<const float>,
                             const AttentionCall<float>&);
template void short_backward(const AttentionGradients<double>&, View<const double>, View<const double>,
                             View<const double>, const AttentionCall<double>&);

}  // namespace microgpt
