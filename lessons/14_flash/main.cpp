// Lesson 14: attention without its matrix of weights. A softmax can be taken while the scores are still coming in: keep
// the largest so far and the sum so far, and shrink what was summed when a larger one comes. So a tile of queries walks
// along the keys, tile by tile, and forgets their scores. The backward pass computes them again.
#include <limits>
#include <string_view>

#include "head.h"
#include "lesson/lesson.h"
#include "lesson/nudge.h"
#include "matrix.h"
#include "pictures.h"
#include "tensor/flash.h"
#include "train/gradient.h"

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
      add(mixed, weight, values[s], values.cols);
    }
    return shrink;
  }
};

/// out (T,D) and log_sum (T) of q, k and v, (T,D). Query t sees the keys 0 to t.
void draft_forward(Head<double>& head, TileSize size) {
  for (std::size_t t = 0; t < head.length; t += size.queries) {
    const Tile q = read(head.q, t, size.queries);
    Tile out(q.rows, head.D), log_sum(q.rows, 1);
    std::vector<OnlineSoftmax> softmax(q.rows);
    for (std::size_t s = 0; s < t + q.rows; s += size.keys) {  // later keys are not even read
      const Tile k = read(head.k, s, size.keys), v = read(head.v, s, size.keys);
      for (std::size_t i = 0; i < q.rows; i++) {
        std::vector<double> scores;  // of one query and one tile of keys: soon forgotten
        for (std::size_t j = 0; j < k.rows && s + j <= t + i; j++) {
          scores.push_back(head.scale * dot(q[i], k[j], head.D));
        }
        softmax[i].take(scores, v, out[i]);
      }
    }
    for (std::size_t i = 0; i < q.rows; i++) {
      multiply(out[i], 1 / softmax[i].total, head.D);
      log_sum[i][0] = softmax[i].most + std::log(softmax[i].total);
    }
    write(head.out, t, out);
    write(head.log_sums(), t, log_sum);
  }
}

/// dq, dk and dv from dout, all (T,D), and from what the forward pass left: out and log_sum.
void draft_backward(Head<double>& head, TileSize size) {
  set_zero(head.dk.view());
  set_zero(head.dv.view());
  for (std::size_t t = 0; t < head.length; t += size.queries) {
    const Tile q = read(head.q, t, size.queries), log_sum = read(head.log_sums(), t, size.queries);
    const Tile dout = read(head.dout, t, size.queries), out = read(head.out, t, size.queries);
    Tile dq(q.rows, head.D), delta(q.rows, 1);  // delta, of each query: the sum of weight * dweight
    for (std::size_t i = 0; i < q.rows; i++) delta[i][0] = dot(dout[i], out[i], head.D);
    for (std::size_t s = 0; s < t + q.rows; s += size.keys) {
      const Tile k = read(head.k, s, size.keys), v = read(head.v, s, size.keys);
      Tile dk = read(head.dk, s, size.keys), dv = read(head.dv, s, size.keys);
      for (std::size_t i = 0; i < q.rows; i++) {
        for (std::size_t j = 0; j < k.rows && s + j <= t + i; j++) {
          const double score = head.scale * dot(q[i], k[j], head.D);
          const double weight = exponential(score - log_sum[i][0]);  // again
          const double dweight = dot(dout[i], v[j], head.D);
          const double dscore = weight * (dweight - delta[i][0]);
          add(dv[j], weight, dout[i], head.D);  // stop: dscore
          add(dq[i], dscore * head.scale, k[j], head.D);
          add(dk[j], dscore * head.scale, q[i], head.D);
        }
      }
      write(head.dk, s, dk);
      write(head.dv, s, dv);
    }
    write(head.dq, t, dq);
  }
}

/// The loss: the sum of out * dout.
double loss_of(Head<double>& head, TileSize size) {
  draft_forward(head, size);
  double loss = 0;
  for (std::size_t t = 0; t < head.length; t++) {
    loss += dot(head.out.view().row(t), head.dout.view().row(t), head.D);
  }
  return loss;
}

/// A head of four positions, each of one number. The query of the last is 1, so its scores are the keys; and the loss
/// is its output.
Head<double> head_on_paper(const std::vector<double>& scores, const std::vector<double>& values) {
  Head<double> head(4, 1);
  for (std::size_t s = 0; s < 4; s++) {
    *head.k.view().row(s) = scores[s];
    *head.v.view().row(s) = values[s];
  }
  *head.q.view().row(3) = *head.dout.view().row(3) = 1;
  return head;
}

/// With TIMES=1: forward and backward of one head, in float, with the whole matrix and in tiles.
void print_times(const PythonRandom& random) {
  fmt::print("\nwith the matrix                  |    in tiles, flash.cpp            | times\n");
  fmt::print("   T |       ms | weights, MB |       ms | weights, MB | as fast\n");
  for (const std::size_t T : {128, 512, 2048, 8192}) {
    Head<float> head(T, 16);
    head.draw(random, 1);
    WholeMatrix<float> matrix(head);
    const double with = Lesson::microseconds([&] {
      matrix.forward(head);
      matrix.backward(head);
    });
    const double without = Lesson::microseconds([&] {
      head.forward(flash_forward<float>);
      head.backward(flash_backward<float>);
    });
    constexpr double megabytes = sizeof(float) / 1e6;
    const double two_matrices = 2 * static_cast<double>(T * T), two_tiles = 2 * 64 * 64;
    fmt::print("{:4} | {:8.3f} | {:11.3f} | {:8.3f} | {:11.3f} | {:7.1f}\n", T, with / 1000, two_matrices * megabytes,
               without / 1000, two_tiles * megabytes, with / without);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const std::vector<double> values{10, 20, 30, 40};

  // On paper: four keys, two at a time, and the mixture of their values. Then the same with larger scores.
  for (const std::vector<double>& scores : {std::vector<double>{1, 3, 2, 5}, {1001, 1003, 1002, 1005}}) {
    fmt::print("\ntile |     scores | most | shrink   | total: shrunk |      now | mixed: shrunk |     now\n");
    OnlineSoftmax softmax;
    double mixed = 0;
    std::vector<Snapshot> tiles;
    for (const std::size_t first : {0, 2}) {
      const Snapshot before = tiles.empty() ? Snapshot{} : tiles.back();
      const double shrink =
          softmax.take(std::span(scores).subspan(first, 2), read({values.data(), 4, 1, 1}, first, 2), &mixed);
      const std::string seen = fmt::format("{}, {}", scores[first], scores[first + 1]);  // stop: tile
      tiles.push_back({seen, softmax.most, shrink, softmax.total, mixed});
      fmt::print("{:4} | {:>10} | {:4} | {:.6f} | {:>13.6f} | {:>8.6f} | {:>13.4f} | {:>7.4f}\n", first / 2, seen,
                 softmax.most, shrink, before.total * shrink, softmax.total, before.mixed * shrink, mixed);
    }
    if (scores[0] == 1) lesson.picture("14_tiles.svg", running_picture(tiles));
    Head<double> head = head_on_paper(scores, values);
    head.forward(flash_forward<double>);
    auto shown = [](double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.4f}", x); };
    fmt::print("tile by tile: {}; in two sums: {}; in src/tensor/flash.cpp: {}\n", shown(mixed / softmax.total),
               shown(mix_in_two_sums(scores, values)), shown(*head.out.view().row(3)));
  }
  lesson.picture("14_matrix.svg", matrix_picture());

  // The same four keys as a head, forward and backward.
  const std::vector<double> scores{1, 3, 2, 5};
  Head<double> paper = head_on_paper(scores, values);
  draft_forward(paper, {3, 2});
  draft_backward(paper, {3, 2});
  fmt::print("\nback; the loss is the mixture, {:.4f}, and log_sum is {:.4f}\n", *paper.out.view().row(3),
             *paper.log_sums().row(3));
  fmt::print("score | weight, again | value | dscore  | by trying\n");
  for (std::size_t s = 0; s < 4; s++) {
    const double tried = nudged({paper.k.view().row(s), 1}, [&] { return loss_of(paper, {3, 2}); })[0];
    fmt::print("{:5} | {:13.4f} | {:5} | {:7.4f} | {:9.4f}\n", scores[s], *paper.dv.view().row(s), values[s],
               *paper.dk.view().row(s), tried);
  }

  // A longer head: does a later position move an earlier output?
  constexpr TileSize small_tiles{.queries = 8, .keys = 20};
  Head<double> head(100, 16);
  head.draw(lesson.random, 1);
  draft_forward(head, small_tiles);
  Head<double> changed = head;
  changed.v.view().row(99)[0] += 1;
  draft_forward(changed, small_tiles);
  int moving = 0;
  for (std::size_t t = 0; t < 99; t++) moving += changed.out.view().row(t)[0] != head.out.view().row(t)[0] ? 1 : 0;
  fmt::print("\nthe value of position 99 is changed: {} of the 99 outputs before it move\n", moving);

  // How much memory the matrix takes; then how many numbers move, and how much is computed, forward and backward.
  fmt::print("\n     T | the matrix, in float | q, k and v of 16 numbers\n");
  for (const std::uint64_t T : {1'000, 10'000, 100'000}) {
    fmt::print("{:6} | {:17} MB | {:20} KB\n", T, T * T * 4 / 1'000'000, 3 * T * 16 * 4 / 1'000);
  }
  fmt::print("\n1024 positions of 16 numbers       | numbers moved | products | exponentials\n");
  constexpr std::string_view costs = "{:34} | {:13} | {:8} | {:12}\n";
  Head<double> zeros(1024, 16);
  for (const auto& [queries, what] : {std::pair<std::size_t, const char*>(1, "one query at a time"),
                                      {8, "tiles of 8 queries"},
                                      {64, "tiles of 64 queries"}}) {
    moved = products = exps = 0;
    draft_forward(zeros, {queries, 64});
    draft_backward(zeros, {queries, 64});
    fmt::print(costs, fmt::format("no matrix, {}", what), moved, products, exps);
  }
  moved = products = exps = 0;
  WholeMatrix<double> whole(zeros);
  whole.forward(zeros);
  whole.backward(zeros);
  fmt::print(costs, "the matrix, from tiles of 64", moved, products, exps);

  // The draft beside three others: naive(), with the whole matrix in memory; flash.cpp; and matrix.h. A result is a sum
  // of at most about a hundred terms, each of which has been through some ten sums and products of its own, and each
  // rounding is 1.1e-16 of what is summed: 1e-12 has room for that and for nothing else. The rounding of a score grows
  // with the score, and exp makes it a rounding of the weight.
  for (const auto& [T, size] : {std::pair<std::size_t, double>(20, 1), {21, 1}, {100, 1}, {100, 1000}}) {
    Head<double> ours(T, 16);
    ours.draw(lesson.random, size);
    std::vector<Head<double>> others(3, ours);
    draft_forward(ours, small_tiles);
    draft_backward(ours, small_tiles);
    others[0].forward(naive<double>().attention_forward);
    others[0].backward(naive<double>().attention_backward);
    others[1].forward(flash_forward<double>);
    others[1].backward(flash_backward<double>);
    WholeMatrix<double> matrix(ours);
    matrix.forward(others[2]);
    matrix.backward(others[2]);
    const double tolerance = size == 1 ? 1e-12 : 1e-9;
    bool out = true, slopes = true;
    for (const Head<double>& other : others) {
      auto same = [&](const Array& a, const Array& b) { return largest_difference(a.data, b.data) < tolerance; };
      out &= same(ours.out, other.out) && same(ours.log_sum, other.log_sum);
      slopes &= same(ours.dq, other.dq) && same(ours.dk, other.dk) && same(ours.dv, other.dv);
    }
    lesson.check(fmt::format("{} positions, scores of about {}: out", T, size), out);
    lesson.check(fmt::format("{} positions, scores of about {}: dq, dk, dv", T, size), slopes);
  }
  fmt::print("\n");
  if (Lesson::timed()) print_times(lesson.random);
  return lesson.finish();
}
