// A training that can be kept and gone back to: the model of src/microgpt.cpp, its optimizer, and the names of a step.
#pragma once

#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "lesson/lesson.h"
#include "machine.h"
#include "train/gradient.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

using Names = std::span<const Document>;

class Training {
 public:
  static constexpr std::size_t batch_size = 10;  // names in a step

  explicit Training(const Lesson& lesson)
      : lesson_(lesson), parameters_(gpt_shapes(config_of(lesson))), adam_({}, parameters_.size()) {
    PythonRandom random(42);
    draw_weights(parameters_, 0.08, random);
    keep();
  }

  std::size_t step = 0;  // how many are done
  std::size_t size() const { return parameters_.size(); }

  Names names() const { return Names(lesson_.documents).subspan(step * batch_size, batch_size); }

  /// The slopes of a name's loss.
  Numbers gradient(const Document& name) {
    return loss_and_gradient(loss(), parameters_, lesson_.tokenizer.encode_document(name)).gradient;
  }

  /// A step of Adam, from the sum of the gradients of batch_size names.
  void update(const Numbers& sum) {
    for (std::size_t i = 0; i < sum.size(); i++) parameters_.grad()[i] = sum[i] / batch_size;
    adam_.update(parameters_, 0.01, step++);
  }

  /// Keeps the weights, what Adam remembers, and the step. A program would write them to a file.
  void keep() { kept_.emplace(Kept{weights(), adam_, step}); }
  void back_to_kept() {
    std::copy(kept_->weights.begin(), kept_->weights.end(), parameters_.data().begin());
    adam_ = kept_->adam;
    step = kept_->step;
  }

  Numbers weights() const { return {parameters_.data().begin(), parameters_.data().end()}; }

  /// On names that it has not seen.
  double held_out_loss() {
    const std::vector<Document> names = lesson_.held_out(step * batch_size);
    double sum = 0;
    for (const Document& name : Names(names).first(100)) {
      const Scope scope;
      sum += loss()(lesson_.tokenizer.encode_document(name)).data();
    }
    return sum / 100;
  }

 private:
  struct Kept {
    Numbers weights;
    AdamOptimizer adam;
    std::size_t step;
  };

  static Config config_of(const Lesson& lesson) { return {.vocab_size = lesson.tokenizer.vocab_size()}; }

  Loss loss() const {
    return [model = scalar_model(config_of(lesson_), parameters_)](std::span<const Token> tokens) {
      return document_loss(model, tokens);
    };
  }

  const Lesson& lesson_;
  Parameters parameters_;
  AdamOptimizer adam_;
  std::optional<Kept> kept_;
};

}  // namespace microgpt
