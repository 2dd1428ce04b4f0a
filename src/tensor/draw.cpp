#include "tensor/draw.h"

#include <algorithm>
#include <limits>

#include "base/python_random.h"
#include "tensor/simd.h"

namespace microgpt {

template <class T>
Token draw(std::span<T> logits, double temperature, double uniform) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();  // exp(nothing) = 0
  Vector<T> maxima = broadcast(nothing);
  each_vector<T>(logits.size(), [&](auto get, auto) { maxima = max<T>(maxima, get(logits.data(), nothing)); });
  const T largest = max<T>(maxima), divisor = static_cast<T>(std::max(temperature, coldest));
  double total = 0;
  each_vector<T>(logits.size(), [&](auto get, auto put) {
    const Vector<T> weights = exp<T>((get(logits.data(), nothing) - largest) / divisor);
    put(logits.data(), weights);
    total += reduce<double, lanes<T>>(__builtin_convertvector(weights, Vector<double, lanes<T>>),
                                      [](auto a, auto b) { return a + b; });
  });
  require_drawable(total);
  double left = uniform * total;
  for (std::size_t i = 0; i < logits.size(); i++) {
    if (left < logits[i]) return i;
    left -= logits[i];
  }
  return std::max_element(logits.begin(), logits.end()) - logits.begin();  // only if rounding led past the end
}

template Token draw(std::span<float>, double, double);
template Token draw(std::span<double>, double, double);

}  // namespace microgpt
