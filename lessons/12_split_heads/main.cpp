// Lesson 12: splitting heads. How a batch (B,T,C) becomes (B,H,T,D) and back, and how a mask of two or three dimensions
// meets scores of four. Most mistakes on the way keep the shape, so the lesson looks at who moves whom.
#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>

#include "heads.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "train/gradient.h"
#include "train/safetensors.h"

using namespace microgpt;

constexpr std::size_t num_heads = 2;
const Array everybody{{1}, {1.0}};  // the mask that hides nothing

/// Two positions in two heads of two numbers: number 12 stands at position 1, place 2.
void draw_split(const Lesson& lesson) {
  const Array x{{1, 2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}};
  const Array only_cut = reshape(x, {1, 2, 2, 2});
  const Array split = split_heads(x, num_heads);  // stop: split
  lesson.picture("12_places.svg", places_picture(x, only_cut, split));
}

/// Attention of a batch (B,T,C) to itself, without any matrices: queries, keys and values are all x.
Array self_attention(const Array& x) {
  const Array heads = split_heads(x, num_heads);
  return merge_heads(attend(heads, heads, heads, everybody).out);
}

/// The same with heads that are only cut.
Array self_attention_only_cut(const Array& x) {
  const Array heads = reshape(x, {x.shape[0], num_heads, x.shape[1], x.shape[2] / num_heads});
  return reshape(attend(heads, heads, heads, everybody).out, x.shape);
}

/// The same for a program that expects (T,B,C), and is given (B,T,C).
Array self_attention_swapped(const Array& x) { return transpose(self_attention(transpose(x, 0, 1)), 0, 1); }

/// Two documents of two positions. Changes position 0 of document 0, and prints how far every output moves.
void print_influence(const char* program, const std::function<Array(const Array&)>& attention) {
  Array x{{2, 2, 4}, {1, 0, 0, 2, 1, 1, 2, 0, 0, 1, 1, 0, 2, 1, 0, 1}};
  const Array before = attention(x);
  for (std::size_t c = 0; c < 4; c++) x.numbers[c] += 1;
  const Array after = attention(x);  // stop: influence
  fmt::print("{:24} | {}", program, text(after.shape));
  for (std::size_t i = 0; i < 4; i++) {  // the positions of document 0, those of document 1
    const std::span<const double> was = std::span(before.numbers).subspan(4 * i, 4);
    fmt::print(" | {:10.2f}", largest_difference(was, std::span(after.numbers).subspan(4 * i, 4)));
  }
  fmt::print("\n");
}

/// Attention of B documents of up to 3 positions, all alike, so that the weights show nothing but the mask. Prints 1 or
/// 0 for each weight: whether a query looks at a key.
void print_mask(std::size_t B, const Array& mask) try {
  const Array heads{{B, num_heads, 3, 1}, std::vector<double>(B * num_heads * 3)};
  fmt::print("{:9}", text(mask.shape));
  const Array weights = attend(heads, heads, heads, mask).weights;  // stop: mask
  for_each_index(weights.shape, [&](const Shape& i) {
    const std::string_view between = i[2] > 0 ? " " : i[1] > 0 ? "   " : " | ";  // queries, heads, documents
    fmt::print("{}{}", i[3] == 0 ? between : "", weights.at(i) > 0 ? 1 : 0);
  });
  fmt::print("\n");
} catch (const std::invalid_argument& error) {
  fmt::print(" | error: {}\n", error.what());
}

void print_masks() {
  fmt::print("\nwho looks at whom: three digits for each query, 1 for a key that it looks at\n");
  for (const std::size_t B : {3, 2}) {
    fmt::print("\ndocuments of {} positions, padded to 3\n{:9}", B == 3 ? "3, 2 and 1" : "3 and 2", "mask");
    for (std::size_t b = 0; b < B; b++) fmt::print("{} | document {}: heads 0, 1", b > 0 ? "   " : "", b);
    fmt::print("\n");
    Array keys{{B, 3}, {1, 1, 1, 1, 1, 0, 1, 0, 0}};  // 1: the document has such a key
    keys.numbers.resize(B * 3);
    print_mask(B, reshape(keys, {B, 1, 1, 3}));
    print_mask(B, keys);
    print_mask(B, broadcast(reshape(keys, {B, 1, 3}), {B, 3, 3}));
  }
  fmt::print("\none document; the masks are: causal; causal for head 0, full for head 1; nobody may be seen\n");
  print_mask(1, {{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}});
  print_mask(1, {{2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}});
  print_mask(1, {{1, 3}, {0, 0, 0}});
}

/// Whether the draft computes what PyTorch's nn.MultiheadAttention did: the outputs and weights of a file. Its numbers
/// are around 1 and its sums have at most a hundred terms, each rounded by 1e-16 of what is summed: a difference of
/// 1e-12 would be a mistake.
bool agrees_with_pytorch(const std::string& name) {
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  auto of = [&](const std::string& what) {
    const Safetensors::Tensor& tensor = file.tensors.at(what);
    return Array{{tensor.shape.begin(), tensor.shape.end()}, tensor.data};
  };
  const Array x = of("x");
  auto heads = [&](const char* w) { return split_heads(linear(x, of(w)), std::stoul(file.metadata.at("n_head"))); };
  Array mask = everybody;
  if (file.tensors.contains("mask")) mask = of("mask");
  if (file.tensors.contains("key_padding_mask")) {
    mask = reshape(of("key_padding_mask"), {x.shape[0], 1, 1, x.shape[1]});
  }
  const Attention a = attend(heads("w_q"), heads("w_k"), heads("w_v"), mask);
  return largest_difference(linear(merge_heads(a.out), of("w_o")).numbers, of("out").numbers) < 1e-12 &&
         largest_difference(a.weights.numbers, of("attn").numbers) < 1e-12;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  draw_split(lesson);
  fmt::print("\nposition 0 of document 0 is changed. How far do the outputs move?\n");
  fmt::print("                         |         | document 0              | document 1\n");
  fmt::print("program                  | shape   | position 0 | position 1 | position 0 | position 1\n");
  print_influence("reshape only", self_attention_only_cut);
  print_influence("reshape, then transpose", self_attention);
  print_influence("batch, positions swapped", self_attention_swapped);
  print_masks();
  fmt::print("\n");
  for (const char* name : {"mha_4x10x32_h4", "mha_2x5x64_h8_causal", "mha_3x7x16_h4_padding"}) {
    lesson.check(std::string("output and weights are PyTorch's: ") + name, agrees_with_pytorch(name));  // stop: pytorch
  }
  return lesson.finish();
}
