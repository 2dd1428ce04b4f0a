// Around the idea: what is printed, drawn, counted and checked.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "one_head.h"
#include "lesson/processor_time.h"
#include "matrix.h"
#include "memory.h"
#include "picture.h"
#include "tensor/flash.h"
#include "tensor/kernels.h"

namespace microgpt {

constexpr TileSize small_tiles{.queries = 8, .keys = 20}, large_tiles{.queries = 64, .keys = 64};

/// What is known after each tile of keys.
struct Steps {
  std::vector<Snapshot> taken;

  /// Prints a line, too.
  void add(std::span<const double> scores, double most, double shrink, double total, double mixed) {
    const Snapshot before = taken.empty() ? Snapshot{} : taken.back();
    taken.push_back({fmt::format("{}, {}", scores[0], scores[1]), most, shrink, total, mixed});
    fmt::print("{:4} | {:>10} | {:4} | {:.6f} | {:>13.6f} | {:>8.6f} | {:>13.4f} | {:>7.4f}\n", taken.size() - 1,
               taken.back().scores, most, shrink, before.total * shrink, total, before.mixed * shrink, mixed);
  }
};

/// The functions of main.cpp.
struct Draft {
  double (*in_two_sums)(std::span<const double> scores, std::span<const double> values);
  double (*in_tiles)(std::span<const double> scores, View<const double> values, Steps& steps);
  void (*forward)(const Head& head, TileSize size);
  void (*backward)(const Head& head, TileSize size);
};

/// A head of four positions, each of one number. The query of the last is 1, so its scores are the keys; and the loss
/// is its output.
inline OneHead<double> head_on_paper(const std::vector<double>& scores, const std::vector<double>& values) {
  OneHead<double> head(4, 1);
  for (std::size_t s = 0; s < 4; s++) {
    *head.k.view().row(s) = scores[s];
    *head.v.view().row(s) = values[s];
  }
  *head.q.view().row(3) = *head.dout.view().row(3) = 1;
  return head;
}

inline std::vector<Snapshot> show_tiles(const Draft& draft, const std::vector<double>& scores,
                                        const std::vector<double>& values) {
  fmt::print("\ntile |     scores | most | shrink   | total: shrunk |      now | mixed: shrunk |     now\n");
  Steps steps;
  const double mixture = draft.in_tiles(scores, {values.data(), 4, 1, 1}, steps);
  const double at_once = draft.in_two_sums(scores, values);
  OneHead<double> head = head_on_paper(scores, values);
  head.forward(flash_forward<double>);
  auto shown = [](double x) { return std::isnan(x) ? "NaN" : fmt::format("{:.4f}", x); };
  fmt::print("tile by tile: {}; in two sums: {}; in src/tensor/flash.cpp: {}\n", shown(mixture), shown(at_once),
             shown(*head.out.view().row(3)));
  return steps.taken;
}

/// The mixture of four values, forward and backward.
inline void show_on_paper(const Lesson& lesson, const Draft& draft) {
  const std::vector<double> values{10, 20, 30, 40}, scores{1, 3, 2, 5};
  lesson.picture("14_tiles.svg", running_picture(show_tiles(draft, scores, values)));
  show_tiles(draft, {1001, 1003, 1002, 1005}, values);
  lesson.picture("14_matrix.svg", matrix_picture());

  auto mixture = [&](std::size_t s, double nudge) {
    OneHead<double> head = head_on_paper(scores, values);
    *head.k.view().row(s) += nudge;
    draft.forward(Head(head), {3, 2});
    return *head.out.view().row(3);
  };
  OneHead<double> head = head_on_paper(scores, values);
  draft.forward(Head(head), {3, 2});
  draft.backward(Head(head), {3, 2});
  fmt::print("\nback; the loss is the mixture, {:.4f}, and log_sum is {:.4f}\n", *head.out.view().row(3),
             head.log_sum.view().data[3]);
  fmt::print("score | weight, again | value | dscore  | by trying\n");
  for (std::size_t s = 0; s < 4; s++) {
    fmt::print("{:5} | {:13.4f} | {:5} | {:7.4f} | {:9.4f}\n", scores[s], *head.dv.view().row(s), values[s],
               *head.dk.view().row(s), (mixture(s, 1e-5) - mixture(s, -1e-5)) / 2e-5);
  }
}

/// A head with random numbers, D = 16, forward and backward.
inline OneHead<double> drafted(const Draft& draft, const Lesson& lesson, std::size_t T, double size) {
  OneHead<double> head(T, 16);
  head.draw(lesson.random, size);
  draft.forward(Head(head), small_tiles);
  draft.backward(Head(head), small_tiles);
  return head;
}

/// One slope, by the backward pass and by trying (lesson 02); and whether a later position moves an earlier output.
inline void show_tests(const Lesson& lesson, const Draft& draft) {
  const OneHead<double> head = drafted(draft, lesson, 100, 1);
  auto loss = [&](double nudge) {
    OneHead<double> nudged = head;
    nudged.q.view().row(40)[0] += nudge;
    draft.forward(Head(nudged), small_tiles);
    double sum = 0;
    for (std::size_t t = 0; t < 100; t++) sum += dot(nudged.out.view().row(t), nudged.dout.view().row(t), 16);
    return sum;
  };
  fmt::print("\n100 positions: the slope of the loss in q[40][0] is {:.6f}, by trying {:.6f}\n",
             head.dq.view().row(40)[0], (loss(1e-5) - loss(-1e-5)) / 2e-5);
  OneHead<double> changed = head;
  changed.v.view().row(99)[0] += 1;
  draft.forward(Head(changed), small_tiles);
  int later = 0;
  for (std::size_t t = 0; t < 99; t++) later += changed.out.view().row(t)[0] != head.out.view().row(t)[0] ? 1 : 0;
  fmt::print("the value of position 99 is changed: {} of the 99 outputs before it move\n", later);
}

/// How much memory the matrix takes; then how many numbers move, and how much is computed, forward and backward.
inline void show_costs(const Draft& draft) {
  fmt::print("\n     T | the matrix, in float | q, k and v of 16 numbers\n");
  for (const std::uint64_t T : {1'000, 10'000, 100'000}) {
    fmt::print("{:6} | {:17} MB | {:20} KB\n", T, T * T * 4 / 1'000'000, 3 * T * 16 * 4 / 1'000);
  }
  fmt::print("\n1024 positions of 16 numbers       | numbers moved | products | exponentials\n");
  auto count = [](const char* what, const std::function<void()>& work) {
    moved = products = exps = 0;
    work();
    fmt::print("{:34} | {:13} | {:8} | {:12}\n", what, moved, products, exps);
  };
  OneHead<double> zeros(1024, 16);
  WholeMatrix<double> matrix(1024);
  auto in_tiles = [&](TileSize size) {
    draft.forward(Head(zeros), size);
    draft.backward(Head(zeros), size);
  };
  count("no matrix, one query at a time", [&] { in_tiles({1, 64}); });
  count("no matrix, tiles of 8 queries", [&] { in_tiles({8, 64}); });
  count("no matrix, tiles of 64 queries", [&] { in_tiles({64, 64}); });
  count("the matrix, from tiles of 64", [&] {
    matrix.forward(zeros);
    matrix.backward(zeros);
  });
}

/// Compares the draft with naive() of src/tensor, which has the whole matrix in memory, with src/tensor/flash.cpp, and
/// with matrix.h.
inline void check_draft(Lesson& lesson, const Draft& draft, std::size_t T, double size, double tolerance) {
  const OneHead<double> ours = drafted(draft, lesson, T, size);
  OneHead<double> plain = ours, flash = ours, matrix = ours;
  plain.forward(naive<double>().attention_forward);
  plain.backward(naive<double>().attention_backward);
  flash.forward(flash_forward<double>);
  flash.backward(flash_backward<double>);
  WholeMatrix<double> whole(T);
  whole.forward(matrix);
  whole.backward(matrix);
  auto same = [&](auto... results) {
    auto is_ours = [&](const OneHead<double>& other, auto result) {
      return agree((ours.*result).view(), (other.*result).view(), tolerance);
    };
    return ((is_ours(plain, results) && is_ours(flash, results) && is_ours(matrix, results)) && ...);
  };
  using One = OneHead<double>;
  lesson.check(fmt::format("{} positions, scores of about {}: out", T, size), same(&One::out, &One::log_sum));
  lesson.check(fmt::format("{} positions, scores of about {}: dq, dk, dv", T, size),
               same(&One::dq, &One::dk, &One::dv));
}

/// A result is a sum of at most about a hundred terms, each of which has been through some ten sums and products of its
/// own, and each rounding is 1.1e-16 of what is summed: 1e-12 has room for that and for nothing else. The rounding of a
/// score grows with the score, and exp makes it a rounding of the weight.
inline void check_drafts(Lesson& lesson, const Draft& draft) {
  for (const std::size_t T : {20, 21, 100}) check_draft(lesson, draft, T, 1, 1e-12);
  check_draft(lesson, draft, 100, 1000, 1e-9);
  fmt::print("\n");
}

/// With TIMES=1: forward and backward of one head, in float, with the whole matrix and in tiles.
inline void show_times(const Lesson& lesson) {
  fmt::print("\nwith the matrix                  |    in tiles, flash.cpp            | times\n");
  fmt::print("   T |       ms | weights, MB |       ms | weights, MB | as fast\n");
  for (const std::size_t T : {128, 512, 2048, 8192}) {
    OneHead<float> head(T, 16);
    head.draw(lesson.random, 1);
    WholeMatrix<float> matrix(T);
    const double with = processor_time([&] {
      matrix.forward(head);
      matrix.backward(head);
    });
    const double without = processor_time([&] {
      head.forward(flash_forward<float>);
      head.backward(flash_backward<float>);
    });
    constexpr double mega = 1e6, bytes = sizeof(float);
    const double two_matrices = 2 * static_cast<double>(T * T), two_tiles = 2 * 64 * 64;
    fmt::print("{:4} | {:8.3f} | {:11.3f} | {:8.3f} | {:11.3f} | {:7.1f}\n", T, with, two_matrices * bytes / mega,
               without, two_tiles * bytes / mega, with / without);
  }
}

}  // namespace microgpt
