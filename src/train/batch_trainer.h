// The training loop of the tensor path: a batch of documents, their gradient, a step of the optimizer; the next batch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"
#include "tensor/gpt.h"
#include "train/optimizer.h"

namespace microgpt {

struct BatchOptions {
  LossMean loss_mean = LossMean::documents;  // what the loss of a step is the mean of
  std::size_t threads = 1;
  Dropout dropout = {};  // every step drops others
};

/// Threads, and the reason for so many, to be printed.
struct ThreadChoice {
  std::size_t threads;
  std::string reason;
};

/// As many threads as this machine runs at once, but no more than the documents of a batch, and only one if a step is
/// so little work that sharing it would take longer.
ThreadChoice choose_threads(const Config& config, std::size_t batch_size);

/// T is float or double.
template <class T>
class BatchTrainer {
 public:
  /// `documents` are taken in turn, from the first again after the last. `parameters` are where training begins.
  BatchTrainer(const Config& model, const TrainConfig& train, const Parameters& parameters,
               std::span<const Document> documents, const Tokenizer& tokenizer, const BatchOptions& options,
               const Kernels<T>& kernels = fast<T>());

  /// Trains on the next batch. Returns its loss before the update, in nats. Throws Error if it is not finite any more.
  double step() { return step(static_cast<double>(steps_done_) / static_cast<double>(train_.num_steps)); }

  /// The same at another place of the learning rate's schedule: progress is from 0 to 1.
  double step(double progress);

  /// Uses so many threads from the next step on. The results are the same.
  void use_threads(std::size_t threads) { options_.threads = threads; }

  std::size_t steps_done() const { return steps_done_; }
  std::size_t documents_done() const { return steps_done_ * train_.batch_size; }

  TensorModel<T>& model() { return model_; }

 private:
  void next_batch();

  /// The optimizer's step, on the i-th share of the rows of every weight.
  void update_weights(std::size_t i);

  TrainConfig train_;
  BatchOptions options_;
  const Kernels<T>& kernels_;
  std::vector<std::vector<Token>> documents_;
  TensorModel<T> model_;
  std::unique_ptr<BatchOptimizer<T>> optimizer_;
  Batch batch_;
  Activations<T> activations_;
  std::size_t steps_done_ = 0;
};

}  // namespace microgpt
