// The tests of exercise 12: each function on a small example, then all of them against PyTorch.
#pragma once

#include <algorithm>
#include <numeric>

#include "heads.h"
#include "lesson/teach.h"
#include "train/safetensors.h"

using teach::calling;
using teach::should_be;
using teach::usual;

/// Number 10 t + c is at position t, place c of document 0; a hundred more in document 1.
inline NdArray counted(std::size_t B, std::size_t T, std::size_t C) {
  NdArray x{{B, T, C}, {}};
  for_each_index(x.shape,
                 [&](const Shape& i) { x.numbers.push_back(static_cast<double>(100 * i[0] + 10 * i[1] + i[2])); });
  return x;
}

inline void shape_should_be(const NdArray& x, const Shape& want, const char* help) {
  if (x.shape != want)
    teach::fail(teach::call + " has the shape " + text(x.shape) + ", and should have " + text(want) + ".", help);
  const std::size_t n = std::accumulate(want.begin(), want.end(), std::size_t{1}, std::multiplies<>());
  if (x.numbers.size() == n) return;
  teach::fail(teach::call + " has " + std::to_string(x.numbers.size()) + " numbers, and its shape " + text(want) +
                  " says " + std::to_string(n) + ".",
              "An NdArray is a shape and all of its numbers.");
}

/// What heads would be that take every H-th number of a position.
inline NdArray interleaved(const NdArray& x, std::size_t H) {
  const std::size_t D = x.shape[2] / H;
  return transpose(transpose(reshape(x, {x.shape[0], x.shape[1], D, H}), 2, 3), 1, 2);
}

inline void test_split() {
  const NdArray x = counted(2, 4, 6);  // three heads of two numbers
  calling(
      "split() of x (2,4,6) with 3 heads, where number 10 t + c is at position t, place c",
      "Head h gets the numbers h D to h D + D - 1 of each position: head 0 gets 0, 1, then 10, 11, then 20, 21 ...");
  const NdArray y = split(x, 3);
  shape_should_be(y, {2, 3, 4, 2}, "(B,T,C) becomes (B,H,T,D), where D is C / H.");
  usual(x.numbers,
        "The numbers are only cut, and stand where they stood: a head now holds pieces of all heads, of few positions. "
        "Cut each position into heads first, (B,T,H,D), and then exchange two dimensions.");
  usual(interleaved(x, 3).numbers, "Head h took every third number. It should get D numbers that stand side by side.");
  usual(transpose(reshape(x, {2, 4, 3, 2}), 2, 3).numbers, "Dimensions 2 and 3 were exchanged. T and H are 1 and 2.");
  should_be(y.numbers, split_heads(x, 3).numbers);
}

/// One head, and the three positions of lesson 07.
inline void test_one_head() {
  const NdArray q{{1, 1, 3, 2}, {2, 0, 0, 1, 1, 2}}, k{{1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}},
      v{{1, 1, 3, 2}, {4, 0, 0, 2, 2, 2}};
  const NdArray all{{1}, {1}}, before{{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}}, after{{3, 3}, {1, 1, 1, 0, 1, 1, 0, 0, 1}};
  auto scaled = [&](double factor) {
    NdArray more = q;
    for (double& number : more.numbers) number *= factor;
    return attend(more, k, v, all).out.numbers;
  };
  calling("attend() with one head, the queries (2 0) (0 1) (1 2), keys (1 0) (0 1) (1 1), values (4 0) (0 2) (2 2)",
          "Scores are q . k / root of D; a softmax over the keys makes weights of them; the weights mix the values.");
  const NdArray out = attend(q, k, v, false);
  shape_should_be(out, {1, 1, 3, 2}, "What comes back has the shape of q.");
  usual(scaled(std::sqrt(2)), "The scores were not divided by the root of D, which is the root of 2 here.");
  usual(scaled(std::sqrt(0.5)), "The scores were divided by D. It should be the root of D.");
  usual(scaled(0), "All values have the same weight. Do the scores come from q . k?");
  usual(attend(q, k, v, before).out.numbers, "The causal mask is always on. Without `causal`, a position sees all.");
  usual(attend(k, q, v, all).out.numbers, "Queries and keys are exchanged: a row of weights belongs to a query.");
  should_be(out.numbers, attend(q, k, v, all).out.numbers);

  calling("The same, causal: what position 0 gets", "Position t sees the keys 0 to t: here only its own.");
  usual({out.numbers[0], out.numbers[1]}, "It still sees all. With `causal`, position t sees the keys 0 to t.");
  usual({0, 0}, "It sees nobody. A position sees itself, too: s <= t, and not s < t.");
  usual({NAN, NAN}, "It sees nobody, so its weights are 0 / 0. A position sees itself, too: s <= t, and not s < t.");
  const NdArray masked = attend(q, k, v, true);
  should_be(teach::Numbers{masked.numbers[0], masked.numbers[1]}, {4, 0});
  calling("The same, causal", "Position t sees the keys 0 to t. So the last position sees all.");
  usual(attend(q, k, v, after).out.numbers, "The mask is the wrong way round: positions look at what comes later.");
  should_be(masked.numbers, attend(q, k, v, before).out.numbers);
}

/// Two documents, three heads: who looks at whom?
inline void test_heads() {
  const Shape shape{2, 3, 4, 2};
  const NdArray q = waves(shape, 1), k = waves(shape, 2), v = waves(shape, 3), all{{1}, {1}};
  auto instead = [&](const NdArray& x, std::size_t every) {  // the first block of each `every` blocks, again and again
    NdArray y = x;
    for (std::size_t i = 0; i < y.numbers.size(); i++) y.numbers[i] = x.numbers[i / (8 * every) * (8 * every) + i % 8];
    return y;
  };
  calling("attend() with 2 documents and 3 heads, (2,3,4,2)",
          "With one head it was right. Where do the keys of head h of document b begin? At (b H + h) T D.");
  usual(attend(q, instead(k, 3), instead(v, 3), all).out.numbers, "All heads read the keys and values of head 0.");
  usual(attend(q, instead(k, 6), instead(v, 6), all).out.numbers, "All heads of all documents read one head's keys.");
  should_be(attend(q, k, v, false).numbers, attend(q, k, v, all).out.numbers);
  calling("attend() with scores in the thousands",
          "exp(1000) is infinite. Take the largest score out before exp(), or use softmax() of lesson/softmax.h.");
  NdArray large = q;
  for (double& number : large.numbers) number *= 5000;
  should_be(attend(large, k, v, false).numbers, attend(large, k, v, all).out.numbers);
}

inline void test_merge() {
  const NdArray x = counted(2, 4, 6), heads = split_heads(x, 3);
  calling("merge() of what split() made of x (2,4,6)", "It undoes split(): what comes back is x.");
  const NdArray y = merge(heads);
  shape_should_be(y, {2, 4, 6}, "(B,H,T,D) becomes (B,T,C), where C is H D.");
  usual(
      heads.numbers,
      "The numbers stand where they stood, head after head, and are only called (B,T,C). Exchange H and T first: then "
      "the pieces of a position stand side by side.");
  should_be(y.numbers, x.numbers);
}

/// What PyTorch computed for 4 documents of 10 positions, 32 numbers each, with 4 heads.
inline void test_pytorch(bool causal) {
  const std::string name = std::string("mha_4x10x32_h4") + (causal ? "_causal" : "");
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  auto of = [&](const char* what) {
    const Safetensors::Tensor& tensor = file.tensors.at(what);
    return NdArray{{tensor.shape.begin(), tensor.shape.end()}, tensor.data};
  };
  const NdArray x = of("x"), out = of("out");
  const Weights w{of("w_q"), of("w_k"), of("w_v"), of("w_o")};
  auto with = [&](const NdArray& wq, const NdArray& wk, const NdArray& wv, bool masked) {
    auto heads = [&](const NdArray& matrix) { return split(linear(x, matrix), 4); };
    return merge(attend(heads(wq), heads(wk), heads(wv), masked));
  };
  calling(std::string("attention() of PyTorch's example, (4,10,32) with 4 heads") + (causal ? ", causal" : ""),
          "The functions above are right. Linear, split, attend, merge, linear: which matrix is used where?");
  const NdArray y = attention(x, w, 4, causal);
  shape_should_be(y, out.shape, "x goes in as (B,T,C), and so does the result come out.");
  usual(with(w.q, w.k, w.v, causal).numbers, "W_O is missing: one more linear layer mixes what the heads found.");
  usual(linear(with(w.q, w.k, w.v, !causal), w.o).numbers, "Is `causal` handed on to attend()?");
  usual(linear(with(w.k, w.q, w.v, causal), w.o).numbers, "W_Q and W_K are exchanged.");
  usual(linear(with(w.q, w.v, w.k, causal), w.o).numbers, "W_K and W_V are exchanged.");
  should_be(y.numbers, out.numbers, 1e-12);
}

int main(int argc, char** argv) {
  return teach::exercise(
      argc, argv,
      {test_split, test_one_head, test_heads, test_merge, [] { test_pytorch(false); }, [] { test_pytorch(true); }});
}
