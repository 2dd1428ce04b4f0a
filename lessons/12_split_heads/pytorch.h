// PyTorch's own results, to compare with.
#pragma once

#include <algorithm>
#include <string>

#include "heads.h"
#include "train/gradient.h"
#include "train/safetensors.h"

namespace microgpt {

/// Whether the draft computes what PyTorch's nn.MultiheadAttention did: the outputs and the attention weights of a file
/// in tests/golden/attention. Its numbers are around 1 and its sums have at most a hundred terms, each rounded by 1e-16
/// of what is summed: a difference of 1e-12 would be a mistake.
inline bool agrees_with_pytorch(const std::string& name) {
  const Safetensors file = read_safetensors("tests/golden/attention/" + name + ".safetensors");
  auto size = [&](const char* what) -> std::size_t { return std::stoul(file.metadata.at(what)); };
  auto of = [&](const std::string& what) -> const std::vector<double>& { return file.tensors.at(what).data; };
  const std::size_t B = size("B"), N = size("N"), M = size("M"), C = size("d_model"), H = size("n_head");
  Parameters w({{"w_q", C, C}, {"w_k", C, C}, {"w_v", C, C}, {"w_o", C, C}});
  for (const Parameter& matrix : w.matrices()) std::copy(of(matrix.name).begin(), of(matrix.name).end(), matrix.data);
  Array mask{{1}, {1.0}};
  if (file.tensors.contains("mask")) mask = {{N, M}, of("mask")};
  if (file.tensors.contains("key_padding_mask")) mask = {{B, 1, 1, M}, of("key_padding_mask")};

  const Array x{{B, N, C}, of("x")}, kv{{B, M, C}, of(file.tensors.contains("kv") ? "kv" : "x")};
  const Attention a = attend(split_heads(linear(x, w["w_q"]), H), split_heads(linear(kv, w["w_k"]), H),
                             split_heads(linear(kv, w["w_v"]), H), mask);
  const Array out = linear(merge_heads(a.out), w["w_o"]);
  return largest_difference(out.numbers, of("out")) < 1e-12 &&
         largest_difference(a.weights.numbers, of("attn")) < 1e-12;
}

}  // namespace microgpt
