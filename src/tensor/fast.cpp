// Every layer again, with vector instructions. naive.cpp explains what is computed.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "tensor/flash.h"
#include "tensor/kernels.h"
#include "tensor/matmul.h"
#include "tensor/short_attention.h"
#include "tensor/simd.h"

namespace microgpt {
namespace {

template <class T>
void embedding_forward(const View<T>& x, std::span<const Token> tokens, std::span<const std::size_t> positions,
                       const View<const T>& wte, const View<const T>& wpe) {
  for (std::size_t n = 0; n < x.rows; n++) {
    const T* const token = wte.row(tokens[n]);
    if (wpe.rows == 0) {
      std::copy_n(token, x.cols, x.row(n));
    } else {
      each_vector<T>(x.cols, [&](auto get, auto put) { put(x.row(n), get(token) + get(wpe.row(positions[n]))); });
    }
  }
}

template <class T>
void embedding_backward(const View<T>& dw, std::size_t first, const View<const T>& dx,
                        std::span<const std::size_t> indices) {
  for (std::size_t n = 0; n < dx.rows; n++) {
    if (indices[n] < first || indices[n] >= first + dw.rows) continue;
    T* const to = dw.row(indices[n] - first);
    each_vector<T>(dx.cols, [&](auto get, auto put) { put(to, get(to) + get(dx.row(n))); });
  }
}

template <class T>
void linear_forward(const View<T>& y, const View<const T>& x, const Weight<T>& w, const View<const T>& before) {
  matmul_add(y, before, x, w.transposed.view());
}

template <class T>
void linear_backward_input(const View<T>& dx, const View<const T>& dy, const Weight<T>& w,
                           const View<const T>& before) {
  matmul_add(dx, before, dy, w.data.view());
}

template <class T>
void linear_backward_weight(const View<T>& dw, std::size_t first, const View<const T>& dy, const View<const T>& x,
                            const View<const T>& before) {
  matmul_add(dw, before, transposed(dy).from_row(first), x);
}

// First the sums of all rows, then their roots, one vector at a time: roots and divisions are slow.
template <class T>
void rmsnorm_forward(const View<T>& y, T* scale, const View<const T>& x) {
  for (std::size_t n = 0; n < x.rows; n++) {
    Vector<T> squares{};
    each_vector<T>(x.cols, [&](auto get, auto) { squares += get(x.row(n)) * get(x.row(n)); });
    scale[n] = sum<T>(squares);
  }
  const auto C = static_cast<T>(x.cols), eps = static_cast<T>(1e-5);
  each_vector<T>(x.rows, [&](auto get, auto put) { put(scale, 1 / root<T>(get(scale) / C + eps)); });
  for (std::size_t n = 0; n < x.rows; n++) {
    each_vector<T>(x.cols, [&](auto get, auto put) { put(y.row(n), get(x.row(n)) * scale[n]); });
  }
}

template <class T>
void rmsnorm_backward(const View<T>& dx, const View<const T>& dy, const View<const T>& x, const T* scale,
                      const View<const T>& before) {
  for (std::size_t n = 0; n < x.rows; n++) {
    Vector<T> dot{};
    each_vector<T>(x.cols, [&](auto get, auto) { dot += get(dy.row(n)) * get(x.row(n)); });
    const T through_scale = sum<T>(dot) * (1 / static_cast<T>(x.cols)) * scale[n] * scale[n] * scale[n];
    each_vector<T>(x.cols, [&](auto get, auto put) {
      const Vector<T> so_far = before.rows > 0 ? get(before.row(n)) : Vector<T>{};
      put(dx.row(n), so_far + get(dy.row(n)) * scale[n] - get(x.row(n)) * through_scale);
    });
  }
}

template <class T>
void add_forward(const View<T>& y, const View<const T>& a, const View<const T>& b) {
  for (std::size_t n = 0; n < y.rows; n++) {
    each_vector<T>(y.cols, [&](auto get, auto put) { put(y.row(n), get(a.row(n)) + get(b.row(n))); });
  }
}

template <class T>
void activation_forward(const View<T>& y, const View<const T>& x, Activation activation) {
  with_formulas(activation, [&](auto formulas) {
    for (std::size_t n = 0; n < y.rows; n++) {
      each_vector<T>(y.cols, [&](auto get, auto put) { put(y.row(n), formulas.forward(get(x.row(n)))); });
    }
  });
}

template <class T>
void activation_backward(const View<T>& dx, const View<const T>& dy, const View<const T>& x, Activation activation) {
  with_formulas(activation, [&](auto formulas) {
    for (std::size_t n = 0; n < dx.rows; n++) {
      each_vector<T>(dx.cols,
                     [&](auto get, auto put) { put(dx.row(n), formulas.backward(get(dy.row(n)), get(x.row(n)))); });
    }
  });
}

// Takes as many rows at a time as a vector has lanes, so that one log serves them all. Each pass covers all these rows
// before the next begins, so that no row waits for its own maximum or sum.
template <class T>
void cross_entropy_forward(T* losses, const View<T>& probs, const View<const T>& logits,
                           std::span<const Token> targets) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();  // exp(nothing) = 0
  for (std::size_t first = 0; first < logits.rows; first += lanes<T>) {
    const std::size_t rows = std::min(lanes<T>, logits.rows - first);
    std::array<T, lanes<T>> largest;
    for (std::size_t i = 0; i < rows; i++) {
      Vector<T> maxima = broadcast(nothing);
      each_vector<T>(logits.cols,
                     [&](auto get, auto) { maxima = max<T>(maxima, get(logits.row(first + i), nothing)); });
      largest[i] = max<T>(maxima);
    }
    Vector<T> totals = broadcast(T{1});
    Vector<T> at_target{};
    for (std::size_t i = 0; i < rows; i++) {
      const T* const row = logits.row(first + i);
      Vector<T> sums{};
      each_vector<T>(logits.cols, [&](auto get, auto put) {
        const Vector<T> weight = exp<T>(get(row, nothing) - largest[i]);
        put(probs.row(first + i), weight);
        sums += weight;
      });
      totals[i] = sum<T>(sums);
      at_target[i] = row[targets[first + i]] - largest[i];
    }
    store(losses + first, log<T>(totals) - at_target, rows);
    const Vector<T> inverse = 1 / totals;
    for (std::size_t i = 0; i < rows; i++) {
      T* const prob = probs.row(first + i);
      each_vector<T>(logits.cols, [&](auto get, auto put) { put(prob, get(prob) * inverse[i]); });
    }
  }
}

template <class T>
void cross_entropy_backward(const View<T>& dlogits, const T* dlosses, const View<const T>& probs,
                            std::span<const Token> targets) {
  for (std::size_t n = 0; n < probs.rows; n++) {
    each_vector<T>(probs.cols, [&](auto get, auto put) { put(dlogits.row(n), get(probs.row(n)) * dlosses[n]); });
    dlogits.row(n)[targets[n]] -= dlosses[n];
  }
}

// Attention of a single query, the last position of a document: what a token costs when the model generates. A head has
// few numbers, so one vector holds the same numbers of several heads, and the processor works on all of them at once.

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

/// Whether one_query_forward() can be used: one query, which sees every key; at most Mask::block keys; a key and value
/// head for each query head; heads that share vectors or fill one; no dropout.
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

template <class T>
void attention_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const auto forward = is_one_query(call) ? one_query_forward<T> : is_short(call) ? short_forward<T> : flash_forward<T>;
  forward(out, log_sum, call);
}

template <class T>
void attention_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                        const View<const T>& log_sum, const AttentionCall<T>& call) {
  const auto backward = is_short(call) ? short_backward<T> : flash_backward<T>;
  backward(gradients, dout, out, log_sum, call);
}

template <class T>
void adam_update(T* data, const T* grad, T* m, T* v, std::size_t n, const AdamStep& step) {
  const auto beta1 = static_cast<T>(step.beta1);
  const auto beta2 = static_cast<T>(step.beta2);
  const auto rate = static_cast<T>(step.learning_rate / step.m_correction);
  const auto v_scale = static_cast<T>(1 / step.v_correction);
  const auto eps = static_cast<T>(step.eps);
  const auto keep = static_cast<T>(step.keep);
#pragma omp simd
  for (std::size_t i = 0; i < n; i++) {
    m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
    v[i] = beta2 * v[i] + (1 - beta2) * grad[i] * grad[i];
    data[i] = keep * data[i] - rate * m[i] / (std::sqrt(v[i] * v_scale) + eps);
  }
}

}  // namespace

template <class T>
const Kernels<T>& fast() {
  static constexpr Kernels<T> kernels{.name = "fast",
                                      .embedding_forward = embedding_forward,
                                      .embedding_backward = embedding_backward,
                                      .linear_forward = linear_forward,
                                      .linear_backward_input = linear_backward_input,
                                      .linear_backward_weight = linear_backward_weight,
                                      .rmsnorm_forward = rmsnorm_forward,
                                      .rmsnorm_backward = rmsnorm_backward,
                                      .add_forward = add_forward,
                                      .activation_forward = activation_forward,
                                      .activation_backward = activation_backward,
                                      .attention_forward = attention_forward,
                                      .attention_backward = attention_backward,
                                      .cross_entropy_forward = cross_entropy_forward,
                                      .cross_entropy_backward = cross_entropy_backward,
                                      .adam_update = adam_update};
  return kernels;
}

template const Kernels<float>& fast();
template const Kernels<double>& fast();

}  // namespace microgpt
