// What exercise 13 is given: names with queries, keys and values; one look; and two things that notice if two threads
// use them. A race detector notices that too, but a wrong result may or may not.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
inline int this_thread() { return omp_get_thread_num(); }
inline bool in_parallel() { return omp_in_parallel(); }
#else
inline int this_thread() { return 0; }
inline bool in_parallel() { return false; }
#endif

/// Whoever uses it first owns it.
class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) {}  // a copy has no owner yet
  void use() {
    int nobody = -1;
    if (!thread_.compare_exchange_strong(nobody, this_thread(), std::memory_order_relaxed) && nobody != this_thread()) {
      shared_.store(true, std::memory_order_relaxed);
    }
  }
  bool is_shared() const { return shared_; }

 private:
  std::atomic<int> thread_ = -1;
  std::atomic<bool> shared_ = false;
};

constexpr std::size_t B = 6, T = 8, H = 4, D = 3;  // names, positions of each, heads, numbers of a head

struct Batch {
  std::vector<float> q, k, v;  // (B,T,H*D) each
};

/// Working memory of a look.
struct Scratch {
  std::array<float, T> weights;
  Owner owner;
};

/// A sum that some may add to.
struct Sum {
  float value = 0;
  Owner owner;

  void operator+=(float x) {
    owner.use();
    value += x;
  }
};

inline std::atomic<bool> alone = false;              // whether a thread has looked while the others had no work
inline std::atomic<bool> scratch_is_shared = false;  // whether two threads have looked with one Scratch

/// Causal attention of head h in name b: writes its part of out (B,T,H*D). Returns the sum of the squares of that part.
inline float look(const Batch& a, std::size_t b, std::size_t h, Scratch& scratch, std::vector<float>& out) {
  if (!in_parallel()) alone.store(true, std::memory_order_relaxed);
  scratch.owner.use();
  if (scratch.owner.is_shared()) scratch_is_shared.store(true, std::memory_order_relaxed);
  auto row = [&](std::size_t t) { return ((b * T + t) * H + h) * D; };
  float squares = 0;
  for (std::size_t t = 0; t < T; t++) {
    float total = 0;
    for (std::size_t s = 0; s <= t; s++) {
      float score = 0;
      for (std::size_t j = 0; j < D; j++) score += a.q[row(t) + j] * a.k[row(s) + j];
      total += scratch.weights[s] = std::exp(score / std::sqrt(static_cast<float>(D)));
    }
    for (std::size_t j = 0; j < D; j++) {
      float found = 0;
      for (std::size_t s = 0; s <= t; s++) found += scratch.weights[s] / total * a.v[row(s) + j];
      out[row(t) + j] = found;
      squares += found * found;
    }
  }
  return squares;
}
