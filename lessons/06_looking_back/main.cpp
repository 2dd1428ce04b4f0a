// Lesson 06: looking back. The model of lesson 05 sees one letter. Here it sees all letters so far, as one list of
// numbers: their average. Then some letters get to count for more than others. Which ones? That can be learnt, too.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/bigram.h"
#include "lesson/lesson.h"
#include "lesson/puzzle.h"
#include "lesson/puzzle_picture.h"
#include "picture.h"
#include "lesson/mlp.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

using Tokens = std::span<const Token>;

/// The MLP of lesson 05, and two lists of scores.
struct Reader {
  explicit Reader(const Parameters& p)
      : mlp(p), distance_scores(matrix(p["distance_scores"])), before_scores(matrix(p["before_scores"])) {}

  Mlp mlp;
  Matrix distance_scores;  // (16,1): how interesting a letter is, by how far back it stands
  Matrix before_scores;    // (V,1): how interesting a letter is, by what stands before it
};

Parameters draw_parameters(std::size_t vocab_size, std::size_t n_embd, PythonRandom random) {
  std::vector<Parameters::Shape> shapes = mlp_shapes(vocab_size, n_embd);
  shapes.push_back({"distance_scores", 16, 1});
  shapes.push_back({"before_scores", vocab_size, 1});
  Parameters parameters(shapes);
  draw_weights(parameters, 0.08, random);
  return parameters;
}

// --- Ways to give weights to the letters seen so far, of which the newest is the last --------------------------------

Values only_the_last(const Reader&, Tokens seen) {
  return Values(seen.size(), [&](std::size_t i) { return i + 1 == seen.size() ? 1.0 : 0.0; });
}

Values evenly(const Reader&, Tokens seen) {
  return Values(seen.size(), [&](std::size_t) { return 1.0 / static_cast<double>(seen.size()); });
}

/// Half of the weight for the newest letter, and the other half shared by all.
Values last_and_even(const Reader&, Tokens seen) {
  const std::size_t n = seen.size();
  return Values(n, [&](std::size_t i) { return (i + 1 == n ? 0.5 : 0.0) + 0.5 / static_cast<double>(n); });
}

/// 1 for the newest letter, 1/2 for the one before it, then 1/4, and so on; all divided by their sum.
Values by_halves(const Reader&, Tokens seen) {
  const auto n = static_cast<double>(seen.size());
  const double total = 2 - std::pow(0.5, n - 1);
  return Values(seen.size(), [&](std::size_t i) { return std::pow(0.5, n - 1 - static_cast<double>(i)) / total; });
}

Values by_distance(const Reader& model, Tokens seen) {
  const std::size_t n = seen.size(), furthest = model.distance_scores.rows - 1;
  const Values scores(n, [&](std::size_t i) { return model.distance_scores[std::min(n - 1 - i, furthest)][0]; });
  return softmax(scores);
}

Values by_what_is_before(const Reader& model, Tokens seen) {
  const Values scores(seen.size(), [&](std::size_t i) { return i == 0 ? 0.0 : model.before_scores[seen[i - 1]][0]; });
  return softmax(scores);
}

struct Way {
  const char* name;
  Values (*weights)(const Reader&, Tokens);
};

constexpr Way last{"last letter", only_the_last}, even{"even", evenly}, both{"last + even", last_and_even},
    halves{"halves", by_halves}, distance{"distance", by_distance}, before{"before", by_what_is_before};

// --- The model -------------------------------------------------------------------------------------------------------

/// The letters' embeddings, each times its weight, added up: (n) and (V,C) -> (C).
Values mix(Values weights, const Matrix& wte, Tokens seen) {
  return Values(wte.cols, [&](std::size_t j) {
    Value total = 0.0;
    for (std::size_t i = 0; i < seen.size(); i++) total = total + weights[i] * wte[seen[i]][j];
    return total;
  });
}

/// The logits, (V), of what comes after the letters seen.
Values draft_mlp(const Reader& model, const Way& way, Tokens seen) {
  const Values x = mix(way.weights(model, seen), model.mlp.wte, seen);
  const Values hidden = relu(linear(x, model.mlp.mlp_fc1));
  return linear(hidden, model.mlp.mlp_fc2);
}

/// The mean of -log p(next token) over a name, as in lesson 05; but each token is predicted from all before it.
Loss draft_loss(const Reader& model, const Way& way) {
  return [&model, way](Tokens tokens) {
    return mean(Values(tokens.size() - 1, [&](std::size_t i) {
      return cross_entropy(draft_mlp(model, way, tokens.first(i + 1)), tokens[i + 1]);
    }));
  };
}

// --- What it does ----------------------------------------------------------------------------------------------------

/// Three letters with embeddings of two numbers: what is left of "ina", and of "ain".
void print_example(const Lesson& lesson) {
  Parameters parameters = draw_parameters(3, 2, lesson.random);
  const std::vector<double> embeddings{1, 0, 0, 1, 1, 1}, scores{0, 2, 1};  // of a, i and n
  std::copy(embeddings.begin(), embeddings.end(), parameters["wte"].data);
  std::copy(scores.begin(), scores.end(), parameters["before_scores"].data);
  const Reader model(parameters);
  const std::vector<Token> ina{1, 2, 0}, ain{0, 1, 2};
  std::vector<Point> mixtures;
  fmt::print("\na = (1 0), i = (0 1), n = (1 1)\n");
  for (const Way& way : {even, halves, before}) {
    for (const std::vector<Token>& word : {ina, ain}) {
      const Scope scope;
      const Values weights = way.weights(model, word);
      const Values x = mix(weights, model.mlp.wte, word);
      mixtures.emplace_back(x[0].data(), x[1].data());  // stop: mixed
      fmt::print("{:6} | {} | weights{} | mixed ({:.2f} {:.2f})\n", way.name, word == ina ? "ina" : "ain",
                 numbers(weights), x[0].data(), x[1].data());
    }
  }
  lesson.picture("06_order.svg", order_picture(mixtures));
}

/// What the model says of the end of a name that begins with this text: p(BOS).
double end_after(const Lesson& lesson, const Reader& model, const Way& way, const Document& text) {
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(text);
  return softmax(draft_mlp(model, way, Tokens(tokens).first(tokens.size() - 1)))[lesson.tokenizer.bos()].data();
}

std::string draw_name(const Lesson& lesson, const Reader& model, const Way& way, PythonRandom& random) {
  std::vector<Token> seen;
  const Next next = [&](Token token, std::size_t) {
    const Scope scope;
    seen.push_back(token);
    return draw_token(draft_mlp(model, way, seen), 0.5, random);
  };
  const std::string name = lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16));
  return name.empty() ? "-" : name;
}

/// How often a name ends after this text, in all the names.
double ends_after(const Lesson& lesson, const Document& text) {
  double found = 0, ends = 0;
  for (const Document& name : lesson.documents) {
    for (std::size_t at = name.find(text); at != Document::npos; at = name.find(text, at + 1)) {
      found += 1;
      ends += at + text.size() == name.size() ? 1 : 0;
    }
  }
  return ends / found;
}

/// The counts of lesson 01, to compare with.
void count_names(const Lesson& lesson) {
  Bigram bigram(lesson.tokenizer.vocab_size());
  for (std::size_t step = 1; step <= 1000; step++) bigram.count(lesson.tokens_of_step(step));
  const Loss loss = [&](Tokens tokens) { return bigram.loss(tokens); };
  const Estimate e = mean_loss(loss, lesson.held_out(1000), lesson.tokenizer);
  fmt::print("counting    | {:13.4f} +- {:.4f} |\n", e.mean, e.standard_error);
}

/// Trains on a thousand names, as lesson 05 does, and shows what became of it.
Parameters learn_names(const Lesson& lesson, const Way& way) {
  Parameters parameters = draw_parameters(lesson.tokenizer.vocab_size(), 16, lesson.random);
  const Reader model(parameters);
  Sgd sgd;
  train(draft_loss(model, way), parameters, sgd, lesson.documents, lesson.tokenizer,
        {.num_steps = 1000, .learning_rate = 1.0});
  const Estimate e = mean_loss(draft_loss(model, way), lesson.held_out(1000), lesson.tokenizer);
  fmt::print("{:11} | {:13.4f} +- {:.4f} | {:8.3f} {:5.3f} |", way.name, e.mean, e.standard_error,
             end_after(lesson, model, way, U"ina"), end_after(lesson, model, way, U"ain"));
  PythonRandom random(42);
  for (int i = 0; i < 6; i++) fmt::print(" {}", draw_name(lesson, model, way, random));
  fmt::print("\n");
  return parameters;
}

/// Names, and what distances have learnt from them.
void compare_on_names(const Lesson& lesson) {
  fmt::print("\nway         | held-out loss           | end after ina, ain | names\n");
  fmt::print("the data    |                         | {:8.3f} {:5.3f} |\n", ends_after(lesson, U"ina"),
             ends_after(lesson, U"ain"));
  count_names(lesson);
  for (const Way& way : {last, even, both, halves}) learn_names(lesson, way);
  const Parameters learnt = learn_names(lesson, distance);
  const Scope scope;
  fmt::print("\nthe weights of five letters, the newest last:\n");
  for (const Way& way : {halves, distance})
    fmt::print("{:11} |{}\n", way.name, numbers(way.weights(Reader(learnt), std::vector<Token>(5))));
}

/// A way to look back, after training on puzzles.
struct Attempt {
  Way way;
  Parameters parameters;
  std::vector<double> losses;  // of each step
};

/// Trains on puzzles of one kind, and prints the loss of a thousand new ones and how many answers were right.
Attempt solve(const Way& way, Puzzle kind) {
  Attempt attempt{way, draw_parameters(puzzle_vocab, 16, PythonRandom(42)), {}};
  const Reader model(attempt.parameters);
  const Guess guess = [&](Tokens puzzle) { return draft_mlp(model, way, puzzle); };
  const Solved solved = train_on_puzzles(guess, attempt.parameters, kind, 3000, 0.3);
  fmt::print(" | {:4.2f} {:6.0f}%", solved.loss, 100 * solved.right);
  attempt.losses = solved.losses;
  return attempt;
}

/// The weights that it gives to what stands in a puzzle.
std::vector<double> print_weights(const Attempt& attempt, const std::string& puzzle) {
  const Scope scope;
  const Values weights = attempt.way.weights(Reader(attempt.parameters), puzzle_tokens(puzzle));
  fmt::print("{:11} | {} |{}\n", attempt.way.name, puzzle, numbers(weights));
  return weights.data();  // stop: weights
}

void solve_puzzles(const Lesson& lesson) {
  std::vector<Attempt> attempts;
  fmt::print("\npuzzle      | last letter  | even         | distance     | before\n");
  for (const auto& [kind, example] : {std::pair(Puzzle::star_first, "*cafdbe*c"),
                                      {Puzzle::star_anywhere, "ca*fdbe*f"},
                                      {Puzzle::star_or_plus, "ca*fd+be+b"}}) {
    fmt::print("{:11}", example);
    for (const Way& way : {last, even, distance, before}) attempts.push_back(solve(way, kind));
    fmt::print("\n");
  }
  fmt::print("\nthe weights, after learning:\n");
  const std::vector<std::string> names{"even", "by distance", "by what is before"};
  std::vector<Curve> curves;
  std::vector<std::vector<double>> weights;
  for (std::size_t i = 0; i < 3; i++) {
    const Attempt& attempt = attempts[5 + i];  // at star_anywhere; the last letter's comes before
    curves.emplace_back(names[i], attempt.losses);
    weights.push_back(print_weights(attempt, "ca*fdbe*"));
  }
  print_weights(attempts.back(), "ca*fd+be*");
  print_weights(attempts.back(), "ca*fd+be+");
  lesson.picture("06_puzzle.svg", puzzle_picture(curves));
  lesson.picture("06_weights.svg", bars_picture("Only weights by what stands before find the letter after the star",
                                                "ca*fdbe*", names, weights));
}

void check(Lesson& lesson) {
  Parameters parameters = draw_parameters(lesson.tokenizer.vocab_size(), 16, lesson.random);
  const Reader model(parameters);
  const std::vector<Token> name = lesson.tokens_of_step(1), ina = lesson.tokenizer.encode(U"ina"),
                           ain = lesson.tokenizer.encode(U"ain");
  const Scope scope;
  lesson.check("with the last letter alone it is the MLP of src/lesson/mlp.h",
               draft_mlp(model, last, name).data() == mlp(model.mlp, name.back()).data());
  lesson.check("evenly mixed, ina and ain get the same logits, to 1e-12",
               largest_difference(draft_mlp(model, even, ina).data(), draft_mlp(model, even, ain).data()) < 1e-12);
  for (const auto& [way, scores] : {std::pair(distance, "distance_scores"), {before, "before_scores"}})
    lesson.check(fmt::format("nudging each of {} shows its gradient", scores),
                 largest_slope_error(draft_loss(model, way), parameters, scores, name) < 1e-6);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_example(lesson);
  compare_on_names(lesson);
  solve_puzzles(lesson);
  fmt::print("\nway         | held-out loss           | end after ina, ain | names\n");
  learn_names(lesson, before);
  fmt::print("\n");
  check(lesson);
  return lesson.finish();
}
