// The tests of exercise 12: each function on a small example, then all of them against PyTorch.
#pragma once

#include "heads.h"
#include "lesson/teach.h"

using namespace teach;

/// Number 10 t + c is at position t, place c of document 0; a hundred more in document 1.
inline NdArray counted() {
  NdArray x{{2, 4, 6}, {}};
  for (int i = 0; i < 48; i++) x.numbers.push_back(i / 24 * 100 + i / 6 % 4 * 10 + i % 6);
  return x;
}

inline void shape_should_be(const NdArray& x, const Shape& want, const char* help) {
  if (x.shape == want) return;
  teach::fail(teach::call + " has the shape " + text(x.shape) + ", and should have " + text(want) + ".", help);
}

inline void test_split() {
  const NdArray x = counted();  // three heads of two numbers
  calling(
      "split() of x (2,4,6) with 3 heads, where number 10 t + c is at position t, place c",
      "Head h gets the numbers h D to h D + D - 1 of each position: head 0 gets 0, 1, then 10, 11, then 20, 21 ...");
  const NdArray y = split(x, 3);
  shape_should_be(y, {2, 3, 4, 2}, "(B,T,C) becomes (B,H,T,D), where D is C / H.");
  usual(x.numbers,
        "The numbers are only cut, and stand where they stood: a head now holds pieces of all heads, of few positions. "
        "Cut each position into heads first, (B,T,H,D), and then exchange two dimensions.");
  usual(transpose(transpose(reshape(x, {2, 4, 2, 3}), 2, 3), 1, 2).numbers,
        "Head h took every third number. It should get D numbers that stand side by side.");
  should_be(y.numbers, split_heads(x, 3).numbers);
}

inline NdArray scaled(NdArray x, double by) {
  for (double& number : x.numbers) number *= by;
  return x;
}

/// One head, and the three positions of lesson 07.
inline void test_one_head() {
  const NdArray q{{1, 1, 3, 2}, {2, 0, 0, 1, 1, 2}}, k{{1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}},
      v{{1, 1, 3, 2}, {4, 0, 0, 2, 2, 2}};
  const NdArray all{{1}, {1}}, before{{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}};
  calling("attend() with one head, the queries (2 0) (0 1) (1 2), keys (1 0) (0 1) (1 1), values (4 0) (0 2) (2 2)",
          "Scores are q . k / root of D; a softmax over the keys makes weights of them; the weights mix the values.");
  const teach::Numbers out = attend(q, k, v, false).numbers;
  usual(attend(scaled(q, std::sqrt(2)), k, v, all).out.numbers,
        "The scores were not divided by the root of D, which is the root of 2 here.");
  usual(attend(q, k, v, before).out.numbers, "The causal mask is always on. Without `causal`, a position sees all.");
  should_be(out, attend(q, k, v, all).out.numbers);
  calling("attend() of the same, causal", "Position t sees the keys 0 to t: itself, too, and nothing later.");
  usual(out, "It still sees all. With `causal`, position t sees the keys 0 to t.");
  should_be(attend(q, k, v, true).numbers, attend(q, k, v, before).out.numbers);
}

/// Two documents, three heads: who looks at whom?
inline void test_heads() {
  const Shape shape{2, 3, 4, 2};
  const NdArray q = waves(shape, 1), k = waves(shape, 2), v = waves(shape, 3), all{{1}, {1}};
  calling("attend() with 2 documents and 3 heads, (2,3,4,2)",
          "With one head it was right. Where do the keys of head h of document b begin? At row (b H + h) M.");
  usual(attend(scaled(q, 1 / std::sqrt(3)), k, v, all).out.numbers,
        "You divide by the root of C = H D. It is still the root of D, the numbers of one head.");
  should_be(attend(q, k, v, false).numbers, attend(q, k, v, all).out.numbers);
  calling("attend() with scores in the thousands",
          "exp(1000) is infinite. Take the largest score out before exp(), or use softmax() of lesson/softmax.h.");
  const NdArray large = scaled(q, 5000);
  should_be(attend(large, k, v, false).numbers, attend(large, k, v, all).out.numbers);
}

/// Queries from one text, keys and values from another.
inline void test_cross() {
  const NdArray q = waves({2, 3, 4, 2}, 1), k = waves({2, 3, 5, 2}, 2), v = waves({2, 3, 5, 3}, 3);
  calling("attend() with 4 queries (2,3,4,2), 5 keys (2,3,5,2) and 5 values (2,3,5,3)",
          "How many keys there are, M, only k tells, and how wide a value is, E, only v. The root is that of D.");
  const NdArray y = attend(q, k, v, false);
  shape_should_be(y, {2, 3, 4, 3}, "Each query gets a mixture of values, which is as wide as a value.");
  should_be(y.numbers, attend(q, k, v, {{1}, {1}}).out.numbers);
}

inline void test_merge() {
  const NdArray x = counted(), heads = split_heads(x, 3);
  calling("merge() of what split() made of x (2,4,6)",
          "It undoes split(). Exchange H and T first: then the pieces of a position stand side by side.");
  const NdArray y = merge(heads);
  shape_should_be(y, {2, 4, 6}, "(B,H,T,D) becomes (B,T,C), where C is H D.");
  should_be(y.numbers, x.numbers);
}

/// What PyTorch computed for 4 documents of 10 positions, 32 numbers each, with 4 heads.
template <bool causal>
void test_pytorch() {
  const std::string name = std::string("mha_4x10x32_h4") + (causal ? "_causal" : "");
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  auto of = [&](const char* what) { return array_of(file.tensors.at(what)); };
  const NdArray x = of("x"), out = of("out");
  const Weights w{of("w_q"), of("w_k"), of("w_v"), of("w_o")};
  auto with = [&](const NdArray& wq, const NdArray& wk, const NdArray& wv, bool masked) {
    return merge(attend(split(linear(x, wq), 4), split(linear(x, wk), 4), split(linear(x, wv), 4), masked));
  };
  calling(std::string("attention() of PyTorch's example, (4,10,32) with 4 heads") + (causal ? ", causal" : ""),
          "The functions above are right. Linear, split, attend, merge, linear: which matrix is used where?");
  const NdArray y = attention(x, w, 4, causal);
  shape_should_be(y, out.shape, "x goes in as (B,T,C), and so does the result come out.");
  usual(with(w.q, w.k, w.v, causal).numbers, "W_O is missing: one more linear layer mixes what the heads found.");
  usual(linear(with(w.q, w.k, w.v, !causal), w.o).numbers, "Is `causal` handed on to attend()?");
  usual(linear(with(w.q, w.v, w.k, causal), w.o).numbers, "W_K and W_V are exchanged.");
  should_be(y.numbers, out.numbers, 1e-12);
}

int main(int argc, char** argv) {
  return teach::exercise(
      argc, argv,
      {test_split, test_one_head, test_heads, test_cross, test_merge, test_pytorch<false>, test_pytorch<true>});
}
