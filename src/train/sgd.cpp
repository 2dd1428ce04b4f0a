#include "train/sgd.h"

namespace microgpt {

void sgd_update(Parameters& parameters, double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    parameters.data()[i] -= learning_rate * parameters.grad()[i];
    parameters.grad()[i] = 0;
  }
}

void train_with_sgd(const Loss& loss, Parameters& parameters, std::span<const Document> documents,
                    const Tokenizer& tokenizer, double learning_rate, std::size_t num_steps,
                    const std::function<void(std::size_t, double)>& on_step) {
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    const Value value = loss(tokenizer.encode_document(documents[step % documents.size()]));
    value.backward();
    sgd_update(parameters, learning_rate * (1 - static_cast<double>(step) / static_cast<double>(num_steps)));
    on_step(step + 1, value.data());
  }
}

}  // namespace microgpt
