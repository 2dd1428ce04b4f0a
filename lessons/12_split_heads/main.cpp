// Lesson 12: splitting heads. How a batch (B,T,C) becomes (B,H,T,D) and back, and how a mask of two or three dimensions
// meets scores of four. Most mistakes on the way keep the shape, so the lesson looks at who moves whom.
#include <functional>
#include <string>

#include "heads.h"
#include "show.h"
#include "train/safetensors.h"

using namespace microgpt;

constexpr std::size_t H = 2;
const NdArray everybody{{1}, {1.0}};  // the mask that hides nothing
const NdArray causal{{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}};
const NdArray real_keys{{4, 3}, {1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1}};  // of documents of 3, 2, 1 and 3 positions

/// A document of four positions, for two heads of three numbers: number 12 is at position 1, place 2.
void cut_and_split(const Lesson& lesson) {
  NdArray x{{1, 4, 6}, {}};
  for_each_index(x.shape, [&](const Shape& i) { x.numbers.push_back(10.0 * double(i[1]) + double(i[2])); });
  const NdArray only_cut = reshape(x, {1, 2, 4, 3});
  const NdArray split = split_heads(x, H);  // stop: split
  lesson.picture("12_places.svg", places_picture(x, only_cut, split));
}

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

/// Five documents of four positions. Position 0 of document 0 is changed: how far does every output move?
void influence(const char* program, const std::function<NdArray(const NdArray&)>& attention) {
  NdArray x = waves({5, 4, 6}, 0);
  const NdArray before = attention(x);
  for (std::size_t c = 0; c < 6; c++) x.numbers[c] += 1;
  const NdArray after = attention(x);  // stop: influence
  show_moves(program, before, after);
}

/// What PyTorch's nn.MultiheadAttention computed from x (B,T,C), once more. One matrix w (3C,C) makes queries, keys and
/// values side by side.
Attention layer(const NdArray& x, const NdArray& w, const NdArray& w_o, std::size_t num_heads, const NdArray& mask) {
  const NdArray qkv = linear(x, w);  // (B,T,3C)
  auto heads = [&](std::size_t i) { return split_heads(chunk(qkv, 3, i), num_heads); };
  const Attention a = attend(heads(0), heads(1), heads(2), mask);  // stop: layer
  return {a.weights, linear(merge_heads(a.out), w_o)};
}

/// Attention of B documents of up to 3 positions, all alike, so that the weights show nothing but the mask.
void look_through(std::size_t B, const NdArray& mask) try {
  const NdArray heads{{B, H, 3, 1}, std::vector<double>(B * H * 3)};
  const NdArray weights = attend(heads, heads, heads, mask).weights;  // stop: mask
  show_who_looks(mask, weights);
} catch (const std::invalid_argument& error) {
  show_misfit(mask, error.what());
}

/// Three ways to write the same padding as a mask. Only the first is right.
void padding_masks(std::size_t B) {
  show_documents(B);
  NdArray keys{{B, 3}, real_keys.numbers};
  keys.numbers.resize(B * 3);
  look_through(B, reshape(keys, {B, 1, 1, 3}));
  look_through(B, keys);
  look_through(B, broadcast(reshape(keys, {B, 1, 3}), {B, 3, 3}));
}

/// Other masks, of one document.
void other_masks(const Lesson& lesson) {
  look_through(1, causal);
  look_through(1, {{2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}});
  NdArray hidden = causal;
  for (double& number : hidden.numbers) number = 1 - number;
  look_through(1, hidden);
  look_through(1, {{1, 3}, {0, 0, 0}});
  lesson.picture("12_masks.svg", masks_picture(causal, hidden, real_keys));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  cut_and_split(lesson);
  show_heading();
  influence("reshape only", self_attention_only_cut);
  influence("reshape, then transpose", self_attention);
  influence("batch, positions swapped", self_attention_swapped);
  for (const std::size_t B : {4, 3, 2}) padding_masks(B);
  show_others_heading();
  other_masks(lesson);
  for (const char* name : {"mha_4x10x32_h4", "mha_2x5x64_h8_causal", "mha_3x7x16_h4_padding"}) {
    check_with_pytorch(lesson, name, layer);
  }
  return lesson.finish();
}
