// A GPT around an attention of your own: everything else is as in src/microgpt.cpp. And a comparison of such drafts:
// each is trained with three seeds, and evaluated on the held-out names.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "microgpt.h"
#include "train/scalar_trainer.h"

namespace microgpt {

using Rows = std::vector<Values>;  // a list of numbers for each position of a document

/// What attention adds to the residual stream, from x, the stream after its rmsnorm: (n,C) to (n,C).
using Attention = std::function<Rows(const Rows& x)>;

Rows linear(const Rows& x, const Matrix& w);

Rows slice(const Rows& rows, std::size_t start, std::size_t n);

/// One head, as in lesson 07: the query's scores for the keys, times `scale`, make weights, and these mix the values.
Values one_head(const Values& q, const Rows& keys, const Rows& values, double scale);

/// n_head heads, each with its slice of the query, the keys and the values. Their results side by side.
Values all_heads(const Values& q, const Rows& keys, const Rows& values, std::size_t n_head);

/// Each pair of neighbours, an arrow in the plane, rotated by an angle in radians: lesson 17.
Values rotated(const Values& x, double angle);

class DraftGpt {
 public:
  /// One attention for each layer. Reads wte, wpe, lm_head, and of each layer mlp_fc1 and mlp_fc2.
  DraftGpt(const StateDict& state_dict, std::vector<Attention> attentions);

  /// The logits of the token after each of these: (n) to (n,V).
  Rows logits(std::span<const Token> tokens) const;

  /// The mean of -log p(next token), in nats. `tokens` is BOS, document, BOS; only the first predictions count, as many
  /// as wpe has rows.
  Value loss(std::span<const Token> tokens) const;

  /// The same as a function, for training.
  Loss as_loss() const;

 private:
  struct Mlp {
    Matrix fc1, fc2;
  };

  Matrix wte_, wpe_, lm_head_;
  std::vector<Mlp> mlps_;
  std::vector<Attention> attentions_;
};

/// The shapes of a draft's parameters: those of a plain GPT, but with these matrices for the attention of each layer.
std::vector<Parameters::Shape> draft_shapes(const Config& config, const std::vector<Parameters::Shape>& attention);

/// The mean over all predictions in names whose losses are means over their own. A long name has more of them.
double mean_over_predictions(std::span<const double> losses, std::span<const Document> names);

/// A draft to compare. It may be evaluated in another way than it is trained: without dropout, or absorbed.
struct DraftForm {
  std::string name;
  std::vector<Parameters::Shape> shapes;
  std::function<Loss(const StateDict&)> training, evaluation;
};

/// The GPT of src/microgpt.cpp.
DraftForm plain_form(const std::string& name, const Config& config);

/// Trains each form with Adam, a name a step. (Of an outcome, only label, parameters and the losses; in training each
/// name's is the mean over its predictions.)
std::vector<Outcome> train_drafts(const Lesson& lesson, const std::vector<DraftForm>& forms, std::size_t num_steps);

/// Prints the results, and how each form differs from the first, with the margin of lesson/comparison.h.
void print(const std::vector<Outcome>& results, std::size_t num_steps);

}  // namespace microgpt
