// Lesson 13: one matrix product, four times. As the formula says; in tiles that stay in registers; on vectors; on
// threads. Each number of the result stays one sum in one order, by one owner. What happens where two own a number
// comes first.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "lesson/lesson.h"
#include "picture.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"
#include "tensor/weight.h"

using namespace microgpt;

/// Two threads add 1 to one number, in slow motion: both read, then both write. A parallel loop ends when all of its
/// threads have. (std::atomic makes each read and each write safe. It does not make the two of them one.)
void print_lost_update() {
  std::atomic<int> number = 0;
  int seen[2];
  parallel(2, [&](std::size_t s) { seen[s] = number; });
  parallel(2, [&](std::size_t s) { number = seen[s] + 1; });
  fmt::print("\nthread 0 reads {}, thread 1 reads {}; ", seen[0], seen[1]);  // stop: lost
  fmt::print("each adds 1 and writes: {}\n", number.load());
}

/// Adds 1 ten times. Between reading and writing it naps, as if the system had given its processor to somebody else.
void add_ten(int& number) {
  for (int i = 0; i < 10; i++) {
    const int seen = number;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    number = seen + 1;
  }
}

/// Two threads add ten times each, to numbers of their own.
void print_owners() {
  int counts[2] = {};
#pragma omp parallel for num_threads(2)
  for (std::size_t s = 0; s < 2; s++) add_ten(counts[s]);
  const int total = counts[0] + counts[1];
  fmt::print("two threads add 1 ten times each: {}\n", total == 20 ? "20" : "less than 20, some additions are lost");
}

/// 1) As the formula says. y (N,n_out) = x w^T: each number of y is the dot product of a row of x and a row of w.
void plain(View<float> y, View<const float> x, View<const float> w) {
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      float sum = 0;
      for (std::size_t j = 0; j < x.cols; j++) sum += x.row(n)[j] * w.row(i)[j];
      y.row(n)[i] = sum;
    }
  }
}

/// 2) A tile: 4 by 4 numbers of y at a time. Their sums stay in registers, and what is read is used 4 times.
void tiled(View<float> y, View<const float> x, View<const float> w) {
  for (std::size_t n = 0; n < y.rows; n += 4) {
    for (std::size_t i = 0; i < y.cols; i += 4) {
      float sum[4][4] = {};
      for (std::size_t j = 0; j < x.cols; j++) {
        for (std::size_t a = 0; a < 4; a++) {
          for (std::size_t b = 0; b < 4; b++) sum[a][b] += x.row(n + a)[j] * w.row(i + b)[j];
        }
      }
      for (std::size_t a = 0; a < 4; a++) std::copy_n(sum[a], 4, y.row(n + a) + i);  // stop: tile
    }
  }
}

/// 3) Vectors: a tile is 8 rows high and one vector wide, and one instruction works on a row of it. Weights that are
/// used together must stand together, so it reads w^T, (n_in,n_out).
constexpr std::size_t tile_rows = 8;
void vectorised(View<float> y, View<const float> x, View<const float> wt) {
  for (std::size_t n = 0; n < y.rows; n += tile_rows) {
    for (std::size_t i = 0; i < y.cols; i += lanes<float>) {
      Vector<float> sum[tile_rows] = {};
      for (std::size_t j = 0; j < x.cols; j++) {
        const Vector<float> weights = load(wt.row(j) + i);
        for (std::size_t a = 0; a < tile_rows; a++) sum[a] = multiply_add(broadcast(x.row(n + a)[j]), weights, sum[a]);
      }
      for (std::size_t a = 0; a < tile_rows; a++) store(y.row(n + a) + i, sum[a]);  // stop: vectors
    }
  }
}

/// 4) Threads: each owns some rows of tiles. A number of y has one thread, which does its sum from start to end.
void threaded(View<float> y, View<const float> x, View<const float> wt, std::size_t shares) {
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t s = 0; s < shares; s++) {
    const Share tiles = share(y.rows / tile_rows, s, shares);
    const std::size_t first = tiles.first * tile_rows, n = tiles.n * tile_rows;
    vectorised(y.slice_rows(first, n), x.slice_rows(first, n), wt);  // stop: share
  }
}

/// Each head's columns of y by a product of their own, as some rows of w make them.
void heads_in_loop(View<float> y, View<const float> x, View<const float> wt, std::size_t H) {
  const std::size_t D = y.cols / H;
  for (std::size_t h = 0; h < H; h++) matmul(y.slice_cols(h * D, D), x, wt.slice_cols(h * D, D));
}

/// The contrast: the terms of one sum are shared out. Each share is summed by itself, then their sums are.
float sum_in_shares(const std::vector<float>& numbers, std::size_t shares) {
  std::vector<float> sums(shares);
  parallel(shares, [&](std::size_t s) {
    const Share part = share(numbers.size(), s, shares);
    const float* const first = numbers.data() + part.first;
    sums[s] = std::accumulate(first, first + part.n, 0.0F);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

/// How many rows of a are further than `tolerance` from b's; with 0, how many differ in any bit.
std::size_t rows_that_differ(View<const float> a, View<const float> b, float tolerance = 0) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.rows; i++) {
    auto near = [&](float p, float q) { return tolerance == 0 ? p == q : std::abs(p - q) <= tolerance; };
    count += std::equal(a.row(i), a.row(i) + a.cols, b.row(i), near) ? 0 : 1;
  }
  return count;
}

/// With TIMES=1: the four products, threads at several widths, and heads in a loop or together.
void print_times(View<float> y, View<const float> x, const Weight<float>& w) {
  const View<const float> wt = w.transposed.view();
  fmt::print("\nus      | products per ns\n");
  auto time = [&](const char* what, const std::function<void()>& work) {
    const double us = Lesson::microseconds(work);
    fmt::print("{:7.1f} | {:15.1f} | {}\n", us, static_cast<double>(y.rows * y.cols * x.cols) / us / 1000, what);
  };
  const std::size_t threads = available_threads();
  time("plain", [&] { plain(y, x, w.data.view()); });
  time("tiled", [&] { tiled(y, x, w.data.view()); });
  time("vectorised", [&] { vectorised(y, x, wt); });
  time("threaded", [&] { threaded(y, x, wt, threads); });
  time("matmul() of src/tensor, one thread", [&] { matmul(y, x, wt); });
  for (const std::size_t H : {4, 16, 64}) {
    time(fmt::format("matmul(), {} heads of {} in a loop", H, y.cols / H).c_str(), [&] { heads_in_loop(y, x, wt, H); });
  }
  fmt::print("\n16 positions, n_embd | us with 1 thread | with {:2} | times as fast\n", threads);
  for (const std::size_t n_embd : {16, 64, 256}) {
    const Tensor<float> few(16, n_embd), weights(n_embd, 4 * n_embd);
    Tensor<float> out(16, 4 * n_embd);
    auto us = [&](std::size_t shares) {
      return Lesson::microseconds([&] { threaded(out.view(), few.view(), weights.view(), shares); });
    };
    const double one = us(1), all = us(threads);
    fmt::print("{:20} | {:16.2f} | {:7.2f} | {:13.2f}\n", n_embd, one, all, one / all);
  }
}

/// The four products of the same numbers, and what the number of threads changes.
void print_products(Lesson& lesson) {
  constexpr std::size_t N = 248, n_in = 64, n_out = 256;  // some 30 names, and the first layer of an MLP of n_embd 64
  constexpr std::size_t products = N * n_out * n_in;
  fmt::print("\ny = x w^T: x ({},{}), w ({},{}), {} products\n", N, n_in, n_out, n_in, products);
  fmt::print("numbers read: {} one sum at a time, {} in tiles of 4 by 4, {} in tiles of 8 by 16\n", 2 * products,
             products / 4 + products / 4, products / 8 + products / 16);
  Tensor<float> x(N, n_in), y(N, n_out), by_formula(N, n_out), by_matmul(N, n_out);
  Weight<float> w(n_out, n_in);
  for (const View<float> numbers : {x.view(), w.data.view()}) {
    for (std::size_t i = 0; i < numbers.rows; i++) {
      std::generate_n(numbers.row(i), numbers.cols, [&] { return lesson.random.gauss(0, 1); });
    }
  }
  w.transpose_rows({0, n_out});
  plain(by_formula.view(), x.view(), w.data.view());
  matmul(by_matmul.view(), x.view(), w.transposed.view());

  tiled(y.view(), x.view(), w.data.view());
  lesson.check("tiled has the bits of plain", rows_that_differ(y.view(), by_formula.view()) == 0);
  vectorised(y.view(), x.view(), w.transposed.view());
  lesson.check("vectorised has the bits of matmul() in src/tensor", rows_that_differ(y.view(), by_matmul.view()) == 0);
  // 64 products, together below 256 in size; each addition and product is rounded by 2^-24 of that: 2^-10 at most.
  const std::size_t far = rows_that_differ(y.view(), by_formula.view(), 0x1p-10F);
  lesson.check("and is plain, but for rounding", far == 0);

  fmt::print("\n");
  for (const std::size_t shares : {1, 2, 3, 8}) {
    set_zero(y.view());
    threaded(y.view(), x.view(), w.transposed.view(), shares);
    const std::size_t differ = rows_that_differ(y.view(), by_matmul.view());
    fmt::print("y, its rows shared among {}: {} of {} rows differ from matmul()\n", shares, differ, N);
    lesson.check(fmt::format("threaded, shared among {}, has the bits of matmul()", shares), differ == 0);
  }
  set_zero(y.view());
  heads_in_loop(y.view(), x.view(), w.transposed.view(), 4);
  const std::size_t differ = rows_that_differ(y.view(), by_matmul.view());
  fmt::print("y, 4 heads in a loop: {} of {} rows differ from matmul()\n", differ, N);
  if (Lesson::timed()) print_times(y.view(), x.view(), w);
}

void print_sums(Lesson& lesson) {
  const float large = 0x1p24F;  // from here on, a float can only be even
  fmt::print("\n{0:.0f} + 1 + 1 in float, from the left: {1:.0f}; the ones first: {2:.0f}\n", large, large + 1 + 1,
             large + (1 + 1));
  std::vector<float> numbers(10000);
  std::generate(numbers.begin(), numbers.end(), [&] { return lesson.random.random(); });
  for (const std::size_t shares : {1, 2, 3, 8}) {
    const float sum = sum_in_shares(numbers, shares);
    fmt::print("a sum of {} numbers, its terms shared among {}: {:.4f}\n", numbers.size(), shares, sum);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lesson.picture("13_lost.svg", lost_update_picture());
  lesson.picture("13_tile.svg", tile_picture());
  print_lost_update();
  print_owners();
  print_products(lesson);
  print_sums(lesson);
  fmt::print("\n");
  return lesson.finish();
}
