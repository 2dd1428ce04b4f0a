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

/// c = a b, or c = before + a b. `length` is the number of rows, or 0 if the compiler does not know it.
template <class T, std::size_t length, std::size_t vectors, bool whole, std::size_t width = lanes<T>>
[[gnu::always_inline]] inline void product(const View<T>& c, const View<const T>& before, const Left<T>& a,
                                           const View<const T>& b) {
  if constexpr (length == 0) {
    strip<T, vectors, whole, width>(c, before, a, b);
  } else if constexpr (length <= tile_rows<T, vectors>) {
    tile<T, length, vectors, whole, width>(c, before, a, b);
  } else {
    constexpr std::size_t upper = length / 2, lower = length - upper;
    product<T, upper, vectors, whole, width>(c.slice_rows(0, upper), before.slice_rows(0, upper), a, b);
    product<T, lower, vectors, whole, width>(c.slice_rows(upper, lower), before.slice_rows(upper, lower),
                                             a.from_row(upper), b);
  }
}

/// The same for any number of columns. A head has few numbers, so they often fill less than a vector.
template <class T, std::size_t length>
void product_of_any_width(const View<T>& c, const View<const T>& before, const Left<T>& a, const View<const T>& b) {
  for (std::size_t col = 0; col < c.cols;) {
    auto part = [&]<std::size_t width, bool whole>() {
      const std::size_t cols = std::min(width, c.cols - col);
      product<T, length, 1, whole, width>(c.slice_cols(col, cols),
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

/// c = a b, or c = before + a b. If `dim` is not 0, it is the number of columns, which fill 16 bytes.
template <class T, std::size_t length, std::size_t dim>
[[gnu::always_inline]] inline void multiply(const View<T>& c, const std::type_identity_t<View<const T>>& before,
                                            const std::type_identity_t<Left<T>>& a,
                                            const std::type_identity_t<View<const T>>& b) {
  if constexpr (dim > 0) {
    product<T, length, 1, true, dim>(c, before, a, b);
  } else {
    product_of_any_width<T, length>(c, before, a, b);
  }
}

/// square = k q^T for one head, or v dout^T. The second factor is given transposed: one row for each of the K numbers.
template <class T, std::size_t length, std::size_t vectors>
[[gnu::always_inline]] inline void multiply(Square<T, vectors>& square, const View<const T>& k,
                                            const View<const T>& q_t) {
  product<T, length, vectors, true>(square.view(length > 0 ? length : k.rows), {}, k, q_t);
}

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
template <class T, std::size_t vectors, std::size_t length, std::size_t dim>
[[gnu::always_inline]] inline void head_forward(const View<T>& out, T* log_sum, const AttentionHead<T>& head,
                                                const View<const T>& q_t, const Seen<T, vectors>& seen) {
  constexpr T masked = -std::numeric_limits<T>::infinity();
  const std::size_t n = length > 0 ? length : head.k.rows;
  Square<T, vectors> weights;
  std::array<Vector<T>, vectors> largest;
  std::array<Vector<T>, vectors> reference;
  std::array<Vector<T>, vectors> total{};
  std::array<Vector<T>, vectors> inverse;
  largest.fill(broadcast(masked));
  multiply<T, length>(weights, head.k, q_t);
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
  multiply<T, length, dim>(out, {}, weights.by_query(), head.v);
}

/// Computes the gradients of one head. Sets dq (n,K). Sets dk (n,K) and dv (n,D), or adds to them if `add`.
template <class T, std::size_t vectors, std::size_t length, std::size_t dim>
[[gnu::always_inline]] inline void head_backward(const AttentionGradients<T>& to, const View<const T>& dout,
                                                 const View<const T>& dout_t, const T* log_sum,
                                                 const AttentionHead<T>& head, const View<const T>& q_t,
                                                 const Seen<T, vectors>& seen, bool add) {
  const std::size_t n = length > 0 ? length : head.k.rows;
  Square<T, vectors> weights;
  Square<T, vectors> dweights;
  multiply<T, length>(weights, head.k, q_t);
  multiply<T, length>(dweights, head.v, dout_t);
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
  const View<const T> nothing;
  multiply<T, length, dim>(to.dv, add ? View<const T>(to.dv) : nothing, weights.view(n), dout);
  multiply<T, length, dim>(to.dk, add ? View<const T>(to.dk) : nothing, dscores.view(n), head.q);
  multiply<T, length, dim>(to.dq, nothing, dscores.by_query(), head.k);
}

/// `length` is the number of positions, and `dim` both K and D, or 0 if the compiler does not know them.
template <class T, std::size_t vectors, std::size_t length, std::size_t dim>
void document_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t K = dim > 0 ? dim : call.key_dim();
  const std::size_t D = dim > 0 ? dim : call.value_dim();
  const Seen<T, vectors> seen(call.mask, call.first_query, call.q.rows);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, call.q);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_forward<T, vectors, length, dim>(out.slice_cols(h * D, D), log_sum.row(h), call.head(h, K, D),
                                          q_t.slice_rows(h * K, K), seen);
  }
}

template <class T, std::size_t vectors, std::size_t length, std::size_t dim>
void document_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>&,
                       const View<const T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t K = dim > 0 ? dim : call.key_dim();
  const std::size_t D = dim > 0 ? dim : call.value_dim();
  const Seen<T, vectors> seen(call.mask, call.first_query, call.q.rows);
  const View<const T> q_t = transposed_into(Workspace<T>::of_thread().q, call.q);
  const View<const T> dout_t = transposed_into(Workspace<T>::of_thread().dout, dout);
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_backward<T, vectors, length, dim>(call.head(gradients, h, K, D), dout.slice_cols(h * D, D),
                                           dout_t.slice_rows(h * D, D), log_sum.row(h), call.head(h, K, D),
                                           q_t.slice_rows(h * K, K), seen, !call.is_first_of_group(h));
  }
}

/// K and D of the published model have their own version, for floats. 0: there is none.
template <class T>
constexpr std::size_t usual_dim = sizeof(T) == 4 ? 4 : 0;

template <class T>
bool is_usual(const AttentionCall<T>& call) {
  return call.key_dim() == usual_dim<T> && call.value_dim() == usual_dim<T>;
}

/// Up to this length, and for floats, each number of positions has its own version, with all loops unrolled. Most names
/// are no longer, and each version takes long to compile.
template <class T>
constexpr std::size_t known_lengths = sizeof(T) == 4 ? std::min<std::size_t>(10, longest_short<T>) : 0;

/// How many vectors hold one number for each of n positions.
template <class T>
constexpr std::size_t vectors_of(std::size_t n) {
  return padded<T>(n) / lanes<T>;
}

/// Versions for 1, 2, ... positions. The first, for a length of 0, takes all others.
template <class T, std::size_t dim>
constexpr auto forwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_forward<T, vectors_of<T>(i == 0 ? longest_short<T> : i), i, dim>...};
}
(std::make_index_sequence<known_lengths<T> + 1>());

template <class T, std::size_t dim>
constexpr auto backwards = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{document_backward<T, vectors_of<T>(i == 0 ? longest_short<T> : i), i, dim>...};
}
(std::make_index_sequence<known_lengths<T> + 1>());

}  // namespace

template <class T>
void short_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const auto& forward = is_usual(call) ? forwards<T, usual_dim<T>> : forwards<T, 0>;
  forward[call.q.rows <= known_lengths<T> ? call.q.rows : 0](out, log_sum, call);
}

template <class T>
void short_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                    const View<const T>& log_sum, const AttentionCall<T>& call) {
  const auto& backward = is_usual(call) ? backwards<T, usual_dim<T>> : backwards<T, 0>;
  backward[call.q.rows <= known_lengths<T> ? call.q.rows : 0](gradients, dout, out, log_sum, call);
}

template void short_forward(const View<float>&, const View<float>&, const AttentionCall<float>&);
template void short_forward(const View<double>&, const View<double>&, const AttentionCall<double>&);
template void short_backward(const AttentionGradients<float>&, const View<const float>&, const View<const float>&,
                             const View<const float>&, const AttentionCall<float>&);
template void short_backward(const AttentionGradients<double>&, const View<const double>&, const View<const double>&,
                             const View<const double>&, const AttentionCall<double>&);

}  // namespace microgpt
