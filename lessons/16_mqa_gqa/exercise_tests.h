// The tests of exercise 16: who reads whom, then the way back through a few positions, then PyTorch's figures.
#pragma once

#include <string>

#include "lesson/nudge.h"
#include "lesson/teach.h"
#include "train/safetensors.h"

using teach::calling;
using teach::should_be;
using teach::usual;

/// T positions. Heads have two numbers.
inline Qkv some(std::size_t T, std::size_t H, std::size_t G) {
  return {waves(T, 2 * H, 1), waves(T, 2 * G, 2), waves(T, 2 * G, 3)};
}

/// What `x` would be if query head h read head of[h]: a key of its own for every query head.
inline Array picked(const Array& x, const std::vector<std::size_t>& of) {
  Array y(x.rows, 2 * of.size());
  for (std::size_t t = 0; t < x.rows; t++) {
    for (std::size_t i = 0; i < y.cols; i++) y[t][i] = x[t][2 * of[i / 2] + i % 2];
  }
  return y;
}

inline void test_groups() {
  const Qkv a{waves(1, 12, 1), waves(1, 6, 2), row_of({10, 11, 20, 21, 30, 31})};
  auto read = [&](const std::vector<std::size_t>& of) { return picked(a.v, of).data; };
  calling("gqa() with H = 6, G = 3 and one position, whose values are (10 11) (20 21) (30 31)",
          "With one position each head finds the value that it reads. Query heads 0 and 1 read head 0, 2 and 3 head 1. "
          "D is q.cols / H.");
  usual(read({0, 1, 2, 0, 1, 2}), "Query head h reads head h % G. Neighbours share: it should be h / (H / G).");
  usual(read({0, 0, 0, 1, 1, 1}), "Query head h reads head h / G. A group has H / G heads, so it is h / (H / G).");
  usual(read({0, 0, 0, 0, 0, 0}), "All query heads read head 0. That is MQA.");
  usual(std::vector<double>(12), "Nothing was found. The weights of a position that only sees itself are (1).");
  should_be(gqa(a, 6, 3).data, read({0, 0, 1, 1, 2, 2}));
}

/// The same attention with a head of keys and values for each query head: a slow GQA, and right.
inline Array by_copies(Qkv a, std::size_t H, std::size_t G, double root, bool causal) {
  Array out(a.q.rows, a.q.cols);
  for (std::size_t t = 0; t < a.q.rows; t++) {
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t g = 2 * (h / (H / G));
      std::vector<double> scores;
      for (std::size_t s = 0; s < (causal ? t + 1 : a.k.rows); s++) {
        scores.push_back((a.q[t][2 * h] * a.k[s][g] + a.q[t][2 * h + 1] * a.k[s][g + 1]) / root);
      }
      scores = softmax(scores);
      for (std::size_t s = 0; s < scores.size(); s++) {
        for (std::size_t j = 0; j < 2; j++) out[t][2 * h + j] += scores[s] * a.v[s][g + j];
      }
    }
  }
  return out;
}

inline void test_forward() {
  const Qkv a = some(4, 6, 3);
  const double root = std::sqrt(2);
  calling("gqa() with H = 6, G = 3, D = 2 and four positions",
          "For one position it was right. Scores are q . k / root of D, over the positions 0 to t.");
  usual(by_copies(a, 6, 3, root, false).data, "Each position sees all. It should see the positions 0 to t.");
  usual(by_copies(a, 6, 3, 1, true).data, "The scores were not divided by the root of D.");
  usual(by_copies(a, 6, 3, 2, true).data, "Divided by D. It should be the root of D, and D is q.cols / H.");
  should_be(gqa(a, 6, 3).data, by_copies(a, 6, 3, root, true).data);
}

inline void test_shared_value() {
  const Qkv a = some(1, 6, 3);
  Array dout(1, 12);
  for (std::size_t i = 0; i < 12; i++) dout[0][i] = static_cast<double>(i < 2 ? 5 : 1);
  calling("gqa_backward() with H = 6, G = 3, one position, and dout = 5 for head 0, 1 for the others: the slopes of v",
          "Each head of values has two readers, and gets what both hand back: 5 + 1, 1 + 1, 1 + 1.");
  usual(
      {1, 1, 1, 1, 1, 1},
      "Only the last reader's share arrived. Two query heads read this value: does it write  =  where it should add?");
  usual({0, 0, 0, 0, 0, 0}, "Nothing arrived. Each value gets its weight times dout of every head that read it.");
  should_be(gqa_backward(dout, a, 6, 3).v.data, {6, 6, 2, 2, 2, 2});
}

/// Each slope is measured by nudging: lesson 02's central differences.
inline void test_backward() {
  const Array dout = waves(4, 12, 4);
  Qkv a = some(4, 6, 3);
  auto loss = [&] {
    const Array out = gqa(a, 6, 3);
    double total = 0;
    for (std::size_t i = 0; i < out.data.size(); i++) total += dout.data[i] * out.data[i];
    return total;
  };
  const Qkv d = gqa_backward(dout, a, 6, 3);
  auto times = [](std::vector<double> list, double factor) {
    for (double& x : list) x *= factor;
    return list;
  };
  const std::vector<double> dq = nudged(a.q.data, loss), dk = nudged(a.k.data, loss), dv = nudged(a.v.data, loss);
  calling(
      "gqa_backward() with four positions, and slopes by nudging: the slopes of v",
      "A value gets weight * dout from every position that saw it, and every head of its group. Is it  += ? And is the "
      "group h / (H / G), as on the way there?");
  should_be(d.v.data, dv, 1e-6);
  calling("gqa_backward() with four positions, and slopes by nudging: the slopes of q",
          "dscore[s] = weight[s] * (dweight[s] - mean), mean = sum of weight * dweight. Is the mean taken out?");
  usual(times(dq, std::sqrt(2)), "The scores were divided by the root of D, so their slopes must be, too.");
  usual(std::vector<double>(dq.size()), "Nothing arrived at the queries. A query acts on the scores with k[s].");
  should_be(d.q.data, dq, 1e-6);
  calling("gqa_backward() with four positions, and slopes by nudging: the slopes of k",
          "The queries are right. A key gets dscore * q from every later position, and every head of its group: += ");
  usual(std::vector<double>(dk.size()), "Nothing arrived at the keys. A key acts on the scores with q.");
  should_be(d.k.data, dk, 1e-6);
}

// --- PyTorch's figures ---

inline Array tensor(const Safetensors& file, const std::string& name) {
  const Safetensors::Tensor& t = file.tensors.at(name);
  Array x(t.data.size() / t.shape.back(), t.shape.back());
  x.data = t.data;
  return x;
}

/// a b, or a b^T.
inline Array product(const Array& a, const Array& b, bool transposed = false) {
  Array y(a.rows, transposed ? b.rows : b.cols);
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      for (std::size_t j = 0; j < a.cols; j++) y[n][i] += a[n][j] * (transposed ? b[i][j] : b[j][i]);
    }
  }
  return y;
}

/// Adds y^T x.
inline void add_gradient(Array& w, const Array& y, const Array& x) {
  for (std::size_t n = 0; n < x.rows; n++) {
    for (std::size_t i = 0; i < w.rows; i++) {
      for (std::size_t j = 0; j < w.cols; j++) w[i][j] += y[n][i] * x[n][j];
    }
  }
}

inline Array rows(const Array& x, std::size_t first, std::size_t n) {
  Array some_rows(n, x.cols);
  std::copy_n(x[first], n * x.cols, some_rows[0]);
  return some_rows;
}

/// A layer with 8 query heads: its outputs, and the gradients of its matrices.
inline void test_pytorch(std::size_t G) {
  const std::string name = (G == 1 ? "mqa_2x6x32_h8_kv" : "gqa_2x6x32_h8_kv") + std::to_string(G);
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  const Array wq = tensor(file, "w_q"), wk = tensor(file, "w_k"), wv = tensor(file, "w_v"), wo = tensor(file, "w_o");
  const Array all = tensor(file, "x"), grad_out = tensor(file, "grad_out"), out = tensor(file, "out");
  Array dwq(wq.rows, wq.cols), dwk(wk.rows, wk.cols), dwv(wv.rows, wv.cols);
  const std::string which = "PyTorch's example " + name + ": ";
  for (const std::size_t first : {0, 6}) {  // two documents of 6 positions
    const Array x = rows(all, first, 6);
    const Qkv a{product(x, wq, true), product(x, wk, true), product(x, wv, true)};
    calling(which + "the outputs", "Does it work for other H, G and D than 6, 3 and 2?");
    should_be(product(gqa(a, 8, G), wo, true).data, rows(out, first, 6).data, 1e-12);
    const Qkv d = gqa_backward(product(rows(grad_out, first, 6), wo), a, 8, G);
    add_gradient(dwq, d.q, x);
    add_gradient(dwk, d.k, x);
    add_gradient(dwv, d.v, x);
  }
  calling(which + "the gradients of W_Q, W_K and W_V",
          "Does gqa_backward() work for other H, G and D than 6, 3 and 2?");
  should_be(dwq.data, tensor(file, "grad.w_q").data, 1e-12);
  should_be(dwk.data, tensor(file, "grad.w_k").data, 1e-12);
  should_be(dwv.data, tensor(file, "grad.w_v").data, 1e-12);
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv,
                         {test_groups, test_forward, test_shared_value, test_backward, [] { test_pytorch(2); },
                          [] { test_pytorch(1); }, [] { test_pytorch(8); }});
}
