#include "tensor/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace microgpt {

template <class T>
void head_weights(View<T> weights, T* log_sum, std::type_identity_t<View<const T>> q,
                  std::type_identity_t<View<const T>> k, const Heads& heads, const Mask& mask, std::size_t first_query,
                  std::size_t h) {
  const std::size_t g = h / (heads.n_head / heads.n_kv_head);
  const View<const T> q_h = q.slice_cols(h * heads.key_dim, heads.key_dim);
  const View<const T> k_h = k.slice_cols(g * heads.key_dim, heads.key_dim);
  for (std::size_t t = 0; t < q.rows; t++) {
    T* const row = weights.row(t);
    T most = -std::numeric_limits<T>::infinity();
    for (std::size_t s = 0; s < k.rows; s++) {
      T score = 0;
      for (std::size_t j = 0; j < heads.key_dim; j++) score += q_h.row(t)[j] * k_h.row(s)[j];
      row[s] = score * static_cast<T>(heads.scale);
      if (mask.allows(first_query + t, s)) most = std::max(most, row[s]);
    }
    T total = 0;
    for (std::size_t s = 0; s < k.rows; s++) {
      row[s] = mask.allows(first_query + t, s) ? std::exp(row[s] - most) : 0;
      total += row[s];
    }
    for (std::size_t s = 0; s < k.rows && total > 0; s++) row[s] /= total;
    log_sum[t] = most + std::log(total);
  }
}

template <class T>
Tensor<T> attention_weights(View<const T> q, std::type_identity_t<View<const T>> k, const Heads& heads,
                            const Mask& mask, std::size_t first_query) {
  Tensor<T> weights(heads.n_head * q.rows, k.rows);
  std::vector<T> log_sum(q.rows);  // not asked for
  for (std::size_t h = 0; h < heads.n_head; h++) {
    head_weights(weights.view().slice_rows(h * q.rows, q.rows), log_sum.data(), q, k, heads, mask, first_query, h);
  }
  return weights;
}

template void head_weights(View<float>, float*, View<const float>, View<const float>, const Heads&, const Mask&,
                           std::size_t, std::size_t);
template void head_weights(View<double>, double*, View<const double>, View<const double>, const Heads&, const Mask&,
                           std::size_t, std::size_t);
template Tensor<float> attention_weights(View<const float>, View<const float>, const Heads&, const Mask&, std::size_t);
template Tensor<double> attention_weights(View<const double>, View<const double>, const Heads&, const Mask&,
                                          std::size_t);

}  // namespace microgpt
