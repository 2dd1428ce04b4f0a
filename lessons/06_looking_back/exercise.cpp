// Exercise 06: the one who asks has a say. In the third puzzle of the lesson two letters are marked, and the sign at
// the end says which one is meant. One score for each sign cannot know who asks. Here there is a table of scores: a row
// for the sign that asks, a column for what stands before the letter that is looked at. And a second list of scores, by
// distance, for puzzles in which a sign comes twice.
//
//   make exercise-06    fails until weigh() is right, and hints at what is missing
//   make solution-06    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "draw/plot.h"
#include "lesson/mlp.h"
#include "lesson/puzzle.h"

using namespace microgpt;

/// What the weights are made from.
struct Scores {
  Matrix pairs;   // (V,V): pairs[asks][before], how interesting a letter is to the sign that asks, by what is before it
  List distance;  // (16): how interesting it is by how far back it stands; 0 is the newest
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// A weight for everything seen. The last sign seen is the one that asks. What stands first has nothing before it: the
/// table has no score for it, so only its distance counts.
Values weigh(const Scores& scores, std::span<const Token> seen) {
  // TODO: this is the plain average.
  (void)scores;
  return Values(seen.size(), [&](std::size_t) { return 1.0 / static_cast<double>(seen.size()); });
}
#endif

/// Scores that are all 0, and an MLP, for the tokens of the puzzles.
struct Solver : Mlp {
  Solver()
      : Solver(PythonRandom(42), StateDict(Parameters({{"pairs", puzzle_vocab, puzzle_vocab}, {"distance", 1, 16}}))) {}
  Solver(PythonRandom random, const StateDict& zeros)
      : Mlp(StateDict(mlp_shapes(puzzle_vocab, 16), 0.08, random)), scores{zeros["pairs"], zeros["distance"][0]} {
    params.insert(params.end(), zeros.params.begin(), zeros.params.end());
  }

  std::vector<double> weights(std::string_view puzzle) const {
    const Scope scope;
    return weigh(scores, puzzle_tokens(puzzle)).data();
  }

  Values answer(std::span<const Token> seen) const {
    const Values weights = weigh(scores, seen);
    const Values x(16, [&](std::size_t j) {
      Value total = 0.0;
      for (std::size_t i = 0; i < seen.size(); i++) total = total + weights[i] * wte[seen[i]][j];
      return total;
    });
    return linear(relu(linear(x, mlp_fc1)), mlp_fc2);
  }

  Scores scores;
};

TEST_CASE("a score in the row of the sign that asks draws the look to what stands after the other sign") {
  Solver solver;
  solver.scores.pairs[star][star].node->data = std::log(3.0);  // asked by a star: what stands after a star
  const std::vector<double> by_star = solver.weights("a*bc*"), by_plus = solver.weights("a*bc+");
  REQUIRE(by_star.size() == 5);
  INFO("a*bc*: one letter has score log 3, four have score 0; hint: exp(log 3) is 3, so softmax gives 3/7 and 1/7");
  CHECK(by_star[2] == doctest::Approx(3.0 / 7));
  CHECK(by_star[0] == doctest::Approx(1.0 / 7));
  INFO("a*bc+: the plus asks, and its row is all 0; hint: which row of the table did you read?");
  CHECK(by_plus[2] == doctest::Approx(1.0 / 5));
}

TEST_CASE("distances count from the newest, and a score by distance is added to that of the pair") {
  Solver solver;
  solver.scores.distance[0].node->data = std::log(2.0);
  INFO("hint: the newest sign is at distance 0, and the first of n at distance n - 1");
  CHECK(solver.weights("abc*")[3] == doctest::Approx(2.0 / 5));
  solver.scores.distance[2].node->data = std::log(2.0);
  solver.scores.pairs[star][star].node->data = std::log(3.0);
  const std::vector<double> weights = solver.weights("a*bc*");
  INFO("a*bc*: b has log 3 for its pair and log 2 for its distance; hint: add the two scores, then one softmax");
  REQUIRE(weights.size() == 5);
  CHECK(weights[2] == doctest::Approx(6.0 / 11));
}

TEST_CASE("what stands first has no score for what is before it") {
  Solver solver;
  for (const List& row : solver.scores.pairs) {
    for (const Value score : row) score.node->data = std::log(3.0);
  }
  INFO("hint: everything but the first letter has score log 3 here");
  CHECK(solver.weights("ab*")[0] == doctest::Approx(1.0 / 7));
}

TEST_CASE("the gradient comes back to the row of the sign that asks, and to no other") {
  Solver solver;
  const Scope scope;
  weigh(solver.scores, puzzle_tokens("a*bc+"))[2].backward();
  INFO("hint: make the scores of Values, from rows of the matrix, and nothing of their data()");
  CHECK(solver.scores.pairs[plus][star].grad() == doctest::Approx(4.0 / 25));
  CHECK(solver.scores.pairs[star][star].grad() == 0.0);
}

TEST_CASE("now it solves the puzzle that the lesson could not") {
  Solver solver;
  const Solved solved =
      train_on_puzzles([&](auto seen) { return solver.answer(seen); }, solver.params, Puzzle::star_or_plus, 3000, 0.3);
  INFO("hint: the cases above must pass first");
  REQUIRE(solved.right > 0.99);
  fmt::print("\nca*fd+be+b: loss {:.2f}, {:.0f}% right. The two rows of the table that asked:\n", solved.loss,
             100 * solved.right);
  Grid grid{{"*", "+"}, {"a", "b", "c", "d", "e", "f", "g", "h", "*", "+"}, {}};
  for (const Token asks : {star, plus}) {
    std::vector<double> row;
    for (const Value score : solver.scores.pairs[asks]) row.push_back(std::max(score.data(), 0.0));
    grid.rows.push_back(row);
  }
  fmt::print("{}", shades(grid));
}

TEST_CASE("if a star comes twice and the newer one counts, distance breaks the tie") {
  auto draw = [](PythonRandom& random) {
    std::vector<Token> tokens;
    const std::size_t older = random.below(5), newer = older + 1 + random.below(5 - older);
    Token answer = 0;
    for (std::size_t i = 0; i < 6; i++) {
      if (i == older || i == newer) tokens.push_back(star);
      tokens.push_back(random.below(8));
      if (i == newer) answer = tokens.back();
    }
    tokens.push_back(star);
    tokens.push_back(answer);
    return tokens;
  };
  Solver solver;
  PythonRandom random(7);
  double right = 0;
  for (std::size_t step = 0; step < 7000; step++) {
    const std::vector<Token> tokens = draw(random);
    const std::span<const Token> seen(tokens.data(), tokens.size() - 1);
    const Loss loss = [&](auto) { return cross_entropy(solver.answer(seen), tokens.back()); };
    if (step < 6000) {
      train_step(loss, tokens, solver.params, sgd_update, 0.3 * (1 - static_cast<double>(step) / 6000), step);
    } else {
      const Scope scope;
      const std::vector<double> logits = solver.answer(seen).data();
      right += *std::max_element(logits.begin(), logits.end()) == logits[tokens.back()] ? 0.001 : 0;
    }
  }
  INFO("hint: the cases above must pass first");
  REQUIRE(right > 0.95);
  fmt::print("\nca*fd*be*b, the newer star counts: {:.0f}% right. Scores by distance, 1 to 8:", 100 * right);
  for (int d = 1; d <= 8; d++) fmt::print(" {:.1f}", solver.scores.distance[d].data());
  fmt::print("\n");
}
