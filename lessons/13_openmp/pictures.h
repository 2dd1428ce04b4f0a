// The pictures of lesson 13: an addition that is lost, and what a tile reads. And what this machine can do.
#pragma once

#include "lesson/lesson.h"
#include "tensor/fma_peak.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"

namespace microgpt {

/// Two threads, time running to the right, and the number that both add to.
inline Svg lost_update_picture() {
  constexpr const char* colours[] = {"#56b4e9", "#e69f00"};
  Svg svg(640, 260);
  svg.text(20, 28, "Both read before either writes, so one addition is lost", "start", 15);
  auto box = [&](double x, double y, const char* fill, const char* what) {
    svg.rect(x, y, 110, 34, fill);
    svg.text(x + 55, y + 22, what, "middle", 13);
  };
  svg.text(20, 78, "thread 0", "start", 13);
  box(100, 56, colours[0], "reads 0");
  box(340, 56, colours[0], "writes 0 + 1");
  svg.text(20, 128, "thread 1", "start", 13);
  box(220, 106, colours[1], "reads 0");
  box(460, 106, colours[1], "writes 0 + 1");
  svg.text(20, 188, "the number", "start", 13);
  for (int i = 0; i < 4; i++) {
    svg.rect(100 + 120 * i, 164, 110, 34, "#dddddd");
    svg.text(155 + 120 * i, 187, i < 2 ? "0" : "1", "middle", 15);
  }
  svg.line(100, 222, 560, 222, "black");
  svg.line(560, 222, 552, 217, "black");
  svg.line(560, 222, 552, 227, "black");
  svg.text(100, 242, "time");
  svg.text(580, 187, "not 2", "start", 13);
  return svg;
}

/// y = x w^T, a tile of 4 by 4 numbers of y, and the rows of x and w that it needs.
inline Svg tile_picture() {
  constexpr double cell = 18, top = 160, left = 210;
  Svg svg(560, 360);
  svg.text(20, 28, "A tile of 4 by 4: 8 numbers read at a time make 16 products", "start", 15);
  auto grid = [&](double x, double y, int rows, int cols, auto colour) {
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) svg.rect(x + cell * j, y + cell * i, cell - 2, cell - 2, colour(i, j));
    }
  };
  constexpr const char *light = "#e8e8e8", *row = "#bfe0f5", *now = "#0072b2", *sum = "#e69f00";
  grid(left - 8.5 * cell, top, 8, 6, [&](int i, int j) { return i < 4 || i > 7 ? (j == 2 ? now : row) : light; });
  grid(left, top - 6.5 * cell, 6, 12, [&](int i, int j) { return j > 3 && j < 8 ? (i == 2 ? now : row) : light; });
  grid(left, top, 8, 12, [&](int i, int j) { return i < 4 && j > 3 && j < 8 ? sum : light; });
  svg.text(left - 8.5 * cell, top + 8.9 * cell, "x, a row for each position", "start", 12);
  svg.text(left + 12.4 * cell, top - 5.5 * cell, "w^T, a column", "start", 12);
  svg.text(left + 12.4 * cell, top - 4.6 * cell, "for each output", "start", 12);
  svg.text(left + 12.4 * cell, top + 1 * cell, "y", "start", 12);
  svg.rect(left, 324, 12, 12, sum);
  svg.text(left + 18, 335, "16 sums, in registers");
  svg.rect(left + 160, 324, 12, 12, now);
  svg.text(left + 178, 335, "read in this step");
  return svg;
}

/// What one core can do if nothing is read and no sum waits, in products per nanosecond.
inline double peak() {
  static const double products = measure_fma_peak<float>(1) / 2;
  return products;
}

/// Two threads count, each in a number of its own. How long, in microseconds, if these are `apart` places apart?
inline double count_apart(std::size_t apart) {
  alignas(cache_line) volatile int numbers[32] = {};
  return Lesson::microseconds([&] {
    parallel(2, [&](std::size_t s) {
      for (int i = 0; i < 10'000; i++) numbers[s * apart] = numbers[s * apart] + 1;
    });
  });
}

/// How many numbers a nanosecond brings if they come from ever larger parts of memory.
inline void print_reading() {
  fmt::print("\nread again and again | numbers per ns\n");
  for (const std::size_t kilobytes : {16, 256, 4096, 65536}) {
    const AlignedVector<float> numbers(kilobytes * 256, 1.0F);
    const std::size_t times = std::max<std::size_t>(1, 4096 / kilobytes);
    volatile float result = 0;
    const double us = Lesson::microseconds([&] {
      Vector<float> sum[8] = {};
      for (std::size_t n = 0; n < times; n++) {
        for (std::size_t i = 0; i < numbers.size(); i += 8 * lanes<float>) {
          for (std::size_t a = 0; a < 8; a++) sum[a] += load(numbers.data() + i + a * lanes<float>);
        }
      }
      result = std::accumulate(sum, sum + 8, Vector<float>{})[0];
    });
    fmt::print("{:17} KB | {:14.1f}\n", kilobytes, static_cast<double>(times * numbers.size()) / us / 1000);
  }
}

}  // namespace microgpt
