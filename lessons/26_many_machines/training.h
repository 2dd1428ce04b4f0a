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
      : lesson_(lesson), model_(new_model({.vocab_size = lesson.tokenizer.vocab_size()}, PythonRandom(42))) {
    keep();
  }

  std::size_t step = 0;  // how many are done
  std::size_t size() const { return model_.params.size(); }

  Names names() const { return Names(lesson_.documents).subspan(step * batch_size, batch_size); }

  /// The slopes of a name's loss.
  Numbers gradient(const Document& name) {
    return loss_and_gradient(loss_, model_.params, lesson_.tokenizer.encode_document(name)).gradient;
  }

  /// A step of Adam, from the sum of the gradients of batch_size names.
  void update(const Numbers& sum) {
    for (std::size_t i = 0; i < sum.size(); i++) model_.params[i].node->grad = sum[i] / batch_size;
    adam_.update(model_.params, 0.01, step++);
  }

  /// Keeps the weights, what Adam remembers, and the step. A program would write them to a file.
  void keep() { kept_.emplace(Kept{weights(), adam_, step}); }
  void back_to_kept() {
    for (std::size_t i = 0; i < size(); i++) model_.params[i].node->data = kept_->weights[i];
    adam_ = kept_->adam;
    step = kept_->step;
  }

  Numbers weights() const { return Values(model_.params).data(); }

  /// On names that it has not seen.
  double held_out_loss() {
    const std::vector<Document> names = lesson_.held_out(step * batch_size);
    double sum = 0;
    for (const Document& name : Names(names).first(100)) {
      const Scope scope;
      sum += loss_(lesson_.tokenizer.encode_document(name)).data();
    }
    return sum / 100;
  }

 private:
  struct Kept {
    Numbers weights;
    Adam adam;
    std::size_t step;
  };

  static Model new_model(const Config& config, PythonRandom random) {
    return scalar_model(config, initialize(config, {}, random));
  }

  const Lesson& lesson_;
  Model model_;
  Loss loss_ = [this](std::span<const Token> tokens) { return document_loss(model_, tokens); };
  Adam adam_ = make_adam({}, model_.params.size());
  std::optional<Kept> kept_;
};

}  // namespace microgpt
