// Stochastic gradient descent: one document, its gradient, one small step downhill; then the next document.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/dataset.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "scalar/value.h"

namespace microgpt {

/// data -= learning_rate * grad for every parameter; the gradients become zero.
void sgd_update(Parameters& parameters, double learning_rate);

/// The loss of a document: BOS, its tokens, BOS.
using Loss = std::function<Value(std::span<const Token>)>;

/// num_steps steps of SGD, a document each, with a learning rate that falls in a straight line to zero. Calls
/// on_step(step counted from 1, loss before the update).
void train_with_sgd(const Loss& loss, Parameters& parameters, std::span<const Document> documents,
                    const Tokenizer& tokenizer, double learning_rate, std::size_t num_steps,
                    const std::function<void(std::size_t, double)>& on_step);

}  // namespace microgpt
