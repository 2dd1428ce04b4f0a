// The tests of exercise 22: two heads, three heads, sixteen heads, and then those of the copier.
#pragma once

#include <fmt/format.h>

#include "base/task.h"
#include "lesson/recipe.h"
#include "lesson/teach.h"
#include "train/evaluation.h"

using namespace microgpt;
using teach::calling;
using teach::should_be;
using teach::usual;

inline void test_two() {
  calling("worth() of two heads that do the same, losses (0 0 0 1)",
          "Who goes first costs nothing, and who goes second costs 1. Each goes second in one of the two orders.");
  usual({0, 0}, "What each costs alone. The second costs 1. Is an index a set of bits? Is 1 / 2 a whole number?");
  usual({-0.5, -0.5}, "The sign: what is lost is the loss without the head, less that with it.");
  usual({1, 1}, "That is the sum over both orders, or what it costs to go last. Take the mean over the orders.");
  should_be(worth({0, 0, 0, 1}), {0.5, 0.5});
}

inline void test_three() {
  calling("worth() of three heads, where 6 is lost when head 0 is out, and 1 or 2 or both",
          "Write down all six orders, and who pays in each: 6 each time, head 0 in four orders, the others in one.");
  usual({4.5, 1.5, 1.5}, "All sets have the same share. A set of k heads that went before has k! (2 - k)! orders.");
  usual({1, 1, 4}, "Bit 0 of the index is head 0: index >> h & 1.");
  should_be(worth({0, 0, 0, 6, 0, 6, 0, 6}), {4, 1, 1});
}

inline void test_sixteen() {
  calling(
      "worth() of sixteen heads, where the loss is the square of how many are out",
      "There are 20,922,789,888,000 orders, too many to try. But it does not matter in which order the others went, "
      "only who they are: go through sets of heads. (And 13! is too large for an int.)");
  Losses squares;
  for (std::size_t out = 0; out < 65536; out++) squares.push_back(std::popcount(out) * std::popcount(out));
  should_be(worth(squares), teach::Numbers(16, 16));
}

/// The copier of the lesson, without each set of heads.
inline void test_copier() {
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  const Trained copier = train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                               draw_documents({}, Part::held_out, 300, random), 87);
  Probe probe(copier.config, copier.parameters, copier.held_out);
  Losses losses;
  for (std::size_t out = 0; out < 16; out++) {
    std::vector<HeadId> heads = all_heads(copier.config);
    std::erase_if(heads, [&](HeadId id) { return (out >> id.head & 1) == 0; });
    losses.push_back(estimate(probe.scores(silenced(heads, copier.config)).losses).mean);
  }
  double alone = 0, sum = 0;
  for (std::size_t h = 0; h < 4; h++) {
    const double cost = losses[std::size_t{1} << h] - losses[0], share = worth(losses)[h];
    fmt::print("head {}: goes alone {:+.3f} | is worth {:.3f} {}\n", h, cost, share,
               std::string(static_cast<std::size_t>(20 * std::max(0.0, share)), '#'));
    alone += cost;
    sum += share;
  }
  fmt::print("sum   :            {:+.3f} |          {:.3f}\n", alone, sum);
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv, {test_two, test_three, test_sixteen, test_copier});
}
