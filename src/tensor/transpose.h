// to = from^T.
#pragma once

#include <type_traits>

#include "tensor/view.h"

namespace microgpt {

/// to (m,n) from (n,m): to[j][i] = from[i][j].
template <class T>
void transpose(View<T> to, std::type_identity_t<View<const T>> from);

}  // namespace microgpt
