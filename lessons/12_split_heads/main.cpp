// Lesson 12: splitting heads. How a batch (B,T,C) becomes (B,H,T,D) and back, and how a mask of two or three dimensions
// meets scores of four. Most mistakes on the way keep the shape, so the lesson looks at who moves whom.
#include <stdexcept>
#include <string_view>

#include "heads.h"
#include "lesson/lesson.h"
#include "pictures.h"
#include "tensor/kernels.h"
#include "train/gradient.h"

using namespace microgpt;

constexpr std::size_t H = 2;
const NdArray everybody{{1}, {1.0}};  // the mask that hides nothing
const NdArray causal{{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}};
const NdArray real_keys{{4, 3}, {1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1}};  // of documents of 3, 2, 1 and 3 positions

/// Attention of a batch (B,T,C) to itself, without any matrices: queries, keys and values are all x.
NdArray self_attention(const NdArray& x) {
  const NdArray heads = split_heads(x, H);
  return merge_heads(attend(heads, heads, heads, everybody).out);
}

/// The same with heads that are only cut.
NdArray self_attention_only_cut(const NdArray& x) {
  const NdArray heads = reshape(x, {x.shape[0], H, x.shape[1], x.shape[2] / H});
  return reshape(attend(heads, heads, heads, everybody).out, x.shape);
}

/// The same for a program that expects (T,B,C), and is given (B,T,C).
NdArray self_attention_swapped(const NdArray& x) { return transpose(self_attention(transpose(x, 0, 1)), 0, 1); }

/// (B,T,C): how far each position of documents 0 and 1 has moved, the largest difference among its numbers.
void print_moves(const char* program, const NdArray& before, const NdArray& after) {
  fmt::print("{:24} | {}", program, text(after.shape));  // stop: influence
  const std::size_t T = before.shape[1], C = before.shape[2];
  for (std::size_t i = 0; i < 2 * T; i++) {
    const std::span<const double> was = std::span(before.numbers).subspan(C * i, C);
    fmt::print("{}{:5.2f}", i % T == 0 ? " | " : "  ",
               largest_difference(was, std::span(after.numbers).subspan(C * i, C)));
  }
  fmt::print("\n");
}

/// Attention as PyTorch's nn.MultiheadAttention computes it from x (B,T,C). One matrix w (3C,C) makes queries, keys and
/// values side by side.
Attention layer(const NdArray& x, const NdArray& w, const NdArray& w_o, std::size_t num_heads, const NdArray& mask) {
  const NdArray qkv = linear(x, w);  // (B,T,3C)
  auto heads = [&](std::size_t i) { return split_heads(chunk(qkv, 3, i), num_heads); };
  const Attention a = attend(heads(0), heads(1), heads(2), mask);  // stop: layer
  return {a.weights, linear(merge_heads(a.out), w_o)};
}

/// Attention of B documents of up to 3 positions, all alike, so that the weights show nothing but the mask: 1 or 0 for
/// each weight, whether a query looks at a key.
void look_through(std::size_t B, const NdArray& mask) try {
  const NdArray heads{{B, H, 3, 1}, std::vector<double>(B * H * 3)};
  const NdArray weights = attend(heads, heads, heads, mask).weights;  // stop: mask
  fmt::print("{:9}", text(mask.shape));
  for_each_index(weights.shape, [&](const Shape& i) {
    const std::string_view between = i[2] > 0 ? " " : i[1] > 0 ? "   " : " | ";  // queries, heads, documents
    fmt::print("{}{}", i[3] == 0 ? between : "", weights.at(i) > 0 ? 1 : 0);
  });
  fmt::print("\n");
} catch (const std::invalid_argument& error) {
  fmt::print("{:9} | error: {}\n", text(mask.shape), error.what());
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // A document of four positions, for two heads of three numbers: number 12 is at position 1, place 2.
  NdArray x{{1, 4, 6}, {}};
  for_each_index(x.shape, [&](const Shape& i) { x.numbers.push_back(10.0 * double(i[1]) + double(i[2])); });
  const NdArray only_cut = reshape(x, {1, 2, 4, 3});
  const NdArray split = split_heads(x, H);  // stop: split
  lesson.picture("12_places.svg", places_picture(x, only_cut, split));

  // Five documents of four positions. Position 0 of document 0 is changed: how far does every output move?
  const NdArray batch = waves({5, 4, 6}, 0);
  NdArray changed = batch;
  for (std::size_t c = 0; c < 6; c++) changed.numbers[c] += 1;
  fmt::print("\nposition 0 of document 0 is changed. How far do the outputs move?\n");
  fmt::print("                         |         | document 0, position      | document 1, position\n");
  fmt::print("program                  | shape   |    0      1      2      3 |    0      1      2      3\n");
  print_moves("reshape only", self_attention_only_cut(batch), self_attention_only_cut(changed));
  print_moves("reshape, then transpose", self_attention(batch), self_attention(changed));
  print_moves("batch, positions swapped", self_attention_swapped(batch), self_attention_swapped(changed));

  // Three ways to write the same padding as a mask. Only the first is right.
  fmt::print("\nwho looks at whom: three digits for each query, 1 for a key that it looks at\n");
  for (const std::size_t B : {4, 3, 2}) {
    constexpr const char* lengths[] = {"", "", "3 and 2", "3, 2 and 1", "3, 2, 1 and 3"};
    fmt::print("\ndocuments of {} positions, padded to 3\n{:9}", lengths[B], "mask");
    for (std::size_t b = 0; b < B; b++) fmt::print("{} | document {}: heads 0, 1", b > 0 ? "   " : "", b);
    fmt::print("\n");
    NdArray keys{{B, 3}, real_keys.numbers};
    keys.numbers.resize(B * 3);
    look_through(B, reshape(keys, {B, 1, 1, 3}));
    look_through(B, keys);
    look_through(B, broadcast(reshape(keys, {B, 1, 3}), {B, 3, 3}));
  }

  fmt::print("\none document; the masks are: causal; causal for head 0, full for head 1; causal, read the other way\n");
  fmt::print("round; nobody may be seen\n");
  NdArray hidden = causal;
  for (double& number : hidden.numbers) number = 1 - number;
  look_through(1, causal);
  look_through(1, {{2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}});
  look_through(1, hidden);
  look_through(1, {{1, 3}, {0, 0, 0}});
  lesson.picture("12_masks.svg", masks_picture(causal, hidden, real_keys));

  // What PyTorch's nn.MultiheadAttention computed: the outputs and weights of a file. Its numbers are around 1 and its
  // sums have at most a hundred terms, each rounded by 1e-16 of what is summed: a difference of 1e-12 would be a
  // mistake.
  for (const std::string name : {"mha_4x10x32_h4", "mha_2x5x64_h8_causal", "mha_3x7x16_h4_padding"}) {
    const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
    auto of = [&](const char* what) { return array_of(file.tensors.at(what)); };
    const NdArray given = of("x");
    NdArray w = of("w_q");
    for (const char* more : {"w_k", "w_v"}) {
      const NdArray rows = of(more);
      w.numbers.insert(w.numbers.end(), rows.numbers.begin(), rows.numbers.end());
    }
    w.shape[0] *= 3;
    NdArray mask = file.tensors.contains("mask") ? of("mask") : everybody;
    if (file.tensors.contains("key_padding_mask")) {
      mask = reshape(of("key_padding_mask"), {given.shape[0], 1, 1, given.shape[1]});
    }
    const Attention a = layer(given, w, of("w_o"), std::stoul(file.metadata.at("n_head")), mask);
    lesson.check("output and weights are PyTorch's: " + name,
                 largest_difference(a.out.numbers, of("out").numbers) < 1e-12 &&
                     largest_difference(a.weights.numbers, of("attn").numbers) < 1e-12);
  }
  if (!Lesson::timed()) return lesson.finish();

  // With TIMES=1: queries, keys and values of N positions, by three matrices (C,C) and by one (3C,C).
  fmt::print("\nmicroseconds for queries, keys and values\n    C |    N | three matrices | one matrix\n");
  for (const std::size_t C : {16, 64, 512}) {
    for (const std::size_t N : {1, 256}) {
      const std::vector<Weight<float>> three(3, {C, C});
      const Weight<float> one(3 * C, C);
      Tensor<float> rows(N, C), q(N, C), qkv(N, 3 * C);
      const double apart = Lesson::microseconds([&] {
        for (const Weight<float>& w : three) fast<float>().linear_forward(q.view(), rows.view(), w, {});
      });
      const double fused =
          Lesson::microseconds([&] { fast<float>().linear_forward(qkv.view(), rows.view(), one, {}); });
      fmt::print("{:5} | {:4} | {:14.1f} | {:10.1f}\n", C, N, apart, fused);
    }
  }
  return lesson.finish();
}
