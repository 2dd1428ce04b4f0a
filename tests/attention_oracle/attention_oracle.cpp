// The oracle of attention: recomputes every file of reference tensors with the layers of src/tensor, forward and
// backward, with the naive and the fast kernels, in double, and compares all that the file knows.
//
//   ORACLE_DIR=folder attention_oracle      without ORACLE_DIR: tests/golden/attention, from the project's root
//
// For each *.safetensors it prints its name and the largest difference: of each tensor the largest |difference| divided
// by the larger of 1 and the largest |expected|, and of these the largest, over both kernels. It exits with 1 if one is
// beyond the tolerance, if a file lacks a tensor or has one that is not compared with anything, or if there is no file.
//
// What a file holds (see tests/golden/README.md); B documents, N queries and M keys each, width C, H heads:
//   x (B,N,C), kv (B,M,C)                    what queries come from, and keys and values; without kv, x is both
//   w_q, w_k, w_v, w_o                       MHA, MQA or GQA, or
//   w_dq, w_uq, w_dkv, w_uk, w_uv, w_o       MLA; with w_qr, w_kr and the metadata rope_base it has RoPE
//   mask (N,M), key_padding_mask (B,M)       1 where attention is allowed, else 0; both, either or none, and
//   mask = causal                            in the metadata
//   out (B,N,C), attn (B,H,N,M), grad_out (B,N,C), grad.x, grad.kv, grad.w_*, and of MLA c_kv, k_rope
// Sizes come from the shapes of the tensors; those in the metadata must agree. Its other entries are for people.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/attention_layer.h"
#include "tensor/attention_weights.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::uint64_t>;

/// A number passes through about ten sums; the longest have some hundred terms, of which each rounds by at most 1.1e-16
/// of the sum so far. 1e-12 leaves room for these roundings, taken all in the same direction, and for nothing else.
constexpr double tolerance = 1e-12;

// --- A file ----------------------------------------------------------------------------------------------------------

class File {
 public:
  explicit File(const fs::path& path) : file_(read_safetensors(path)) {}

  bool has(const std::string& name) const { return file_.tensors.contains(name); }

  /// The shape of a tensor of this rank, without zeros. Throws Error if there is none.
  const Shape& shape(const std::string& name, std::size_t rank) const {
    const Shape& found = find(name).shape;
    if (found.size() != rank || std::count(found.begin(), found.end(), 0) > 0) {
      throw Error(fmt::format("{} has the shape {}, not {} sizes of 1 or more", name, text_of(found), rank));
    }
    return found;
  }

  /// The numbers of a tensor, which counts as known from now on. Throws Error if it is missing or of another shape.
  const std::vector<double>& take(const std::string& name, const Shape& shape) {
    const Safetensors::Tensor& tensor = find(name);
    if (tensor.shape != shape) {
      throw Error(fmt::format("{} has the shape {}, not {}", name, text_of(tensor.shape), text_of(shape)));
    }
    taken_.insert(name);
    return tensor.data;
  }

  /// Throws Error if there is a tensor that nobody has taken.
  void check_all_taken() const {
    for (const auto& [name, tensor] : file_.tensors) {
      if (!taken_.contains(name)) {
        throw Error("has a tensor " + shown(name) + " that this program does not know");
      }
    }
  }

  std::optional<std::string> metadata(const std::string& name) const {
    const auto found = file_.metadata.find(name);
    return found == file_.metadata.end() ? std::nullopt : std::optional(found->second);
  }

  /// A number of the metadata. Throws Error if it is missing or no number.
  double number(const std::string& name) const {
    const std::string text = metadata(name).value_or("");
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') {
      throw Error("its metadata has " + shown(text) + " for " + name + ", not a number");
    }
    return number;
  }

  /// Throws Error if the metadata has another size by this name. It need not have it.
  void check_size(const std::string& name, std::size_t size) const {
    if (metadata(name) && number(name) != static_cast<double>(size)) {
      throw Error(fmt::format("its metadata says {} = {}, its tensors say {}", name, *metadata(name), size));
    }
  }

 private:
  static std::string text_of(const Shape& shape) {
    std::string sizes;
    for (const std::uint64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    return "[" + sizes + "]";
  }

  const Safetensors::Tensor& find(const std::string& name) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) throw Error("lacks the tensor " + name);
    return found->second;
  }

  Safetensors file_;
  std::set<std::string> taken_;
};

struct Sizes {
  std::size_t B, N, M, C, H;
};

Sizes sizes_of(const File& file) {
  const Shape& x = file.shape("x", 3);
  const std::size_t M = file.has("kv") ? file.shape("kv", 3)[1] : x[1];
  const Sizes sizes{.B = x[0], .N = x[1], .M = M, .C = x[2], .H = file.shape("attn", 4)[1]};
  file.check_size("B", sizes.B);
  file.check_size("N", sizes.N);
  file.check_size("M", sizes.M);
  file.check_size("d_model", sizes.C);
  file.check_size("n_head", sizes.H);
  return sizes;
}

/// The rows of a weight that are one part's, of so many parts. Throws Error if they cannot be shared evenly.
std::size_t rows_of_part(const File& file, const std::string& weight, std::size_t parts) {
  const std::size_t rows = file.shape(weight, 2)[0];
  if (rows % parts != 0) throw Error(fmt::format("{} has {} rows, no multiple of {}", weight, rows, parts));
  return rows / parts;
}

// --- The layer -------------------------------------------------------------------------------------------------------

AttentionLayer<double> grouped_attention(const File& file, const Sizes& sizes) {
  const std::size_t K = rows_of_part(file, "w_q", sizes.H);
  const std::size_t G = rows_of_part(file, "w_k", K);
  const std::size_t D = rows_of_part(file, "w_v", G);
  if (sizes.H % G != 0) throw Error(fmt::format("{} heads cannot share the keys of {}", sizes.H, G));
  file.check_size("n_kv_head", G);
  return AttentionLayer<double>({.n_embd = sizes.C, .n_head = sizes.H, .n_kv_head = G, .key_dim = K, .value_dim = D});
}

AttentionLayer<double> latent_attention(const File& file, const Sizes& sizes) {
  AttentionShape shape{.n_embd = sizes.C,
                       .n_head = sizes.H,
                       .n_kv_head = sizes.H,
                       .q_latent = file.shape("w_dq", 2)[0],
                       .kv_latent = file.shape("w_dkv", 2)[0]};
  shape.key_dim = rows_of_part(file, "w_uq", sizes.H);
  shape.value_dim = rows_of_part(file, "w_uv", sizes.H);
  if (file.has("w_qr") || file.has("w_kr")) {
    shape.rope_dim = 2 * rows_of_part(file, "w_kr", 2);  // pairs
    shape.rope_base = file.number("rope_base");
    shape.key_dim += shape.rope_dim;
  }
  file.check_size("q_latent", shape.q_latent);
  file.check_size("kv_latent", shape.kv_latent);
  file.check_size("d_nope", shape.nope_dim());
  file.check_size("d_rope", shape.rope_dim);
  return AttentionLayer<double>(shape);
}

// --- The comparison --------------------------------------------------------------------------------------------------

/// The tensor that is furthest off, as yet.
struct Worst {
  double difference = 0;
  std::string tensor;
};

/// Takes the tensor `name` and compares it with `found`, row after row.
void compare(Worst& worst, File& file, const std::string& name, const Shape& shape, View<const double> found) {
  const std::vector<double>& expected = file.take(name, shape);
  double apart = 0;
  double largest = 1;
  bool finite = true;  // infinity minus infinity is no number, and no number is larger than another
  for (std::size_t i = 0; i < expected.size(); i++) {
    const double difference = std::abs(expected[i] - found.row(i / found.cols)[i % found.cols]);
    finite = finite && std::isfinite(difference);
    apart = std::max(apart, difference);
    largest = std::max(largest, std::abs(expected[i]));
  }
  const double difference = finite ? apart / largest : std::numeric_limits<double>::infinity();
  if (worst.tensor.empty() || difference > worst.difference) worst = {difference, name};
}

std::size_t num_numbers(const Shape& shape) {
  std::size_t n = 1;
  for (const std::uint64_t size : shape) n *= size;
  return n;
}

/// A tensor as a matrix: all its sizes but the last count rows.
Tensor<double> matrix(File& file, const std::string& name, const Shape& shape) {
  const double* from = file.take(name, shape).data();
  Tensor<double> tensor(num_numbers(shape) / shape.back(), shape.back());
  const View<double> view = tensor.view();
  for (std::size_t n = 0; n < view.rows; n++, from += view.cols) std::copy_n(from, view.cols, view.row(n));
  return tensor;
}

/// The mask of each document.
std::vector<Mask> masks_of(File& file, const Sizes& sizes) {
  auto take = [&](const std::string& name, const Shape& shape) {
    if (!file.has(name)) return std::vector<double>(num_numbers(shape), 1);
    const std::vector<double>& numbers = file.take(name, shape);
    if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return number == 0 || number == 1; })) {
      throw Error(name + " has a number other than 0 and 1");
    }
    return numbers;
  };
  const std::vector<double> mask = take("mask", {sizes.N, sizes.M});
  const std::vector<double> padding = take("key_padding_mask", {sizes.B, sizes.M});
  const std::string kind = file.metadata("mask").value_or("none");
  if (kind != "none" && kind != "causal") throw Error("its metadata has an unknown mask " + shown(kind));
  const bool causal = kind == "causal";
  if (!file.has("mask") && !file.has("key_padding_mask")) return {sizes.B, causal ? Mask::causal() : Mask::full()};
  std::vector<Mask> masks;
  for (std::size_t b = 0; b < sizes.B; b++) {
    masks.push_back(Mask::table(sizes.N, sizes.M, [&](std::size_t t, std::size_t s) {
      return mask[t * sizes.M + s] == 1 && padding[b * sizes.M + s] == 1 && (!causal || s <= t);
    }));
  }
  return masks;
}

/// What MLA could remember of each position.
void compare_latents(Worst& worst, File& file, const Sizes& sizes, const AttentionActivations<double>& a) {
  auto compare_if_there = [&](const std::string& name, View<const double> found) {
    if (file.has(name)) compare(worst, file, name, {sizes.B, sizes.M, found.cols}, found);
  };
  compare_if_there("c_kv", a.c_kv.view());
  compare_if_there("k_rope", a.k_rope.view());
}

/// What the files call a weight of src/tensor: w_q is attn_wq.
std::string name_in_file(const NamedWeight<double>& w) {
  return "w_" + std::string(w.name).substr(std::string("attn_w").size());
}

/// Runs the layer, forward and backward, and compares all that came out.
Worst compare_all(File& file, const Sizes& sizes, AttentionLayer<double> layer, const Kernels<double>& kernels) {
  const auto [B, N, M, C, H] = sizes;
  for (const NamedWeight<double>& w : layer.weights()) {
    const View<double> data = w.weight->data.view();
    copy(data, matrix(file, name_in_file(w), {data.rows, data.cols}).view());
    w.weight->transpose_rows({0, data.rows});
  }
  const bool cross = file.has("kv");
  const Tensor<double> x = matrix(file, "x", {B, N, C});
  const Tensor<double> kv = cross ? matrix(file, "kv", {B, M, C}) : x;
  const Tensor<double> dout = matrix(file, "grad_out", {B, N, C});
  const std::vector<Mask> masks = masks_of(file, sizes);
  std::vector<Sequence> sequences;
  std::vector<std::size_t> positions(B * N);
  std::vector<std::size_t> kv_positions(B * M);
  for (std::size_t b = 0; b < B; b++) sequences.push_back({{b * N, N}, {b * M, M}, &masks[b]});
  for (std::size_t n = 0; n < B * N; n++) positions[n] = n % N;
  for (std::size_t m = 0; m < B * M; m++) kv_positions[m] = m % M;
  const AttentionInput<double> input{x.view(), kv.view(), positions, kv_positions, sequences};

  AttentionActivations<double> a;
  a.resize(layer.shape, B * N, B * M);
  Tensor<double> out(B * N, C);
  Tensor<double> dx(B * N, C);
  Tensor<double> dkv(B * M, C);
  layer.forward(out.view(), {}, kernels, input, a);
  layer.backward(dx.view(), dkv.view(), dout.view(), kernels, input, a);
  layer.backward_weights(dout.view(), kernels, input, a, 0, 1);
  if (!cross) kernels.add_forward(dx.view(), dx.view(), dkv.view());

  Tensor<double> attn(B * H * N, M);
  for (std::size_t b = 0; b < B; b++) {
    const auto call = AttentionCall<double>::of(layer.shape, a.q.view().slice_rows(b * N, N),
                                                a.k.view().slice_rows(b * M, M), {}, masks[b]);
    copy(attn.view().slice_rows(b * H * N, H * N), attention_weights(call).view());
  }
  Worst worst;
  compare(worst, file, "out", {B, N, C}, out.view());
  compare(worst, file, "attn", {B, H, N, M}, attn.view());
  if (layer.shape.is_latent()) compare_latents(worst, file, sizes, a);
  compare(worst, file, "grad.x", {B, N, C}, dx.view());
  if (cross) compare(worst, file, "grad.kv", {B, M, C}, dkv.view());
  for (const NamedWeight<double>& w : layer.weights()) {
    const View<const double> grad = w.weight->grad.view();
    compare(worst, file, "grad." + name_in_file(w), {grad.rows, grad.cols}, grad);
  }
  file.check_all_taken();
  return worst;
}

Worst compare_all(File& file, const Kernels<double>& kernels) {
  const Sizes sizes = sizes_of(file);
  if (file.has("w_dkv")) return compare_all(file, sizes, latent_attention(file, sizes), kernels);
  return compare_all(file, sizes, grouped_attention(file, sizes), kernels);
}

// --- All files -------------------------------------------------------------------------------------------------------

/// What stands behind a file's name, and whether all is well with it.
struct Verdict {
  bool ok;
  std::string text;
};

Verdict check(const fs::path& path) {
  try {
    File file(path);
    const Worst naive_worst = compare_all(file, naive<double>());
    const Worst fast_worst = compare_all(file, fast<double>());
    const bool is_fast = fast_worst.difference > naive_worst.difference;
    const Worst& worst = is_fast ? fast_worst : naive_worst;
    const bool ok = worst.difference <= tolerance;
    const std::string off = fmt::format("FAILED: {}, with the {} kernels", worst.tensor, is_fast ? "fast" : "naive");
    return {ok, fmt::format("{:.1e}  {}", worst.difference, ok ? "ok" : off)};
  } catch (const std::exception& error) {  // an Error, or no memory for what the file claims
    return {false, std::string("         FAILED: ") + error.what()};
  }
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  if (error) throw Error("cannot list '" + folder.string() + "': " + error.message() + "; set ORACLE_DIR to a folder");
  if (files.empty()) {
    throw Error("no *.safetensors in '" + folder.string() + "'; set ORACLE_DIR to a folder that has some");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns how many files failed.
std::size_t check_all(const fs::path& folder) {
  const std::vector<fs::path> files = files_in(folder);
  std::size_t width = 0;
  for (const fs::path& path : files) width = std::max(width, path.stem().string().size());
  std::size_t failed = 0;
  for (const fs::path& path : files) {
    const Verdict verdict = check(path);
    fmt::print("{:{}}  {}\n", path.stem().string(), width, verdict.text);
    if (!verdict.ok) failed++;
  }
  fmt::print("{} of {} files agree to within {:.0e}\n", files.size() - failed, files.size(), tolerance);
  return failed;
}

}  // namespace
}  // namespace microgpt

int main() {
  try {
    const char* folder = std::getenv("ORACLE_DIR");
    return microgpt::check_all(folder != nullptr ? folder : "tests/golden/attention") == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "attention_oracle: {}\n", error.what());
    return 1;
  }
}
