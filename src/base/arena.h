// Memory for many small things of one type: handed out piece by piece, taken back all at once. What lies in it never
// moves. What was taken back is poisoned: the address sanitizer (MODE=asan) stops a program that still uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace microgpt {
template <class T>
class Arena {
  static_assert(std::is_trivially_destructible_v<T>, "taking memory back runs no destructors");

 public:
  Arena() { chunks_.emplace_back(usual_size); }

  /// Room for n adjacent Ts, uninitialized.
  std::span<T> allocate(std::size_t n) {
    while (chunks_[current_].size - chunks_[current_].used < n) {
      if (++current_ == chunks_.size()) chunks_.emplace_back(std::max(n, usual_size));
    }
    T* const first = chunks_[current_].at(chunks_[current_].used);
    chunks_[current_].used += n;
    ASAN_UNPOISON_MEMORY_REGION(first, n * sizeof(T));
    return {first, n};
  }

  /// Calls visit(T&) for all that is in use, in the order in which it was handed out.
  void for_each(auto visit) {
    for (Chunk& chunk : chunks_) std::for_each_n(chunk.at(0), chunk.used, visit);
  }

  /// Takes back, when it ends, what was handed out while it lived.
  class Rewind {
   public:
    explicit Rewind(Arena& arena) : arena_(arena), chunk_(arena.current_), used_(arena.chunks_[chunk_].used) {}
    Rewind(const Rewind&) = delete;
    ~Rewind() {
      for (; arena_.current_ > chunk_; arena_.current_--) arena_.chunks_[arena_.current_].keep(0);
      arena_.chunks_[chunk_].keep(used_);
    }

   private:
    Arena& arena_;
    std::size_t chunk_, used_;
  };

 private:
  static constexpr std::size_t usual_size = 4096;
  struct Chunk {
    explicit Chunk(std::size_t n) : memory(new std::byte[n * sizeof(T)]), size(n), used(n) { keep(0); }
    T* at(std::size_t i) { return reinterpret_cast<T*>(memory.get()) + i; }
    void keep(std::size_t n) {
      ASAN_POISON_MEMORY_REGION(at(n), (used - n) * sizeof(T));
      used = n;
    }
    std::unique_ptr<std::byte[]> memory;  // untouched until it is handed out
    std::size_t size, used;               // how many Ts there is room for, and how many are handed out
  };

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;  // the chunk that hands out; those behind it are empty
};
}  // namespace microgpt
