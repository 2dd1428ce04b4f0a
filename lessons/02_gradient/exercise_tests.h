// The tests of exercise 02: two hidden numbers on paper, slope after slope. Then a network learns to draw a wave.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"

using namespace teach;

inline void test_slopes() {
  const Curve curve{{2, 1}, {-1, -4}, {4, 7}};
  auto slopes = [&](const Numbers& points) {
    Curve d{{0, 0}, {0, 0}, {0, 0}};
    for (const double x : points) backward(curve, x, 0.5, d);
    return d;
  };
  const std::string at =
      "backward() with w1 = (2 1), b1 = (-1 -4), w2 = (4 7), at x = 2, so h = (3 0), with dy = 0.5: ";
  calling(at + "d.w2", "If w2 grows a little, y grows h * h times as much, and the loss dy times as much as y.");
  usual({0, 0}, "Nothing arrived. w2 is multiplied by h * h to make y.");
  usual({9, 0}, "That is how fast y changes. The loss changes dy times as fast.");
  should_be(slopes({2}).w2, {4.5, 0});
  calling(at + "d.b1", "Three steps back: from y to h * h, from there to h, and through ReLU to what b1 is added to.");
  usual({0, 0}, "Nothing arrived. If b1 grows a little where ReLU is open, h grows as much.");
  usual({12, -14}, "The second h is 0: its ReLU is closed. A bias that moves a little changes nothing there.");
  usual({6, 0}, "That is dy * w2 * h. How fast does h * h change with h?");
  usual({2, 0}, "That is dy * w2, what is handed back to h * h. It has to go back through the square, too.");
  usual({3, 0}, "That is dy * 2 h. On the way back, what comes from y is multiplied by w2, too.");
  should_be(slopes({2}).b1, {12, 0});
  calling(at + "d.w1", "w1 and b1 are in the same sum, but w1 is multiplied by x.");
  usual({12, 0}, "That is the slope of the bias. w1 is multiplied by x, so it moves the sum x times as much.");
  should_be(slopes({2}).w1, {24, 0});
  calling("backward() at x = 2, and then at x = 1 with the same d: the first of d.w2, d.b1 and d.w1",
          "Each point adds its share, the second point 0.5, 4 and 4. Does it say  =  for  += ?");
  const Curve d = slopes({2, 1});
  should_be(Numbers{d.w2[0], d.b1[0], d.w1[0]}, {5, 16, 28});
}

/// Networks of 16 hidden numbers learn to draw cos(3 x), first without biases, then with them.
inline void show() {
  const Numbers zeros(16);
  Numbers xs;
  for (int i = -24; i <= 24; i++) xs.push_back(i / 16.0);
  std::vector<std::string> drawing(10, std::string(xs.size(), ' '));
  for (const double rate_of_biases : {0.0, 0.05}) {
    Curve curve{zeros, zeros, zeros};
    microgpt::PythonRandom random(2);
    for (std::size_t j = 0; j < 16; j++) curve.w1[j] = random.gauss(0, 1), curve.w2[j] = random.gauss(0, 0.3);
    for (int step = 0; step < 10000; step++) {
      Curve d{zeros, zeros, zeros};
      for (const double x : xs) backward(curve, x, 2 * (y_at(curve, x) - std::cos(3 * x)) / 49, d);
      for (std::size_t j = 0; j < 16; j++) {
        curve.w1[j] -= 0.05 * d.w1[j];
        curve.b1[j] -= rate_of_biases * d.b1[j];
        curve.w2[j] -= 0.05 * d.w2[j];
      }
    }
    for (std::size_t i = 0; i < xs.size(); i++) {
      auto draw = [&](double y, char point) { drawing[std::lround(4 - 4 * std::clamp(y, -1.25, 1.0))][i] = point; };
      draw(std::cos(3 * xs[i]), '.');
      draw(y_at(curve, xs[i]), rate_of_biases > 0 ? 'o' : '-');
    }
  }
  for (const std::string& row : drawing) fmt::print("{}\n", row.substr(0, row.find_last_not_of(' ') + 1));
  fmt::print(". the wave, - learnt without biases, o with them\n");
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_slopes, show}); }
