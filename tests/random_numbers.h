// Random numbers that are the same on every machine.
#pragma once

#include <vector>

#include "base/python_random.h"
#include "tensor/tensor.h"

namespace microgpt {

inline double uniform(PythonRandom& random, double low, double high) { return low + (high - low) * random.random(); }

inline std::vector<double> uniform(PythonRandom& random, std::size_t n, double low, double high) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = uniform(random, low, high);
  return numbers;
}

template <class T>
void draw(View<T> x, PythonRandom& random, double low = -1, double high = 1) {
  for (std::size_t i = 0; i < x.rows; i++) {
    for (std::size_t j = 0; j < x.cols; j++) x.row(i)[j] = static_cast<T>(uniform(random, low, high));
  }
}

template <class T>
Tensor<T> random_tensor(std::size_t rows, std::size_t cols, PythonRandom& random) {
  Tensor<T> x(rows, cols);
  draw(x.view(), random);
  return x;
}

}  // namespace microgpt
