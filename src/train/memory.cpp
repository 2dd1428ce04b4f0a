#include "train/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/attention_shape.h"
#include "base/parameters.h"
#include "microgpt.h"
#include "tensor/tensor.h"

namespace microgpt {
namespace {

/// What a matrix takes besides its numbers: its name, its shape, and the allocations around its parts.
constexpr std::size_t matrix_bytes = 1000;

/// Adds up size(matrix) for all matrices of a model.
Count over_matrices(Config config, auto size) {
  Count all_layers = 0, rest = 0;
  const std::size_t n_layer = std::exchange(config.n_layer, 1);
  for (const Parameters::Shape& matrix : gpt_shapes(config)) {
    Count& sum = matrix.name.starts_with("layer") ? all_layers : rest;
    sum = sum + size(matrix.rows, matrix.cols) + matrix_bytes;
  }
  return n_layer * all_layers + rest;
}

/// How many positions a batch of these documents has at most.
std::size_t max_positions(std::span<const Document> documents, std::size_t batch_size, std::size_t block_size) {
  std::size_t all = 0;
  for (const Document& document : documents) all += std::min(document.size() + 1, block_size);
  const std::size_t rounds = batch_size / documents.size() + 1;
  const std::size_t most = std::min(longest(documents) + 1, block_size);
  return std::min((Count(batch_size) * most).value(), (Count(rounds) * all).value());
}

/// How many bytes the tape takes for a document of `length` positions. A node that is computed from n others has n
/// pointers to them and n local gradients. How many nodes there are was counted in trainings of many shapes.
Count tape_bytes(const Config& config, std::size_t length) {
  constexpr std::size_t child = sizeof(Node*) + sizeof(double);
  constexpr std::size_t node = sizeof(Node) + sizeof(Node*) + child;  // with its place in the order of backward()
  const Count C = config.n_embd, V = config.vocab_size, L = config.n_layer;
  const Count looks = Count(length) * (Count(length) + 1);  // twice how often a position looks at one
  const Count position = (L * (15 * C + 70) + 3 * C + 5 * V) * node;
  const Count look = L * (3 * (C * child) + 3 * (config.n_head * Count(node)));
  return length * position + looks * look;
}

}  // namespace

TrainingMemory scalar_memory(const Config& config, std::span<const Document> documents) {
  // data, gradient and five arrays of Adam
  auto matrix = [](std::size_t rows, std::size_t cols) { return Count(rows) * cols * (7 * sizeof(double)); };
  return {over_matrices(config, matrix), tape_bytes(config, std::min(config.block_size, longest(documents) + 1))};
}

template <class T>
TrainingMemory tensor_memory(const Config& config, const TrainConfig& train, std::span<const Document> documents,
                             std::size_t naive_threads) {
  auto row = [](std::size_t cols) { return Count(Tensor<T>::stride(cols)) * sizeof(T); };
  // Two doubles of the store; data, gradient, the two means of Adam, and the transpose.
  auto weight = [&](std::size_t rows, std::size_t cols) {
    return Count(rows) * cols * (2 * sizeof(double)) + 4 * (rows * row(cols)) + cols * row(rows);
  };
  const AttentionShape s = attention_shape(config);
  const std::size_t C = config.n_embd;
  Count attention = 4 * row(s.n_head * s.key_dim) + 4 * row(s.n_head * s.value_dim) + s.n_head * sizeof(T);
  if (s.is_latent()) {
    attention = attention + 4 * row(s.n_head * s.nope_dim()) + 2 * row(s.n_head * s.rope_dim) +
                2 * (row(s.q_latent) + row(s.kv_latent) + row(s.rope_dim));
  }
  const Count layer = attention + (train.dropout > 0 ? 10 : 6) * row(C) + 3 * row(4 * C) + 2 * sizeof(T);
  const Count position = 5 * row(C) + 2 * row(config.vocab_size) + config.n_layer * layer + 64;
  const std::size_t length = std::min(config.block_size, longest(documents) + 1);
  // A list that grows takes up to twice its size.
  const Count mask = Count(std::min(config.mask.n_random, length)) * length * (2 * sizeof(std::uint32_t));
  const Count weights = Count(naive_threads) * length * row(length);
  constexpr std::size_t layer_bytes = 8000;  // the tensors of its activations, without their numbers
  const std::size_t positions = max_positions(documents, train.batch_size, config.block_size);
  return {over_matrices(config, weight), positions * position + config.n_layer * Count(layer_bytes) + mask + weights};
}

void require_memory(const TrainingMemory& memory) {
  constexpr std::size_t max = 4'000'000'000;
  const std::size_t bytes = (memory.model + memory.step).value();
  if (bytes <= max) return;
  auto gigabytes = [](std::size_t n) { return fmt::format("{:.1f} GB", std::ceil(static_cast<double>(n) / 1e8) / 10); };
  throw MemoryError(
      fmt::format("training needs {} of memory, {} for the model and {} for a step; at most {} are allowed",
                  gigabytes(bytes), gigabytes(memory.model.value()), gigabytes(memory.step.value()), gigabytes(max)));
}

template TrainingMemory tensor_memory<float>(const Config&, const TrainConfig&, std::span<const Document>, std::size_t);
template TrainingMemory tensor_memory<double>(const Config&, const TrainConfig&, std::span<const Document>,
                                              std::size_t);

}  // namespace microgpt
