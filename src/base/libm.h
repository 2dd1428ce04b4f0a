// How the C library rounds.
#pragma once

#include <string_view>

namespace microgpt {

/// C libraries differ in the last bit of some results. The published losses were computed with glibc on a processor
/// with a fused multiply-add. Returns the first of exp, log, pow, sin and cos that rounds a known result differently
/// here. Returns an empty string if none does: then every loss can match to the last bit.
std::string_view libm_unlike_published();

}  // namespace microgpt
