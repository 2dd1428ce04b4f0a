// Memory that is allocated in order and freed all at once. Nothing in it ever moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace microgpt {

template <class T>
class Arena {
  static_assert(std::is_trivially_destructible_v<T>, "rewinding runs no destructors");

 public:
  struct Mark {
    std::size_t chunk = 0;
    std::size_t used = 0;
  };

  /// n adjacent Ts, uninitialized.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
      advance(n);
    return std::exchange(next_, next_ + n);
  }

  /// The current end of the memory in use.
  Mark mark() const { return {current_, chunks_.empty() ? 0 : used_in_current()}; }

  /// Frees what was allocated since the mark, and keeps the memory for later allocations.
  void rewind(Mark mark) {
    if (chunks_.empty()) return;
    enter(mark.chunk);
    next_ += mark.used;
  }

  /// How many Ts are in use.
  std::size_t size() const {
    std::size_t total = chunks_.empty() ? 0 : used_in_current();
    for (std::size_t c = 0; c < current_; c++) total += chunks_[c].used;
    return total;
  }

  /// Calls visit(T&) for everything in use, in the order it was allocated.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t c = 0; c < chunks_.size() && c <= current_; c++) {
      const std::size_t used = c == current_ ? used_in_current() : chunks_[c].used;
      for (std::size_t i = 0; i < used; i++) visit(chunks_[c].memory[i]);
    }
  }

 private:
  struct Chunk {
    std::vector<T> memory;  // all of it, in use or not
    std::size_t used = 0;   // set when a later chunk is entered
  };

  std::size_t used_in_current() const { return static_cast<std::size_t>(next_ - chunks_[current_].memory.data()); }

  void enter(std::size_t chunk) {
    current_ = chunk;
    next_ = chunks_[chunk].memory.data();
    end_ = next_ + chunks_[chunk].memory.size();
  }

  /// Moves on to a chunk with room for n: the next one if it is large enough, or a new one in its place.
  void advance(std::size_t n) {
    constexpr std::size_t usual_size = 4096;
    if (!chunks_.empty()) chunks_[current_].used = used_in_current();
    const std::size_t following = chunks_.empty() ? 0 : current_ + 1;
    if (following == chunks_.size()) chunks_.emplace_back();
    if (chunks_[following].memory.size() < n) chunks_[following] = {std::vector<T>(std::max(n, usual_size))};
    enter(following);
  }

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  T* next_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace microgpt
