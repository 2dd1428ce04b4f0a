// Memory for many small things of several types: handed out piece by piece, taken back all at once. What lies in it
// never moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace microgpt {

/// A checked build (debug, asan) fills memory that was taken back with zeros, and lets it rest before it is used again.
#ifdef MICROGPT_CHECKED
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

/// What a Value says that is used after its Scope, in a checked build.
template <class T>
[[noreturn]] T* outlived_its_scope() {
  throw std::logic_error("a Value is used after its Scope has ended; its place on the tape is no longer its own");
}

template <class T>
class ArenaOf {
  static_assert(std::is_trivially_destructible_v<T>, "taking memory back runs no destructors");

 public:
  ArenaOf() { next_chunk(usual_size); }

  /// Room for n adjacent Ts, uninitialized.
  T* allocate(std::size_t n) {
    if (n > room_) [[unlikely]]
      next_chunk(n);
    room_ -= n;
    return chunks_[current_].end - room_ - n;
  }

  /// How many Ts are in use, counted with what is left over at the ends of chunks.
  std::size_t used() const { return chunks_[current_].before + chunks_[current_].size - room_; }

  /// Takes back all but the first n.
  void rewind(std::size_t n) {
    if (n == used()) return;
    if (checked && rests(n)) return;
    while (chunks_[current_].before > n) current_--;
    room_ = chunks_[current_].before + chunks_[current_].size - n;
  }

  T& operator[](std::size_t i) {
    std::size_t c = current_;
    while (chunks_[c].before > i) c--;
    return chunks_[c].memory[i - chunks_[c].before];
  }

 private:
  static constexpr std::size_t usual_size = 4096;

  struct Chunk {
    std::unique_ptr<T[]> memory;
    std::size_t size, before;  // how many Ts it has, and how many there are in the chunks before it
    T* end;
  };

  /// Fills all but the first n with zeros, and says whether they rest. If not, n moves to the first that rested.
  bool rests(std::size_t& n) {
    constexpr std::size_t longest_rest = 16384;
    for (std::size_t c = current_ + 1; c-- > 0 && chunks_[c].before + chunks_[c].size > n;) {
      const std::size_t from = std::max(n, chunks_[c].before) - chunks_[c].before;
      std::fill(chunks_[c].memory.get() + from, chunks_[c].end - (c == current_ ? room_ : 0), T{});
    }
    if (n != rest_end_) rest_start_ = n;
    n = rest_start_;
    rest_end_ = used() - n < longest_rest ? used() : none;
    return rest_end_ != none;
  }

  void next_chunk(std::size_t n) {
    const std::size_t next = chunks_.empty() ? 0 : current_ + 1;
    if (next == chunks_.size() || chunks_[next].size < n) {
      const std::size_t size = std::max(n, usual_size);
      const std::size_t before = next == 0 ? 0 : chunks_[current_].before + chunks_[current_].size;
      chunks_.resize(next);
      chunks_.push_back({std::unique_ptr<T[]>(new T[size]), size, before, nullptr});
      chunks_.back().end = chunks_.back().memory.get() + size;
    }
    current_ = next;
    room_ = chunks_[current_].size;
  }

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  std::size_t room_ = 0;  // left in the current chunk
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t rest_start_ = 0, rest_end_ = none;  // what rests, in a checked build
};

/// An ArenaOf each type. A debugger finds the first one's members first.
template <class... T>
class Arena : ArenaOf<T>... {
 public:
  /// Room for n adjacent Us, one of the types T. Uninitialized.
  template <class U>
  U* allocate(std::size_t n) {
    return of<U>().allocate(n);
  }

  template <class U, class... Field>
  U* make(Field... field) {
    return new (allocate<U>(1)) U{field...};
  }

  /// The numbers of a list, side by side.
  template <class U>
  U* copy(std::initializer_list<U> list) {
    U* const first = allocate<U>(list.size());
    std::copy(list.begin(), list.end(), first);
    return first;
  }

  /// A member of each item of a list, side by side: copy<double>(values, &Value::data).
  template <class U, class List, class Member>
  U* copy(const List& list, Member member) {
    U* const first = allocate<U>(list.size());
    std::transform(list.begin(), list.end(), first, std::mem_fn(member));
    return first;
  }

  /// Everything of one type, in the order in which it was handed out.
  template <class U>
  ArenaOf<U>& of() {
    return *this;
  }

  /// How much of each type is in use.
  std::array<std::size_t, sizeof...(T)> used() { return {of<T>().used()...}; }

  /// Takes back all but that much.
  void rewind(const std::array<std::size_t, sizeof...(T)>& used) {
    std::size_t i = 0;
    (of<T>().rewind(used[i++]), ...);
  }
};

/// What an arena hands out while a Rewind lives is taken back when it ends.
template <auto& arena>
class Rewind {
 public:
  Rewind() = default;
  Rewind(const Rewind&) = delete;
  Rewind& operator=(const Rewind&) = delete;
  ~Rewind() { arena.rewind(used_); }

 private:
  decltype(arena.used()) used_ = arena.used();
};

}  // namespace microgpt
