// The parameters of a model as a store: named matrices of doubles and their gradients. All numbers lie in one block,
// matrix after matrix, row after row. Both paths copy their parameters from here and back; a checkpoint saves them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace microgpt {

struct Config;
struct TrainConfig;
class PythonRandom;

/// A matrix in the store, of shape (rows, cols). data and grad point to its first number.
struct Parameter {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  double* data = nullptr;
  double* grad = nullptr;

  std::size_t size() const { return rows * cols; }
  std::span<double> row(std::size_t i) const { return {data + i * cols, cols}; }
  std::span<double> grad_row(std::size_t i) const { return {grad + i * cols, cols}; }
};

class Parameters {
 public:
  struct Shape {
    std::string name;
    std::size_t rows;
    std::size_t cols;
  };

  /// Matrices of zeros with these shapes, in this order.
  explicit Parameters(const std::vector<Shape>& shapes);
  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;

  /// Throws std::out_of_range if no matrix has that name.
  const Parameter& operator[](const std::string& name) const;

  std::size_t size() const { return data_.size(); }
  std::span<const Parameter> matrices() const { return matrices_; }

  std::span<double> data() { return data_; }
  std::span<const double> data() const { return data_; }
  std::span<double> grad() { return grad_; }
  std::span<const double> grad() const { return grad_; }

 private:
  std::vector<double> data_, grad_;
  std::vector<Parameter> matrices_;
  std::unordered_map<std::string, std::size_t> index_;  // of a name in matrices_
};

/// The matrices of a GPT in the reference's order: wte (V,C), wpe (T,C), lm_head (V,C), then for each layer attn_wq
/// (C,C), attn_wk and attn_wv (G*D,C), attn_wo (C,C), mlp_fc1 (4C,C), mlp_fc2 (C,4C). Each row makes one output. There
/// is no wpe if RoPE encodes the positions. Latent attention replaces attn_wq, attn_wk and attn_wv by attn_wdq (Lq,C),
/// attn_wuq (C,Lq), attn_wqr (H*R,Lq), attn_wdkv (Lkv,C), attn_wuk and attn_wuv (C,Lkv), and attn_wkr (R,C); attn_wqr
/// and attn_wkr exist only if there is a rotary part.
std::vector<Parameters::Shape> gpt_shapes(const Config& config);

/// Draws every weight from gauss(0, stddev) in the order of the store.
void draw_weights(Parameters& parameters, double stddev, PythonRandom& random);

/// Initializes a new GPT: draws every weight from gauss(0, init_std) in the order of the store. With zero_projections
/// attn_wo and mlp_fc2 are drawn from gauss(0, 0): zeros that still use up random numbers.
Parameters initialize(const Config& config, const TrainConfig& train, PythonRandom& random);

}  // namespace microgpt
