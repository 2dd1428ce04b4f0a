#include "tensor/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace microgpt {

std::size_t available_threads() {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_max_threads());
#else
  return 1;
#endif
}

}  // namespace microgpt
