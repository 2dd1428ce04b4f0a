// How the C library rounds.
#pragma once

#include <cmath>
#include <string_view>

#include "base/power.h"

namespace microgpt {

/// C libraries differ in the last bit of some results. The published losses were computed with glibc on a processor
/// with a fused multiply-add. Returns the first of exp, log, pow, sin and cos that rounds a known result differently
/// here. Returns an empty string if none does: then every loss can match to the last bit.
inline std::string_view libm_unlike_published() {
  struct Known {
    std::string_view name;
    double (*function)(double, double);
    double x, y, result;
  };
  constexpr auto exp_of = [](double x, double) { return std::exp(x); };
  constexpr auto log_of = [](double x, double) { return std::log(x); };
  constexpr auto sin_of = [](double x, double) { return std::sin(x); };
  constexpr auto cos_of = [](double x, double) { return std::cos(x); };
  // glibc rounds these results one way with a fused multiply-add and the other way without. For each function some of
  // them are the nearest double and some are not, so that a more accurate library is detected, too.
  constexpr Known published[]{
      {"exp", exp_of, -0x1.fc2729b499ceap+2, 0, 0x1.758cefdd5d9f3p-12},
      {"exp", exp_of, -0x1.dfd5a19668001p+1, 0, 0x1.81d033186f9e9p-6},
      {"exp", exp_of, -0x1.3add1a1a46914p+2, 0, 0x1.de7a53a5f8b2bp-8},
      {"exp", exp_of, -0x1.f3f704dcf5f97p+2, 0, 0x1.a888ab14b2055p-12},
      {"log", log_of, 0x1.a681b3e26fed6p-1, 0, -0x1.8975ea3adab49p-3},
      {"log", log_of, 0x1.da21be5519b4ep-1, 0, -0x1.3abbce0293772p-4},
      {"log", log_of, 0x1.ac61c203d7ab1p-1, 0, -0x1.6d2d9774627eep-3},
      {"pow", c_library_pow, 0x1.31f24d06dc86bp+2, 0.5, 0x1.17dc78bac9331p+1},
      {"pow", c_library_pow, 0x1.cbe525d7744b2p+2, 2, 0x1.9d17c167aa09bp+5},
      {"pow", c_library_pow, 0x1.396588bdb8b52p+1, 2, 0x1.7fa970a51c68dp+2},
      {"pow", c_library_pow, 0x1.5ddc3fac65dbep+0, -0.5, 0x1.b5f7dc3c11bc7p-1},
      {"sin", sin_of, 0x1.a9840a3755735p+1, 0, -0x1.7430e1871357cp-3},
      {"sin", sin_of, 0x1.79e9770e0dd4cp+2, 0, -0x1.7a3731ddf74bcp-2},
      {"sin", sin_of, 0x1.ced1850e2d9c5p-3, 0, 0x1.cae3a07a19815p-3},
      {"sin", sin_of, 0x1.ff649ed22fc7bp-2, 0, 0x1.ea6625dc2bce7p-2},
      {"cos", cos_of, 0x1.3ae463d8c86fap+2, 0, 0x1.a685190fa4456p-3},
      {"cos", cos_of, 0x1.03c3b5933b1f8p+1, 0, -0x1.c55498dab97eap-2},
      {"cos", cos_of, 0x1.684a9fc6f6704p+0, 0, 0x1.4d2be84e2a267p-3},
      {"cos", cos_of, 0x1.516cb0bf86d76p+0, 0, 0x1.000d07c654771p-2},
  };
  for (const Known& known : published) {
    const volatile double x = known.x;  // so that the C library computes the result, not the compiler
    if (known.function(x, known.y) != known.result) return known.name;
  }
  return {};
}

}  // namespace microgpt
