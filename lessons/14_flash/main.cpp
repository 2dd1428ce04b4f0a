// Lesson 14: attention without its matrix of weights. A softmax can be taken while the scores are still coming in: keep
// the largest so far and the sum so far, and shrink what was summed when a larger one comes. So attention walks along
// the keys, block by block, and forgets them. The backward pass computes the weights again, from one number a query.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "counted.h"
#include "lesson/lesson.h"
#include "one_head.h"
#include "picture.h"
#include "tensor/flash.h"
#include "tensor/kernels.h"

using namespace microgpt;

/// The obvious attempt: no weight is kept, only two sums. Returns the mixture of the values.
double mix_in_two_sums(std::span<const double> scores, std::span<const double> values) {
  double total = 0, mixed = 0;
  for (std::size_t s = 0; s < scores.size(); s++) {
    total += std::exp(scores[s]);
    mixed += std::exp(scores[s]) * values[s];
  }
  return mixed / total;
}

/// The softmax of scores that come in block by block, and the mixture that it makes.
struct OnlineSoftmax {
  double most = -std::numeric_limits<double>::infinity();  // the largest score so far
  double total = 0;                                        // the sum of exp(score - most) so far

  /// Takes the scores of a block, and its values, (n,D). `mixed`, (D), is the sum of exp(score - most) * value. Returns
  /// what the block did to everything before: exp(most before - most).
  double take(std::span<const double> scores, View<const double> values, double* mixed) {
    const double before = most;
    most = std::max(before, *std::max_element(scores.begin(), scores.end()));
    const double shrink = exponential(before - most);
    total *= shrink;
    multiply(mixed, shrink, values.cols);
    for (std::size_t s = 0; s < scores.size(); s++) {
      const double weight = exponential(scores[s] - most);
      total += weight;
      add(mixed, weight, values.row(s), values.cols);
    }
    return shrink;
  }
};

/// Four keys in two blocks. Prints, and returns, what is known after each block.
std::vector<Snapshot> print_blocks(std::span<const double> scores, std::span<const double> values) {
  OnlineSoftmax softmax;
  std::vector<Snapshot> blocks;
  double mixed = 0;
  fmt::print("\nblock |     scores | most | shrink   | total: shrunk |      now | mixed: shrunk |     now\n");
  for (const std::size_t first : {0, 2}) {
    const double total_before = softmax.total, mixed_before = mixed;
    const double shrink = softmax.take(scores.subspan(first, 2), {&values[first], 2, 1, 1}, &mixed);
    const std::string block = fmt::format("{}, {}", scores[first], scores[first + 1]);  // stop: block
    fmt::print("{:5} | {:>10} | {:4} | {:.6f} | {:>13.6f} | {:>8.6f} | {:>13.4f} | {:>7.4f}\n", first / 2, block,
               softmax.most, shrink, total_before * shrink, softmax.total, mixed_before * shrink, mixed);
    blocks.push_back({block, softmax.most, shrink, softmax.total, mixed});
  }
  const double at_once = mix_in_two_sums(scores, values);
  fmt::print("block by block: {:.4f}; in two sums: {}\n", mixed / softmax.total,
             std::isnan(at_once) ? "NaN" : fmt::format("{:.4f}", at_once));
  return blocks;
}

constexpr std::size_t block = 16;  // keys at a time

/// out (T,D) and log_sum (T) of q, k and v, (T,D). Query t sees the keys 0 to t.
void draft_forward(OneHead<double>& head) {
  const View<double> q = head.q.view(), k = head.k.view(), v = head.v.view(), out = head.out.view();
  const std::size_t T = q.rows, D = q.cols;
  set_zero(out);
  for (std::size_t t = 0; t < T; t++) {
    OnlineSoftmax softmax;
    for (std::size_t first = 0; first <= t; first += block) {  // blocks after that of t are not even looked at
      const std::size_t n = std::min(block, t + 1 - first);
      double scores[block] = {};  // of the whole (T,T) matrix, this is all that is ever in memory
      for (std::size_t s = 0; s < n; s++) scores[s] = head.scale * dot(q.row(t), k.row(first + s), D);
      softmax.take({scores, n}, v.slice_rows(first, n), out.row(t));
    }
    multiply(out.row(t), 1 / softmax.total, D);
    head.log_sum.view().data[t] = softmax.most + std::log(softmax.total);  // stop: out
  }
}

/// dq, dk and dv from dout, all (T,D), and from what the forward pass left: out and log_sum.
void draft_backward(OneHead<double>& head) {
  const View<double> q = head.q.view(), k = head.k.view(), v = head.v.view(), dout = head.dout.view();
  const View<double> dq = head.dq.view(), dk = head.dk.view(), dv = head.dv.view();
  const std::size_t T = q.rows, D = q.cols;
  for (const View<double> gradient : {dq, dk, dv}) set_zero(gradient);
  for (std::size_t t = 0; t < T; t++) {
    const double delta = dot(dout.row(t), head.out.view().row(t), D);  // the sum of weights * dweights
    for (std::size_t s = 0; s <= t; s++) {
      const double score = head.scale * dot(q.row(t), k.row(s), D);
      const double weight = exponential(score - head.log_sum.view().data[t]);  // again
      const double dweight = dot(dout.row(t), v.row(s), D);
      const double dscore = weight * (dweight - delta);
      add(dv.row(s), weight, dout.row(t), D);  // stop: dscore
      add(dq.row(t), dscore * head.scale, k.row(s), D);
      add(dk.row(s), dscore * head.scale, q.row(t), D);
    }
  }
}

/// A head with random numbers, forward and backward.
OneHead<double> draft(const Lesson& lesson, std::size_t T, double size) {
  OneHead<double> head(T, 16);
  head.draw(lesson.random, size);
  draft_forward(head);
  draft_backward(head);
  return head;
}

/// One slope, by the backward pass and by trying (lesson 02); and whether a later position moves an earlier output.
void print_tests(const Lesson& lesson) {
  const OneHead<double> head = draft(lesson, 100, 1);
  auto loss = [&](double nudge) {
    OneHead<double> nudged = head;
    nudged.q.view().row(40)[0] += nudge;
    draft_forward(nudged);
    double sum = 0;
    for (std::size_t t = 0; t < 100; t++) sum += dot(nudged.out.view().row(t), nudged.dout.view().row(t), 16);
    return sum;
  };
  fmt::print("\nslope of the loss in q[40][0]: {:.6f}, by trying: {:.6f}\n", head.dq.view().row(40)[0],
             (loss(1e-5) - loss(-1e-5)) / 2e-5);
  OneHead<double> changed = head;
  changed.v.view().row(99)[0] += 1;
  draft_forward(changed);
  int moved = 0;
  for (std::size_t t = 0; t < 99; t++) moved += changed.out.view().row(t)[0] != head.out.view().row(t)[0] ? 1 : 0;
  fmt::print("the value of position 99 is changed: {} of the 99 outputs before it move\n", moved);
}

/// How much memory the matrix takes, and how much work it is to compute it a second time instead.
void print_costs() {
  fmt::print("\n     T | the matrix, in float | q, k and v of 16 numbers\n");
  for (const std::size_t T : {1'000, 10'000, 100'000})
    fmt::print("{:6} | {:17} MB | {:20} KB\n", T, T * T * 4 / 1'000'000, 3 * T * 16 * 4 / 1'000);
  fmt::print("\n    T | products: weights kept | computed again | exp: kept | again\n");
  for (const std::size_t T : {16, 64, 256, 1024}) {
    const std::size_t pairs = T * (T + 1) / 2;  // of a query and a key that it sees
    products = exps = 0;
    OneHead<double> zeros(T, 16);
    draft_forward(zeros);
    draft_backward(zeros);
    fmt::print("{:5} | {:22} | {:14} | {:9} | {:5}\n", T, 6 * 16 * pairs, products, pairs, exps);
  }
}

/// With TIMES=1: forward and backward of one head, in float, with the matrix in plain loops and without it.
void print_times(const Lesson& lesson) {
  fmt::print("\n   T | us: naive() | flash\n");
  for (const std::size_t T : {4, 16, 64, 256, 1024}) {
    OneHead<float> head(T, 16);
    head.draw(lesson.random, 1);
    const double plain = Lesson::microseconds([&] {
      head.forward(naive<float>().attention_forward);
      head.backward(naive<float>().attention_backward);
    });
    const double flash = Lesson::microseconds([&] {
      head.forward(flash_forward<float>);
      head.backward(flash_backward<float>);
    });
    fmt::print("{:4} | {:11.1f} | {:8.1f}\n", T, plain, flash);
  }
}

/// Compares with naive() of src/tensor, which has the whole matrix in memory, and with src/tensor/flash.h.
void check(Lesson& lesson, std::size_t T, double size, double tolerance) {
  const OneHead<double> ours = draft(lesson, T, size);
  OneHead<double> whole = ours, flash = ours;
  whole.forward(naive<double>().attention_forward);
  whole.backward(naive<double>().attention_backward);
  flash.forward(flash_forward<double>);
  flash.backward(flash_backward<double>);
  auto same = [&](auto... results) {
    return ((agree((ours.*results).view(), (whole.*results).view(), tolerance) &&
             agree((ours.*results).view(), (flash.*results).view(), tolerance)) &&
            ...);
  };
  using Head = OneHead<double>;
  lesson.check(fmt::format("{} positions, scores of about {}: out", T, size), same(&Head::out, &Head::log_sum));
  lesson.check(fmt::format("{} positions, scores of about {}: dq, dk, dv", T, size),
               same(&Head::dq, &Head::dk, &Head::dv));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const std::vector<double> scores{1, 3, 2, 5}, large{1001, 1003, 1002, 1005}, values{10, 20, 30, 40};
  lesson.picture("14_blocks.svg", running_picture(print_blocks(scores, values)));
  lesson.picture("14_matrix.svg", matrix_picture());
  print_blocks(large, values);
  print_tests(lesson);
  print_costs();
  // A result is a sum of at most about a hundred terms, each of which has been through some ten sums and products of
  // its own, and each rounding is 1.1e-16 of what is summed: 1e-12 has room for that and for nothing else. The rounding
  // of a score grows with the score, and exp makes it a rounding of the weight.
  for (const std::size_t T : {16, 17, 100}) check(lesson, T, 1, 1e-12);
  check(lesson, 100, 1000, 1e-9);
  if (Lesson::timed()) print_times(lesson);
  fmt::print("\n");
  return lesson.finish();
}
