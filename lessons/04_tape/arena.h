// Memory for a tape. Nothing in it ever moves.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace lesson04 {

/// Memory that is handed out in order, and taken back by setting `used` back. It grows by a chunk when it is full.
/// Chunks never move, so a pointer into one stays good.
template <class T>
struct Arena {
  static constexpr std::size_t chunk_size = 4096;
  std::vector<std::unique_ptr<T[]>> chunks;
  std::size_t used = 0;

  std::size_t room() const { return chunks.size() * chunk_size; }
  std::size_t chunks_in_use() const { return (used + chunk_size - 1) / chunk_size; }
  T& operator[](std::size_t i) { return chunks[i / chunk_size][i % chunk_size]; }

  /// n neighbours, which lie in one chunk.
  T* take(std::size_t n) {
    const std::size_t rest = chunk_size - used % chunk_size;
    if (n > rest) used += rest;
    if (used / chunk_size == chunks.size()) chunks.push_back(std::make_unique<T[]>(chunk_size));
    used += n;
    return &(*this)[used - n];
  }
};

}  // namespace lesson04
