// What the tensor path makes of a batch of documents.
#pragma once

#include <algorithm>
#include <vector>

#include "tensor/gpt.h"
#include "tensor/threads.h"

namespace microgpt {

using Documents = std::vector<std::vector<Token>>;  // BOS ... BOS each

/// The losses and logits of all positions, the batch's loss, and its gradient in the order of the store.
template <class T>
struct Answer {
  std::vector<T> losses, logits;
  double loss = 0;
  std::vector<double> gradient;

  bool operator==(const Answer&) const = default;
};

template <class T>
struct How {
  const Kernels<T>& kernels = fast<T>();
  std::size_t shares = 1;
  Dropout dropout = {};
  bool backward = true;   // else there is no gradient
  std::size_t parts = 1;  // of the documents: the gradient of each is added to that of those before
};

template <class T>
Answer<T> answer(const Config& config, Parameters& parameters, const Documents& documents, const How<T>& how = {}) {
  Batch batch(config.block_size);
  for (const auto& document : documents) batch.add(document);
  const std::vector<double> weights = batch.weights(LossMean::documents);
  const std::vector<T> dlosses(weights.begin(), weights.end());
  TensorModel<T> model(config, parameters);
  Activations<T> activations;
  activations.dropout = how.dropout;
  activations.resize(model, batch.num_positions());
  parallel(how.shares, [&](std::size_t i) {
    const Share share = batch.documents(i, how.shares);
    gpt_forward(model, how.kernels, batch, share, activations);
    if (how.backward) gpt_backward(model, how.kernels, batch, share, dlosses.data(), activations);
  });
  Answer<T> result;
  const View<T> logits = activations.logits.view();
  for (std::size_t n = 0; n < batch.num_positions(); n++) {
    result.losses.push_back(activations.losses.view().data[n]);
    result.logits.insert(result.logits.end(), logits.row(n), logits.row(n) + logits.cols);
    result.loss += weights[n] * static_cast<double>(result.losses[n]);
  }
  if (!how.backward) return result;
  for (int step = 0; step < 2; step++) {  // the second finds nothing of the first
    for (std::size_t part = 0; part < how.parts; part++) {
      const Share of_part = share(batch.num_documents(), part, how.parts);
      parallel(how.shares, [&](std::size_t i) {
        gpt_backward_weights(model, how.kernels, batch, of_part, activations, {i, how.shares, part > 0});
      });
    }
  }
  model.copy_grad_to(parameters);
  result.gradient.assign(parameters.grad().begin(), parameters.grad().end());
  std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
  return result;
}

}  // namespace microgpt
