// Multi-head attention of a batch with arrays of four dimensions, as most programs write it.
//
// Letters: B documents, T positions that ask, M that are asked, C width, H heads of D = C / H numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "array.h"
#include "lesson/softmax.h"

namespace microgpt {

/// (B,T,C) to (B,H,T,D).
inline Array split_heads(const Array& x, std::size_t H) {
  const std::size_t B = x.shape[0], T = x.shape[1], C = x.shape[2];
  const Array cut = reshape(x, {B, T, H, C / H});  // each position in H pieces
  return transpose(cut, 1, 2);                     // each head's pieces together
}

/// (B,H,T,D) to (B,T,C).
inline Array merge_heads(const Array& x) {
  const std::size_t B = x.shape[0], H = x.shape[1], T = x.shape[2], D = x.shape[3];
  const Array cut = transpose(x, 1, 2);  // each position's pieces together
  return reshape(cut, {B, T, H * D});
}

struct Attention {
  Array weights;  // (B,H,T,M)
  Array out;
};

/// q is (B,H,T,D), k and v are (B,H,M,D), and so is out. mask is 1 where a query may see a key, else 0, in any shape
/// that fits (B,H,T,M). A query that may see no key gets zeros.
inline Attention attend(const Array& q, const Array& k, const Array& v, const Array& mask) {
  const std::size_t H = q.shape[1], T = q.shape[2], M = k.shape[2], D = q.shape[3];
  const Array allowed = broadcast(mask, {q.shape[0], H, T, M});
  Attention a{{allowed.shape, {}}, {q.shape, std::vector<double>(q.numbers.size())}};
  for (std::size_t i = 0; i < q.numbers.size() / D; i++) {  // each query of each head of each document
    const std::size_t first_key = i / T * M;                // of the same head and document
    std::vector<double> weights;
    for (std::size_t s = 0; s < M; s++) {
      double score = 0;
      for (std::size_t j = 0; j < D; j++) score += q.numbers[i * D + j] * k.numbers[(first_key + s) * D + j];
      weights.push_back(allowed.numbers[i * M + s] != 0 ? score / std::sqrt(D) : -INFINITY);
    }
    const bool sees_nobody = std::count(weights.begin(), weights.end(), -INFINITY) == std::ssize(weights);
    weights = sees_nobody ? std::vector<double>(M) : softmax(weights);
    for (std::size_t s = 0; s < M; s++) {
      a.weights.numbers.push_back(weights[s]);
      for (std::size_t j = 0; j < D; j++) a.out.numbers[i * D + j] += weights[s] * v.numbers[(first_key + s) * D + j];
    }
  }
  return a;
}

}  // namespace microgpt
