// What the draft is compared with: PyTorch's nn.MultiheadAttention, src/tensor, and itself without padding.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "array.h"
#include "base/parameters.h"
#include "base/python_random.h"
#include "heads.h"
#include "tensor/kernels.h"
#include "train/gradient.h"
#include "train/safetensors.h"

namespace lesson10 {

using namespace microgpt;

/// A file of tests/golden/attention; the README beside them says what is in them.
struct Golden {
  explicit Golden(const std::string& name)
      : file(read_safetensors("tests/golden/attention/" + name + ".safetensors")),
        B(size("B")),
        N(size("N")),
        M(size("M")),
        C(size("d_model")),
        H(size("n_head")),
        weights({{"w_q", C, C}, {"w_k", C, C}, {"w_v", C, C}, {"w_o", C, C}}) {
    for (const Parameter& w : weights.matrices()) std::copy(of(w.name).begin(), of(w.name).end(), w.data);
  }

  std::size_t size(const char* what) const { return std::stoul(file.metadata.at(what)); }
  bool has(const std::string& name) const { return file.tensors.contains(name); }
  const std::vector<double>& of(const std::string& name) const { return file.tensors.at(name).data; }

  /// What keys and values are made of: the input of the queries, or in cross-attention another one.
  std::string kv() const { return has("kv") ? "kv" : "x"; }

  /// Who may see whom, as a mask that fits (B,H,N,M). In the file it is (N,M), or (B,M) for keys that are padding.
  Array<double> mask() const {
    if (has("mask")) return {{N, M}, of("mask")};
    if (has("key_padding_mask")) return {{B, 1, 1, M}, of("key_padding_mask")};
    return {{1}, {1.0}};
  }

  Safetensors file;
  std::size_t B, N, M, C, H;
  Parameters weights;  // of PyTorch
};

/// What an implementation of multi-head attention makes of a Golden: its output, and how the sum of out * grad_out
/// changes with everything. `attn`, (B,H,N,M), may be left empty.
struct Answer {
  std::vector<double> out, attn, dx, dkv, dw_q, dw_k, dw_v, dw_o;
};

/// The largest of some differences; not a number if one is not.
inline double worst(const std::vector<double>& differences) {
  if (std::any_of(differences.begin(), differences.end(), [](double d) { return std::isnan(d); })) return NAN;
  return *std::max_element(differences.begin(), differences.end());
}

/// How far an answer is from PyTorch's.
struct Distance {
  double out, attn, dx, dw;

  double largest() const { return worst({out, attn, dx, dw}); }
};

inline Distance distance(const Answer& answer, const Golden& golden) {
  auto from = [&](const std::vector<double>& numbers, const char* name) {
    return largest_difference(numbers, golden.of(name));
  };
  return {from(answer.out, "out"), answer.attn.empty() ? 0 : from(answer.attn, "attn"),
          worst({from(answer.dx, "grad.x"), golden.has("kv") ? from(answer.dkv, "grad.kv") : 0}),
          worst({from(answer.dw_q, "grad.w_q"), from(answer.dw_k, "grad.w_k"), from(answer.dw_v, "grad.w_v"),
                 from(answer.dw_o, "grad.w_o")})};
}

/// The numbers here are around 1, the longest sums have a few hundred terms, and each rounding is 1.1e-16 of what is
/// summed: two ways to add up the same differ by less than this.
constexpr double tolerance = 1e-12;

// --- The draft -------------------------------------------------------------------------------------------------------

/// The mask of a file, if it is not broken.
inline Array<double> draft_mask(const Golden& g) {
  if (broken.no_causal && g.has("mask")) return {{1}, {1.0}};
  if (broken.hide_queries && g.has("key_padding_mask")) return reshape(g.mask(), {g.B, 1, g.N, 1});
  return g.mask();
}

/// The draft's: it is made of Values, so the gradients come from backward().
inline Answer draft_answer(const Golden& g) {
  const Scope scope;
  const Array<Value> x = leaves({g.B, g.N, g.C}, g.of("x"));
  const Array<Value> kv = g.has("kv") ? leaves({g.B, g.M, g.C}, g.of("kv")) : x;
  Array<Value> attn;
  const Array<Value> out = multi_head(g.weights, x, kv, g.H, draft_mask(g), attn);
  dot(Values(out.numbers), Values(leaves(out.shape, g.of("grad_out")).numbers)).backward();
  std::vector<std::vector<double>> dw;
  for (const Parameter& w : g.weights.matrices()) dw.emplace_back(w.grad, w.grad + w.size());
  return {data_of(out), data_of(attn), grad_of(x), grad_of(kv), dw[0], dw[1], dw[2], dw[3]};
}

// --- src/tensor ------------------------------------------------------------------------------------------------------

/// A batch of documents, all of the same length, by the fast kernels.
inline Answer src_answer(const Golden& g) {
  const Array<double> mask = broadcast(g.mask(), {g.B, 1, g.N, g.M});
  const Kernels<double>& kernels = fast<double>();
  auto tensor = [](const std::vector<double>& numbers, std::size_t cols) {
    Tensor<double> x(numbers.size() / cols, cols);
    copy(x.view(), View<const double>{numbers.data(), numbers.size() / cols, cols, cols});
    return x;
  };
  auto weight = [&](const char* name) {
    Weight<double> w(g.C, g.C);
    w.data = tensor(g.of(name), g.C);
    w.transpose_rows({0, g.C});
    return w;
  };
  auto list = [](const Tensor<double>& x) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < x.view().rows; i++) {
      numbers.insert(numbers.end(), x.view().row(i), x.view().row(i) + x.view().cols);
    }
    return numbers;
  };
  const Weight<double> w_q = weight("w_q"), w_k = weight("w_k"), w_v = weight("w_v"), w_o = weight("w_o");
  const Tensor<double> x = tensor(g.of("x"), g.C), kv = tensor(g.of(g.kv()), g.C), dy = tensor(g.of("grad_out"), g.C);
  Tensor<double> q(g.B * g.N, g.C), k(g.B * g.M, g.C), v(g.B * g.M, g.C), x_attn = q, out = q;
  Tensor<double> dq = q, dk = k, dv = v, dx_attn = q, dx = q, dkv = k, log_sum(g.H, g.B * g.N);
  Tensor<double> dw_q(g.C, g.C), dw_k = dw_q, dw_v = dw_q, dw_o = dw_q;
  kernels.linear_forward(q.view(), x.view(), w_q, {});
  kernels.linear_forward(k.view(), kv.view(), w_k, {});
  kernels.linear_forward(v.view(), kv.view(), w_v, {});
  kernels.linear_backward_input(dx_attn.view(), dy.view(), w_o, {});
  const std::size_t D = g.C / g.H;
  for (std::size_t b = 0; b < g.B; b++) {
    auto queries = [&](Tensor<double>& all) { return all.view().slice_rows(b * g.N, g.N); };
    auto keys = [&](Tensor<double>& all) { return all.view().slice_rows(b * g.M, g.M); };
    const View<double> sums = log_sum.view().slice_cols(b * g.N, g.N);
    const Mask allowed = Mask::table(g.N, g.M, [&](std::size_t t, std::size_t s) {
      return mask.numbers[mask.place({b, 0, t, s})] != 0;
    });
    const AttentionCall<double> call{.q = queries(q),
                                     .k = keys(k),
                                     .v = keys(v),
                                     .n_head = g.H,
                                     .n_kv_head = g.H,
                                     .scale = 1 / std::sqrt(D),
                                     .mask = allowed};
    kernels.attention_forward(queries(x_attn), sums, call);
    kernels.attention_backward({queries(dq), keys(dk), keys(dv)}, queries(dx_attn), queries(x_attn), sums, call);
  }
  kernels.linear_forward(out.view(), x_attn.view(), w_o, {});
  kernels.linear_backward_weight(dw_q.view(), 0, dq.view(), x.view());
  kernels.linear_backward_weight(dw_k.view(), 0, dk.view(), kv.view());
  kernels.linear_backward_weight(dw_v.view(), 0, dv.view(), kv.view());
  kernels.linear_backward_weight(dw_o.view(), 0, dy.view(), x_attn.view());
  kernels.linear_backward_input(dx.view(), dq.view(), w_q, {});
  kernels.linear_backward_input(dkv.view(), dk.view(), w_k, {});
  kernels.linear_backward_input(dkv.view(), dv.view(), w_v, dkv.view());
  if (!g.has("kv")) kernels.add_forward(dx.view(), dx.view(), dkv.view());  // one input made all three
  return {list(out), {}, list(dx), list(dkv), list(dw_q), list(dw_k), list(dw_v), list(dw_o)};
}

// --- Views and products ----------------------------------------------------------------------------------------------

/// Whether q, k and v of one product with (3C,C) are, bit for bit, those of three products with (C,C); and whether a
/// head of them is a View: the very numbers, in their place, and no copy.
inline std::pair<bool, bool> one_product_is_three(const Golden& g) {
  Weight<double> w_qkv(3 * g.C, g.C);
  Tensor<double> x(g.B * g.N, g.C), qkv(g.B * g.N, 3 * g.C), one(g.B * g.N, g.C);
  copy(x.view(), View<const double>{g.of("x").data(), g.B * g.N, g.C, g.C});
  const std::span<const Parameter> three = g.weights.matrices().first(3);
  for (std::size_t i = 0; i < 3; i++) {
    copy(w_qkv.data.view().slice_rows(i * g.C, g.C), View<const double>{three[i].data, g.C, g.C, g.C});
  }
  w_qkv.transpose_rows({0, 3 * g.C});
  fast<double>().linear_forward(qkv.view(), x.view(), w_qkv, {});

  bool same = true;
  for (std::size_t i = 0; i < 3; i++) {
    Weight<double> w(g.C, g.C);
    copy(w.data.view(), View<const double>{three[i].data, g.C, g.C, g.C});
    w.transpose_rows({0, g.C});
    fast<double>().linear_forward(one.view(), x.view(), w, {});
    const View<double> part = qkv.view().slice_cols(i * g.C, g.C);
    for (std::size_t n = 0; n < part.rows; n++) same &= std::equal(part.row(n), part.row(n) + g.C, one.view().row(n));
  }
  bool in_place = true;
  const std::size_t D = g.C / g.H;
  for (std::size_t h = 0; h < g.H; h++) {
    const View<double> k_h = qkv.view().slice_cols(g.C, g.C).slice_cols(h * D, D);
    for (std::size_t n = 0; n < k_h.rows; n++) in_place &= k_h.row(n) == qkv.view().row(n) + g.C + h * D;
  }
  return {same, in_place};
}

/// What a query gets that may see none of three keys.
inline std::vector<double> src_blind() {
  std::vector<double> out(1), log_sum(1), q{1}, kv{0.3, -1.2, 2.1};
  const View<const double> keys{kv.data(), 3, 1, 1};
  const Mask none = Mask::table(1, 3, [](std::size_t, std::size_t) { return false; });
  fast<double>().attention_forward(
      {out.data(), 1, 1, 1}, {log_sum.data(), 1, 1, 1},
      {.q = {q.data(), 1, 1, 1}, .k = keys, .v = keys, .n_head = 1, .n_kv_head = 1, .scale = 1, .mask = none});
  return out;
}

// --- The draft by itself ---------------------------------------------------------------------------------------------

/// Four documents of 4, 3, 2 and 1 positions, padded to 4: with some mask, how far their positions are from those of
/// each document alone, which needs no mask.
inline double padding_error(const Array<double>& mask, PythonRandom random) {
  const Scope scope;
  const std::size_t C = 16, H = 4;
  auto attention = [&](const Array<Value>& x, const Array<double>& allowed) {
    const Array<Value> heads = split_heads(x, H);
    return data_of(merge_heads(attend(heads, heads, heads, allowed).out));
  };
  std::vector<double> numbers, padded, alone;
  for (std::size_t i = 0; i < 4 * 4 * C; i++) numbers.push_back(random.gauss(0, 1));
  const std::vector<double> all = attention(leaves({4, 4, C}, numbers), mask);
  for (std::size_t b = 0; b < 4; b++) {
    const std::size_t first = b * 4 * C, n = (4 - b) * C;
    const std::vector<double> document(&numbers[first], &numbers[first] + n);
    const std::vector<double> of_document = attention(leaves({1, 4 - b, C}, document), {{1}, {1}});
    alone.insert(alone.end(), of_document.begin(), of_document.end());
    padded.insert(padded.end(), &all[first], &all[first] + n);
  }
  return largest_difference(padded, alone);
}

/// Whether another last position leaves the outputs of all before it as they are, to the last bit.
inline bool last_position_is_hidden(const Golden& g) {
  const Scope scope;
  auto outputs = [&](double last) {
    Array<double> x{{g.B, g.N, g.C}, g.of("x")};
    for (std::size_t b = 0; b < g.B; b++) x.numbers[x.place({b, g.N - 1, 0})] = last;
    Array<Value> attn;
    const Array<Value> input = leaves(x.shape, x.numbers);
    return data_of(multi_head(g.weights, input, input, g.H, draft_mask(g), attn));
  };
  const std::vector<double> before = outputs(1), after = outputs(2);
  bool same = true;
  for (std::size_t i = 0; i < before.size(); i++) same &= i / g.C % g.N == g.N - 1 || before[i] == after[i];
  return same;
}

}  // namespace lesson10
