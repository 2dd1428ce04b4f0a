// Several threads on one task. The rule that makes results independent of the number of threads: the task is cut into
// shares, each share computes its outputs from start to end, and no other share writes them.
#pragma once

#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace microgpt {

#ifdef _OPENMP
inline constexpr bool have_openmp = true;  // whether this build can use more than one thread
inline std::size_t num_processors() { return static_cast<std::size_t>(omp_get_num_procs()); }

/// One thread for each processor, or OMP_NUM_THREADS if set.
inline std::size_t available_threads() { return static_cast<std::size_t>(omp_get_max_threads()); }
#else
inline constexpr bool have_openmp = false;
inline std::size_t num_processors() { return 1; }
inline std::size_t available_threads() { return 1; }
#endif

/// Calls work(i) for i = 0 to shares - 1, in parallel if possible, and returns when all have finished. work must not
/// throw.
template <class Work>
void parallel(std::size_t shares, Work work) {
  if (shares == 1) return work(std::size_t{0});
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t i = 0; i < shares; i++) work(i);
}

/// n items from `first` on.
struct Share {
  std::size_t first;
  std::size_t n;

  /// These items of a list, or these rows of a View or Tensor.
  auto of(auto&& all) const {
    if constexpr (requires { all.view(); }) {
      return all.view().slice_rows(first, n);
    } else if constexpr (requires { all.slice_rows(first, n); }) {
      return all.slice_rows(first, n);
    } else {
      return all.subspan(first, n);
    }
  }
};

/// Splits n items evenly into `shares`; returns part i.
inline Share share(std::size_t n, std::size_t i, std::size_t shares) {
  const std::size_t first = n * i / shares;
  return {first, n * (i + 1) / shares - first};
}

}  // namespace microgpt
