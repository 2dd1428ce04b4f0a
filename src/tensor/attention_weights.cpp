#include "tensor/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace microgpt {

template <class T>
void head_weights(View<T> weights, T* log_sum, const AttentionHead<T>& head) {
  const auto& [q, k, v, scale, mask, first_query, dropout] = head;
  for (std::size_t t = 0; t < q.rows; t++) {
    T* const row = weights.row(t);
    T max_score = -std::numeric_limits<T>::infinity();
    for (std::size_t s = 0; s < k.rows; s++) {
      T score = 0;
      for (std::size_t j = 0; j < q.cols; j++) score += q.row(t)[j] * k.row(s)[j];
      row[s] = score * scale;
      if (mask.allows(first_query + t, s)) max_score = std::max(max_score, row[s]);
    }
    T total = 0;
    for (std::size_t s = 0; s < k.rows; s++) {
      row[s] = mask.allows(first_query + t, s) ? std::exp(row[s] - max_score) : 0;
      total += row[s];
    }
    for (std::size_t s = 0; s < k.rows && total > 0; s++) row[s] /= total;
    log_sum[t] = max_score + std::log(total);
  }
}

template <class T>
Tensor<T> attention_weights(const AttentionCall<T>& call) {
  const std::size_t n = call.q.rows;
  Tensor<T> weights(call.n_head * n, call.k.rows);
  std::vector<T> log_sum(n);  // not needed here
  for (std::size_t h = 0; h < call.n_head; h++) {
    head_weights(weights.view().slice_rows(h * n, n), log_sum.data(), call.head(h));
  }
  return weights;
}

template void head_weights(View<float>, float*, const AttentionHead<float>&);
template void head_weights(View<double>, double*, const AttentionHead<double>&);
template Tensor<float> attention_weights(const AttentionCall<float>&);
template Tensor<double> attention_weights(const AttentionCall<double>&);

}  // namespace microgpt
