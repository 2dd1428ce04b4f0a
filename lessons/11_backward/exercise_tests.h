// The tests of exercise 11: slope after slope, in the order of the way back, then all of them against src.
#pragma once

#include <numeric>

#include "lesson/nudge.h"
#include "lesson/teach.h"
#include "tensor/kernels.h"

using teach::calling;
using teach::Numbers;
using teach::should_be;
using teach::usual;

/// Lesson 07's three positions, without a bias.
inline Head on_paper() {
  Head a{Array(3, 2), Array(3, 2), Array(3, 2), Array(1, 3)};
  a.q.data = {2, 0, 0, 1, 1, 2};
  a.k.data = {1, 0, 0, 1, 1, 1};
  a.v.data = {4, 0, 0, 2, 2, 2};
  return a;
}

inline void test_values() {
  const Head a = on_paper();
  const Array weights = weights_of(a);
  Array last(3, 2), ones(3, 2);
  last[2][0] = 1;
  ones.data.assign(6, 1);
  auto slopes_of_row = [&](std::size_t t) {
    return Numbers{weights[t][0], weights[t][0], weights[t][1], weights[t][1], weights[t][2], weights[t][2]};
  };
  calling("The three positions of lesson 07, where only dout[2][0] is 1: d.v",
          "out[2] is a sum of weight * value. So each value gets its weight times dout.");
  usual(Numbers(6), "Nothing arrived. v[s] gets weights[t][s] * dout[t].");
  usual({1, 0, 1, 0, 1, 0}, "Each value got all of dout. Its share is its weight.");
  usual({weights[0][2], 0, weights[1][2], 0, weights[2][2], 0}, "The weights are weights[t][s]: t asks, s is seen.");
  should_be(attention_backward(last, a).v.data, {weights[2][0], 0, weights[2][1], 0, weights[2][2], 0});
  calling("The same with all of dout 1: d.v", "Position 0 is seen by all three positions, and gets a share from each.");
  usual({weights[2][0], weights[2][0], weights[2][1], weights[2][1], weights[2][2], weights[2][2]},
        "Only the share of the last position is there. A value is used several times: does it say  =  for  += ?");
  Numbers sums(6);
  for (const std::size_t t : {0, 1, 2}) {
    for (std::size_t i = 0; i < 6; i++) sums[i] += slopes_of_row(t)[i];
  }
  should_be(attention_backward(ones, a).v.data, sums);
}

/// Four positions of three numbers each, with a bias.
struct Tried {
  Head a{waves(4, 3, 1), waves(4, 3, 2), waves(4, 3, 3), waves(1, 4, 4)};
  Array dout = waves(4, 3, 5);

  std::vector<double> nudge(Array& x) {
    return nudged(x.data, [this] {
      const Array out = mixed(weights_of(a), a.v);
      return std::inner_product(out.data.begin(), out.data.end(), dout.data.begin(), 0.0);
    });
  }

  /// What the slopes of the bias would be: the mean of softmax times `share_of_mean`, and bias[place(t, s)].
  template <class Place>
  Numbers bias(double share_of_mean, Place place) const {
    const Array weights = weights_of(a);
    Numbers slopes(4);
    for (std::size_t t = 0; t < 4; t++) {
      auto dweight = [&](std::size_t s) { return std::inner_product(dout[t], dout[t] + 3, a.v[s], 0.0); };
      double mean = 0;
      for (std::size_t s = 0; s <= t; s++) mean += share_of_mean * weights[t][s] * dweight(s);
      for (std::size_t s = 0; s <= t; s++) slopes[place(t, s)] += weights[t][s] * (dweight(s) - mean);
    }
    return slopes;
  }
};

inline Numbers times(Numbers list, double factor) {
  for (double& x : list) x *= factor;
  return list;
}

inline void test_bias() {
  Tried tried;
  const Numbers slopes = tried.nudge(tried.a.bias);
  auto distance = [](std::size_t t, std::size_t s) { return t - s; };
  calling("Four positions, D = 3, and slopes by nudging: d.bias",
          "bias[t - s] is added to a score, so it gets dscore[s]. Several pairs are equally far apart: += .");
  usual(Numbers(4), "Nothing arrived. bias[t - s] is added to a score, so it gets that score's slope.");
  usual(tried.bias(0, distance),
        "These are weight * dweight. Softmax takes the mean out: weight * (dweight - mean), mean = sum of weight * "
        "dweight.");
  usual(times(slopes, 1 / std::sqrt(3)), "Divided by the root of D. The bias is added after that division.");
  usual(tried.bias(1, [](std::size_t, std::size_t s) { return s; }), "The slope went to bias[s]. It was bias[t - s].");
  should_be(attention_backward(tried.dout, tried.a).bias.data, slopes, 1e-6);
}

inline void test_queries_and_keys() {
  Tried tried;
  const Head d = attention_backward(tried.dout, tried.a);
  const Numbers dq = tried.nudge(tried.a.q), dk = tried.nudge(tried.a.k);
  calling("Four positions, D = 3, and slopes by nudging: d.q",
          "The slopes of the scores are right: d.bias says so. q[t] gets dscore[s] / root of D * k[s], from each s.");
  usual(Numbers(12), "Nothing arrived. q[t] is in the scores of all s, each time multiplied by k[s].");
  usual(times(dq, std::sqrt(3)), "The product q . k was divided by the root of D, so its slope must be, too.");
  should_be(d.q.data, dq, 1e-6);
  calling("Four positions, D = 3, and slopes by nudging: d.k",
          "The queries are right. k[s] gets dscore[s] / root of D * q[t], from each t that saw it: += .");
  usual(Numbers(12), "Nothing arrived. k[s] is in the scores of all t that see it, each time multiplied by q[t].");
  usual(times(dk, std::sqrt(3)), "The product q . k was divided by the root of D, so its slope must be, too.");
  should_be(d.k.data, dk, 1e-6);
  calling("Four positions, D = 3, and slopes by nudging: d.v", "It was right for three positions of two numbers.");
  should_be(d.v.data, tried.nudge(tried.a.v), 1e-6);
}

/// Without a bias it is the attention of src/tensor.
inline void test_src() {
  Tried tried;
  tried.a.bias.data.assign(4, 0);
  auto view = [](Array& x) { return View<double>{x.data.data(), x.rows, x.cols, x.cols}; };
  Head src = tried.a;
  Array out(4, 3), log_sum(1, 4);
  const Mask causal = Mask::causal();
  const AttentionCall<double> call{.q = view(tried.a.q),
                                   .k = view(tried.a.k),
                                   .v = view(tried.a.v),
                                   .n_head = 1,
                                   .n_kv_head = 1,
                                   .scale = 1 / std::sqrt(3),
                                   .mask = causal};
  naive<double>().attention_forward(view(out), view(log_sum), call);
  naive<double>().attention_backward({view(src.q), view(src.k), view(src.v)}, view(tried.dout), view(out),
                                     view(log_sum), call);
  const Head d = attention_backward(tried.dout, tried.a);
  calling("Without a bias, and the slopes of src/tensor: d.q", "All was right with a bias. Is something kept?");
  should_be(d.q.data, src.q.data, 1e-12);
  calling("Without a bias, and the slopes of src/tensor: d.k", "All was right with a bias. Is something kept?");
  should_be(d.k.data, src.k.data, 1e-12);
  calling("Without a bias, and the slopes of src/tensor: d.v", "All was right with a bias. Is something kept?");
  should_be(d.v.data, src.v.data, 1e-12);
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv, {test_values, test_bias, test_queries_and_keys, test_src});
}
