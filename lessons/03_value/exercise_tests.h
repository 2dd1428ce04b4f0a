// The tests of exercise 03: a number, its slope, its node; then a root, and where its slope comes from.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"

using namespace teach;

inline void test_tanh() {
  const double t = std::tanh(0.5);
  const Value x = 0.5;
  calling("tanh(x) of x = 0.5", "std::tanh(x.data()) knows the number.");
  usual({0.5}, "That is x itself. A new Value is {number, {what it was computed from}, {local gradients}}.");
  should_be(tanh(x), {t});
  calling("y = tanh(x), x = 0.5, L = y * 2, then L.backward(): the gradient of x",
          "The gradient of y is 2. backward() multiplies it by the local gradient, 1 - tanh(x)^2.");
  usual({0}, "Nothing arrived. Is x.node a child of the new node? A double forgets where it came from.");
  usual({2 * (1 - 0.25)}, "That is 2 * (1 - x^2). The square is that of tanh(x).");
  usual({2 * t}, "The local gradient is the number itself. So it is for exp, not for tanh.");
  (tanh(x) * 2.0).backward();
  should_be(x.grad(), {2 * (1 - t * t)});
  calling("The number of nodes of tanh(x), with x itself", "A formula of exp, + and / makes many. One is enough.");
  should_be(double(tanh(x).topological_order().size()), {2});
}

inline void test_root() {
  const Value one_round = 2.0, x = 2.0;
  calling("square_root(x, 1) of x = 2", "y = 1, and x / y = 2. Their mean is the first guess.");
  usual({2}, "That is x itself. The first guess is y = 1.");
  usual({3}, "That is y + x / y, which was not halved.");
  usual({1}, "That is the y of the beginning. Does the loop run `rounds` times?");
  should_be(square_root(one_round, 1), {1.5});
  calling("square_root(x, 6) of x = 2", "After one round it was right. Each round improves the y of the round before.");
  const Value root = square_root(x, 6);
  should_be(root, {std::sqrt(2)});
  calling("root = square_root(x, 6) of x = 2, then root.backward(): the gradient of x",
          "y and x must be Values in every round, so that backward() finds its way through all of them.");
  usual({0}, "Nothing arrived. Somewhere data() made a double of a Value, and a double forgets where it came from.");
  root.backward();
  should_be(x.grad(), {1 / (2 * std::sqrt(2))});
}

/// How near the gradient is to that of the formula, and the shares that it is made of, as `why` shows them in gdb.
inline void show() {
  fmt::print("    x | rounds | square root | gradient | of the formula, 1 / (2 sqrt(x))\n");
  for (const int rounds : {1, 2, 4, 8}) {
    const Value x = 2.0, root = square_root(x, rounds);
    root.backward();
    fmt::print("{:5.1f} | {:6} | {:11.6f} | {:8.6f} | {:8.6f}\n", x.data(), rounds, root.data(), x.grad(),
               1 / (2 * std::sqrt(2)));
  }
  const Value x = 2.0, root = square_root(x, 4);
  root.backward();
  fmt::print("the gradient of x is {:.6f}, because", x.grad());
  const std::vector<Node*> order = root.topological_order();
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    for (std::size_t i = 0; i < (*node)->children.size(); i++) {
      if ((*node)->children[i] == x.node) fmt::print(" {:+.6f}", (*node)->local_grads[i] * (*node)->grad);
    }
  }
  fmt::print("\n");
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_tanh, test_root, show}); }
