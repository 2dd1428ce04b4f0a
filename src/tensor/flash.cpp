#include "tensor/flash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/transpose.h"
#include "tensor/visible.h"

namespace microgpt {
namespace {

constexpr std::size_t block = Mask::block;  // queries, and keys, at a time

template <class T>
constexpr T none = -std::numeric_limits<T>::infinity();  // the score of a key that a query may not see

/// What a thread needs for one head: memory that is taken once and used again and again.
template <class T>
struct Workspace {
  Tensor<T> keys;      // (m,K)
  Tensor<T> keys_t;    // (K,m)
  Tensor<T> values;    // (m,D)
  Tensor<T> values_t;  // (D,m)
  Tensor<T> weights{block, block};
  Tensor<T> dscores{block, block};

  void take_keys(View<const T> k) {
    keys.resize(k.rows, k.cols);
    keys_t.resize(k.cols, k.rows);
    copy(keys.view(), k);
    transpose(keys_t.view(), k);
  }

  void take_values(View<const T> v) {
    values.resize(v.rows, v.cols);
    values_t.resize(v.cols, v.rows);
    copy(values.view(), v);
    transpose(values_t.view(), v);
  }

  static Workspace& of_thread() {
    thread_local Workspace workspace;
    return workspace;
  }
};

/// The softmax of the rows of a block of queries, while the keys are still coming in.
template <class T>
struct OnlineSoftmax {
  std::array<T, block> most;    // the largest score so far
  std::array<T, block> total;   // the sum of exp(score - most) so far
  std::array<T, block> shrink;  // what this block of keys does to what was summed before it

  OnlineSoftmax() {
    most.fill(none<T>);
    total.fill(0);
  }

  /// scores (n, padded width) become exp(scale * score - most).
  void take(View<T> scores, T scale, const Visible& visible) {
    for (std::size_t i = 0; i < scores.rows; i++) {
      T* const row = scores.row(i);
      Vector<T> largest = broadcast(most[i]);
      for (std::size_t s = 0; s < scores.cols; s += lanes<T>) {
        const Vector<T> score = visible.select(i, s, load(row + s) * scale, none<T>);
        store(row + s, score);
        largest = max<T>(largest, score);
      }
      const T new_most = max<T>(largest);
      const T reference = new_most == none<T> ? 0 : new_most;  // nothing seen yet: all weights are exp(-inf) = 0
      Vector<T> sums{};
      for (std::size_t s = 0; s < scores.cols; s += lanes<T>) {
        const Vector<T> weight = exp<T>(load(row + s) - reference);
        store(row + s, weight);
        sums += weight;
      }
      shrink[i] = total[i] == 0 ? 0 : std::exp(most[i] - new_most);
      total[i] = total[i] * shrink[i] + sum<T>(sums);
      most[i] = new_most;
    }
  }
};

template <class T>
void multiply_row(T* row, std::size_t n, T factor) {
  std::size_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) store(row + j, load(row + j) * factor);
  if (j < n) store(row + j, load(row + j, n - j) * factor, n - j);
}

/// out (n,D) and log_sum (n) of a block of queries q (n,K), against all keys in the workspace.
template <class T>
void forward_block(View<T> out, T* log_sum, View<const T> q, T scale, const Mask& mask, std::size_t first_query,
                   Workspace<T>& work) {
  const std::size_t m = work.keys_t.view().cols;
  OnlineSoftmax<T> softmax;
  bool first = true;
  for (std::size_t s = 0; s < m; s += block) {
    const std::size_t width = std::min(block, m - s);
    const Visible visible(mask, first_query, q.rows, s, width);
    if (!visible.any()) continue;
    const View<T> weights = work.weights.view().slice_rows(0, q.rows).slice_cols(0, width);
    matmul(weights, q, work.keys_t.view().slice_cols(s, width));
    softmax.take(weights, scale, visible);
    const View<const T> values = work.values.view().slice_rows(s, width);
    if (first) {
      matmul(out, weights, values);
    } else {
      for (std::size_t i = 0; i < q.rows; i++) multiply_row(out.row(i), out.cols, softmax.shrink[i]);
      matmul_add(out, weights, values);
    }
    first = false;
  }
  if (first) set_zero(out);
  for (std::size_t i = 0; i < q.rows; i += lanes<T>) {
    const std::size_t n = std::min(lanes<T>, q.rows - i);
    const Vector<T> total = load(softmax.total.data() + i);
    store(log_sum + i, load(softmax.most.data() + i) + log<T>(total), n);
    store(softmax.total.data() + i, 1 / total);
  }
  for (std::size_t i = 0; i < q.rows; i++) {
    if (softmax.most[i] == none<T>) {
      log_sum[i] = none<T>;
    } else {
      multiply_row(out.row(i), out.cols, softmax.total[i]);
    }
  }
}

/// Of a block of queries: dq (n,K), and what it adds to dk (m,K) and dv (m,D). delta (n) is dout * out, summed over D.
template <class T>
void backward_block(View<T> dq, View<T> dk, View<T> dv, View<const T> q, View<const T> dout, const T* log_sum,
                    const T* delta, T scale, const Mask& mask, std::size_t first_query, Workspace<T>& work) {
  const std::size_t m = dk.rows;
  bool first = true;
  for (std::size_t s = 0; s < m; s += block) {
    const std::size_t width = std::min(block, m - s);
    const Visible visible(mask, first_query, q.rows, s, width);
    if (!visible.any()) continue;
    const View<T> weights = work.weights.view().slice_rows(0, q.rows).slice_cols(0, width);
    const View<T> dscores = work.dscores.view().slice_rows(0, q.rows).slice_cols(0, width);
    matmul(weights, q, work.keys_t.view().slice_cols(s, width));
    matmul(dscores, dout, work.values_t.view().slice_cols(s, width));  // dweights, as yet
    for (std::size_t i = 0; i < q.rows; i++) {
      for (std::size_t j = 0; j < weights.cols; j += lanes<T>) {
        T* const weight_at = weights.row(i) + j;
        T* const dscore_at = dscores.row(i) + j;
        const Vector<T> weight = visible.select(i, j, exp<T>(load(weight_at) * scale - log_sum[i]), T{0});
        store(weight_at, weight);
        store(dscore_at, weight * (load(dscore_at) - delta[i]) * scale);
      }
    }
    matmul_add(dv.slice_rows(s, width), transposed(weights), dout);
    matmul_add(dk.slice_rows(s, width), transposed(dscores), q);
    if (first) {
      matmul(dq, dscores, work.keys.view().slice_rows(s, width));
    } else {
      matmul_add(dq, dscores, work.keys.view().slice_rows(s, width));
    }
    first = false;
  }
  if (first) set_zero(dq);
}

template <class T>
T dot(const T* a, const T* b, std::size_t n) {
  Vector<T> sums{};
  std::size_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) sums += load(a + j) * load(b + j);
  if (j < n) sums += load(a + j, n - j) * load(b + j, n - j);
  return sum<T>(sums);
}

}  // namespace

template <class T>
void flash_forward(View<T> out, View<T> log_sum, View<const T> q, View<const T> k, View<const T> v, const Heads& heads,
                   const Mask& mask, std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const std::size_t in_group = heads.n_head / heads.n_kv_head;
  Workspace<T>& work = Workspace<T>::of_thread();
  for (std::size_t h = 0; h < heads.n_head; h++) {
    if (h % in_group == 0) {
      work.take_keys(k.slice_cols(h / in_group * K, K));
      work.take_values(v.slice_cols(h / in_group * D, D));
    }
    for (std::size_t t = 0; t < q.rows; t += block) {
      const std::size_t n = std::min(block, q.rows - t);
      forward_block<T>(out.slice_cols(h * D, D).slice_rows(t, n), log_sum.row(h) + t,
                       q.slice_cols(h * K, K).slice_rows(t, n), static_cast<T>(heads.scale), mask, first_query + t,
                       work);
    }
  }
}

template <class T>
void flash_backward(View<T> dq, View<T> dk, View<T> dv, View<const T> dout, View<const T> out, View<const T> log_sum,
                    View<const T> q, View<const T> k, View<const T> v, const Heads& heads, const Mask& mask,
                    std::size_t first_query) {
  const std::size_t K = heads.key_dim;
  const std::size_t D = heads.value_dim;
  const std::size_t in_group = heads.n_head / heads.n_kv_head;
  Workspace<T>& work = Workspace<T>::of_thread();
  set_zero(dk);
  set_zero(dv);
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h / in_group;
    if (h % in_group == 0) {
      work.take_keys(k.slice_cols(g * K, K));
      work.take_values(v.slice_cols(g * D, D));
    }
    for (std::size_t t = 0; t < q.rows; t += block) {
      const std::size_t n = std::min(block, q.rows - t);
      std::array<T, block> delta;
      for (std::size_t i = 0; i < n; i++) delta[i] = dot(dout.row(t + i) + h * D, out.row(t + i) + h * D, D);
      backward_block<T>(dq.slice_cols(h * K, K).slice_rows(t, n), dk.slice_cols(g * K, K), dv.slice_cols(g * D, D),
                        q.slice_cols(h * K, K).slice_rows(t, n), dout.slice_cols(h * D, D).slice_rows(t, n),
                        log_sum.row(h) + t, delta.data(), static_cast<T>(heads.scale), mask, first_query + t, work);
    }
  }
}

template void flash_forward(View<float>, View<float>, View<const float>, View<const float>, View<const float>,
                            const Heads&, const Mask&, std::size_t);
template void flash_forward(View<double>, View<double>, View<const double>, View<const double>, View<const double>,
                            const Heads&, const Mask&, std::size_t);
template void flash_backward(View<float>, View<float>, View<float>, View<const float>, View<const float>,
                             View<const float>, View<const float>, View<const float>, View<const float>, const Heads&,
                             const Mask&, std::size_t);
template void flash_backward(View<double>, View<double>, View<double>, View<const double>, View<const double>,
                             View<const double>, View<const double>, View<const double>, View<const double>,
                             const Heads&, const Mask&, std::size_t);

}  // namespace microgpt
