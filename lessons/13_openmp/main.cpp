// Lesson 13: one matrix product, four times. As the formula says; in tiles that stay in registers; on vectors; on
// threads. Each number of the result stays one sum in one order. sums.h has what happens where threads share one.
#include <fmt/core.h>

#include <bit>

#include "compare.h"
#include "lesson/lesson.h"
#include "sums.h"
#include "tensor/kernels.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/threads.h"

using namespace microgpt;

/// 1) As the formula says. y (N,n_out) = x W^T: each number of y is the dot product of a row of x and a row of W.
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
/// used together must lie together, so it reads W^T, (n_in,n_out).
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

/// 4) Threads: each takes some rows of tiles. A number of y has one thread, which does its sum from start to end.
void threaded(View<float> y, View<const float> x, View<const float> wt, std::size_t shares) {
#pragma omp parallel for num_threads(static_cast <int>(shares)) schedule(static, 1)
  for (std::size_t s = 0; s < shares; s++) {
    const Share tiles = share(y.rows / tile_rows, s, shares);
    const std::size_t first = tiles.first * tile_rows, n = tiles.n * tile_rows;
    vectorised(y.slice_rows(first, n), x.slice_rows(first, n), wt);  // stop: share
  }
}

/// With TIMES=1: the four products, and what threads gain at several widths.
void show_times(View<float> y, View<const float> x, const Weight<float>& w) {
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
  fmt::print("\n16 positions, n_embd | us with 1 thread | with {:2} | times as fast\n", threads);
  for (const std::size_t n_embd : {8, 16, 32, 64, 128, 256}) {
    const Tensor<float> few(16, n_embd), weights(n_embd, 4 * n_embd);
    Tensor<float> out(16, 4 * n_embd);
    auto us = [&](std::size_t shares) {
      return Lesson::microseconds([&] { threaded(out.view(), few.view(), weights.view(), shares); });
    };
    const double one = us(1), all = us(threads);
    fmt::print("{:20} | {:16.2f} | {:7.2f} | {:13.2f}\n", n_embd, one, all, one / all);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  constexpr std::size_t N = 248, n_in = 64, n_out = 256;  // some 30 names, and the first layer of an MLP of n_embd 64
  Tensor<float> x(N, n_in), dy(N, n_out), y(N, n_out), expected(N, n_out), dw(n_out, n_in), dw_of_one(n_out, n_in);
  Weight<float> w(n_out, n_in);
  for (const View<float> numbers : {x.view(), dy.view(), w.data.view()}) {
    fill(numbers, [&] { return lesson.random.gauss(0, 1); });
  }
  w.transpose_rows({0, n_out});
  fmt::print("\ny = x W^T: x ({},{}), W ({},{}), {} products\n", N, n_in, n_out, n_in, N * n_out * n_in);
  fmt::print("numbers read: {} one sum at a time, {} in tiles\n", 2 * N * n_out * n_in, 2 * N * n_out * n_in / 4);
  naive<float>().linear_forward(expected.view(), x.view(), w, {});
  auto is_naive = [&] { return within_rounding(y.view(), expected.view(), x.view(), w.data.view()); };
  plain(y.view(), x.view(), w.data.view());
  lesson.check("plain: naive() of src/tensor/kernels.h, but for rounding", is_naive());
  tiled(y.view(), x.view(), w.data.view());
  lesson.check("tiled: naive(), but for rounding", is_naive());
  matmul(expected.view(), x.view(), w.transposed.view());
  vectorised(y.view(), x.view(), w.transposed.view());
  lesson.check("vectorised: the bits of matmul() of src/tensor/matmul.h", same_bits(y.view(), expected.view()));
  for (const std::size_t shares : {1, 2, 3, 8}) {
    set_zero(y.view());
    threaded(y.view(), x.view(), w.transposed.view(), shares);
    lesson.check(fmt::format("threaded, cut into {}: the bits of matmul()", shares),
                 same_bits(y.view(), expected.view()));
  }

  std::vector<float> numbers(10000);
  std::generate(numbers.begin(), numbers.end(), [&] { return lesson.random.random(); });
  fmt::print("\nthe sum of {} numbers in float, cut into shares\n", numbers.size());
  for (const std::size_t shares : {1, 2, 3, 8}) {
    const float sum = sum_in_shares(numbers, shares);
    fmt::print("{}: {:.4f}, bits {:08x}\n", shares, sum, std::bit_cast<std::uint32_t>(sum));
  }

  const auto gradient = lesson.broken("by-positions") ? gradient_by_positions : gradient_by_rows;
  gradient(dw_of_one.view(), dy.view(), x.view(), 1);
  for (const std::size_t shares : {2, 3, 8}) {
    gradient(dw.view(), dy.view(), x.view(), shares);
    lesson.check(fmt::format("dW, cut into {}: the bits of one thread", shares),
                 same_bits(dw.view(), dw_of_one.view()));
  }
  if (lesson.broken("race")) race(lesson.random);
  if (Lesson::timed()) show_times(y.view(), x.view(), w);
  return lesson.finish();
}
