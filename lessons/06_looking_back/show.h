// What lesson 06 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/bigram.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "lesson/puzzle.h"
#include "lesson/puzzle_picture.h"
#include "microgpt.h"
#include "picture.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

using Tokens = std::span<const Token>;

/// The MLP of lesson 05, and two lists of scores.
struct Reader : Mlp {
  explicit Reader(const StateDict& p)
      : Mlp(p), distance_scores(p["distance_scores"][0]), before_scores(p["before_scores"][0]) {}

  List distance_scores;  // (16): how interesting a letter is, by how far back it is
  List before_scores;    // (V): how interesting a letter is, by what is before it
};

using Weigh = Values (*)(const Reader&, Tokens seen);

/// A way to look back.
struct Way {
  const char* name;
  Weigh weigh;
};

/// All of the weight for the newest letter: the model of lesson 05.
inline Values only_the_last(const Reader&, Tokens seen) {
  const std::size_t n = seen.size();
  return Values(n, [&](std::size_t i) { return i + 1 == n ? 1.0 : 0.0; });
}
inline const Way last{"last letter", only_the_last};

/// What main.cpp makes of weights.
struct Draft {
  Values (*mix)(Values weights, const Matrix& wte, Tokens seen);
  Values (*mlp)(const Reader&, Weigh, Tokens seen);
  Value (*loss)(const Reader&, Weigh, Tokens tokens);
};

inline Reader draw_reader(std::size_t vocab_size, std::size_t n_embd, PythonRandom random) {
  std::vector<Parameters::Shape> shapes = mlp_shapes(vocab_size, n_embd);
  shapes.push_back({"distance_scores", 1, 16});
  shapes.push_back({"before_scores", 1, vocab_size});
  return Reader(StateDict(shapes, 0.08, random));
}

// --- Three letters with embeddings of two numbers --------------------------------------------------------------------

inline Reader example_reader() {
  Reader model = draw_reader(3, 2, PythonRandom(42));
  model.wte = {{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};  // of a, i and n: tokens 0, 1 and 2
  model.before_scores = {0.0, 2.0, 1.0};
  return model;
}

/// What is left of "ina", and of "ain".
inline void show_example(const Lesson& lesson, const std::vector<Way>& ways, const Draft& draft) {
  const Reader model = example_reader();
  std::vector<Point> mixtures;
  fmt::print("\na = (1 0), i = (0 1), n = (1 1)\n");
  for (const Way& way : ways) {
    for (const auto& [word, tokens] : {std::pair("ina", std::vector<Token>{1, 2, 0}), {"ain", {0, 1, 2}}}) {
      const Scope scope;
      const Values weights = way.weigh(model, tokens), x = draft.mix(weights, model.wte, tokens);
      mixtures.emplace_back(x[0].data(), x[1].data());
      fmt::print("{:6} | {} | weights{} | mixed ({:.2f} {:.2f})\n", way.name, word, numbers(weights), x[0].data(),
                 x[1].data());
    }
  }
  lesson.picture("06_order.svg", order_picture(mixtures));
}

/// How the first number of the mixture of "ain" moves with a score, by trying.
inline void show_how_a_score_learns(const Way& way, const Draft& draft) {
  const std::vector<Token> ain{0, 1, 2};
  const Reader model = example_reader();
  auto mixed = [&](Token before, double change) {
    const Scope scope;
    model.before_scores[before].node->data += change;
    const double x = draft.mix(way.weigh(model, ain), model.wte, ain)[0].data();
    model.before_scores[before].node->data -= change;
    return x;
  };
  const Scope scope;
  const Values weights = way.weigh(model, ain);
  const double h = 0.001, mixture = mixed(0, 0);
  fmt::print("\nain, mixed: {:.4f}\nletter | weight | its number - the mixture | slope of its score\n", mixture);
  for (const std::size_t at : {1, 2}) {
    const double slope = (mixed(ain[at - 1], h) - mixed(ain[at - 1], -h)) / (2 * h);
    fmt::print("{:>6} | {:.4f} | {:24.4f} | {:18.4f}\n", at == 1 ? "i" : "n", weights[at].data(),
               model.wte[ain[at]][0].data() - mixture, slope);
  }
}

// --- Names -----------------------------------------------------------------------------------------------------------

/// What the model says of the end of a name that begins with this text: p(BOS).
inline double end_after(const Lesson& lesson, const Reader& model, Weigh weigh, const Document& text,
                        const Draft& draft) {
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(text);
  return softmax(draft.mlp(model, weigh, Tokens(tokens).first(tokens.size() - 1)))[lesson.tokenizer.bos()].data();
}

/// How often a name ends after this text, in all the names.
inline double ends_after(const Lesson& lesson, const Document& text) {
  double found = 0, ends = 0;
  for (const Document& name : lesson.documents) {
    for (std::size_t at = name.find(text); at != Document::npos; at = name.find(text, at + 1)) {
      found += 1;
      ends += at + text.size() == name.size() ? 1 : 0;
    }
  }
  return ends / found;
}

inline std::string draw_name(const Lesson& lesson, const Reader& model, Weigh weigh, const Draft& draft,
                             PythonRandom& random) {
  std::vector<Token> seen;
  const Next next = [&](Token token, std::size_t) {
    const Scope scope;
    seen.push_back(token);
    return draw_token(draft.mlp(model, weigh, seen), 0.5, random);
  };
  const std::string name = lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16));
  return name.empty() ? "-" : name;
}

inline void show_heading() { fmt::print("\nway         | held-out loss           | end after ina, ain | names\n"); }

/// What the names say, and the counts of lesson 01.
inline void show_counting(const Lesson& lesson) {
  show_heading();
  fmt::print("the data    |                         | {:8.3f} {:5.3f} |\n", ends_after(lesson, U"ina"),
             ends_after(lesson, U"ain"));
  Bigram bigram(lesson.tokenizer.vocab_size());
  for (std::size_t step = 1; step <= 1000; step++) bigram.count(lesson.tokens_of_step(step));
  const Loss loss = [&](Tokens tokens) { return bigram.loss(tokens); };
  const Estimate e = mean_loss(loss, lesson.held_out(1000), lesson.tokenizer);
  fmt::print("counting    | {:13.4f} +- {:.4f} |\n", e.mean, e.standard_error);
}

/// Trains on a thousand names, as lesson 05 does, and shows what became of it.
inline Reader learn_names(const Lesson& lesson, const Way& way, const Draft& draft) {
  const Reader model = draw_reader(lesson.tokenizer.vocab_size(), 16, lesson.random);
  const Loss loss = [&](Tokens tokens) { return draft.loss(model, way.weigh, tokens); };
  train(loss, model.params, sgd_update, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 1.0});
  const Estimate e = mean_loss(loss, lesson.held_out(1000), lesson.tokenizer);
  fmt::print("{:11} | {:13.4f} +- {:.4f} | {:8.3f} {:5.3f} |", way.name, e.mean, e.standard_error,
             end_after(lesson, model, way.weigh, U"ina", draft), end_after(lesson, model, way.weigh, U"ain", draft));
  PythonRandom random(42);
  for (int name = 0; name < 4; name++) fmt::print(" {}", draw_name(lesson, model, way.weigh, draft, random));
  fmt::print("\n");
  return model;
}

inline void show_distances(const std::vector<Way>& ways, const Reader& learnt) {
  const Scope scope;
  fmt::print("\nthe weights of five letters, the newest last:\n");
  for (const Way& way : ways) fmt::print("{:11} |{}\n", way.name, numbers(way.weigh(learnt, std::vector<Token>(5))));
}

// --- Puzzles ---------------------------------------------------------------------------------------------------------

/// A way to look back, after training on puzzles.
struct Attempt {
  Way way;
  Reader model;
  std::vector<double> losses;  // of each step
};

/// Trains on puzzles of one kind, and prints the loss of a thousand new ones and how many answers were right.
inline Attempt solve(const Way& way, Puzzle kind, const Draft& draft) {
  const Reader model = draw_reader(puzzle_vocab, 16, PythonRandom(42));
  const Guess guess = [&](Tokens puzzle) { return draft.mlp(model, way.weigh, puzzle); };
  const Solved solved = train_on_puzzles(guess, model.params, kind, 3000, 0.3);
  fmt::print(" | {:4.2f} {:6.0f}%", solved.loss, 100 * solved.right);
  return {way, model, solved.losses};
}

/// The weights that it gives to what is in a puzzle.
inline std::vector<double> show_weights(const Attempt& attempt, const std::string& puzzle) {
  const Scope scope;
  const Values weights = attempt.way.weigh(attempt.model, puzzle_tokens(puzzle));
  fmt::print("{:11} | {} |{}\n", attempt.way.name, puzzle, numbers(weights));
  return weights.data();
}

/// Four ways at three kinds of puzzles; the pictures show the last three ways at the second kind.
inline void show_puzzles(const Lesson& lesson, const std::vector<Way>& ways, const Draft& draft) {
  std::vector<Attempt> attempts;
  fmt::print("\npuzzle      | last letter  | even         | distance     | before\n");
  for (const auto& [kind, example] : {std::pair(Puzzle::star_first, "*cafdbe*c"),
                                      {Puzzle::star_anywhere, "ca*fdbe*f"},
                                      {Puzzle::star_or_plus, "ca*fd+be+b"}}) {
    fmt::print("{:11}", example);
    for (const Way& way : ways) attempts.push_back(solve(way, kind, draft));
    fmt::print("\n");
  }
  fmt::print("\nthe weights, after learning:\n");
  const std::vector<std::string> names{"even", "by distance", "by what comes before"};
  std::vector<Curve> curves;
  std::vector<std::vector<double>> weights;
  for (std::size_t k = 0; k < names.size(); k++) {
    const Attempt& attempt = attempts[ways.size() + 1 + k];
    curves.emplace_back(names[k], attempt.losses);
    weights.push_back(show_weights(attempt, "ca*fdbe*"));
  }
  show_weights(attempts.back(), "ca*fd+be*");
  show_weights(attempts.back(), "ca*fd+be+");
  lesson.picture("06_puzzle.svg", puzzle_picture(curves));
  lesson.picture("06_weights.svg", bars_picture("Only weights by what comes before find the letter after the star",
                                                "ca*fdbe*", names, weights));
}

// --- Checks ----------------------------------------------------------------------------------------------------------

/// The ways are those of show_puzzles().
inline void check_draft(Lesson& lesson, const std::vector<Way>& ways, const Draft& draft) {
  const Reader model = draw_reader(lesson.tokenizer.vocab_size(), 16, lesson.random);
  const std::vector<Token> name = lesson.tokens_of_step(1);
  auto logits = [&](std::size_t way, Tokens seen) {
    const Scope scope;
    return draft.mlp(model, ways[way].weigh, seen).data();
  };
  const std::vector<double> ina = logits(1, lesson.tokenizer.encode(U"ina")),
                            ain = logits(1, lesson.tokenizer.encode(U"ain"));
  const Scope scope;
  fmt::print("\n");
  lesson.check("with the last letter alone it is the MLP of src/lesson/mlp.h",
               logits(0, name) == mlp(model, name.back()).data());
  lesson.check("evenly mixed, ina and ain get the same logits, to 1e-12", largest_difference(ina, ain) < 1e-12);
  for (const auto& [way, name_of, scores] :
       {std::tuple(2, "distance_scores", model.distance_scores), {3, "before_scores", model.before_scores}}) {
    const Weigh weigh = ways[way].weigh;
    const Loss loss = [&](Tokens tokens) { return draft.loss(model, weigh, tokens); };
    lesson.check(fmt::format("nudging each of {} shows its gradient", name_of),
                 largest_slope_error(loss, {scores}, name) < 1e-6);
  }
}

}  // namespace microgpt
