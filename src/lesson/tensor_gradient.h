// The loss of a document and its gradient by src/tensor, for lessons whose own draft is to agree with it.
#pragma once

#include "lesson/lesson.h"
#include "tensor/gpt.h"
#include "train/gradient.h"

namespace microgpt {

inline LossAndGradient tensor_gradient(const Config& config, const Parameters& parameters,
                                       std::span<const Token> tokens) {
  TensorModel<double> model(config, parameters);
  Batch batch(config.block_size);
  batch.add(tokens);
  Activations<double> activations;
  activations.resize(model, batch.num_positions());
  const std::vector<double> weights = batch.weights(LossMean::documents);
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  gpt_backward(model, fast<double>(), batch, {0, 1}, weights.data(), activations);
  gpt_backward_weights(model, fast<double>(), batch, {0, 1}, activations, {0, 1});
  Parameters gradient(gpt_shapes(config));
  model.copy_grad_to(gradient);
  const double* losses = activations.losses.view().data;
  return {std::inner_product(weights.begin(), weights.end(), losses, 0.0),
          {gradient.grad().begin(), gradient.grad().end()}};
}

/// Checks a draft's loss of the first name, and its gradient. The claims begin with `form`.
inline void check_beside_tensor(Lesson& lesson, const std::string& form, const Loss& draft, const List& params,
                                const Config& config, const Parameters& parameters) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const LossAndGradient ours = loss_and_gradient(draft, params, tokens);
  const LossAndGradient src = tensor_gradient(config, parameters, tokens);
  lesson.check(form + "the loss is that of src/tensor", std::abs(ours.loss - src.loss) < 1e-12);
  lesson.check(form + "so is every gradient", largest_difference(ours.gradient, src.gradient) < 1e-12);
}

}  // namespace microgpt
