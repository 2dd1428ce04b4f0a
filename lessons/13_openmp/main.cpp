// Lesson 13: one matrix product, four times: as the formula says; in tiles that stay in registers; on vectors; on
// threads. Then attention on threads. Each number of a result stays one sum in one order, by one owner.
#include <atomic>

#include "lesson/lesson.h"
#include "lesson/softmax.h"
#include "pictures.h"
#include "tensor/kernels.h"
#include "tensor/matmul.h"

using namespace microgpt;

/// As the formula says. y (N,n_out) = x w^T: each number of y is the dot product of a row of x and a row of w.
void plain(View<float> y, View<const float> x, View<const float> w) {
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      float sum = 0;
      for (std::size_t j = 0; j < x.cols; j++) sum += x.row(n)[j] * w.row(i)[j];
      y.row(n)[i] = sum;
    }
  }
}

/// 1) Several sums at once, none of which waits for another. Nothing is read from memory.
template <std::size_t sums>
float at_once(std::size_t steps, float x) {
  Vector<float> sum[sums];
  for (std::size_t a = 0; a < sums; a++) sum[a] = broadcast(x + a);
  for (std::size_t j = 0; j < steps; j++) {
    for (std::size_t a = 0; a < sums; a++) sum[a] = multiply_add(broadcast(x), broadcast(x), sum[a]);
  }
  return std::accumulate(sum, sum + sums, Vector<float>{})[0];
}

/// 2) A tile: 4 by 4 numbers of y at a time. Their sums stay in registers, and what is read is used 4 times. The rows
/// and columns of y must be multiples of 4.
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

constexpr std::size_t tile_rows = 8;  // of a tile of vectors

/// 3) Vectors: a tile is 8 rows high and one vector wide, and one instruction works on a row of it. It reads w^T,
/// (n_in,n_out), where the weights of neighbouring outputs are neighbours. The rows of y must be a multiple of 8, the
/// columns of `lanes`.
void vectorised(View<float> y, View<const float> x, View<const float> wt) {
  for (std::size_t n = 0; n < y.rows; n += tile_rows) {
    for (std::size_t i = 0; i < y.cols; i += lanes<float>) {
      Vector<float> sum[tile_rows] = {};
      for (std::size_t j = 0; j < x.cols; j++) {
        const Vector<float> weights = load(wt.row(j) + i);
        for (std::size_t a = 0; a < tile_rows; a++) sum[a] = multiply_add(broadcast(x.row(n + a)[j]), weights, sum[a]);
      }
      for (std::size_t a = 0; a < tile_rows; a++) store(y.row(n + a) + i, sum[a]);
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

/// Queries, keys and values of one head, (T,D).
struct Head {
  View<const float> q, k, v;
  double scale;  // of the scores: 1 / sqrt(D)
};

/// 5) Attention of one head: query t mixes the values 0 to t. Each thread in turn is dealt `deal` queries.
void attention(View<float> out, const Head& head, [[maybe_unused]] int threads, [[maybe_unused]] int deal) {
#pragma omp parallel num_threads(threads)
  {
    std::vector<double> weights;  // one list for each thread
#pragma omp for schedule(static, deal)
    for (std::size_t t = 0; t < out.rows; t++) {
      weights.clear();
      for (std::size_t s = 0; s <= t; s++) weights.push_back(head.scale * dot(head.q.row(t), head.k.row(s), out.cols));
      weights = softmax(std::move(weights));
      std::fill_n(out.row(t), out.cols, 0.0F);
      for (std::size_t s = 0; s <= t; s++) add_row(out.row(t), head.v.row(s), out.cols, float(weights[s]));
    }
  }
}

/// Each head's columns of y by a product of their own, as some rows of w make them.
void heads_in_loop(View<float> y, View<const float> x, View<const float> wt, std::size_t H) {
  const std::size_t D = y.cols / H;
  for (std::size_t h = 0; h < H; h++) matmul(y.slice_cols(h * D, D), x, wt.slice_cols(h * D, D));
}

void draw(View<float> numbers, PythonRandom& random) {
  for (std::size_t i = 0; i < numbers.rows; i++) {
    std::generate_n(numbers.row(i), numbers.cols, [&] { return random.gauss(0, 1); });
  }
}

/// How many rows of a are further than `tolerance` from b's; with 0, how many differ at all.
std::size_t rows_that_differ(View<const float> a, View<const float> b, float tolerance = 0) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.rows; i++) {
    auto near = [&](float p, float q) { return tolerance == 0 ? p == q : std::abs(p - q) <= tolerance; };
    count += std::equal(a.row(i), a.row(i) + a.cols, b.row(i), near) ? 0 : 1;
  }
  return count;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // Two threads add 1 to one number, in slow motion: both read, then both write.
  std::atomic<int> number = 0;
  int seen[2];
  parallel(2, [&](std::size_t s) { seen[s] = number; });
  parallel(2, [&](std::size_t s) { number = seen[s] + 1; });
  fmt::print("\nthread 0 reads {}, thread 1 reads {}; each adds 1 and writes: {}\n", seen[0], seen[1],
             number.load());  // stop: lost

  // Two threads add 1 ten times each, as slowly, each to a number of its own.
  int numbers[2] = {};
  for (int i = 0; i < 10; i++) {
    parallel(2, [&](std::size_t s) { seen[s] = numbers[s]; });
    parallel(2, [&](std::size_t s) { numbers[s] = seen[s] + 1; });
  }
  fmt::print("two threads add 1 ten times each: {}\n", numbers[0] + numbers[1]);
  lesson.picture("13_lost.svg", lost_update_picture());
  lesson.picture("13_tile.svg", tile_picture());

  // Some 30 names, and the first layer of an MLP of n_embd 64: the same product in all ways.
  constexpr std::size_t N = 248, n_in = 64, n_out = 256, products = N * n_out * n_in;
  Tensor<float> x_numbers(N, n_in), y_numbers(N, n_out), by_formula(N, n_out), by_matmul(N, n_out);
  Weight<float> weight(n_out, n_in);
  draw(x_numbers.view(), lesson.random);
  draw(weight.data.view(), lesson.random);
  weight.transpose_rows({0, n_out});
  const View<const float> x = x_numbers.view(), w = weight.data.view(), wt = weight.transposed.view();
  const View<float> y = y_numbers.view();
  fmt::print("\ny = x w^T: x ({},{}), w ({},{}), {} products\n", N, n_in, n_out, n_in, products);
  fmt::print("numbers read: {} one sum at a time, {} in tiles of 4 by 4, {} in tiles of 8 by 16\n", 2 * products,
             products / 4 + products / 4, products / 8 + products / 16);
  plain(by_formula.view(), x, w);
  matmul(by_matmul.view(), x, wt);
  tiled(y, x, w);
  lesson.check("tiled has the bits of plain", rows_that_differ(y, by_formula.view()) == 0);
  vectorised(y, x, wt);
  lesson.check("vectorised has the bits of matmul() in src/tensor", rows_that_differ(y, by_matmul.view()) == 0);
  // The sizes of 64 products add up to less than 100. Both round 64 sums by 2^-24 of that at most, and plain its
  // products, too: together below 2^-10.
  lesson.check("and is plain, but for rounding", rows_that_differ(y, by_formula.view(), 0x1p-10F) == 0);

  fmt::print("\n");
  for (const std::size_t shares : {1, 2, 3, 8}) {
    set_zero(y);
    threaded(y, x, wt, shares);
    const std::size_t others = rows_that_differ(y, by_matmul.view());
    fmt::print("y, its rows shared among {}: {} of {} rows differ from matmul()\n", shares, others, N);
    lesson.check(fmt::format("threaded, shared among {}, has the bits of matmul()", shares), others == 0);
  }
  set_zero(y);
  heads_in_loop(y, x, wt, 4);
  const std::size_t differ = rows_that_differ(y, by_matmul.view());
  fmt::print("y, 4 heads in a loop: {} of {} rows differ from matmul()\n", differ, N);

  // How many pairs of a query and a key two threads have.
  constexpr int T = 512;
  fmt::print("\nattention, {} queries on 2 threads | keys seen by thread 0 | by thread 1\n", T);
  for (const int deal : {T / 2, 16}) {
    int keys[2] = {};
    for (int t = 0; t < T; t++) keys[t / deal % 2] += t + 1;
    fmt::print("{:>34} | {:21} | {:11}\n", deal == 16 ? "dealt out by 16" : "in halves", keys[0], keys[1]);
  }
  fmt::print("\n");

  // Whether sharing them changes a bit.
  PythonRandom random = lesson.random;  // a copy: what is drawn from it leaves the numbers below as they are
  Tensor<float> q(100, 16), k(100, 16), v(100, 16), one(100, 16), some(100, 16), src(100, 16), log_sum(1, 100);
  for (Tensor<float>* rows : {&q, &k, &v}) draw(rows->view(), random);
  const Head head{q.view(), k.view(), v.view(), 0.25};
  attention(one.view(), head, 1, 1);
  bool same = true;
  for (const auto& [threads, deal] : {std::pair{2, 50}, {2, 16}, {3, 7}}) {
    attention(some.view(), head, threads, deal);
    same = same && rows_that_differ(some.view(), one.view()) == 0;
  }
  lesson.check("attention has the same bits on 1, 2 and 3 threads", same);
  const Mask causal = Mask::causal();
  naive<float>().attention_forward(src.view(), log_sum.view(), {head.q, head.k, head.v, 1, 1, head.scale, causal});
  // Weights add up to 1 and values are below 8; some hundred roundings by 2^-24 of that are below 2^-13.
  lesson.check("and is that of src/tensor, but for rounding", rows_that_differ(one.view(), src.view(), 0x1p-13F) == 0);

  const float large = 0x1p24F;  // from here on, a float can only be even
  fmt::print("{0:.0f} + 1 + 1 in float, from the left: {1:.0f}; the ones first: {2:.0f}\n", large, large + 1 + 1,
             large + (1 + 1));
  std::vector<float> terms(10000);
  std::generate(terms.begin(), terms.end(), [&] { return lesson.random.random(); });
  for (const std::size_t shares : {1, 2, 3, 8}) {
    // The contrast: the terms of one sum are shared out. Each share is summed by itself, then their sums are.
    std::vector<float> sums(shares);
    parallel(shares, [&](std::size_t s) {
      const Share part = share(terms.size(), s, shares);
      const float* const first = terms.data() + part.first;
      sums[s] = std::accumulate(first, first + part.n, 0.0F);
    });
    const float sum = std::accumulate(sums.begin(), sums.end(), 0.0F);
    fmt::print("a sum of {} numbers, its terms shared among {}: {:.4f}\n", terms.size(), shares, sum);
  }
  fmt::print("\n");
  if (!Lesson::timed()) return lesson.finish();

  // With TIMES=1: all that depends on this machine.
  const std::size_t threads = available_threads();
  fmt::print("one core's peak: {:.1f} products per ns, in vectors of {} numbers\n\n", peak(), lanes<float>);
  fmt::print("sums at once | products per ns | % of peak\n");
  std::size_t sums = 1;
  for (float (*grow)(std::size_t, float) : {at_once<1>, at_once<2>, at_once<4>, at_once<8>}) {
    volatile float result = 0;
    const double us = Lesson::microseconds([&] { result = grow(100'000, result); });
    const double rate = static_cast<double>(lanes<float> * sums * 100'000) / us / 1000;
    fmt::print("{:12} | {:15.1f} | {:9.0f}\n", sums, rate, 100 * rate / peak());
    sums *= 2;
  }
  print_reading();

  fmt::print("\n{:36} |      us | products per ns | % of peak\n", "y = x w^T");
  auto time = [&](const std::string& what, const auto& work) {
    const double us = Lesson::microseconds(work), rate = static_cast<double>(y.rows * y.cols * x.cols) / us / 1000;
    fmt::print("{:36} | {:7.1f} | {:15.1f} | {:9.0f}\n", what, us, rate, 100 * rate / peak());
  };
  time("plain", [&] { plain(y, x, w); });
  time("tiled", [&] { tiled(y, x, w); });
  time("vectorised", [&] { vectorised(y, x, wt); });
  time(fmt::format("threaded, {} threads", threads), [&] { threaded(y, x, wt, threads); });
  time("matmul() of src/tensor, one thread", [&] { matmul(y, x, wt); });
  for (const std::size_t H : {4, 16, 64}) {
    time(fmt::format("matmul(), {} heads of {} in a loop", H, y.cols / H), [&] { heads_in_loop(y, x, wt, H); });
  }

  fmt::print("\n16 positions, n_embd | us with 1 thread | with {:2} | times as fast\n", threads);
  for (const std::size_t n_embd : {16, 64, 256}) {  // two rows of tiles, so a third thread has nothing to do
    const Tensor<float> few(16, n_embd), weights(n_embd, 4 * n_embd);
    Tensor<float> out(16, 4 * n_embd);
    auto us = [&](std::size_t shares) {
      return Lesson::microseconds([&] { threaded(out.view(), few.view(), weights.view(), shares); });
    };
    const double alone = us(1), all = us(threads);
    fmt::print("{:20} | {:16.2f} | {:7.2f} | {:13.2f}\n", n_embd, alone, all, alone / all);
  }

  fmt::print("\ntwo threads, two counters | us\n");
  fmt::print("side by side              | {:.0f}\n", count_apart(1));
  fmt::print("64 bytes apart            | {:.0f}\n", count_apart(16));

  fmt::print("\nattention, 512 queries     |      us | times as fast\n");
  Tensor<float> queries(512, 16), keys(512, 16), values(512, 16), found(512, 16);
  for (Tensor<float>* rows : {&queries, &keys, &values}) draw(rows->view(), lesson.random);
  auto us = [&](int used, int deal) {
    return Lesson::microseconds([&] {
      attention(found.view(), {queries.view(), keys.view(), values.view(), 0.25}, used, deal);
    });
  };
  const double alone = us(1, 1), halves = us(2, 256), dealt = us(2, 16);
  fmt::print("1 thread                   | {:7.1f} | {:13.2f}\n", alone, 1.0);
  fmt::print("2 threads, in halves       | {:7.1f} | {:13.2f}\n", halves, alone / halves);
  fmt::print("2 threads, dealt out by 16 | {:7.1f} | {:13.2f}\n\n", dealt, alone / dealt);
  return lesson.finish();
}
