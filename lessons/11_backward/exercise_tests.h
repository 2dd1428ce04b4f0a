// The tests of exercise 11: slope after slope, in the order of the way back.
#pragma once

#include "lesson/lesson.h"
#include "lesson/nudge.h"
#include "lesson/teach.h"

using namespace teach;

/// Lesson 07's three positions, without a bias.
inline void test_values() {
  Head a{Array(3, 2), Array(3, 2), Array(3, 2), Array(1, 3)};
  a.q.data = {2, 0, 0, 1, 1, 2};
  a.k.data = {1, 0, 0, 1, 1, 1};
  a.v.data = {4, 0, 0, 2, 2, 2};
  const Array w = weights_of(a);
  Array dout(3, 2);
  dout[2][0] = 1;
  calling("The three positions of lesson 07, where only dout[2][0] is 1: d.v",
          "out[2] is a sum of weight * value. So each value gets its weight times dout.");
  usual(Numbers(6), "Nothing arrived. v[s] gets weights[t][s] * dout[t].");
  usual({1, 0, 1, 0, 1, 0}, "Each value got all of dout. Its share is its weight.");
  usual({w[0][2], 0, w[1][2], 0, w[2][2], 0}, "It is weights[t][s] * dout[t]: t asks, s is seen.");
  should_be(attention_backward(dout, a).v.data, {w[2][0], 0, w[2][1], 0, w[2][2], 0});
  dout[0][0] = dout[1][0] = 1;
  calling("The same with 1 in dout[0][0] and dout[1][0], too: d.v", "Each value gets a share from all that see it.");
  usual({w[2][0], 0, w[2][1], 0, w[2][2], 0},
        "Only the share of the last position is there. A value is used several times: does it say  =  for  += ?");
  should_be(attention_backward(dout, a).v.data, {w[0][0] + w[1][0] + w[2][0], 0, w[1][1] + w[2][1], 0, w[2][2], 0});
}

/// Four positions of three numbers each, with a bias.
struct Tried {
  Head a{waves(4, 3, 1), waves(4, 3, 2), waves(4, 3, 3), waves(1, 4, 4)};
  Array dout = waves(4, 3, 5);
  Head d = attention_backward(dout, a);

  Numbers nudge(Array& x) {
    return nudged(x.data, [this] {
      const Array out = mixed(weights_of(a), a.v);
      return std::inner_product(out.data.begin(), out.data.end(), dout.data.begin(), 0.0);
    });
  }
};

inline void test_bias() {
  Tried tried;
  const Numbers slopes = tried.nudge(tried.a.bias);
  const Array weights = weights_of(tried.a);
  Numbers last(4), at_s(4);  // what they would be if the last share won, and if they went to bias[s]
  for (std::size_t t = 0; t < 4; t++) {
    auto dweight = [&](std::size_t s) {
      return std::inner_product(tried.dout[t], tried.dout[t] + 3, tried.a.v[s], 0.0);
    };
    double mean = 0;
    for (std::size_t s = 0; s <= t; s++) mean += weights[t][s] * dweight(s);
    for (std::size_t s = 0; s <= t; s++) at_s[s] += last[t - s] = weights[t][s] * (dweight(s) - mean);
  }
  calling(
      "Four positions, D = 3: the sum of d.bias",
      "If all scores grow by the same, no weight changes: a position's slopes, its own included, add up to 0. Softmax "
      "takes the mean of a row out: weight * (dweight - mean). In it each dweight counts as much as its weight.");
  should_be(std::accumulate(tried.d.bias.data.begin(), tried.d.bias.data.end(), 0.0), {0});
  calling("Four positions, D = 3, and slopes by nudging: d.bias",
          "bias[t - s] gets dscore[s], from several pairs: += . Or dscore is wrong: dweight[s] = dout[t] . v[s].");
  usual(Numbers(4), "Nothing arrived. bias[t - s] gets dscore[s]. (Is it 0? dweight[s] is dout[t] . v[s].)");
  usual(last, "Only the shares of the last position are there. Several pairs are equally far apart: += .");
  Numbers divided = slopes;
  for (double& slope : divided) slope /= std::sqrt(3);
  usual(divided, "Divided by the root of D. The bias is added after that division.");
  usual(at_s, "The slope went to bias[s]. It was bias[t - s].");
  should_be(tried.d.bias.data, slopes, 1e-6);
}

inline void test_queries_and_keys() {
  Tried tried;
  for (const bool is_q : {true, false}) {
    calling(std::string("Four positions, D = 3, and slopes by nudging: d.") + (is_q ? "q" : "k"),
            is_q ? "d.bias says that dscore is right. q[t] gets dscore[s] / root of D * k[s], from each s that it sees."
                 : "The queries are right. k[s] gets dscore[s] / root of D * q[t], from each t that saw it: += .");
    const Numbers want = tried.nudge(is_q ? tried.a.q : tried.a.k);
    Numbers no_root = want;
    for (double& slope : no_root) slope *= std::sqrt(3);
    usual(no_root, "The product q . k was divided by the root of D, so its slope must be, too.");
    should_be((is_q ? tried.d.q : tried.d.k).data, want, 1e-6);
  }
  calling("Four positions, D = 3, and slopes by nudging: d.v", "It was right for three positions of two numbers.");
  should_be(tried.d.v.data, tried.nudge(tried.a.v), 1e-6);
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_values, test_bias, test_queries_and_keys}); }
