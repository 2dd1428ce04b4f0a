// Lesson 06: looking back. The model of lesson 05 sees one letter. Here it sees all letters so far, as one list of
// numbers: their average. Then some letters get to count for more than others. Which ones? That can be learnt, too.
#include <tuple>

#include "base/bigram.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "lesson/nudge.h"
#include "lesson/puzzle.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

using Tokens = std::span<const Token>;

/// The MLP of lesson 05, and two lists of scores.
struct Reader : Mlp {
  explicit Reader(const StateDict& p)
      : Mlp(p), distance_scores(p["distance_scores"][0]), before_scores(p["before_scores"][0]) {}

  List distance_scores;  // (16): how interesting a letter is, by how far back it is
  List before_scores;    // (V): how interesting a letter is, by what is before it
};

using Weigh = Values (*)(const Reader&, Tokens seen);

/// Weights for the letters seen so far, of which the newest is the last: the same for all.
Values evenly(const Reader&, Tokens seen) {
  const double n = seen.size();
  return Values(seen.size(), [&](std::size_t) { return 1 / n; });
}

/// The letters' embeddings, each times its weight, added up: (n) and (V,C) -> (C).
Values mix(Values weights, const Matrix& wte, Tokens seen) {
  const Values x(wte[0].size(), [&](std::size_t j) {
    Value total = 0.0;
    for (std::size_t i = 0; i < seen.size(); i++) total = total + weights[i] * wte[seen[i]][j];
    return total;
  });
  return x;  // stop: mixed
}

/// The logits, (V), of what comes after the letters seen.
Values draft_mlp(const Reader& model, Weigh weigh, Tokens seen) {
  const Values x = mix(weigh(model, seen), model.wte, seen);
  const Values hidden = relu(linear(x, model.mlp_fc1));
  return linear(hidden, model.mlp_fc2);
}

/// The mean of -log p(next token) over a name, as in lesson 05; but each token is predicted from all before it.
Value draft_loss(const Reader& model, Weigh weigh, Tokens tokens) {
  return mean(Values(tokens.size() - 1, [&](std::size_t i) {
    return cross_entropy(draft_mlp(model, weigh, tokens.first(i + 1)), tokens[i + 1]);
  }));
}

/// Half of the weight for the newest letter, and the other half shared by all.
Values last_and_even(const Reader&, Tokens seen) {
  const double n = seen.size();
  return Values(seen.size(), [&](std::size_t i) { return (i + 1 == n ? 0.5 : 0.0) + 0.5 / n; });
}

/// 1 for the newest letter, 1/2 for the one before it, then 1/4, and so on; all divided by their sum.
Values by_halves(const Reader&, Tokens seen) {
  const double n = seen.size(), sum = 2 - std::pow(0.5, n - 1);
  return Values(seen.size(), [&](std::size_t i) { return std::pow(0.5, n - 1 - i) / sum; });
}

/// A score for each distance; the newest letter is at distance 0.
Values by_distance(const Reader& model, Tokens seen) {
  const std::size_t n = seen.size(), furthest = model.distance_scores.size() - 1;
  const Values scores(n, [&](std::size_t i) { return model.distance_scores[std::min(n - 1 - i, furthest)]; });
  return softmax(scores);
}

/// A score for each token: how interesting is the letter right after it? The first letter has the score 0.
Values by_what_is_before(const Reader& model, Tokens seen) {
  const Values scores(seen.size(), [&](std::size_t i) { return i == 0 ? 0.0 : model.before_scores[seen[i - 1]]; });
  return softmax(scores);
}

/// All of the weight for the newest letter: the model of lesson 05.
Values only_the_last(const Reader&, Tokens seen) {
  return Values(seen.size(), [&](std::size_t i) { return i + 1 == seen.size() ? 1.0 : 0.0; });
}

/// A way to look back.
struct Way {
  const char* name;
  Weigh weigh;
};
constexpr Way last{"last letter", only_the_last}, even{"even", evenly}, both{"last + even", last_and_even},
    halves{"halves", by_halves}, distance{"distance", by_distance}, before{"before", by_what_is_before};

/// A Reader with random weights of size 0.08.
Reader random_reader(std::size_t vocab_size, std::size_t n_embd, PythonRandom random) {
  std::vector<Parameters::Shape> shapes = mlp_shapes(vocab_size, n_embd);
  shapes.push_back({"distance_scores", 1, 16});
  shapes.push_back({"before_scores", 1, vocab_size});
  return Reader(StateDict(shapes, 0.08, random));
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

/// What the model says of the end of a name that begins with this text: p(BOS).
double end_after(const Lesson& lesson, const Reader& model, Weigh weigh, const Document& text) {
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(text);
  return softmax(draft_mlp(model, weigh, Tokens(tokens).first(tokens.size() - 1)))[lesson.tokenizer.bos()].data();
}

/// Trains on a thousand names, as lesson 05 does.
Reader learn_names(const Lesson& lesson, const Way& way) {
  constexpr std::size_t num_steps = 1000;
  const Reader model = random_reader(lesson.tokenizer.vocab_size(), 16, lesson.random);
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    draft_loss(model, way.weigh, lesson.tokens_of_step(step + 1)).backward();
    const double learning_rate = 1 - static_cast<double>(step) / num_steps;  // it falls from 1 to 0
    sgd_update(model.params, learning_rate);                                 // gradients become 0, too
  }
  return model;
}

/// The held-out loss, what the model says of two ends, and four names.
void print_learnt(const Lesson& lesson, const Way& way, const Reader& model) {
  auto loss = [&](Tokens name) { return draft_loss(model, way.weigh, name); };
  const Estimate e = mean_loss(loss, lesson.held_out(1000), lesson.tokenizer);  // of names that it does not learn from
  std::string names;
  PythonRandom random(42);
  for (int i = 0; i < 4; i++) {
    std::vector<Token> seen{lesson.tokenizer.bos()}, name;
    while (name.size() < 16) {
      const Scope scope;
      seen.push_back(draw_token(draft_mlp(model, way.weigh, seen), 0.5, random));
      if (seen.back() == lesson.tokenizer.bos()) break;
      name.push_back(seen.back());
    }
    names += fmt::format(" {}", name.empty() ? "-" : lesson.tokenizer.decode(name));
  }
  fmt::print("{:11} | {:13.4f} +- {:.4f} | {:8.3f} {:5.3f} |{}\n", way.name, e.mean, e.standard_error,
             end_after(lesson, model, way.weigh, U"ina"), end_after(lesson, model, way.weigh, U"ain"), names);
}

/// A way to look back, after training on puzzles.
struct Attempt {
  Way way;
  Reader model;
  std::vector<double> losses;  // of each step
  double loss, right;          // over new puzzles: the mean, and the share whose likeliest answer was right
};

/// Prints the weights that it gives to what is in a puzzle, and returns them.
std::vector<double> print_weights(const Attempt& attempt, const char* puzzle) {
  const Scope scope;
  const Values weights = attempt.way.weigh(attempt.model, puzzle_tokens(puzzle));
  fmt::print("{:11} | {} |{}\n", attempt.way.name, puzzle, numbers(weights.data()));
  return weights.data();
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  Reader tiny = random_reader(3, 2, PythonRandom(42));
  tiny.wte = {{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};  // of a, i and n: tokens 0, 1 and 2
  tiny.before_scores = {0.0, 2.0, 1.0};

  // What is left of "ina", and of "ain".
  std::vector<std::pair<double, double>> mixtures;
  fmt::print("\na = (1 0), i = (0 1), n = (1 1)\n");
  for (const Way& way : {even, halves, before}) {
    for (const auto& [word, tokens] : {std::pair("ina", std::vector<Token>{1, 2, 0}), {"ain", {0, 1, 2}}}) {
      const Scope scope;
      const Values weights = way.weigh(tiny, tokens), x = mix(weights, tiny.wte, tokens);
      mixtures.emplace_back(x[0].data(), x[1].data());
      fmt::print("{:6} | {} | weights{} | mixed ({:.2f} {:.2f})\n", way.name, word, numbers(weights.data()),
                 x[0].data(), x[1].data());
    }
  }
  lesson.picture("06_order.svg", order_picture(mixtures));

  const char* heading = "\nway         | held-out loss           | end after ina, ain | names\n";
  fmt::print("{}the data    |                         | {:8.3f} {:5.3f} |\n", heading, ends_after(lesson, U"ina"),
             ends_after(lesson, U"ain"));
  Bigram bigram(lesson.tokenizer.vocab_size());  // the counts of lesson 01
  for (std::size_t step = 1; step <= 1000; step++) bigram.count(lesson.tokens_of_step(step));
  const Estimate counting =  // on names that it has not counted
      mean_loss([&](Tokens name) { return bigram.loss(name); }, lesson.held_out(1000), lesson.tokenizer);
  fmt::print("counting    | {:13.4f} +- {:.4f} |\n", counting.mean, counting.standard_error);
  for (const Way& way : {last, even, both, halves}) {
    const Reader model = learn_names(lesson, way);
    print_learnt(lesson, way, model);
  }
  const Reader learnt = learn_names(lesson, distance);
  print_learnt(lesson, distance, learnt);
  fmt::print("\nthe weights of five letters, the newest last:\n");
  for (const Way& way : {halves, distance}) {
    fmt::print("{:11} |{}\n", way.name, numbers(way.weigh(learnt, std::vector<Token>(5)).data()));
  }

  // How the first number of the mixture of "ain" moves with a score, by trying.
  const std::vector<Token> a_i_n{0, 1, 2};
  auto mixed = [&] { return mix(by_what_is_before(tiny, a_i_n), tiny.wte, a_i_n)[0].data(); };
  const std::vector<double> shares = by_what_is_before(tiny, a_i_n).data();
  fmt::print("\nain, mixed: {:.4f}\nletter | weight | its number - the mixture | slope of its score\n", mixed());
  for (const std::size_t at : {1, 2}) {
    double& score = tiny.before_scores[a_i_n[at - 1]].node->data;
    fmt::print("{:>6} | {:.4f} | {:24.4f} | {:18.4f}\n", at == 1 ? "i" : "n", shares[at],
               tiny.wte[a_i_n[at]][0].data() - mixed(), nudged({&score, 1}, mixed)[0]);
  }

  fmt::print("\npuzzle      | last letter  | even         | distance     | before\n");
  constexpr std::size_t num_steps = 3000, num_tests = 1000;
  std::vector<Attempt> attempts;  // four at each kind of puzzle
  for (const auto& [kind, shown] : {std::pair(Puzzle::star_first, "*cafdbe*c"),
                                    {Puzzle::star_anywhere, "ca*fdbe*f"},
                                    {Puzzle::star_or_plus, "ca*fd+be+b"}}) {
    std::string cells;
    for (const Way& way : {last, even, distance, before}) {
      // Trains on a new puzzle in each step, and asks a thousand others.
      Attempt attempt{way, random_reader(puzzle_vocab, 16, PythonRandom(42)), {}, 0, 0};
      PythonRandom random(7);
      for (std::size_t step = 0; step < num_steps; step++) {
        const Scope scope;
        const std::vector<Token> puzzle = draw_puzzle(kind, random);
        const Values logits = draft_mlp(attempt.model, way.weigh, Tokens(puzzle).first(puzzle.size() - 1));
        const Value loss = cross_entropy(logits, puzzle.back());  // only the answer can be predicted
        loss.backward();
        const double learning_rate = 0.3 * (1 - static_cast<double>(step) / num_steps);
        sgd_update(attempt.model.params, learning_rate);
        attempt.losses.push_back(loss.data());
      }
      for (std::size_t i = 0; i < num_tests; i++) {
        const Scope scope;
        const std::vector<Token> puzzle = draw_puzzle(kind, random);
        const Values logits = draft_mlp(attempt.model, way.weigh, Tokens(puzzle).first(puzzle.size() - 1));
        const std::vector<double> scores = logits.data();
        const auto best = static_cast<Token>(std::max_element(scores.begin(), scores.end()) - scores.begin());
        attempt.loss += cross_entropy(logits, puzzle.back()).data() / num_tests;
        attempt.right += best == puzzle.back() ? 1.0 / num_tests : 0.0;
      }
      cells += fmt::format(" | {:4.2f} {:6.0f}%", attempt.loss, 100 * attempt.right);
      attempts.push_back(attempt);
    }
    fmt::print("{:11}{}\n", shown, cells);
  }
  fmt::print("\nthe weights, after learning:\n");
  std::vector<std::vector<double>> curves, weights;  // of the last three ways at the second kind
  for (std::size_t i = 5; i < 8; i++) {  // four ways at the first kind, then last letter at the second, come before
    curves.push_back(attempts[i].losses);
    weights.push_back(print_weights(attempts[i], "ca*fdbe*"));
  }
  print_weights(attempts.back(), "ca*fd+be*");
  print_weights(attempts.back(), "ca*fd+be+");
  lesson.picture("06_puzzle.svg", puzzle_picture(curves));
  lesson.picture("06_weights.svg", bars_picture("Only weights by what comes before find the letter after the star",
                                                "ca*fdbe*", ways_drawn, weights));

  fmt::print("{}", heading);
  print_learnt(lesson, before, learn_names(lesson, before));

  // Against the MLP of lesson 05, and against slopes found by trying.
  const Reader model = random_reader(lesson.tokenizer.vocab_size(), 16, lesson.random);
  const std::vector<Token> name = lesson.tokens_of_step(1), ina = lesson.tokenizer.encode(U"ina"),
                           ain = lesson.tokenizer.encode(U"ain");
  fmt::print("\n");
  lesson.check("with the last letter alone it is the MLP of src/lesson/mlp.h",
               draft_mlp(model, only_the_last, name).data() == mlp(model, name.back()).data());
  lesson.check("evenly mixed, ina and ain get the same logits, to 1e-12",
               largest_difference(draft_mlp(model, evenly, ina).data(), draft_mlp(model, evenly, ain).data()) < 1e-12);
  for (const auto& [weigh, name_of, scores] : {std::tuple(distance.weigh, "distance_scores", model.distance_scores),
                                               {before.weigh, "before_scores", model.before_scores}}) {
    auto loss = [&, of = weigh](Tokens tokens) { return draft_loss(model, of, tokens); };
    std::vector<double> slopes;
    for (const Value score : scores) {
      slopes.push_back(nudged({&score.node->data, 1}, [&] { return loss(name).data(); })[0]);
    }
    lesson.check(fmt::format("nudging each of {} shows its gradient", name_of),
                 largest_difference(slopes, loss_and_gradient(loss, scores, name).gradient) < 1e-6);
  }
  return lesson.finish();
}
