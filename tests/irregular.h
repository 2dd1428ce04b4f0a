// Who sees whom, without any pattern.
#pragma once

#include <cstddef>

namespace microgpt {

/// Whether query t sees key s: about every other one.
inline bool irregular(std::size_t t, std::size_t s) { return (t * t + 3 * s * s + t * s) % 7 < 3; }

}  // namespace microgpt
