#include "tensor/flash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/drop.h"
#include "tensor/mask.h"
#include "tensor/matmul.h"
#include "tensor/simd.h"
#include "tensor/tensor.h"

namespace microgpt {
namespace {

constexpr std::size_t block = Mask::block;  // queries per block, and keys per block

template <class T>
constexpr T masked = -std::numeric_limits<T>::infinity();  // the score of a key that the query does not see

/// Which keys of a block each query of a block may see. A block has at most Mask::block of them.
class Visible {
 public:
  /// Some queries of the block, and a range of keys from the first to the last that one of them sees.
  struct Part {
    std::size_t row, rows;  // queries
    std::size_t col, cols;  // keys
  };

  /// n queries from first_query on, `width` keys from first_key on.
  Visible(const Mask& mask, std::size_t first_query, std::size_t n, std::size_t first_key, std::size_t width)
      : n_(n), width_(width) {
    for (std::size_t i = 0; i < n; i++) {
      words_[i] = mask.bits(first_query + i, first_key) & Mask::lowest(width);
    }
  }

  /// Calls visit(part) for parts that together cover all visible pairs: the whole block if all is visible, or about the
  /// visible half if the diagonal or the end of a window cuts it. Takes queries 16 at a time, keys in whole vectors.
  template <class T, class Visit>
  void each_part(Visit visit) const {
    Part part{};
    for (std::size_t row = 0; row < n_; row += step) {
      const Part next = seen_by<T>(row, std::min(step, n_ - row));
      if (part.rows > 0 && next.col == part.col && next.cols == part.cols) {
        part.rows += next.rows;
        continue;
      }
      if (part.rows > 0 && part.cols > 0) visit(part);
      part = next;
    }
    if (part.rows > 0 && part.cols > 0) visit(part);
  }

  /// x in the lanes whose keys, from `first` on, query i sees, and `masked` elsewhere.
  template <class T>
  Vector<T> select(std::size_t i, std::size_t first, Vector<T> x, T masked) const {
    const Vector<Unsigned<T>> bits = broadcast(static_cast<Unsigned<T>>(words_[i] >> first)) >> lane_numbers<T>;
    return (bits & 1) != 0 ? x : broadcast(masked);
  }

 private:
  static constexpr std::size_t step = 16;

  template <class T>
  Part seen_by(std::size_t row, std::size_t rows) const {
    std::uint64_t seen = 0;
    for (std::size_t i = row; i < row + rows; i++) seen |= words_[i];
    if (seen == 0) return {row, rows, 0, 0};
    const auto first = static_cast<std::size_t>(std::countr_zero(seen)) / lanes<T> * lanes<T>;
    const auto end = std::min(width_, padded<T>(static_cast<std::size_t>(std::bit_width(seen))));
    return {row, rows, first, end - first};
  }

  std::size_t n_;
  std::size_t width_;
  std::array<std::uint64_t, Mask::block> words_;
};

/// The rows of a matrix, transposed in blocks of 64. Each block is contiguous in memory, which suits the cache.
template <class T>
class TransposedBlocks {
 public:
  void take(View<const T> x) {
    cols_ = x.cols;
    blocks_.resize((x.rows + block - 1) / block * cols_, block);
    for (std::size_t s = 0; s < x.rows; s += block) {
      transpose(at(s), x.slice_rows(s, std::min(block, x.rows - s)));
    }
  }

  /// (cols,64): the transpose of the 64 rows from s on. s is a multiple of 64.
  View<T> at(std::size_t s) { return blocks_.view().slice_rows(s / block * cols_, cols_); }

 private:
  std::size_t cols_ = 0;
  Tensor<T> blocks_;
};

/// A thread's memory for one head, allocated once and reused. A head's rows are not contiguous in the batch, so rows
/// that enter matrix products are copied here.
template <class T>
struct Workspace {
  Tensor<T> keys;                // (m,K)
  Tensor<T> values;              // (m,D)
  TransposedBlocks<T> keys_t;    // (K,m)
  TransposedBlocks<T> values_t;  // (D,m)
  Tensor<T> dk, dv;
  Tensor<T> weights{block, block};
  Tensor<T> dweights{block, block};

  std::vector<std::size_t> seen;  // the keys that a single query sees
  AlignedVector<T> seen_weights;

  static void take(Tensor<T>& to, View<const T> x) {
    to.resize(x.rows, x.cols);
    copy(to.view(), x);
  }

  static void clear(Tensor<T>& x, std::size_t rows, std::size_t cols) {
    x.resize(rows, cols);
    set_zero(x.view());
  }

  static Workspace& of_thread() {
    thread_local Workspace workspace;
    return workspace;
  }
};

/// The softmax of each row of a block of queries, computed while the keys arrive block by block.
template <class T>
struct OnlineSoftmax {
  std::array<T, block> max_score;  // the largest score so far
  std::array<T, block> total;      // the sum of exp(score - max_score) so far
  std::array<T, block> shrink;     // the factor for earlier sums, since this block of keys may raise max_score

  OnlineSoftmax() {
    max_score.fill(masked<T>);
    total.fill(0);
  }

  /// Computes n more weights for query i, padded to whole vectors: row[s] = exp(score_at(s) - max_score), where
  /// score_at(s) is the vector of scores from key s on.
  template <class ScoreAt>
  void take(std::size_t i, T* row, std::size_t n, ScoreAt score_at) {
    Vector<T> largest = broadcast(max_score[i]);
    for (std::size_t s = 0; s < n; s += lanes<T>) {
      const Vector<T> score = score_at(s);
      store(row + s, score);
      largest = max<T>(largest, score);
    }
    const T new_max = max<T>(largest);
    const T reference = new_max == masked<T> ? 0 : new_max;  // no key seen yet: all weights are exp(-inf) = 0
    Vector<T> sums{};
    for (std::size_t s = 0; s < n; s += lanes<T>) {
      const Vector<T> weight = exp<T>(load(row + s) - reference);
      store(row + s, weight);
      sums += weight;
    }
    shrink[i] = total[i] == 0 ? 0 : std::exp(max_score[i] - new_max);
    total[i] = total[i] * shrink[i] + sum<T>(sums);
    max_score[i] = new_max;
  }
};

/// Divides the rows of `out` by their softmax totals, and sets log_sum.
template <class T>
void finish(View<T> out, T* log_sum, OnlineSoftmax<T>& softmax) {
  for (std::size_t i = 0; i < out.rows; i += lanes<T>) {
    const std::size_t n = std::min(lanes<T>, out.rows - i);
    const Vector<T> total = load(softmax.total.data() + i);
    store(log_sum + i, load(softmax.max_score.data() + i) + log<T>(total), n);
    store(softmax.total.data() + i, 1 / total);
  }
  for (std::size_t i = 0; i < out.rows; i++) {
    if (softmax.max_score[i] == masked<T>) {
      log_sum[i] = masked<T>;
    } else {
      multiply_row(out.row(i), out.cols, softmax.total[i]);
    }
  }
}

/// Calls visit(s, visible, part) for parts of the blocks of keys; s is a block's first key. Together they cover all
/// keys that a block of queries sees.
template <class T, class Visit>
void each_part(const AttentionHead<T>& head, Visit visit) {
  const auto& [q, k, v, scale, mask, first_query, dropout] = head;
  const std::size_t m = v.rows;
  for (std::size_t s = mask.next_block(first_query, q.rows, 0); s < m;
       s = mask.next_block(first_query, q.rows, s + block)) {
    const Visible visible(mask, first_query, q.rows, s, std::min(block, m - s));
    visible.each_part<T>([&](const Visible::Part& part) { visit(s, visible, part); });
  }
}

/// The numbers of a part in a block's matrix, from its first column on.
template <class T>
View<T> of_part(Tensor<T>& numbers, const Visible::Part& part) {
  return numbers.view().slice_rows(part.row, part.rows).slice_cols(0, part.cols);
}

/// Computes out (n,D) and log_sum (n) for a block of queries. work.keys_t holds the keys, transposed.
template <class T>
void forward_block(View<T> out, T* log_sum, const AttentionHead<T>& head, Workspace<T>& work) {
  OnlineSoftmax<T> softmax;
  set_zero(out);
  each_part(head, [&](std::size_t s, const Visible& visible, const Visible::Part& part) {
    const View<T> weights = of_part(work.weights, part);
    const View<T> to = out.slice_rows(part.row, part.rows);
    matmul(weights, head.q.slice_rows(part.row, part.rows), work.keys_t.at(s).slice_cols(part.col, part.cols));
    for (std::size_t i = 0; i < part.rows; i++) {
      softmax.take(part.row + i, weights.row(i), part.cols, [&](std::size_t j) {
        return visible.select(part.row + i, part.col + j, load(weights.row(i) + j) * head.scale, masked<T>);
      });
      multiply_row(to.row(i), to.cols, softmax.shrink[part.row + i]);
    }
    if (head.dropout.drops()) drop<T>(weights, weights, head.dropout, head.first_query + part.row, s + part.col);
    matmul_add(to, weights, head.v.slice_rows(s + part.col, part.cols));
  });
  finish(out, log_sum, softmax);
}

/// A single query, as in generation: uses the keys it sees in place. Copying them first, as for a block, would cost
/// more than using them.
template <class T>
void forward_one(View<T> out, T* log_sum, const AttentionHead<T>& head, Workspace<T>& work) {
  const std::size_t n = work.seen.size();
  work.seen_weights.assign(padded<T>(n), masked<T>);
  T* const weights = work.seen_weights.data();
  for (std::size_t c = 0; c < n; c++) weights[c] = dot(head.q.data, head.k.row(work.seen[c]), head.q.cols);
  OnlineSoftmax<T> softmax;
  softmax.take(0, weights, n, [&](std::size_t s) { return load(weights + s) * head.scale; });
  each_vector<T>(out.cols, [&](auto get, auto put) {
    Vector<T> sums{};
    for (std::size_t c = 0; c < n; c++) {
      sums = multiply_add(get(head.v.row(work.seen[c])), broadcast(weights[c]), sums);
    }
    put(out.data, sums);
  });
  finish(out, log_sum, softmax);
}

/// What the backward of a block of queries knows of their outputs.
template <class T>
struct Outputs {
  View<const T> dout;          // (n,D)
  const T* log_sum;            // (n)
  std::array<T, block> delta;  // dout * out, summed over D
};

/// For a block of queries: sets dq, and adds to dk and dv.
template <class T>
void backward_block(const AttentionGradients<T>& to, const AttentionHead<T>& head, const Outputs<T>& outputs,
                    Workspace<T>& work) {
  set_zero(to.dq);
  each_part(head, [&](std::size_t s, const Visible& visible, const Visible::Part& part) {
    const std::size_t key = s + part.col;
    const View<T> weights = of_part(work.weights, part);
    const View<T> dweights = of_part(work.dweights, part);
    const View<T> dscores = dweights;  // in their place
    const View<const T> q = head.q.slice_rows(part.row, part.rows);
    const View<const T> dout = outputs.dout.slice_rows(part.row, part.rows);
    matmul(weights, q, work.keys_t.at(s).slice_cols(part.col, part.cols));
    matmul(dweights, dout, work.values_t.at(s).slice_cols(part.col, part.cols));
    if (head.dropout.drops()) drop<T>(dweights, dweights, head.dropout, head.first_query + part.row, key);
    for (std::size_t row = 0; row < part.rows; row++) {
      const std::size_t i = part.row + row;
      for (std::size_t j = 0; j < part.cols; j += lanes<T>) {
        const Vector<T> score = load(weights.row(row) + j) * head.scale;
        const Vector<T> weight = visible.select(i, part.col + j, exp<T>(score - outputs.log_sum[i]), T{0});
        store(weights.row(row) + j, weight);
        store(dscores.row(row) + j, weight * (load(dweights.row(row) + j) - outputs.delta[i]) * head.scale);
      }
    }
    if (head.dropout.drops()) drop<T>(weights, weights, head.dropout, head.first_query + part.row, key);
    matmul_add(to.dv.slice_rows(key, part.cols), transposed(weights), dout);
    matmul_add(to.dk.slice_rows(key, part.cols), transposed(dscores), q);
    matmul_add(to.dq.slice_rows(part.row, part.rows), dscores, head.k.slice_rows(key, part.cols));
  });
}

}  // namespace

template <class T>
void flash_forward(const View<T>& out, const View<T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t D = call.value_dim();
  Workspace<T>& work = Workspace<T>::of_thread();
  if (call.q.rows == 1 && !call.dropout.drops()) {
    const std::size_t t = call.first_query, m = call.k.rows;
    work.seen.clear();
    for (std::size_t s = call.mask.next_block(t, 1, 0); s < m; s = call.mask.next_block(t, 1, s + block)) {
      for (std::uint64_t word = call.mask.bits(t, s) & Mask::lowest(m - s); word != 0; word &= word - 1) {
        work.seen.push_back(s + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
    for (std::size_t h = 0; h < call.n_head; h++) {
      forward_one(out.slice_cols(h * D, D), log_sum.row(h), call.head(h), work);
    }
    return;
  }
  for (std::size_t h = 0; h < call.n_head; h++) {
    AttentionHead<T> head = call.head(h);
    const View<T> out_h = out.slice_cols(h * D, D);
    if (call.is_first_of_group(h)) {
      work.keys_t.take(head.k);
      work.take(work.values, head.v);
    }
    head.v = work.values.view();
    for (std::size_t t = 0; t < call.q.rows; t += block) {
      const std::size_t n = std::min(block, call.q.rows - t);
      forward_block(out_h.slice_rows(t, n), log_sum.row(h) + t, head.queries(t, n), work);
    }
  }
}

template <class T>
void flash_backward(const AttentionGradients<T>& gradients, const View<const T>& dout, const View<const T>& out,
                    const View<const T>& log_sum, const AttentionCall<T>& call) {
  const std::size_t K = call.key_dim();
  const std::size_t D = call.value_dim();
  Workspace<T>& work = Workspace<T>::of_thread();
  for (std::size_t h = 0; h < call.n_head; h++) {
    AttentionHead<T> head = call.head(h);
    const auto [dq, dk, dv] = call.head(gradients, h, K, D);
    if (call.is_first_of_group(h)) {
      work.take(work.keys, head.k);
      work.keys_t.take(work.keys.view());
      work.values_t.take(head.v);
      work.clear(work.dk, head.k.rows, K);
      work.clear(work.dv, head.v.rows, D);
    }
    head.k = work.keys.view();
    for (std::size_t t = 0; t < call.q.rows; t += block) {
      const std::size_t n = std::min(block, call.q.rows - t);
      Outputs<T> outputs{dout.slice_cols(h * D, D).slice_rows(t, n), log_sum.row(h) + t, {}};
      for (std::size_t i = 0; i < n; i++) outputs.delta[i] = dot(outputs.dout.row(i), out.row(t + i) + h * D, D);
      backward_block<T>({dq.slice_rows(t, n), work.dk.view(), work.dv.view()}, head.queries(t, n), outputs, work);
    }
    if (call.is_first_of_group(h + 1)) {
      copy<T>(dk, work.dk.view());
      copy<T>(dv, work.dv.view());
    }
  }
}

template void flash_forward(const View<float>&, const View<float>&, const AttentionCall<float>&);
template void flash_forward(const View<double>&, const View<double>&, const AttentionCall<double>&);
template void flash_backward(const AttentionGradients<float>&, const View<const float>&, const View<const float>&,
                             const View<const float>&, const AttentionCall<float>&);
template void flash_backward(const AttentionGradients<double>&, const View<const double>&, const View<const double>&,
                             const View<const double>&, const AttentionCall<double>&);

}  // namespace microgpt
