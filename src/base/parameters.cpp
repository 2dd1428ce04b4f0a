#include "base/parameters.h"

#include <stdexcept>

#include "base/attention_shape.h"
#include "base/config.h"
#include "base/python_random.h"

namespace microgpt {

Parameters::Parameters(const std::vector<Shape>& shapes) {
  std::size_t size = 0;
  for (const Shape& shape : shapes) size += shape.rows * shape.cols;
  data_.resize(size);
  grad_.resize(size);
  std::size_t offset = 0;
  for (const Shape& shape : shapes) {
    index_[shape.name] = matrices_.size();
    matrices_.push_back({shape.name, shape.rows, shape.cols, &data_[offset], &grad_[offset]});
    offset += shape.rows * shape.cols;
  }
}

const Parameter& Parameters::operator[](const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) throw std::out_of_range("no parameter is called " + name);
  return matrices_[found->second];
}

std::vector<Parameters::Shape> gpt_shapes(const Config& config) {
  const std::size_t V = config.vocab_size;
  const std::size_t T = config.block_size;
  const std::size_t C = config.n_embd;
  std::vector<Parameters::Shape> shapes{{"wte", V, C}};
  if (!config.rope) shapes.push_back({"wpe", T, C});
  shapes.push_back({"lm_head", V, C});
  const std::vector<Parameters::Shape> attention = attention_matrices(attention_shape(config));
  for (std::size_t i = 0; i < config.n_layer; i++) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    for (const auto& [name, rows, cols] : attention) shapes.push_back({layer + name, rows, cols});
    shapes.push_back({layer + "mlp_fc1", 4 * C, C});
    shapes.push_back({layer + "mlp_fc2", C, 4 * C});
  }
  return shapes;
}

namespace {

void draw(const Parameter& matrix, double stddev, PythonRandom& random) {
  for (std::size_t i = 0; i < matrix.size(); i++) matrix.data[i] = random.gauss(0, stddev);
}

}  // namespace

void draw_weights(Parameters& parameters, double stddev, PythonRandom& random) {
  for (const Parameter& matrix : parameters.matrices()) draw(matrix, stddev, random);
}

Parameters initialize(const Config& config, const TrainConfig& train, PythonRandom& random) {
  Parameters parameters(gpt_shapes(config));
  for (const Parameter& matrix : parameters.matrices()) {
    const bool projection = matrix.name.ends_with("attn_wo") || matrix.name.ends_with("mlp_fc2");
    draw(matrix, train.zero_projections && projection ? 0.0 : train.init_std, random);
  }
  return parameters;
}

}  // namespace microgpt
