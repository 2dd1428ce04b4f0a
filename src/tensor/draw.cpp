#include "tensor/draw.h"

#include <algorithm>

#include "base/python_random.h"
#include "tensor/simd.h"

namespace microgpt {

template <class T>
Token draw(std::span<T> logits, double temperature, double uniform) {
  const std::size_t V = logits.size();
  const std::size_t likeliest = std::max_element(logits.begin(), logits.end()) - logits.begin();
  const T largest = logits[likeliest];
  const T divisor = static_cast<T>(std::max(temperature, coldest));
  for (std::size_t i = 0; i < V; i += lanes<T>) {
    const std::size_t n = std::min(lanes<T>, V - i);
    store(&logits[i], exp<T>((load(&logits[i], n) - largest) / divisor), n);
  }
  const std::span<const T> weights = logits;
  double total = 0;
  for (const T weight : weights) total += weight;
  require_drawable(total);
  double left = uniform * total;
  for (std::size_t i = 0; i < V; i++) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return likeliest;  // only if rounding led past the end
}

template Token draw(std::span<float>, double, double);
template Token draw(std::span<double>, double, double);

}  // namespace microgpt
