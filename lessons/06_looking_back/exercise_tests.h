// The tests of exercise 06: short puzzles by hand, and then the puzzle that the lesson could not solve.
#pragma once

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/teach.h"

using namespace teach;

inline Scores zeros() {
  const StateDict p(Parameters({{"pairs", puzzle_vocab, puzzle_vocab}, {"distance", 1, 16}}));
  return {p["pairs"], p["distance"][0]};
}

inline std::vector<double> weights(const Scores& scores, std::string_view puzzle) {
  return Values(weigh(scores, puzzle_tokens(puzzle))).data();
}

inline void test_pairs() {
  const Scope scope;
  Scores scores = zeros();
  scores.pairs[plus] = Values(puzzle_vocab, [](Token before) { return std::log(before == star ? 6 : 2); });
  calling("weigh() for a*bc+, where the plus scores log 6 for what is after a star, log 2 for what is after the others",
          "exp(score) is 6 for b, 2 for *, c and +, and 1 for a: it stands first, has no seen[i - 1], and scores 0.");
  usual({0.2, 0.2, 0.2, 0.2, 0.2}, "All weights are even. The row is the sign that asks, the column what is before.");
  usual({1.0 / 13, 6.0 / 13, 2.0 / 13, 2.0 / 13, 2.0 / 13},
        "The star itself got the score. It is for what stands right after a star: the column is seen[i - 1].");
  usual({2.0 / 14, 2.0 / 14, 6.0 / 14, 2.0 / 14, 2.0 / 14},
        "The first got a score from the table. It has nothing before it, so it scores 0.");
  should_be(weights(scores, "a*bc+"), {1.0 / 13, 2.0 / 13, 6.0 / 13, 2.0 / 13, 2.0 / 13});
  calling("The same for a*bc*", "Now a star asks, and the row of the star is all 0.");
  should_be(weights(scores, "a*bc*"), {0.2, 0.2, 0.2, 0.2, 0.2});
}

inline void test_distance() {
  const Scope scope;
  Scores scores = zeros();
  scores.pairs[star][star] = std::log(3.0);
  scores.distance[0] = std::log(2.0);
  scores.distance[1] = std::log(4.0);
  calling("weigh() for a*bc*: b has log 3 for its pair, c has log 4 for distance 1, the last * log 2 for distance 0",
          "Add a letter's two scores, and put all these sums into one softmax.");
  usual({1.0 / 7, 1.0 / 7, 3.0 / 7, 1.0 / 7, 1.0 / 7}, "Distances do not count yet.");
  usual({2.0 / 11, 4.0 / 11, 3.0 / 11, 1.0 / 11, 1.0 / 11}, "Distances were counted from the first, not the newest.");
  should_be(weights(scores, "a*bc*"), {1.0 / 11, 1.0 / 11, 3.0 / 11, 4.0 / 11, 2.0 / 11});
  scores = zeros();
  calling("pairs[plus][star].grad() after backward() from the weight of b in a*bc+",
          "It is the slope of softmax: weight * (1 - weight), and the weight is 1 / 5.");
  weigh(scores, puzzle_tokens("a*bc+"))[2].backward();
  usual({0}, "No gradient arrives. Make the scores of Values, and nothing of their data().");
  should_be(scores.pairs[plus][star].grad(), {0.16});
}

/// Learns the third puzzle. The probability of a letter is the weight that it got in all.
inline void show() {
  const Scores scores = zeros();
  List params = scores.distance;
  for (const List& row : scores.pairs) params.insert(params.end(), row.begin(), row.end());
  const Guess guess = [&](std::span<const Token> seen) {
    const Values weights = weigh(scores, seen);
    Values shares(puzzle_vocab, [](std::size_t) { return 1e-9; });
    for (std::size_t i = 0; i < seen.size(); i++) shares[seen[i]] = shares[seen[i]] + weights[i];
    return Values(puzzle_vocab, [&](std::size_t token) { return log(shares[token]); });
  };
  const Solved solved = train_on_puzzles(guess, params, Puzzle::star_or_plus, 3000, 0.3);
  fmt::print("ca*fd+be+b: {:.0f}% right. The rows of the two signs that ask:\n{}", 100 * solved.right,
             shades({{"*", "+"},
                     {"a", "b", "c", "d", "e", "f", "g", "h", "*", "+"},
                     {relu(scores.pairs[star]).data(), relu(scores.pairs[plus]).data()}}));
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_pairs, test_distance, show}); }
