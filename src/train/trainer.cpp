#include "train/trainer.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace microgpt {

Trainer::Trainer(const Config& model, const TrainConfig& train, Parameters& parameters,
                 std::span<const Document> documents, const Tokenizer& tokenizer)
    : parameters_(parameters),
      documents_(documents),
      tokenizer_(tokenizer),
      model_(model, parameters),
      adam_(train, parameters) {}

double Trainer::step() {
  const Scope scope;
  const Document& document = documents_[steps_done_ % documents_.size()];
  const Value loss = document_loss(model_, tokenizer_.encode_document(document));
  nodes_ = tape.size();
  if (!std::isfinite(loss.data())) {
    throw Error("step " + std::to_string(steps_done_ + 1) + ": the loss is " + std::to_string(loss.data()) +
                "; training diverged, try a smaller --lr");
  }
  loss.backward();
  adam_.update(parameters_, steps_done_);
  steps_done_++;
  return loss.data();
}

}  // namespace microgpt
