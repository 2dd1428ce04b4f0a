// Lesson 14: attention without its matrix of weights. A softmax can be taken while the scores are still coming in: keep
// the largest so far and the sum so far, and shrink what was summed when a larger one comes. So attention walks along
// the keys, block by block, and forgets them. The backward computes the weights again, from one number a query.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "lesson/counted.h"
#include "lesson/lesson.h"
#include "lesson/one_head.h"
#include "tensor/flash.h"
#include "tensor/kernels.h"
#include "times.h"

using namespace microgpt;

bool no_rescale, no_max, look_ahead, no_delta;  // what --break does wrong

constexpr std::size_t block = 16;  // keys at a time
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The softmax of scores that come in block by block.
struct OnlineSoftmax {
  double most = no_max ? 0 : -infinity;  // the largest score so far
  double total = 0;                      // the sum of exp(score - most) so far

  /// Makes each score exp(score - most). Returns what that does to everything summed before: exp(most before - most).
  double take(std::span<double> scores) {
    const double before = most;
    if (!no_max) most = std::max(before, *std::max_element(scores.begin(), scores.end()));
    const double shrink = exponential(before - most);
    total *= shrink;
    for (double& score : scores) total += score = exponential(score - most);
    return shrink;
  }
};

/// out (T,D) and log_sum (T) of q, k and v, (T,D). Query t sees the keys 0 to t.
void draft_forward(OneHead<double>& head) {
  const View<double> q = head.q.view(), k = head.k.view(), v = head.v.view(), out = head.out.view();
  const std::size_t T = q.rows, D = q.cols;
  set_zero(out);
  for (std::size_t t = 0; t < T; t++) {
    OnlineSoftmax softmax;
    for (std::size_t first = 0; first <= t; first += block) {  // blocks after that of t are not even looked at
      const std::size_t n = std::min(block, (look_ahead ? T : t + 1) - first);
      double weights[block];  // of the whole (T,T) matrix, this is all that is ever in memory
      for (std::size_t s = 0; s < n; s++) weights[s] = head.scale * dot(q.row(t), k.row(first + s), D);
      const double shrink = softmax.take({weights, n});
      if (!no_rescale) multiply(out.row(t), shrink, D);  // stop: rescale
      for (std::size_t s = 0; s < n; s++) add(out.row(t), weights[s], v.row(first + s), D);
    }
    multiply(out.row(t), 1 / softmax.total, D);  // stop: out
    head.log_sum.view().data[t] = softmax.most + std::log(softmax.total);
  }
}

/// dq, dk and dv from dout, all (T,D), and from what the forward left: out and log_sum.
void draft_backward(OneHead<double>& head) {
  const View<double> q = head.q.view(), k = head.k.view(), v = head.v.view(), dout = head.dout.view();
  const View<double> dq = head.dq.view(), dk = head.dk.view(), dv = head.dv.view();
  const std::size_t T = q.rows, D = q.cols;
  for (const View<double> gradient : {dq, dk, dv}) set_zero(gradient);
  for (std::size_t t = 0; t < T; t++) {
    const double delta = no_delta ? 0 : dot(dout.row(t), head.out.view().row(t), D);  // sum of weights * dweights
    for (std::size_t s = 0; s <= t; s++) {
      const double score = head.scale * dot(q.row(t), k.row(s), D);
      const double weight = exponential(score - head.log_sum.view().data[t]);  // again
      const double dweight = dot(dout.row(t), v.row(s), D);
      const double dscore = weight * (dweight - delta) * head.scale;  // stop: dscore
      add(dv.row(s), weight, dout.row(t), D);
      add(dq.row(t), dscore, k.row(s), D);
      add(dk.row(s), dscore, q.row(t), D);
    }
  }
}

/// The sum of weights * dweights of query t, as the backward would have to compute it without the trick.
double weighted_dweights(const OneHead<double>& head, std::size_t t) {
  double total = 0;
  for (std::size_t s = 0; s <= t; s++) {
    const double score = head.scale * dot(head.q.view().row(t), head.k.view().row(s), 16);
    const double dweight = dot(head.dout.view().row(t), head.v.view().row(s), 16);
    total += std::exp(score - head.log_sum.view().data[t]) * dweight;
  }
  return total;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  no_rescale = lesson.broken("no-rescale");
  no_max = lesson.broken("no-max");
  look_ahead = lesson.broken("look-ahead");
  no_delta = lesson.broken("no-delta");

  fmt::print("\nscores that come in one by one\nscore | most | shrink | total\n");
  OnlineSoftmax softmax;
  for (double score : {1.0, 3.0, 2.0, 5.0}) {
    fmt::print("{:5} | ", score);
    const double shrink = softmax.take({&score, 1});
    fmt::print("{:4} | {:6.4f} | {:.4f}\n", softmax.most, shrink, softmax.total);
  }

  // A number of the results is a sum of at most about a hundred terms, each of which has been through some ten sums and
  // products of its own, and each rounding is 1.1e-16 of what is summed: 1e-12 has room for that and for nothing else.
  // The rounding of a score grows with the score, and exp makes it a rounding of the weight.
  auto compare = [&](std::size_t T, double size, double tolerance) {
    OneHead<double> draft(T, 16), whole(T, 16), src(T, 16);
    for (OneHead<double>* head : {&draft, &whole, &src}) head->draw(lesson.random, size);
    draft_forward(draft);
    draft_backward(draft);
    whole.forward(naive<double>().attention_forward);
    whole.backward(naive<double>().attention_backward);
    src.forward(flash_forward<double>);
    src.backward(flash_backward<double>);
    auto same = [&](auto... results) {
      return ((agree((draft.*results).view(), (whole.*results).view(), tolerance) &&
               agree((draft.*results).view(), (src.*results).view(), tolerance)) &&
              ...);
    };
    using Head = OneHead<double>;
    lesson.check(fmt::format("{:3} positions, scores of about {:4}: out", T, size), same(&Head::out, &Head::log_sum));
    lesson.check(fmt::format("{:3} positions, scores of about {:4}: dq, dk, dv", T, size),
                 same(&Head::dq, &Head::dk, &Head::dv));
    return draft;
  };
  fmt::print("\nthe draft beside naive() of src/tensor/kernels.h and src/tensor/flash.h\n");
  for (const std::size_t T : {16, 17}) compare(T, 1, 1e-12);
  const OneHead<double> head = compare(100, 1, 1e-12);
  compare(100, 1000, 1e-9);
  fmt::print("\nquery 40: the sum of weights * dweights is {:.6f}, dout . out is {:.6f}\n", weighted_dweights(head, 40),
             dot(head.dout.view().row(40), head.out.view().row(40), 16));

  fmt::print("\n    T | floats: T x T | src/tensor/flash.h: log_sum, and two blocks of 64 x 64\n");
  for (std::size_t T = 16; T <= 65536; T *= 8) fmt::print("{:5} | {:13} | {}\n", T, T * T, T + 2 * 64 * 64);
  fmt::print("\n    T | products: weights kept | computed again | exp: kept | again\n");
  for (const std::size_t T : {16, 64, 256, 1024}) {
    const std::size_t pairs = T * (T + 1) / 2;  // of a query and a key that it sees
    products = exps = 0;
    OneHead<double> zeros(T, 16);
    draft_forward(zeros);
    draft_backward(zeros);
    fmt::print("{:5} | {:22} | {:14} | {:9} | {:5}\n", T, 6 * 16 * pairs, products, pairs, exps);
  }
  if (Lesson::timed()) show_times(lesson.random);
  return lesson.finish();
}
