// The training loop: one document, one loss, one backward, one step of Adam; then the next document.
#pragma once

#include <cstddef>
#include <span>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"
#include "scalar/gpt.h"
#include "train/adam.h"

namespace microgpt {

class Trainer {
 public:
  /// `parameters` and `documents` must outlive the trainer. Documents are taken in turn, from the first again after the
  /// last.
  Trainer(const Config& model, const TrainConfig& train, Parameters& parameters, std::span<const Document> documents,
          const Tokenizer& tokenizer);

  /// Trains on the next document and returns its loss before the update, in nats for each character.
  /// Throws Error if the loss is not finite any more.
  double step();

  std::size_t steps_done() const { return steps_done_; }

  /// Nodes on the tape when the last step's loss was complete.
  std::size_t nodes() const { return nodes_; }

 private:
  Parameters& parameters_;
  std::span<const Document> documents_;
  const Tokenizer& tokenizer_;
  Model model_;
  Adam adam_;
  std::size_t steps_done_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace microgpt
