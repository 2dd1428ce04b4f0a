// The layers of the tensor path in plain loops, naive(): their outputs and gradients are those of the scalar path.
// (That the scalar path's gradients are slopes: ops_test.cpp. That the vectors compute the same: kernels_test.cpp.)
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "fenced.h"
#include "random_numbers.h"
#include "scalar/ops.h"
#include "tensor/kernels.h"

namespace microgpt {
namespace {

using Matrices = std::vector<Tensor<double>>;

/// A layer in both paths: y is its output, dy the gradient of y, dx those of its inputs.
struct Layer {
  std::string name;
  std::vector<Parameters::Shape> inputs;
  std::size_t rows, cols;  // of its output
  std::function<void(View<double> y, Matrices& dx, View<const double> dy, const Matrices& x)> tensor;
  std::function<Values(const std::vector<Matrix>& x, std::size_t n)> scalar;  // row n of y
};

const Kernels<double>& kernels = naive<double>();

constexpr std::size_t N = 4;
constexpr std::size_t C = 5;
constexpr std::size_t V = 6;
const std::vector<Token> tokens{3, 0, 3, 5};
const std::vector<std::size_t> positions{0, 1, 2, 0};
const std::vector<Token> targets{0, 5, 2, 2};

Layer embedding_layer() {
  return {"embedding",
          {{"wte", V, C}, {"wpe", 3, C}},
          N,
          C,
          [](auto y, auto& dx, auto dy, auto& x) {
            kernels.embedding_forward(y, tokens, positions, x[0].view(), x[1].view());
            kernels.embedding_backward(dx[0].view(), 0, dy, tokens);
            kernels.embedding_backward(dx[1].view(), 0, dy, positions);
          },
          [](auto& x, std::size_t n) { return add(x[0][tokens[n]], x[1][positions[n]]); }};
}

Layer linear_layer() {
  return {"linear",
          {{"x", N, C}, {"w", V, C}},
          N,
          V,
          [](auto y, auto& dx, auto dy, auto& x) {
            Weight<double> w(V, C);
            copy(w.data.view(), x[1].view());
            kernels.linear_forward(y, x[0].view(), w, {});
            kernels.linear_backward_input(dx[0].view(), dy, w, {});
            for (std::size_t i = 0; i < V; i += 2) {  // in shares of two rows
              kernels.linear_backward_weight(dx[1].view().slice_rows(i, 2), i, dy, x[0].view());
            }
          },
          [](auto& x, std::size_t n) { return linear(x[0][n], x[1]); }};
}

Layer rmsnorm_layer() {
  return {"rmsnorm",
          {{"x", N, C}},
          N,
          C,
          [](auto y, auto& dx, auto dy, auto& x) {
            Tensor<double> scale(1, N);
            kernels.rmsnorm_forward(y, scale.view().data, x[0].view());
            kernels.rmsnorm_backward(dx[0].view(), dy, x[0].view(), scale.view().data, {});
          },
          [](auto& x, std::size_t n) { return rmsnorm(x[0][n]); }};
}

Layer add_layer() {
  return {"add",
          {{"a", N, C}, {"b", N, C}},
          N,
          C,
          [](auto y, auto& dx, auto dy, auto& x) {
            kernels.add_forward(y, x[0].view(), x[1].view());
            for (Tensor<double>& d : dx) copy(d.view(), dy);
          },
          [](auto& x, std::size_t n) { return add(x[0][n], x[1][n]); }};
}

Layer activation_layer(Activation activation) {
  return {named(activation).title,
          {{"x", N, C}},
          N,
          C,
          [=](auto y, auto& dx, auto dy, auto& x) {
            kernels.activation_forward(y, x[0].view(), activation);
            kernels.activation_backward(dx[0].view(), dy, x[0].view(), activation);
          },
          [=](auto& x, std::size_t n) { return activate(x[0][n], activation); }};
}

Layer cross_entropy_layer() {
  return {"cross entropy",
          {{"logits", N, V}},
          N,
          1,
          [](auto y, auto& dx, auto dy, auto& x) {
            std::vector<double> losses(N);
            std::vector<double> dlosses(N);
            for (std::size_t n = 0; n < N; n++) dlosses[n] = dy.row(n)[0];
            Tensor<double> probs(N, V);
            kernels.cross_entropy_forward(losses.data(), probs.view(), x[0].view(), targets);
            kernels.cross_entropy_backward(dx[0].view(), dlosses.data(), probs.view(), targets);
            for (std::size_t n = 0; n < N; n++) y.row(n)[0] = losses[n];
          },
          [](auto& x, std::size_t n) {
            return Values(1, [&](std::size_t) { return cross_entropy(x[0][n], targets[n]); });
          }};
}

constexpr double scale = 0.6;  // of the scores: any number

/// One query of attention as the walkthrough writes it, head by head; it sees these keys.
Values attend(const std::vector<Matrix>& x, std::size_t t, const AttentionShape& heads,
              const std::vector<std::size_t>& seen) {
  std::vector<Value> out;
  for (std::size_t h = 0; h < heads.n_head; h++) {
    const std::size_t g = h * heads.n_kv_head / heads.n_head;
    const Values q_h = x[0][t].slice(h * heads.key_dim, heads.key_dim);
    const Values logits(seen.size(), [&](std::size_t i) {
      return dot(q_h, x[1][seen[i]].slice(g * heads.key_dim, heads.key_dim)) * scale;
    });
    const Values weights = seen.empty() ? logits : softmax(logits);
    for (std::size_t j = 0; j < heads.value_dim; j++) {
      const Values v_j(seen.size(), [&](std::size_t i) { return x[2][seen[i]][g * heads.value_dim + j]; });
      out.push_back(seen.empty() ? Value(0.0) : dot(weights, v_j));
    }
  }
  return Values(out);
}

Layer attention_layer(const std::string& name, std::size_t n, std::size_t m, const AttentionShape& heads,
                      const Mask& mask, std::size_t first_query) {
  return {"attention, " + name,
          {{"q", n, heads.n_head * heads.key_dim},
           {"k", m, heads.n_kv_head * heads.key_dim},
           {"v", m, heads.n_kv_head * heads.value_dim}},
          n,
          heads.n_head * heads.value_dim,
          [=](auto y, auto& dx, auto dy, auto& x) {
            auto call = AttentionCall<double>::of(heads, x[0].view(), x[1].view(), x[2].view(), mask, first_query);
            call.scale = scale;
            Tensor<double> log_sum(heads.n_head, n);
            kernels.attention_forward(y, log_sum.view(), call);
            kernels.attention_backward({dx[0].view(), dx[1].view(), dx[2].view()}, dy, y, log_sum.view(), call);
          },
          [=](auto& x, std::size_t t) {
            std::vector<std::size_t> seen;
            for (std::size_t s = 0; s < m; s++) {
              if (mask.allows(first_query + t, s)) seen.push_back(s);
            }
            return attend(x, t, heads, seen);
          }};
}

std::vector<Layer> layers() {
  const AttentionShape mha{.n_head = 2, .n_kv_head = 2, .key_dim = 2, .value_dim = 2};
  const AttentionShape gqa{.n_head = 4, .n_kv_head = 2, .key_dim = 2, .value_dim = 3};
  const AttentionShape mqa{.n_head = 3, .n_kv_head = 1, .key_dim = 3, .value_dim = 2};
  const Mask holes = Mask::table(5, 6, [](auto t, auto s) { return t != 2 && (t + s) % 3 != 0; });
  return {embedding_layer(),
          linear_layer(),
          rmsnorm_layer(),
          add_layer(),
          activation_layer(Activation::relu),
          activation_layer(Activation::squared_relu),
          cross_entropy_layer(),
          attention_layer("one position", 1, 1, mha, Mask::causal(), 0),
          attention_layer("causal", 4, 4, mha, Mask::causal(), 0),
          attention_layer("full, grouped queries", 3, 3, gqa, Mask::full(), 0),
          attention_layer("the last of a document, one key head", 2, 5, mqa, Mask::causal(), 3),
          attention_layer("another document's keys, one query that sees none", 5, 6, gqa, holes, 0)};
}

/// Numbers between 0.25 and 2, or their negatives: far from the kink of relu.
Parameters random_inputs(const Layer& layer, PythonRandom& random) {
  Parameters parameters(layer.inputs);
  for (double& number : parameters.data()) number = uniform(random, 0.25, 2) * (random.below(2) == 0 ? 1 : -1);
  return parameters;
}

// Inputs are at most 2, so the largest outputs are those of linear, up to 5 * 4. All numbers stay below 2^5, so 2^5
// roundings, of at most 2^-48 each, are 2^-43; the rest is for the slopes on the way.
constexpr double rounding = 0x1p-38;

TEST_CASE("each layer in plain loops gives the outputs and gradients of the scalar path") {
  PythonRandom random(1);
  for (const Layer& layer : layers()) {
    for (int point = 0; point < 10; point++) {
      Parameters parameters = random_inputs(layer, random);
      Matrices x;
      Matrices dx;
      for (const Parameter& p : parameters.matrices()) {
        copy(x.emplace_back(p.rows, p.cols).view(), {p.data, p.rows, p.cols, p.cols});
        dx.emplace_back(p.rows, p.cols);
      }
      const std::vector<double> numbers = uniform(random, layer.rows * layer.cols, -1, 1);
      const View<const double> dy{numbers.data(), layer.rows, layer.cols, layer.cols};
      Tensor<double> y(layer.rows, layer.cols);
      layer.tensor(y.view(), dx, dy, x);
      INFO(layer.name);

      const Scope scope;
      std::vector<Matrix> same_x;
      for (const Parameter& parameter : parameters.matrices()) same_x.emplace_back(parameter);
      Value loss = 0.0;
      for (std::size_t n = 0; n < layer.rows; n++) {
        const Values same_y = layer.scalar(same_x, n);
        REQUIRE(same_y.size() == layer.cols);
        for (std::size_t i = 0; i < layer.cols; i++) {
          CHECK(std::abs(y.view().row(n)[i] - same_y[i].data()) < rounding);
          loss = loss + same_y[i] * dy.row(n)[i];
        }
      }
      loss.backward();
      for (std::size_t i = 0; i < x.size(); i++) {
        const Parameter& same = parameters.matrices()[i];
        INFO("gradient of " << same.name);
        CHECK(largest_difference(dx[i].view(), View<double>{same.grad, same.rows, same.cols, same.cols}) < rounding);
      }
    }
  }
}

}  // namespace
}  // namespace microgpt
