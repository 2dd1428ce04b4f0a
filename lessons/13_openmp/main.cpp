// Lesson 13: one matrix product, four times: as the formula says; in tiles that stay in registers; on vectors; on
// threads. Then attention on threads. Each number of a result stays one sum in one order, by one owner.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "show.h"

using namespace microgpt;

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

/// Two threads add 1 to one number, in slow motion: both read, then both write.
void lose_an_addition() {
  std::atomic<int> number = 0;
  int seen[2];
  parallel(2, [&](std::size_t s) { seen[s] = number; });
  parallel(2, [&](std::size_t s) { number = seen[s] + 1; });
  show_lost(seen, number);  // stop: lost
}

/// Two threads add 1 ten times each, as slowly, each to a number of its own. Returns the sum of the two.
int add_with_owners() {
  int numbers[2] = {}, seen[2];
  for (int i = 0; i < 10; i++) {
    parallel(2, [&](std::size_t s) { seen[s] = numbers[s]; });
    parallel(2, [&](std::size_t s) { numbers[s] = seen[s] + 1; });
  }
  return numbers[0] + numbers[1];
}

/// Several sums at once, none of which waits for another. Nothing is read from memory.
template <std::size_t sums>
float at_once(std::size_t steps, float x) {
  Vector<float> sum[sums];
  for (std::size_t a = 0; a < sums; a++) sum[a] = broadcast(x + a);
  for (std::size_t j = 0; j < steps; j++) {
    for (std::size_t a = 0; a < sums; a++) sum[a] = multiply_add(broadcast(x), broadcast(x), sum[a]);
  }
  return std::accumulate(sum, sum + sums, Vector<float>{})[0];
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

/// 3) Vectors: a tile is 8 rows high and one vector wide, and one instruction works on a row of it. It reads w^T,
/// (n_in,n_out), where the weights of neighbouring outputs are neighbours.
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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lose_an_addition();
  show_owners(lesson, add_with_owners());
  const Draft draft{plain, {at_once<1>, at_once<2>, at_once<4>, at_once<8>}, tiled, vectorised, threaded, attention};
  show_products(lesson, draft);
  show_attention(lesson, draft);
  show_sums_in_shares(lesson);
  if (Lesson::timed()) show_times(lesson, draft);
  return lesson.finish();
}
