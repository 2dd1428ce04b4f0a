// How long attention takes, with and without its matrix.
#pragma once

#include <fmt/core.h>

#include <string>

#include "lesson/lesson.h"
#include "lesson/one_head.h"
#include "tensor/flash.h"
#include "tensor/kernels.h"
#include "tensor/short_attention.h"

namespace microgpt {

/// With TIMES=1: forward and backward of one head, in float.
inline void show_times(const PythonRandom& random) {
  fmt::print("\n   T | us: naive() | short | flash\n");
  for (const std::size_t T : {4, 16, 64, 256, 1024}) {
    OneHead<float> a(T, 16);
    a.draw(random, 1);
    auto us = [&](auto forward, auto backward) {
      return Lesson::microseconds([&] {
        a.forward(forward);
        a.backward(backward);
      });
    };
    const double plain = us(naive<float>().attention_forward, naive<float>().attention_backward);
    const std::string in_short =
        T <= longest_short<float> ? fmt::format("{:.1f}", us(short_forward<float>, short_backward<float>)) : "-";
    fmt::print("{:4} | {:11.1f} | {:>5} | {:8.1f}\n", T, plain, in_short,
               us(flash_forward<float>, flash_backward<float>));
  }
}

}  // namespace microgpt
