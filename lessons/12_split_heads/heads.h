// Multi-head attention of a batch with tensors of four dimensions, as most programs write it.
//
// Letters: B documents, N positions that ask, M that are asked, C width, H heads of D = C / H numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "array.h"
#include "base/parameters.h"

namespace lesson10 {

using microgpt::Parameters;

/// The mistakes of "Break it": make lesson-12 BREAK=only-reshape, or another of these.
inline struct { bool only_reshape, no_wo, by_width, no_causal, hide_queries; } broken;

/// (B,N,C) to (B,H,N,D).
template <class V>
Array<V> split_heads(const Array<V>& x, std::size_t H) {
  const std::size_t B = x.shape[0], N = x.shape[1], D = x.shape[2] / H;
  if (broken.only_reshape) return reshape(x, {B, H, N, D});
  return transpose(reshape(x, {B, N, H, D}), 1, 2);
}

/// (B,H,N,D) to (B,N,C).
template <class V>
Array<V> merge_heads(const Array<V>& x) {
  const std::size_t B = x.shape[0], H = x.shape[1], N = x.shape[2], D = x.shape[3];
  return reshape(broken.only_reshape ? x : transpose(x, 1, 2), {B, N, H * D});
}

struct Attention {
  Array<Value> weights;  // (B,H,N,M)
  Array<Value> out;      // (B,H,N,D)
};

/// q is (B,H,N,D), k and v are (B,H,M,D). mask is 1 where a query may see a key, and any shape that fits (B,H,N,M).
inline Attention attend(const Array<Value>& q, const Array<Value>& k, const Array<Value>& v,
                        const Array<double>& mask) {
  const std::size_t H = q.shape[1], N = q.shape[2], M = k.shape[2], D = q.shape[3];
  const double scale = std::sqrt(broken.by_width ? H * D : D);
  const Array<double> allowed = broadcast(mask, {q.shape[0], H, N, M});
  Attention a{{allowed.shape, {}}, {q.shape, {}}};
  for (std::size_t i = 0; i < q.numbers.size() / D; i++) {  // each query of each head of each document
    const std::size_t first_key = i / N * M;
    const Values scores(M, [&](std::size_t s) {
      return allowed.numbers[i * M + s] == 0 ? Value(-INFINITY) : dot(row(q, i), row(k, first_key + s)) / scale;
    });
    const std::vector<double> numbers = scores.data();
    const bool blind = std::count(numbers.begin(), numbers.end(), -INFINITY) == std::ssize(numbers);
    const Values weights = blind ? Values(M, [](std::size_t) { return 0.0; }) : softmax(scores);
    for (const Value weight : weights) a.weights.numbers.push_back(weight);
    for (std::size_t j = 0; j < D; j++) {
      a.out.numbers.push_back(
          dot(weights, Values(M, [&](std::size_t s) { return v.numbers[(first_key + s) * D + j]; })));
    }
  }
  return a;
}

/// Queries from x, (B,N,C), keys and values from kv, (B,M,C). Returns (B,N,C), and leaves the weights, (B,H,N,M).
inline Array<Value> multi_head(const Parameters& p, const Array<Value>& x, const Array<Value>& kv, std::size_t H,
                               const Array<double>& mask, Array<Value>& weights) {
  const Attention a = attend(split_heads(project(x, p["w_q"]), H), split_heads(project(kv, p["w_k"]), H),
                             split_heads(project(kv, p["w_v"]), H), mask);
  weights = a.weights;
  return broken.no_wo ? merge_heads(a.out) : project(merge_heads(a.out), p["w_o"]);
}

}  // namespace lesson10
