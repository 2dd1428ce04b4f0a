// Around the idea: what is printed, and the comparison with PyTorch.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "heads.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "train/gradient.h"
#include "train/safetensors.h"

namespace microgpt {

inline void show_heading() {
  fmt::print("\nposition 0 of document 0 is changed. How far do the outputs move?\n");
  fmt::print("                         |         | document 0, position      | document 1, position\n");
  fmt::print("program                  | shape   |    0      1      2      3 |    0      1      2      3\n");
}

/// (B,T,C): how far each position of documents 0 and 1 has moved, the largest difference among its numbers.
inline void show_moves(const char* program, const NdArray& before, const NdArray& after) {
  fmt::print("{:24} | {}", program, text(after.shape));
  const std::size_t T = before.shape[1], C = before.shape[2];
  for (std::size_t i = 0; i < 2 * T; i++) {
    const std::span<const double> was = std::span(before.numbers).subspan(C * i, C);
    fmt::print("{}{:5.2f}", i % T == 0 ? " | " : "  ",
               largest_difference(was, std::span(after.numbers).subspan(C * i, C)));
  }
  fmt::print("\n");
}

inline void show_documents(std::size_t B) {
  constexpr const char* lengths[] = {"", "", "3 and 2", "3, 2 and 1", "3, 2, 1 and 3"};
  if (B == 4) fmt::print("\nwho looks at whom: three digits for each query, 1 for a key that it looks at\n");
  fmt::print("\ndocuments of {} positions, padded to 3\n{:9}", lengths[B], "mask");
  for (std::size_t b = 0; b < B; b++) fmt::print("{} | document {}: heads 0, 1", b > 0 ? "   " : "", b);
  fmt::print("\n");
}

inline void show_others_heading() {
  fmt::print("\none document; the masks are: causal; causal for head 0, full for head 1; causal, read the other way\n");
  fmt::print("round; nobody may be seen\n");
}

/// 1 or 0 for each weight: whether a query looks at a key.
inline void show_who_looks(const NdArray& mask, const NdArray& weights) {
  fmt::print("{:9}", text(mask.shape));
  for_each_index(weights.shape, [&](const Shape& i) {
    const std::string_view between = i[2] > 0 ? " " : i[1] > 0 ? "   " : " | ";  // queries, heads, documents
    fmt::print("{}{}", i[3] == 0 ? between : "", weights.at(i) > 0 ? 1 : 0);
  });
  fmt::print("\n");
}

inline void show_misfit(const NdArray& mask, const char* error) {
  fmt::print("{:9} | error: {}\n", text(mask.shape), error);
}

using Layer = Attention (*)(const NdArray& x, const NdArray& w, const NdArray& w_o, std::size_t num_heads,
                            const NdArray& mask);

/// Whether the draft computes what PyTorch's nn.MultiheadAttention did: the outputs and weights of a file. Its numbers
/// are around 1 and its sums have at most a hundred terms, each rounded by 1e-16 of what is summed: a difference of
/// 1e-12 would be a mistake.
inline void check_with_pytorch(Lesson& lesson, const std::string& name, Layer layer) {
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  auto of = [&](const std::string& what) {
    const Safetensors::Tensor& tensor = file.tensors.at(what);
    return NdArray{{tensor.shape.begin(), tensor.shape.end()}, tensor.data};
  };
  const NdArray x = of("x");
  NdArray w = of("w_q");
  for (const char* more : {"w_k", "w_v"}) {
    const NdArray rows = of(more);
    w.numbers.insert(w.numbers.end(), rows.numbers.begin(), rows.numbers.end());
  }
  w.shape[0] *= 3;
  NdArray mask{{1}, {1.0}};
  if (file.tensors.contains("mask")) mask = of("mask");
  if (file.tensors.contains("key_padding_mask")) {
    mask = reshape(of("key_padding_mask"), {x.shape[0], 1, 1, x.shape[1]});
  }
  const Attention a = layer(x, w, of("w_o"), std::stoul(file.metadata.at("n_head")), mask);
  lesson.check("output and weights are PyTorch's: " + name,
               largest_difference(a.out.numbers, of("out").numbers) < 1e-12 &&
                   largest_difference(a.weights.numbers, of("attn").numbers) < 1e-12);
}

}  // namespace microgpt
