// Memory aligned to cache lines, so that no vector straddles two of them.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace microgpt {

inline constexpr std::size_t cache_line = 64;  // bytes

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{cache_line})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{cache_line}); }

  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace microgpt
