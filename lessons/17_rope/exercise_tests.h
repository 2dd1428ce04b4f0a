// The tests of exercise 17: one arrow, then rows with several speeds, then scores, then a cache.
#pragma once

#include "lesson/array.h"
#include "lesson/nudge.h"
#include "lesson/teach.h"

using microgpt::nudged;
using namespace teach;

/// Numbers that look random, the same on every machine.
inline Row waves(std::size_t D, double start) { return microgpt::waves(1, D, start).data; }

inline void test_arrow() {
  calling("rotate_backward() of dy = (1 0) at position 1, where a pair is rotated by 1 radian",
          "y[0] is x[0] cos - x[1] sin. Only y[0] counts here, so the slopes are cos and -sin.");
  usual({1, 0}, "Nothing was rotated. Both numbers of x act on y[0]: with cos, and with -sin.");
  usual(rotate({1, 0}, -std::size_t{1}), "Positions are unsigned: -position is 18446744073709551615.");
  usual({std::cos(1), -std::sin(1) * std::cos(1)}, "x[0] was overwritten, and then used for x[1]. Copy it first.");
  usual({std::cos(1), std::sin(1)}, "The slope of x[1] has the wrong sign. Or is it rotate() once more, not back?");
  should_be(rotate_backward({1, 0}, 1), {std::cos(1), -std::sin(1)});
  calling("rotate_backward() of dy = (0 1) at position 1", "y[1] is x[0] sin + x[1] cos. Only y[1] counts here.");
  usual({-std::sin(1), std::cos(1)}, "The slope of x[0] has the wrong sign: y[1] is x[0] sin + x[1] cos.");
  should_be(rotate_backward({0, 1}, 1), {std::sin(1), std::cos(1)});
}

/// Pair i rotated by angles(i).
template <class Angles>
Row rotated(Row x, Angles angles) {
  for (std::size_t i = 0; i < x.size() / 2; i++) {
    const double angle = angles(i), a = x[2 * i], b = x[2 * i + 1];
    x[2 * i] = a * std::cos(angle) - b * std::sin(angle);
    x[2 * i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
  return x;
}

inline void test_row() {
  Row x = waves(6, 1);
  const Row dy = waves(6, 2);
  const Row slopes = nudged(x, [&] { return dot(rotate(x, 5), dy); });
  calling("rotate_backward() of six numbers at position 5, and slopes by nudging",
          "Pair i is x[2 i] and x[2 i + 1], and has an angle of its own: position * speed(i, D).");
  usual(rotated(dy, [](std::size_t) { return -5.0; }), "All pairs rotate with the speed of the first.");
  usual(rotated(dy, [](std::size_t i) { return -speed(i, 6); }), "It rotates as at position 1, at any position.");
  should_be(rotate_backward(dy, 5), slopes, 1e-6);
}

inline void test_score() {
  Row q = waves(6, 3), k = waves(6, 4);
  auto loss = [&] { return 2 * dot(rotate(q, 9), rotate(k, 4)); };
  auto twice = [](Row x) {
    for (double& number : x) number *= 2;
    return x;
  };
  calling("score_backward() of a query at 9, a key at 4, dscore = 2: the slopes of q",
          "Its slope is dscore * rotated key, rotated back to q. (at_k - at_q is below 0: no std::size_t can be.)");
  const auto [dq, dk] = score_backward(q, 9, k, 4, 2);
  const Row want_q = nudged(q, loss), want_k = nudged(k, loss);
  usual(Row(6), "Nothing arrived. The score grows with q where the key points.");
  usual(twice(k), "That is dscore * k, as if nothing were rotated.");
  usual(twice(rotate(k, 4)), "That is the slope of the rotated query. Rotate it back, by the query's position.");
  usual(twice(rotate_backward(rotate(k, 4), 4)), "Rotated back by the key's position. It is the query's slope.");
  usual(rotate_backward(rotate(k, 4), 9), "The direction is right. It has to be multiplied by dscore.");
  should_be(dq, want_q, 1e-6);
  calling("score_backward() of a query at 9, a key at 4, dscore = 2: the slopes of k",
          "The query is right. Exchange the two: dscore * the rotated query, rotated back by the key's position.");
  should_be(dk, want_k, 1e-6);
}

inline void test_cache() {
  std::vector<Row> kept;
  for (std::size_t t = 7; t < 12; t++) kept.push_back(rotate(waves(6, static_cast<double>(t)), t));
  calling("renumber() of the keys of positions 7 to 11", "Every key has to be rotated back by n positions.");
  const std::vector<Row> now = renumber(kept, 7);
  for (std::size_t t = 0; t < 5; t++) {
    const Row key = waves(6, static_cast<double>(t + 7));
    calling("renumber() of the keys of positions 7 to 11: the numbers of the key now at " + std::to_string(t),
            "It was rotated as at " + std::to_string(t + 7) + ". Rotated back by 7 positions, it is as at " +
                std::to_string(t) + ".");
    usual(rotate(key, t + 7), "It is rotated as before. Every key has to be rotated back by n positions.");
    if (t > 0) usual(key, "It is not rotated at all now. Rotate back by n, and not by its own position.");
    should_be(now.size() == 5 ? now[t] : Row{}, rotate(key, t));
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_arrow, test_row, test_score, test_cache}); }
