// The tests of exercise 16: who reads whom, then the way back through a few positions, then PyTorch's figures.
#pragma once

#include "lesson/nudge.h"
#include "lesson/teach.h"
#include "tensor/kernels.h"
#include "train/safetensors.h"

using namespace teach;

/// T positions. Heads have two numbers.
inline Qkv some(std::size_t T, std::size_t H, std::size_t G) {
  return {waves(T, 2 * H, 1), waves(T, 2 * G, 2), waves(T, 2 * G, 3)};
}

inline void test_groups() {
  const Qkv a{waves(1, 12, 1), waves(1, 6, 2), row_of({10, 11, 20, 21, 30, 31})};
  auto read = [](const std::vector<int>& of) {  // the values of these heads
    Numbers values;
    for (const int g : of) values.insert(values.end(), {10.0 * g + 10, 10.0 * g + 11});
    return values;
  };
  calling("gqa() with H = 6, G = 3 and one position, whose values are (10 11) (20 21) (30 31)",
          "With one position each head finds the value that it reads. Query heads 0 and 1 read head 0, 2 and 3 head 1. "
          "D is q.cols / H.");
  usual(read({0, 1, 2, 0, 1, 2}), "Query head h reads head h % G. Neighbours share: it should be h / (H / G).");
  usual(read({0, 0, 0, 1, 1, 1}), "Query head h reads head h / G. A group has H / G heads, so it is h / (H / G).");
  usual(read({0, 0, 0, 0, 0, 0}), "All query heads read head 0. That is MQA.");
  usual(std::vector<double>(12), "Nothing was found. The weights of a position that only sees itself are (1).");
  should_be(gqa(a, 6, 3).data, read({0, 0, 1, 1, 2, 2}));
}

inline View<double> view(Array& x) { return {x.data.data(), x.rows, x.cols, x.cols}; }

/// What src/tensor finds.
inline Numbers expected(Qkv a, double scale, const Mask& mask = Mask::causal()) {
  Array out(a.q.rows, a.q.cols), log_sum(6, a.q.rows);
  naive<double>().attention_forward(view(out), view(log_sum), {view(a.q), view(a.k), view(a.v), 6, 3, scale, mask});
  return out.data;
}

inline void test_forward() {
  const Qkv a = some(4, 6, 3);
  const double scale = 1 / std::sqrt(2);
  calling("gqa() with H = 6, G = 3, D = 2 and four positions",
          "For one position it was right. Scores are q . k / root of D, for s = 0 to t. It adds (+=) weight * v[s].");
  usual(expected(a, scale, Mask::full()), "Each position sees all. It should see the positions 0 to t.");
  usual(expected(a, 1), "The scores were not divided by the root of D.");
  usual(expected(a, 0.5), "Divided by D. It should be the root of D, and D is q.cols / H.");
  should_be(gqa(a, 6, 3).data, expected(a, scale));
}

inline void test_shared_value() {
  const Qkv a = some(1, 6, 3);
  Array dout(1, 12);
  for (std::size_t i = 0; i < 12; i++) dout[0][i] = static_cast<double>(i < 2 ? 5 : 1);
  calling("gqa_backward() with H = 6, G = 3, one position, and dout = 5 for head 0, 1 for the others: the slopes of v",
          "Each head of values has two readers, and gets what both hand back: 5 + 1, 1 + 1, 1 + 1.");
  usual({1, 1, 1, 1, 1, 1},
        "Only the last reader's share arrived. Two query heads read this value: is there an  =  for an  += ?");
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
  const std::vector<double> dq = nudged(a.q.data, loss), dk = nudged(a.k.data, loss), dv = nudged(a.v.data, loss);
  calling("gqa_backward() with four positions, and slopes by nudging: the slopes of v",
          "A value adds up weight * dout of every position that saw it and every head of its group, h / (H / G).");
  should_be(d.v.data, dv, 1e-6);
  calling("gqa_backward() with four positions, and slopes by nudging: the slopes of q",
          "dscore[s] = weight[s] * (dweight[s] - mean), where mean is the sum of weight * dweight. Here dweight[s] is "
          "head h of dout times v[s] of its group. The slope goes to head h of q.");
  std::vector<double> no_root = dq;
  for (double& x : no_root) x *= std::sqrt(2);
  usual(no_root, "The scores were divided by the root of D, so their slopes must be, too.");
  usual(std::vector<double>(dq.size()), "Nothing arrived at the queries. A query acts on the scores with k[s].");
  should_be(d.q.data, dq, 1e-6);
  calling("gqa_backward() with four positions, and slopes by nudging: the slopes of k",
          "The queries are right. A key gets dscore * q from every later position, and every head of its group: += ");
  usual(std::vector<double>(dk.size()), "Nothing arrived at the keys. A key acts on the scores with q.");
  should_be(d.k.data, dk, 1e-6);
}

/// A matrix of PyTorch's file; or of a tensor (2,6,C) the part of one document.
inline Array tensor(const Safetensors& file, const std::string& name, std::size_t document = 0) {
  const auto& [shape, data] = file.tensors.at(name);
  Array x(shape[shape.size() - 2], shape.back());
  std::copy_n(data.begin() + std::ptrdiff_t(document * x.data.size()), x.data.size(), x.data.begin());
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

/// A layer with 8 query heads: its outputs, and the gradients of its inputs.
inline void test_pytorch(std::size_t G) {
  const std::string name = (G == 1 ? "mqa_2x6x32_h8_kv" : "gqa_2x6x32_h8_kv") + std::to_string(G);
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  const Array wq = tensor(file, "w_q"), wk = tensor(file, "w_k"), wv = tensor(file, "w_v"), wo = tensor(file, "w_o");
  const std::string which = "PyTorch's example " + name + ": ";
  for (const std::size_t document : {0, 1}) {
    const Array x = tensor(file, "x", document), grad_out = tensor(file, "grad_out", document);
    const Qkv a{product(x, wq, true), product(x, wk, true), product(x, wv, true)};
    calling(which + "the outputs", "Does it work for other H, G and D than 6, 3 and 2?");
    should_be(product(gqa(a, 8, G), wo, true).data, tensor(file, "out", document).data, 1e-12);
    const Qkv d = gqa_backward(product(grad_out, wo), a, 8, G);
    calling(which + "the gradients of x", "Does gqa_backward() work for other H, G and D than 6, 3 and 2?");
    const Array dx = add(add(product(d.q, wq), product(d.k, wk)), product(d.v, wv));
    should_be(dx.data, tensor(file, "grad.x", document).data, 1e-12);
  }
}

int main(int argc, char** argv) {
  return teach::exercise(argc, argv,
                         {test_groups, test_forward, test_shared_value, test_backward, [] { test_pytorch(2); },
                          [] { test_pytorch(1); }, [] { test_pytorch(8); }});
}
