// Multi-head attention of a batch with arrays of four dimensions, as most programs write it.
//
// Letters: B documents, T positions that ask, M that are asked, C width, H heads of D = C / H numbers, E in a value.
#pragma once

#include "array.h"
#include "lesson/softmax.h"
#include "train/safetensors.h"

namespace microgpt {

/// A tensor of a file that PyTorch's numbers are in.
inline NdArray array_of(const Safetensors::Tensor& tensor) {
  return {{tensor.shape.begin(), tensor.shape.end()}, tensor.data};
}

/// (B,T,C) to (B,H,T,D).
inline NdArray split_heads(const NdArray& x, std::size_t H) {
  const std::size_t B = x.shape[0], T = x.shape[1], C = x.shape[2];
  const NdArray cut = reshape(x, {B, T, H, C / H});  // each position in H pieces
  return transpose(cut, 1, 2);                       // each head's pieces together
}

/// (B,H,T,D) to (B,T,C).
inline NdArray merge_heads(const NdArray& x) {
  const std::size_t B = x.shape[0], H = x.shape[1], T = x.shape[2], D = x.shape[3];
  const NdArray cut = transpose(x, 1, 2);  // each position's pieces together
  return reshape(cut, {B, T, H * D});
}

struct Attention {
  NdArray weights;  // (B,H,T,M)
  NdArray out;
};

/// q is (B,H,T,D), k is (B,H,M,D), v is (B,H,M,E), and out is (B,H,T,E). mask is 1 where a query may see a key, else 0,
/// in any shape that fits (B,H,T,M). A query that may see no key gets zeros.
inline Attention attend(const NdArray& q, const NdArray& k, const NdArray& v, const NdArray& mask) {
  // q k^T, divided by the root of D: (B,H,T,M). Each query meets the keys of its own head and document.
  NdArray scores{{q.shape[0], q.shape[1], q.shape[2], k.shape[2]}, {}};
  const std::size_t D = q.shape[3], M = k.shape[2];
  for_each_index(scores.shape, [&](const Shape& i) {
    const std::size_t b = i[0], h = i[1], t = i[2], s = i[3];
    double score = 0;
    for (std::size_t j = 0; j < D; j++) score += q.at({b, h, t, j}) * k.at({b, h, s, j});
    scores.numbers.push_back(score / std::sqrt(D));
  });
  const NdArray allowed = broadcast(mask, scores.shape);
  for (std::size_t i = 0; i < scores.numbers.size(); i++) {
    if (allowed.numbers[i] == 0) scores.numbers[i] = -INFINITY;
  }
  Attention a{{scores.shape, {}}, {q.shape, {}}};
  a.out.shape[3] = v.shape[3];
  for (auto row = scores.numbers.begin(); row != scores.numbers.end(); row += M) {  // a query's scores
    const bool sees_nobody = *std::max_element(row, row + M) == -INFINITY;
    const std::vector<double> weights = sees_nobody ? std::vector<double>(M) : softmax({row, row + M});
    a.weights.numbers.insert(a.weights.numbers.end(), weights.begin(), weights.end());
  }
  for_each_index(a.out.shape, [&](const Shape& i) {
    double mixed = 0;
    for (std::size_t s = 0; s < M; s++) mixed += a.weights.at({i[0], i[1], i[2], s}) * v.at({i[0], i[1], s, i[3]});
    a.out.numbers.push_back(mixed);
  });
  return a;
}

}  // namespace microgpt
