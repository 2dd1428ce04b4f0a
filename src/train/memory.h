// How much memory a training takes, estimated from its shapes before any of it is allocated.
#pragma once

#include <cstddef>
#include <span>

#include "base/config.h"
#include "base/count.h"
#include "base/dataset.h"
#include "base/error.h"

namespace microgpt {

/// In bytes.
struct TrainingMemory {
  Count model;  // parameters, gradients and what the optimizer keeps
  Count step;   // all numbers of one step
};

/// What the scalar path takes to train on these documents.
TrainingMemory scalar_memory(const Config& config, std::span<const Document> documents);

/// What the tensor path takes, with numbers of type T (float or double). Every thread of the naive kernels has the
/// attention weights of one head of a document.
template <class T>
TrainingMemory tensor_memory(const Config& config, const TrainConfig& train, std::span<const Document> documents,
                             std::size_t naive_threads = 0);

/// There is too little memory for what was asked.
struct MemoryError : UsageError {
  using UsageError::UsageError;
};

/// Throws MemoryError, which says how much is needed, if that is more than 4 GB.
void require_memory(const TrainingMemory& memory);

}  // namespace microgpt
