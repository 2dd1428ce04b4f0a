// Random numbers and documents that are the same on every machine.
#pragma once

#include <vector>

#include "base/config.h"
#include "base/python_random.h"
#include "base/tokenizer.h"
#include "tensor/view.h"

namespace microgpt {

inline double uniform(PythonRandom& random, double low, double high) { return low + (high - low) * random.random(); }

inline std::vector<double> uniform(PythonRandom& random, std::size_t n, double low, double high) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = uniform(random, low, high);
  return numbers;
}

/// BOS, n random characters, BOS.
inline std::vector<Token> random_document(const Config& config, std::size_t n, PythonRandom& random) {
  const Token bos = config.vocab_size - 1;
  std::vector<Token> tokens{bos};
  for (std::size_t i = 0; i < n; i++) tokens.push_back(random.below(bos));
  tokens.push_back(bos);
  return tokens;
}

template <class T>
void draw(View<T> x, PythonRandom& random, double low = -1, double high = 1) {
  for (std::size_t i = 0; i < x.rows; i++) {
    for (std::size_t j = 0; j < x.cols; j++) x.row(i)[j] = static_cast<T>(uniform(random, low, high));
  }
}

}  // namespace microgpt
