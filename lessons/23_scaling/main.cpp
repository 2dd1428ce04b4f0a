// Lesson 23: the root that scores are divided by, and how narrow a head may be. First numbers drawn by chance, then
// models with and without the root, then heads of fewer and fewer numbers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "show.h"

namespace lesson23 {

/// What every score of a head of D numbers is multiplied by.
double draft_scale(std::size_t D, bool root) { return root ? 1 / std::sqrt(static_cast<double>(D)) : 1; }

/// How many of six letters are copied. A letter of the word or its copy costs log 8 if it is guessed, and there are
/// twelve. The other two of the 14 predictions, = and the end, cost nothing.
double letters_copied(double loss) { return 12 - 14 * loss / std::log(8.0); }

/// How a query shares itself out among the keys.
Values draft_weights(Values query, std::span<const Values> keys, double scale) {
  const Values scores(keys.size(), [&](std::size_t s) { return dot(query, keys[s]) * scale; });
  return softmax(scores);  // stop: scores
}

/// What the loss tells a query, if it pulls at each of its weights as strongly as `pulls` says: the size of the
/// gradient, as the root of the mean square of its numbers.
double query_gradient(Values query, Values weights, Values pulls) {
  dot(weights, pulls).backward();
  double squares = 0;
  for (const Value number : query) squares += number.grad() * number.grad();
  return std::sqrt(squares / static_cast<double>(query.size()));
}

/// The typical size of a score of an untrained model with H heads, before it is multiplied by the scale.
double score_size(std::size_t C, std::size_t H) { return 0.08 * 0.08 * static_cast<double>(C) * std::sqrt(C / H); }

/// Leaves each head its first D numbers. Of two factors that are both 0, neither gets a gradient: they stay 0.
void narrow(AttentionLayer<double>& layer, std::size_t D) {
  for (std::size_t i = 0; i < layer.attn_wq.data.view().rows; i++) {
    if (i % layer.shape.key_dim < D) continue;
    for (std::size_t c = 0; c < layer.shape.n_embd; c++) {
      layer.attn_wq.data.view().row(i)[c] = 0;
      layer.attn_wk.data.view().row(i)[c] = 0;
      layer.attn_wv.data.view().row(i)[c] = 0;
      layer.attn_wo.data.view().row(c)[i] = 0;
    }
  }
}

/// A query of ones, and two keys: one agrees with the query in some of the D places, the other is all zeros.
void two_keys(std::size_t D, std::size_t agree, bool root) {
  const Scope scope;
  const Values query(D, [](std::size_t) { return 1.0; });
  const std::vector<Values> keys{Values(D, [&](std::size_t j) { return j < agree ? 1.0 : -1.0; }),
                                 Values(D, [](std::size_t) { return 0.0; })};
  const Values weights = draft_weights(query, keys, draft_scale(D, root));
  weights[0].backward();
  show_slope(root, query, keys[0], weights[0]);  // stop: slope
}

}  // namespace lesson23

int main(int argc, char** argv) {
  using namespace lesson23;
  Lesson lesson(argc, argv);
  show_two_keys();
  show_random(lesson);

  const Data copying = words_to_copy(), names = some_names(lesson);
  show_with_and_without(copying, names);
  show_narrow_heads(copying, names);
  show_keys(lesson, copying);
  show_published();
  return lesson.finish();
}
