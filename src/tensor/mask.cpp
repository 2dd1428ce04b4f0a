#include "tensor/mask.h"

namespace microgpt {

Mask Mask::table(std::size_t n_query, std::size_t n_key,
                 const std::function<bool(std::size_t t, std::size_t s)>& allowed) {
  Mask mask(Kind::table);
  mask.words_ = (n_key + block - 1) / block;
  mask.table_.resize(n_query * mask.words_);
  for (std::size_t t = 0; t < n_query; t++) {
    for (std::size_t s = 0; s < n_key; s++) {
      if (allowed(t, s)) mask.table_[t * mask.words_ + s / block] |= std::uint64_t{1} << (s % block);
    }
  }
  return mask;
}

}  // namespace microgpt
