// The training loop of the tensor path: take a batch of documents, compute its gradient, make a step of the optimizer,
// take the next batch. If there are several processes, each takes a share of the documents.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"
#include "tensor/gpt.h"
#include "train/batch_optimizer.h"

namespace microgpt {

struct BatchOptions {
  LossMean loss_mean = LossMean::documents;  // what the loss of a step is the mean of
  std::size_t threads = 1;
  Dropout dropout = {};  // every step drops different numbers
};

/// A number of threads, and the reason for it, as a message.
struct ThreadChoice {
  std::size_t threads;
  std::string reason;
};

/// As many threads as this machine runs at once, but at most one per document of a batch, and only one if a step is so
/// little work that sharing it would take longer. Or as many as were asked for, if the program has threads at all.
ThreadChoice choose_threads(const Config& config, std::size_t batch_size, std::optional<std::size_t> asked = {});

/// T is float or double.
template <class T>
class BatchTrainer {
 public:
  /// Training starts from `parameters` and takes the documents in order, starting again after the last. They must live
  /// as long as there are steps.
  BatchTrainer(const Config& model, const TrainConfig& train, const Parameters& parameters,
               std::span<const Document> documents, const Tokenizer& tokenizer, const BatchOptions& options,
               const Kernels<T>& kernels = fast<T>());

  /// Trains on the next batch. Returns its loss before the update, in nats. Throws Diverged if the loss is not finite,
  /// and processes::Lost; then the model and the moments are those of the step before.
  double step() { return step(static_cast<double>(steps_done_) / static_cast<double>(train_.num_steps)); }

  /// The same with the learning rate for `progress`, from 0 (start of training) to 1 (end).
  double step(double progress);

  /// Changes the number of threads from the next step on. The results stay the same.
  void use_threads(std::size_t threads) { options_.threads = threads; }

  /// What the optimizer remembers: lists with a number for each parameter, in the order of the store.
  std::vector<std::vector<double>> moments() const;

  /// Goes on after train.first_step steps, with what moments() returned then. There must be as many lists.
  void set_moments(const std::vector<std::vector<double>>& moments);

  std::size_t steps_done() const { return steps_done_; }
  std::size_t documents_done() const { return steps_done_ * train_.batch_size; }

  TensorModel<T>& model() { return model_; }

 private:
  void next_batch();

  /// Adds up the gradients of all processes, each of which takes these documents of the batch.
  void add_gradients(Share documents);

  /// The optimizer's step on share i of the rows of every weight.
  void update_weights(std::size_t i);

  TrainConfig train_;
  BatchOptions options_;
  const Kernels<T>& kernels_;
  std::span<const Document> documents_;
  Tokenizer tokenizer_;
  TensorModel<T> model_;
  BatchOptimizer<T> optimizer_;
  Batch batch_;
  Activations<T> activations_;
  std::vector<std::vector<T>> sums_;  // pieces of the gradients, of this process and those before
  std::size_t steps_done_;
};

}  // namespace microgpt
