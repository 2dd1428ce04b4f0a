// The oracle of attention: the layers of src/tensor compute again what PyTorch computed, forward and backward, in
// double. The files are those of tests/golden/attention, whose make.py computes them.
//
// What a file holds (see tests/golden/README.md); B documents, N queries and M keys each, width C, H heads:
//   x (B,N,C), kv (B,M,C)                    what queries come from, and keys and values; without kv, x is both
//   w_q, w_k, w_v, w_o                       MHA, MQA or GQA, or
//   w_dq, w_uq, w_dkv, w_uk, w_uv, w_o       MLA; with w_qr, w_kr and the metadata rope_base it has RoPE
//   mask (N,M), key_padding_mask (B,M)       1 where attention is allowed, else 0; both, either or none, and
//   mask = causal                            in the metadata
//   out (B,N,C), attn (B,H,N,M), grad_out (B,N,C), grad.x, grad.kv, grad.w_*, and of MLA c_kv, k_rope
// Sizes come from the shapes of the tensors. Other entries of the metadata are for people.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "fenced.h"
#include "tensor/attention_layer.h"
#include "tensor/kernels.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

using Shape = std::vector<std::uint64_t>;

/// A number passes through about ten sums; the longest have some hundred terms, of which each rounds by at most 1.1e-16
/// of the sum so far. 1e-12 leaves room for these roundings, taken all in the same direction, and for nothing else.
constexpr double tolerance = 1e-12;

// --- A file ----------------------------------------------------------------------------------------------------------

/// A file that knows which of its tensors were used.
class File {
 public:
  explicit File(const std::string& path) : file_(read_safetensors(path)) {}

  bool has(const std::string& name) const { return file_.tensors.contains(name); }

  const Shape& shape(const std::string& name, std::size_t rank) const {
    const Shape& found = find(name).shape;
    REQUIRE_MESSAGE(found.size() == rank, name);
    REQUIRE_MESSAGE(std::count(found.begin(), found.end(), 0) == 0, name);
    return found;
  }

  /// The rows of a weight that are one part's, of so many parts.
  std::size_t rows_of_part(const std::string& weight, std::size_t parts) const {
    const std::size_t rows = shape(weight, 2)[0];
    REQUIRE_MESSAGE(rows % parts == 0, weight);
    return rows / parts;
  }

  /// Uses a tensor, as a matrix: all its sizes but the last count rows.
  View<const double> use(const std::string& name, const Shape& shape) {
    const Safetensors::Tensor& tensor = find(name);
    REQUIRE_MESSAGE(tensor.shape == shape, name);
    used_.insert(name);
    return {tensor.data.data(), tensor.data.size() / shape.back(), shape.back(), shape.back()};
  }

  /// Without rows if there is no such tensor.
  View<const double> use_if_there(const std::string& name, const Shape& shape) {
    return has(name) ? use(name, shape) : View<const double>();
  }

  void check_all_used() const {
    for (const auto& named : file_.tensors) CHECK_MESSAGE(used_.contains(named.first), named.first);
  }

  /// Empty if there is none.
  std::string metadata(const std::string& name) const {
    const auto found = file_.metadata.find(name);
    return found == file_.metadata.end() ? "" : found->second;
  }

 private:
  const Safetensors::Tensor& find(const std::string& name) const {
    REQUIRE_MESSAGE(has(name), name);
    return file_.tensors.at(name);
  }

  Safetensors file_;
  std::set<std::string> used_;
};

struct Sizes {
  std::size_t B, N, M, C, H;
};

// --- The layer -------------------------------------------------------------------------------------------------------

AttentionLayer<double> grouped_attention(const File& file, const Sizes& sizes) {
  const std::size_t K = file.rows_of_part("w_q", sizes.H);
  const std::size_t G = file.rows_of_part("w_k", K);
  const std::size_t D = file.rows_of_part("w_v", G);
  REQUIRE(sizes.H % G == 0);
  return AttentionLayer<double>({.n_embd = sizes.C, .n_head = sizes.H, .n_kv_head = G, .key_dim = K, .value_dim = D});
}

AttentionLayer<double> latent_attention(const File& file, const Sizes& sizes) {
  AttentionShape shape{.n_embd = sizes.C,
                       .n_head = sizes.H,
                       .n_kv_head = sizes.H,
                       .key_dim = file.rows_of_part("w_uq", sizes.H),
                       .value_dim = file.rows_of_part("w_uv", sizes.H),
                       .q_latent = file.shape("w_dq", 2)[0],
                       .kv_latent = file.shape("w_dkv", 2)[0]};
  if (file.has("w_qr") || file.has("w_kr")) {
    shape.rope_dim = 2 * file.rows_of_part("w_kr", 2);  // pairs
    shape.rope_base = std::stod(file.metadata("rope_base"));
    shape.key_dim += shape.rope_dim;
  }
  return AttentionLayer<double>(shape);
}

/// What the files call a weight of src/tensor: w_q is attn_wq.
std::string name_in_file(const NamedWeight<double>& w) {
  return "w_" + std::string(w.name).substr(std::string("attn_w").size());
}

/// The mask of each document.
std::vector<Mask> masks_of(File& file, const Sizes& sizes) {
  const View<const double> mask = file.use_if_there("mask", {sizes.N, sizes.M});
  const View<const double> padding = file.use_if_there("key_padding_mask", {sizes.B, sizes.M});
  const bool causal = file.metadata("mask") == "causal";
  if (mask.rows == 0 && padding.rows == 0) return {sizes.B, causal ? Mask::causal() : Mask::full()};
  std::vector<Mask> masks;
  for (std::size_t b = 0; b < sizes.B; b++) {
    masks.push_back(Mask::table(sizes.N, sizes.M, [&](std::size_t t, std::size_t s) {
      return (mask.rows == 0 || mask.row(t)[s] == 1) && (padding.rows == 0 || padding.row(b)[s] == 1) &&
             (!causal || s <= t);
    }));
  }
  return masks;
}

// --- The comparison --------------------------------------------------------------------------------------------------

/// Uses the tensor `name` and compares it with `found`, row after row.
void compare(File& file, const std::string& name, const Shape& shape, View<const double> found) {
  const View<const double> expected = file.use(name, shape);
  double largest = 1;
  for (std::size_t i = 0; i < expected.rows * expected.cols; i++) {
    largest = std::max(largest, std::abs(expected.data[i]));
  }
  CAPTURE(name);
  REQUIRE(std::isfinite(largest));
  CHECK(largest_difference(found, View<const double>{expected.data, found.rows, found.cols, found.cols}) <=
        tolerance * largest);
}

/// The attention weights of all documents, (B*H*N,M).
Tensor<double> all_attention_weights(const Sizes& sizes, const AttentionShape& shape, const std::vector<Mask>& masks,
                                     const AttentionActivations<double>& a) {
  const auto [B, N, M, C, H] = sizes;
  Tensor<double> weights(B * H * N, M);
  for (std::size_t b = 0; b < B; b++) {
    const auto call = AttentionCall<double>::of(shape, a.q.view().slice_rows(b * N, N), a.k.view().slice_rows(b * M, M),
                                                {}, masks[b]);
    copy(weights.view().slice_rows(b * H * N, H * N), attention_weights(call).view());
  }
  return weights;
}

/// Runs the layer, forward and backward, and compares all that came out.
void compare_all(File& file, const Sizes& sizes, AttentionLayer<double> layer, const Kernels<double>& kernels) {
  const auto [B, N, M, C, H] = sizes;
  for (const NamedWeight<double>& w : layer.weights()) {
    const View<double> data = w.weight->data.view();
    copy(data, file.use(name_in_file(w), {data.rows, data.cols}));
    w.weight->transpose_rows({0, data.rows});
  }
  const View<const double> x = file.use("x", {B, N, C});
  const bool cross = file.has("kv");
  const View<const double> kv = cross ? file.use("kv", {B, M, C}) : x;
  const View<const double> dout = file.use("grad_out", {B, N, C});
  const std::vector<Mask> masks = masks_of(file, sizes);
  std::vector<Sequence> sequences;
  std::vector<std::size_t> positions(B * N);
  std::vector<std::size_t> kv_positions(B * M);
  for (std::size_t b = 0; b < B; b++) sequences.push_back({{b * N, N}, {b * M, M}, &masks[b]});
  for (std::size_t n = 0; n < B * N; n++) positions[n] = n % N;
  for (std::size_t m = 0; m < B * M; m++) kv_positions[m] = m % M;
  const AttentionInput<double> input{x, kv, positions, kv_positions, sequences};

  AttentionActivations<double> a;
  a.resize(layer.shape, B * N, B * M);
  Tensor<double> out(B * N, C);
  Tensor<double> dx(B * N, C);
  Tensor<double> dkv(B * M, C);
  layer.forward(out.view(), {}, kernels, input, a);
  layer.backward(dx.view(), dkv.view(), dout, kernels, input, a);
  layer.backward_weights(dout, kernels, input, a, {0, 1});
  if (!cross) kernels.add_forward(dx.view(), dx.view(), dkv.view());

  compare(file, "out", {B, N, C}, out.view());
  compare(file, "attn", {B, H, N, M}, all_attention_weights(sizes, layer.shape, masks, a).view());
  if (layer.shape.is_latent()) {  // what it could remember of each position
    if (file.has("c_kv")) compare(file, "c_kv", {B, M, layer.shape.kv_latent}, a.c_kv.view());
    if (file.has("k_rope")) compare(file, "k_rope", {B, M, layer.shape.rope_dim}, a.k_rope.view());
  }
  compare(file, "grad.x", {B, N, C}, dx.view());
  if (cross) compare(file, "grad.kv", {B, M, C}, dkv.view());
  for (const NamedWeight<double>& w : layer.weights()) {
    const View<const double> grad = w.weight->grad.view();
    compare(file, "grad." + name_in_file(w), {grad.rows, grad.cols}, grad);
  }
  file.check_all_used();
}

TEST_CASE("attention has PyTorch's outputs, weights and gradients") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/attention")) {
    if (entry.path().extension() != ".safetensors") continue;
    files++;
    for (const Kernels<double>* kernels : {&naive<double>(), &fast<double>()}) {
      INFO(entry.path().string() << ", " << std::string(kernels->name) << " kernels");
      File file(entry.path());
      const Shape& x = file.shape("x", 3);
      const std::size_t M = file.has("kv") ? file.shape("kv", 3)[1] : x[1];
      const Sizes sizes{.B = x[0], .N = x[1], .M = M, .C = x[2], .H = file.shape("attn", 4)[1]};
      if (file.has("w_dkv")) compare_all(file, sizes, latent_attention(file, sizes), *kernels);
      if (!file.has("w_dkv")) compare_all(file, sizes, grouped_attention(file, sizes), *kernels);
    }
  }
  CHECK(files == 16);
}

}  // namespace
}  // namespace microgpt
