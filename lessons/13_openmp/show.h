// What lesson 13 prints, checks and measures around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/softmax.h"
#include "picture.h"
#include "tensor/fma_peak.h"
#include "tensor/kernels.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"
#include "tensor/threads.h"
#include "tensor/weight.h"

namespace microgpt {

constexpr std::size_t tile_rows = 8;  // of a tile of vectors

/// Queries, keys and values of one head, (T,D).
struct Head {
  View<const float> q, k, v;
  double scale;  // of the scores: 1 / sqrt(D)
};

/// The functions of main.cpp.
struct Draft {
  void (*plain)(View<float> y, View<const float> x, View<const float> w);
  float (*at_once[4])(std::size_t steps, float x);  // 1, 2, 4 and 8 sums
  void (*tiled)(View<float> y, View<const float> x, View<const float> w);
  void (*vectorised)(View<float> y, View<const float> x, View<const float> wt);
  void (*threaded)(View<float> y, View<const float> x, View<const float> wt, std::size_t shares);
  void (*attention)(View<float> out, const Head& head, int threads, int deal);
};

inline void show_lost(const int seen[2], int number) {
  fmt::print("\nthread 0 reads {}, thread 1 reads {}; each adds 1 and writes: {}\n", seen[0], seen[1], number);
}

inline void show_owners(const Lesson& lesson, int total) {
  lesson.picture("13_lost.svg", lost_update_picture());
  lesson.picture("13_tile.svg", tile_picture());
  fmt::print("two threads add 1 ten times each: {}\n", total);
}

inline void draw(View<float> numbers, PythonRandom& random) {
  for (std::size_t i = 0; i < numbers.rows; i++) {
    std::generate_n(numbers.row(i), numbers.cols, [&] { return random.gauss(0, 1); });
  }
}

/// Some 30 names, and the first layer of an MLP of n_embd 64.
struct Layer {
  static constexpr std::size_t N = 248, n_in = 64, n_out = 256, products = N * n_out * n_in;
  Tensor<float> x{N, n_in}, y{N, n_out};
  Weight<float> w{n_out, n_in};

  explicit Layer(PythonRandom& random) {
    draw(x.view(), random);
    draw(w.data.view(), random);
    w.transpose_rows({0, n_out});
  }
};

/// Each head's columns of y by a product of their own, as some rows of w make them.
inline void heads_in_loop(View<float> y, View<const float> x, View<const float> wt, std::size_t H) {
  const std::size_t D = y.cols / H;
  for (std::size_t h = 0; h < H; h++) matmul(y.slice_cols(h * D, D), x, wt.slice_cols(h * D, D));
}

/// How many rows of a are further than `tolerance` from b's; with 0, how many differ in any bit.
inline std::size_t rows_that_differ(View<const float> a, View<const float> b, float tolerance = 0) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.rows; i++) {
    auto near = [&](float p, float q) { return tolerance == 0 ? p == q : std::abs(p - q) <= tolerance; };
    count += std::equal(a.row(i), a.row(i) + a.cols, b.row(i), near) ? 0 : 1;
  }
  return count;
}

/// The products of the same numbers, and what the number of threads changes.
inline void show_products(Lesson& lesson, const Draft& draft) {
  Layer layer(lesson.random);
  constexpr std::size_t products = Layer::products;
  fmt::print("\ny = x w^T: x ({},{}), w ({},{}), {} products\n", Layer::N, Layer::n_in, Layer::n_out, Layer::n_in,
             products);
  fmt::print("numbers read: {} one sum at a time, {} in tiles of 4 by 4, {} in tiles of 8 by 16\n", 2 * products,
             products / 4 + products / 4, products / 8 + products / 16);
  const View<const float> x = layer.x.view(), w = layer.w.data.view(), wt = layer.w.transposed.view();
  Tensor<float> by_formula(Layer::N, Layer::n_out), by_matmul(Layer::N, Layer::n_out);
  const View<float> y = layer.y.view();
  draft.plain(by_formula.view(), x, w);
  matmul(by_matmul.view(), x, wt);
  draft.tiled(y, x, w);
  lesson.check("tiled has the bits of plain", rows_that_differ(y, by_formula.view()) == 0);
  draft.vectorised(y, x, wt);
  lesson.check("vectorised has the bits of matmul() in src/tensor", rows_that_differ(y, by_matmul.view()) == 0);
  // 64 products, together below 256 in size; each addition and product is rounded by 2^-24 of that: 2^-10 at most.
  lesson.check("and is plain, but for rounding", rows_that_differ(y, by_formula.view(), 0x1p-10F) == 0);

  fmt::print("\n");
  for (const std::size_t shares : {1, 2, 3, 8}) {
    set_zero(y);
    draft.threaded(y, x, wt, shares);
    const std::size_t differ = rows_that_differ(y, by_matmul.view());
    fmt::print("y, its rows shared among {}: {} of {} rows differ from matmul()\n", shares, differ, Layer::N);
    lesson.check(fmt::format("threaded, shared among {}, has the bits of matmul()", shares), differ == 0);
  }
  set_zero(y);
  heads_in_loop(y, x, wt, 4);
  fmt::print("y, 4 heads in a loop: {} of {} rows differ from matmul()\n", rows_that_differ(y, by_matmul.view()),
             Layer::N);
}

/// A head of random numbers, D = 16, and room for its output.
struct RandomHead {
  Tensor<float> q, k, v, out;

  RandomHead(std::size_t T, PythonRandom random) : q(T, 16), k(T, 16), v(T, 16), out(T, 16) {
    for (Tensor<float>* x : {&q, &k, &v}) draw(x->view(), random);
  }
  Head head() const { return {q.view(), k.view(), v.view(), 0.25}; }
};

/// How many pairs of a query and a key two threads have, and whether sharing them changes a bit.
inline void show_attention(Lesson& lesson, const Draft& draft) {
  constexpr int T = 512;
  fmt::print("\nattention, {} queries on 2 threads | keys seen by thread 0 | by thread 1\n", T);
  for (const int deal : {T / 2, 16}) {
    int seen[2] = {};
    for (int t = 0; t < T; t++) seen[t / deal % 2] += t + 1;
    fmt::print("{:>34} | {:21} | {:11}\n", deal == 16 ? "dealt out by 16" : "in halves", seen[0], seen[1]);
  }
  fmt::print("\n");
  RandomHead ours(100, lesson.random), one = ours, src = ours;
  draft.attention(one.out.view(), one.head(), 1, 1);
  Tensor<float> log_sum(1, 100);
  const Mask causal = Mask::causal();
  naive<float>().attention_forward(src.out.view(), log_sum.view(),
                                   {src.q.view(), src.k.view(), src.v.view(), 1, 1, 0.25, causal});
  bool same = true;
  for (const auto& [threads, deal] : {std::pair{2, 50}, {2, 16}, {3, 7}}) {
    draft.attention(ours.out.view(), ours.head(), threads, deal);
    same = same && rows_that_differ(ours.out.view(), one.out.view()) == 0;
  }
  lesson.check("attention has the same bits on 1, 2 and 3 threads", same);
  // Weights add up to 1 and values are below 8; some hundred roundings by 2^-24 of that are below 2^-13.
  lesson.check("and is that of src/tensor, but for rounding",
               rows_that_differ(one.out.view(), src.out.view(), 0x1p-13F) == 0);
}

/// The contrast: the terms of one sum are shared out. Each share is summed by itself, then their sums are.
inline float sum_in_shares(const std::vector<float>& numbers, std::size_t shares) {
  std::vector<float> sums(shares);
  parallel(shares, [&](std::size_t s) {
    const Share part = share(numbers.size(), s, shares);
    const float* const first = numbers.data() + part.first;
    sums[s] = std::accumulate(first, first + part.n, 0.0F);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

inline void show_sums_in_shares(Lesson& lesson) {
  const float large = 0x1p24F;  // from here on, a float can only be even
  fmt::print("{0:.0f} + 1 + 1 in float, from the left: {1:.0f}; the ones first: {2:.0f}\n", large, large + 1 + 1,
             large + (1 + 1));
  std::vector<float> numbers(10000);
  std::generate(numbers.begin(), numbers.end(), [&] { return lesson.random.random(); });
  for (const std::size_t shares : {1, 2, 3, 8}) {
    const float sum = sum_in_shares(numbers, shares);
    fmt::print("a sum of {} numbers, its terms shared among {}: {:.4f}\n", numbers.size(), shares, sum);
  }
  fmt::print("\n");
}

// --- With TIMES=1 ----------------------------------------------------------------------------------------------------

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

inline void show_sums_at_once(const Draft& draft) {
  fmt::print("sums at once | products per ns | % of peak\n");
  for (int i = 0; i < 4; i++) {
    volatile float result = 0;
    const double us = Lesson::microseconds([&] { result = draft.at_once[i](100'000, result); });
    const double rate = static_cast<double>((lanes<float> << i) * 100'000) / us / 1000;
    fmt::print("{:12} | {:15.1f} | {:9.0f}\n", 1 << i, rate, 100 * rate / peak());
  }
}

/// How many numbers a nanosecond brings if they come from ever larger parts of memory.
inline void show_reading() {
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

inline void show_small_products(const Draft& draft) {
  const std::size_t threads = available_threads();
  fmt::print("\n16 positions, n_embd | us with 1 thread | with {:2} | times as fast\n", threads);
  for (const std::size_t n_embd : {16, 64, 256}) {
    const Tensor<float> few(16, n_embd), weights(n_embd, 4 * n_embd);
    Tensor<float> out(16, 4 * n_embd);
    auto us = [&](std::size_t shares) {
      return Lesson::microseconds([&] { draft.threaded(out.view(), few.view(), weights.view(), shares); });
    };
    const double one = us(1), all = us(threads);
    fmt::print("{:20} | {:16.2f} | {:7.2f} | {:13.2f}\n", n_embd, one, all, one / all);
  }
}

inline void show_attention_times(const Draft& draft, const PythonRandom& random) {
  RandomHead head(512, random);
  auto us = [&](int threads, int deal) {
    return Lesson::microseconds([&] { draft.attention(head.out.view(), head.head(), threads, deal); });
  };
  const double one = us(1, 1);
  fmt::print("\nattention, 512 queries     |      us | times as fast\n");
  auto line = [&](const char* what, double time) {
    fmt::print("{:26} | {:7.1f} | {:13.2f}\n", what, time, one / time);
  };
  line("1 thread", one);
  line("2 threads, in halves", us(2, 256));
  line("2 threads, dealt out by 16", us(2, 16));
}

/// y = x w^T, in all ways.
inline void show_product_times(const Draft& draft, PythonRandom& random) {
  Layer layer(random);
  const View<float> y = layer.y.view();
  const View<const float> x = layer.x.view(), w = layer.w.data.view(), wt = layer.w.transposed.view();
  fmt::print("\n{:36} |      us | products per ns | % of peak\n", "y = x w^T");
  auto time = [&](const std::string& what, const std::function<void()>& work) {
    const double us = Lesson::microseconds(work), rate = Layer::products / us / 1000;
    fmt::print("{:36} | {:7.1f} | {:15.1f} | {:9.0f}\n", what, us, rate, 100 * rate / peak());
  };
  const std::size_t threads = available_threads();
  time("plain", [&] { draft.plain(y, x, w); });
  time("tiled", [&] { draft.tiled(y, x, w); });
  time("vectorised", [&] { draft.vectorised(y, x, wt); });
  time(fmt::format("threaded, {} threads", threads), [&] { draft.threaded(y, x, wt, threads); });
  time("matmul() of src/tensor, one thread", [&] { matmul(y, x, wt); });
  for (const std::size_t H : {4, 16, 64}) {
    time(fmt::format("matmul(), {} heads of {} in a loop", H, y.cols / H), [&] { heads_in_loop(y, x, wt, H); });
  }
}

/// Everything that depends on this machine.
inline void show_times(Lesson& lesson, const Draft& draft) {
  fmt::print("one core's peak: {:.1f} products per ns, in vectors of {} numbers\n\n", peak(), lanes<float>);
  show_sums_at_once(draft);
  show_reading();
  show_product_times(draft, lesson.random);
  show_small_products(draft);
  fmt::print("\ntwo threads, two counters | us\n");
  fmt::print("side by side              | {:.0f}\n", count_apart(1));
  fmt::print("64 bytes apart            | {:.0f}\n", count_apart(16));
  show_attention_times(draft, lesson.random);
  fmt::print("\n");
}

}  // namespace microgpt
