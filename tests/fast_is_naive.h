// Whether a kernel on vectors computes what it does in plain loops, and writes what it should and no more.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "fenced.h"
#include "tensor/kernels.h"

namespace microgpt {

/// A number of an output, and how far two right versions of it may be apart: each is off the exact one by at most
/// `roundings`, of half an eps of `size` each. `size` is more than any number or sum on the way.
struct Tolerance {
  double roundings;
  double size;
};

template <class T>
struct Output {
  Fenced<T> before;
  Tolerance tolerance;
};

/// What a call of these kernels makes of the outputs.
template <class T, class Call>
std::vector<Fenced<T>> outputs_of(Call call, const Kernels<T>& kernels, const std::vector<Output<T>>& outputs) {
  std::vector<Fenced<T>> made;
  for (const Output<T>& output : outputs) made.push_back(output.before);
  std::vector<View<T>> views;
  for (Fenced<T>& output : made) views.push_back(output.view());
  call(kernels, views);
  return made;
}

/// `call` calls a kernel: call(kernels, views of its outputs).
template <class T, class Call>
void check_fast_is_naive(const std::vector<Output<T>>& outputs, Call call) {
  const std::vector<Fenced<T>> expected = outputs_of(call, naive<T>(), outputs);
  const std::vector<Fenced<T>> found = outputs_of(call, fast<T>(), outputs);
  for (std::size_t i = 0; i < found.size(); i++) {
    const Tolerance& tolerance = outputs[i].tolerance;
    INFO("output " << i);
    CHECK(expected[i].intact());
    CHECK(found[i].intact());
    CHECK(largest_difference(found[i].view(), expected[i].view()) <=
          tolerance.roundings * tolerance.size * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
}

}  // namespace microgpt
