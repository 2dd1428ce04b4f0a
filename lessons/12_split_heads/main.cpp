// Lesson 12: splitting heads. How a batch (B,N,C) becomes (B,H,N,D) and back, and how a mask of two or three dimensions
// meets scores of four. Most mistakes on the way keep the shape, so the lesson looks at who moves whom.
#include <fmt/core.h>

#include <functional>

#include "heads.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "pytorch.h"

using namespace microgpt;

constexpr std::size_t num_heads = 2;
const Array everybody{{1}, {1.0}};  // the mask that hides nothing

/// Two positions in two heads of two numbers: number 12 stands at position 1, place 2.
void print_split(const Lesson& lesson) {
  const Array x{{1, 2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}};
  const Array only_cut = reshape(x, {1, 2, 2, 2});
  const Array split = split_heads(x, num_heads);  // stop: split
  fmt::print("\n                                 | position 0 | position 1\n");
  auto print = [](const char* how, const Array& heads) {
    for (std::size_t h = 0; h < num_heads; h++) {
      const double* const n = &heads.numbers[heads.place({0, h, 0, 0})];
      fmt::print("{:23}: head {} |   {:02} {:02}    |   {:02} {:02}\n", how, h, n[0], n[1], n[2], n[3]);
    }
  };
  print("reshape only", only_cut);
  print("reshape, then transpose", split);
  lesson.picture("12_places.svg", places_picture(x, only_cut, split));
}

/// Attention of a batch (B,N,C) to itself, without any matrices: queries, keys and values are all x.
Array self_attention(const Array& x) {
  const Array heads = split_heads(x, num_heads);
  return merge_heads(attend(heads, heads, heads, everybody).out);
}

/// The same with heads that are only cut.
Array self_attention_only_cut(const Array& x) {
  const Array heads = reshape(x, {x.shape[0], num_heads, x.shape[1], x.shape[2] / num_heads});
  return reshape(attend(heads, heads, heads, everybody).out, x.shape);
}

/// The same for a program that expects (N,B,C), and is given (B,N,C).
Array self_attention_swapped(const Array& x) { return transpose(self_attention(transpose(x, 0, 1)), 0, 1); }

/// Two documents of two positions. Changes position 0 of document 0, and prints how far every output moves.
void print_influence(const char* program, const std::function<Array(const Array&)>& attention) {
  Array x{{2, 2, 4}, {1, 0, 0, 2, 1, 1, 2, 0, 0, 1, 1, 0, 2, 1, 0, 1}};
  const Array before = attention(x);
  for (std::size_t c = 0; c < 4; c++) x.numbers[x.place({0, 0, c})] += 1;
  const Array after = attention(x);  // stop: influence
  fmt::print("{:24} | {}", program, text(after.shape));
  for (std::size_t i = 0; i < 4; i++) {  // the positions of document 0, those of document 1
    const std::span<const double> was = std::span(before.numbers).subspan(4 * i, 4);
    fmt::print(" | {:10.2f}", largest_difference(was, std::span(after.numbers).subspan(4 * i, 4)));
  }
  fmt::print("\n");
}

/// A batch of B documents of up to 3 positions, all alike, so that the attention weights show nothing but the mask.
/// Prints where position 0 of the last document looks.
void print_mask(std::size_t B, const Array& mask) try {
  const Array heads{{B, num_heads, 3, 1}, std::vector<double>(B * num_heads * 3)};
  fmt::print("batch of {}, mask {:9}", B, text(mask.shape));
  const Array weights = attend(heads, heads, heads, mask).weights;  // stop: mask
  for (std::size_t h = 0; h < num_heads; h++) {
    const double* const w = &weights.numbers[weights.place({B - 1, h, 0, 0})];
    fmt::print(" | head {}: {:.2f} {:.2f} {:.2f}", h, w[0], w[1], w[2]);
  }
  fmt::print("\n");
} catch (const std::invalid_argument& error) {
  fmt::print(" | error: {}\n", error.what());
}

void print_masks() {
  fmt::print("\ndocuments of 3, 2 and 1 positions, padded to 3. Where does the last document look?\n");
  for (const std::size_t B : {2, 3}) {
    Array keys{{B, 3}, {}}, pairs{{B, 3, 3}, {}};  // 1: document b has such a key
    for_each_index(keys.shape, [&](const Shape& i) { keys.numbers.push_back(i[1] < 3 - i[0] ? 1 : 0); });
    for_each_index(pairs.shape, [&](const Shape& i) { pairs.numbers.push_back(i[2] < 3 - i[0] ? 1 : 0); });
    print_mask(B, reshape(keys, {B, 1, 1, 3}));
    print_mask(B, keys);
    print_mask(B, pairs);
  }
  fmt::print("causal; one mask for each head, causal and full; and a query that may see nobody\n");
  print_mask(1, {{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}});
  print_mask(1, {{2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}});
  print_mask(1, {{1, 3}, {0, 0, 0}});
}

/// q, k and v by three matrices (C,C), and by one (3C,C) that holds them one below the other.
void print_fused(Lesson& lesson) {
  constexpr std::size_t C = 16, N = 10;
  Parameters w({{"w_q", C, C}, {"w_k", C, C}, {"w_v", C, C}});
  draw_weights(w, 1, lesson.random);
  const Parameter w_qkv{"w_qkv", 3 * C, C, w.data().data(), nullptr};  // in Parameters they stand so already
  Array x{{1, N, C}, {}};
  for (std::size_t i = 0; i < N * C; i++) x.numbers.push_back(lesson.random.gauss(0, 1));
  const Array qkv = linear(x, w_qkv);
  std::size_t differ = 0, differ_in_halves = 0;
  for_each_index(qkv.shape, [&](const Shape& i) {
    const double number = qkv.numbers[qkv.place(i)];
    const Array alone = linear(x, w.matrices()[i[2] / C]);
    differ += alone.numbers[alone.place({0, i[1], i[2] % C})] == number ? 0 : 1;
    double halves[2] = {};  // the sum of the first 8 products, and that of the others
    for (std::size_t j = 0; j < C; j++) halves[j / 8] += w_qkv.row(i[2])[j] * x.numbers[i[1] * C + j];
    differ_in_halves += halves[0] + halves[1] == number ? 0 : 1;
  });
  fmt::print("\none product for q, k and v, beside other ways to the same {} numbers\n", qkv.numbers.size());
  fmt::print("three products               | {:3} differ\n", differ);
  fmt::print("every sum taken in two parts | {:3} differ, in the last bits\n", differ_in_halves);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_split(lesson);
  fmt::print("\nposition 0 of document 0 is changed. How far do the outputs move?\n");
  fmt::print("                         |         | document 0              | document 1\n");
  fmt::print("program                  | shape   | position 0 | position 1 | position 0 | position 1\n");
  print_influence("reshape only", self_attention_only_cut);
  print_influence("reshape, then transpose", self_attention);
  print_influence("batch, positions swapped", self_attention_swapped);
  print_masks();
  print_fused(lesson);
  fmt::print("\n");
  for (const char* name :
       {"mha_4x10x32_h4", "mha_2x5x64_h8_causal", "mha_3x7x16_h4_padding", "mha_cross_2x4x6x16_h2"}) {
    lesson.check(std::string("output and weights are PyTorch's: ") + name, agrees_with_pytorch(name));  // stop: pytorch
  }
  return lesson.finish();
}
