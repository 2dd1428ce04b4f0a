#include "tensor/one_query.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "tensor/simd.h"

namespace microgpt {
namespace {

/// v with its lanes reordered: lane i becomes lane i ^ flip.
template <class T, std::size_t flip>
Vector<T> flipped(Vector<T> v) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return __builtin_shufflevector(v, v, (i ^ flip)...); }
  (std::make_index_sequence<lanes<T>>());
}

/// Adds up the numbers of each head of D numbers, and puts the sum into all its lanes.
template <class T, std::size_t D>
Vector<T> sum_of_heads(Vector<T> v) {
  if constexpr (D > 1) {
    return sum_of_heads<T, D / 2>(v + flipped<T, D / 2>(v));
  } else {
    return v;
  }
}

/// A vector of heads at a time.
template <class T, std::size_t D>
void all_heads(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const View<const T>&k = call.k, &v = call.v;
  std::size_t h = 0;
  each_vector<T>(out.cols, [&](auto get, auto put) {
    const Vector<T> q = get(call.q.data) * static_cast<T>(call.scale);
    std::array<Vector<T>, Mask::block> scores;
    Vector<T> largest = broadcast(-std::numeric_limits<T>::infinity());
    for (std::size_t t = 0; t < k.rows; t++) {
      scores[t] = sum_of_heads<T, D>(q * get(k.row(t)));
      largest = max<T>(largest, scores[t]);
    }
    Vector<T> total{}, mixed{};
    for (std::size_t t = 0; t < k.rows; t++) {
      const Vector<T> weight = exp<T>(scores[t] - largest);
      total += weight;
      mixed = multiply_add(weight, get(v.row(t)), mixed);
    }
    put(out.data, mixed / total);
    const Vector<T> log_sums = largest + log<T>(total);
    for (std::size_t j = 0; j < lanes<T> && h < call.n_head; j += D) log_sum.row(h++)[0] = log_sums[j];
  });
}

}  // namespace

template <class T>
bool is_one_query(const AttentionCall<T>& call) {
  if (call.q.rows != 1) return false;
  const std::size_t D = call.value_dim(), m = call.k.rows;
  return m <= Mask::block && call.n_kv_head == call.n_head && call.key_dim() == D && std::has_single_bit(D) &&
         D <= lanes<T> && !call.dropout.drops() && (~call.mask.bits(call.first_query, 0) & Mask::lowest(m)) == 0;
}

template <class T>
void one_query_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const auto forward = [&] {
    switch (call.value_dim()) {
      case 1: return all_heads<T, 1>;
      case 2: return all_heads<T, 2>;
      case 4: return all_heads<T, std::min<std::size_t>(4, lanes<T>)>;
      case 8: return all_heads<T, std::min<std::size_t>(8, lanes<T>)>;
      default: return all_heads<T, std::min<std::size_t>(16, lanes<T>)>;
    }
  }();
  forward(out, log_sum, call);
}

template bool is_one_query(const AttentionCall<float>&);
template bool is_one_query(const AttentionCall<double>&);
template void one_query_forward(const View<float>&, const View<float>&, const AttentionCall<float>&);
template void one_query_forward(const View<double>&, const View<double>&, const AttentionCall<double>&);

}  // namespace microgpt
