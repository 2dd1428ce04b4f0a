// Lesson 06: looking back. The model of lesson 05 sees one letter. Here it sees all letters so far, as one list of
// numbers: their average. Then some letters get to count for more than others. Which ones? That can be learnt, too.
#include <algorithm>
#include <cmath>

#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "microgpt.h"
#include "show.h"

using namespace microgpt;

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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Way even{"even", evenly}, both{"last + even", last_and_even}, halves{"halves", by_halves},
      distance{"distance", by_distance}, before{"before", by_what_is_before};
  const Draft draft{mix, draft_mlp, draft_loss};

  show_example(lesson, {even, halves, before}, draft);
  show_counting(lesson);
  for (const Way& way : {last, even, both, halves}) learn_names(lesson, way, draft);
  const Reader learnt = learn_names(lesson, distance, draft);
  show_distances({halves, distance}, learnt);
  show_how_a_score_learns(before, draft);
  show_puzzles(lesson, {last, even, distance, before}, draft);
  show_heading();
  learn_names(lesson, before, draft);
  check_draft(lesson, {last, even, distance, before}, draft);
  return lesson.finish();
}
