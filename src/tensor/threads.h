// Several threads on one task. The rule that keeps results the same for any number of threads: the task is cut into
// shares, a share computes its outputs from start to end, and nobody else writes them.
#pragma once

#include <cstddef>

namespace microgpt {

/// Whether this build can use more than one thread.
inline constexpr bool have_openmp =
#ifdef _OPENMP
    true;
#else
    false;
#endif

/// How many threads this machine runs at once: its processors, or OMP_NUM_THREADS; 1 without OpenMP.
std::size_t available_threads();

/// Calls work(i) for i = 0 to shares - 1, at once if there are threads, and returns when all have ended.
/// work must not throw.
template <class Work>
void parallel(std::size_t shares, Work work) {
  if (shares == 1) return work(std::size_t{0});
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t i = 0; i < shares; i++) work(i);
}

/// A run of things: from `first`, n of them.
struct Share {
  std::size_t first;
  std::size_t n;
};

/// The i-th of so many shares of n things, as even as it can be.
inline Share share(std::size_t n, std::size_t i, std::size_t shares) {
  const std::size_t first = n * i / shares;
  return {first, n * (i + 1) / shares - first};
}

}  // namespace microgpt
