// Lesson 14: attention without its matrix of weights. A softmax can be taken while the scores are still coming in: keep
// the largest so far and the sum so far, and shrink what was summed when a larger one comes. So a tile of queries walks
// along the keys, tile by tile, and forgets their scores. The backward pass computes them again.
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "show.h"

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

/// The softmax of one query, whose scores come in tile by tile.
struct OnlineSoftmax {
  double most = -std::numeric_limits<double>::infinity();  // the largest score so far
  double total = 0;                                        // the sum of exp(score - most) so far

  /// Takes some more scores and their values. `mixed` is the sum of exp(score - most) * value so far. Returns by what
  /// the sums so far were multiplied.
  double take(std::span<const double> scores, const Tile& values, double* mixed) {
    const double before = most;
    for (const double score : scores) most = std::max(most, score);
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

/// On paper: four keys, two at a time. Returns the mixture of their values.
double mix_in_tiles(std::span<const double> scores, View<const double> values, Steps& steps) {
  OnlineSoftmax softmax;
  double mixed = 0;
  for (const std::size_t first : {0, 2}) {
    const double shrink = softmax.take(scores.subspan(first, 2), read(values, first, 2), &mixed);
    steps.add(scores.subspan(first, 2), softmax.most, shrink, softmax.total, mixed);  // stop: tile
  }
  return mixed / softmax.total;
}

/// out (T,D) and log_sum (T,1) of q, k and v, (T,D). Query t sees the keys 0 to t.
void draft_forward(const Head& head, TileSize size) {
  for (std::size_t t = 0; t < head.T; t += size.queries) {
    const Tile q = read(head.q, t, size.queries);
    Tile out(q.rows, head.D), log_sum(q.rows, 1);
    std::vector<OnlineSoftmax> softmax(q.rows);
    for (std::size_t s = 0; s < t + q.rows; s += size.keys) {  // later keys are not even read
      const Tile k = read(head.k, s, size.keys), v = read(head.v, s, size.keys);
      for (std::size_t i = 0; i < q.rows; i++) {
        std::vector<double> scores;  // of one query and one tile of keys: soon forgotten
        for (std::size_t j = 0; j < k.rows && s + j <= t + i; j++) {
          scores.push_back(head.scale * dot(q.row(i), k.row(j), head.D));
        }
        softmax[i].take(scores, v, out.row(i));
      }
    }
    for (std::size_t i = 0; i < q.rows; i++) {
      multiply(out.row(i), 1 / softmax[i].total, head.D);
      *log_sum.row(i) = softmax[i].most + std::log(softmax[i].total);
    }
    write(head.out, t, out);
    write(head.log_sum, t, log_sum);
  }
}

/// dq, dk and dv from dout, all (T,D), and from what the forward pass left: out and log_sum.
void draft_backward(const Head& head, TileSize size) {
  set_zero(head.dk);
  set_zero(head.dv);
  for (std::size_t t = 0; t < head.T; t += size.queries) {
    const Tile q = read(head.q, t, size.queries), log_sum = read(head.log_sum, t, size.queries);
    const Tile dout = read(head.dout, t, size.queries), out = read(head.out, t, size.queries);
    const Tile delta = dot_rows(dout, out);  // of each query: the sum of weight * dweight
    Tile dq(q.rows, head.D);
    for (std::size_t s = 0; s < t + q.rows; s += size.keys) {
      const Tile k = read(head.k, s, size.keys), v = read(head.v, s, size.keys);
      Tile dk = read(head.dk, s, size.keys), dv = read(head.dv, s, size.keys);
      for (std::size_t i = 0; i < q.rows; i++) {
        for (std::size_t j = 0; j < k.rows && s + j <= t + i; j++) {
          const double score = head.scale * dot(q.row(i), k.row(j), head.D);
          const double weight = exponential(score - *log_sum.row(i));  // again
          const double dweight = dot(dout.row(i), v.row(j), head.D);
          const double dscore = weight * (dweight - *delta.row(i));
          add(dv.row(j), weight, dout.row(i), head.D);  // stop: dscore
          add(dq.row(i), dscore * head.scale, k.row(j), head.D);
          add(dk.row(j), dscore * head.scale, q.row(i), head.D);
        }
      }
      write(head.dk, s, dk);
      write(head.dv, s, dv);
    }
    write(head.dq, t, dq);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Draft draft{mix_in_two_sums, mix_in_tiles, draft_forward, draft_backward};
  show_on_paper(lesson, draft);
  show_tests(lesson, draft);
  show_costs(draft);
  check_drafts(lesson, draft);
  if (Lesson::timed()) show_times(lesson);
  return lesson.finish();
}
