// The same question to the scalar path and to src/tensor: a layer's outputs for these inputs, and the gradients of the
// inputs and weights when dy comes back from the outputs. Each answer is a list of Arrays.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "layers.h"
#include "scalar/ops.h"
#include "tensor/gpt.h"
#include "train/gradient.h"

namespace lesson09 {

using namespace microgpt;
using Answer = std::vector<Array>;
using Rows = std::vector<Values>;  // an Array as Values

inline Array random_array(std::size_t rows, std::size_t cols, PythonRandom& random) {
  Array x(rows, cols);
  for (double& number : x.data) number = random.gauss(0, 1);
  return x;
}

/// The gradient of w, which is zero from here on.
inline Array taken_grad(const Parameter& w) {
  Array grad(w.rows, w.cols);
  for (std::size_t i = 0; i < w.size(); i++) grad.data[i] = std::exchange(w.grad[i], 0);
  return grad;
}

// --- The scalar path -------------------------------------------------------------------------------------------------

inline Rows leaves(const Array& x) {
  Rows rows;
  for (std::size_t n = 0; n < x.rows; n++) {
    rows.emplace_back(x.cols, [&](std::size_t c) { return x.row(n)[c]; });
  }
  return rows;
}

/// Lets dy come back from y: it is the gradient of the sum of y * dy. Returns the numbers of y.
inline Array send_back(const Rows& y, const Array& dy) {
  Array data(dy.rows, dy.cols);
  const Rows factors = leaves(dy);
  const Values products(y.size(), [&](std::size_t n) { return dot(y[n], factors[n]); });
  sum(products).backward();
  for (std::size_t n = 0; n < y.size(); n++) {
    const std::vector<double> row = y[n].data();
    std::copy(row.begin(), row.end(), data.row(n));
  }
  return data;
}

inline Array grad_of(const Rows& x) {
  Array grad(x.size(), x[0].size());
  for (std::size_t n = 0; n < grad.rows; n++) {
    for (std::size_t c = 0; c < grad.cols; c++) grad.row(n)[c] = x[n][c].grad();
  }
  return grad;
}

inline Answer scalar_embedding(const Batch& batch, const Parameter& wte, const Parameter& wpe, const Array& dx) {
  const Scope scope;
  const Matrix tokens(wte), positions(wpe);
  Rows x;
  for (std::size_t n = 0; n < dx.rows; n++) {
    x.push_back(microgpt::add(tokens[batch.tokens()[n]], positions[batch.positions()[n]]));
  }
  const Array data = send_back(x, dx);
  return {data, taken_grad(wte), taken_grad(wpe)};
}

inline Answer scalar_linear(const Array& x, const Parameter& w, const Array& dy) {
  const Scope scope;
  const Matrix matrix(w);
  const Rows inputs = leaves(x);
  Rows y;
  for (const Values& row : inputs) y.push_back(linear(row, matrix));
  const Array data = send_back(y, dy);
  return {data, grad_of(inputs), taken_grad(w)};
}

/// rmsnorm or relu: `layer` is either.
inline Answer scalar_layer(Values (*layer)(Values), const Array& x, const Array& dy) {
  const Scope scope;
  const Rows inputs = leaves(x);
  Rows y;
  for (const Values& row : inputs) y.push_back(layer(row));
  const Array data = send_back(y, dy);
  return {data, grad_of(inputs)};
}

inline Answer scalar_attention(const Batch& batch, std::size_t n_head, const Array& q, const Array& k, const Array& v,
                               const Array& dout) {
  const Scope scope;
  const Rows queries = leaves(q), keys = leaves(k), values = leaves(v);
  const std::size_t D = q.cols / n_head;
  Rows out;
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const std::size_t first = batch.document(i).first;
    for (std::size_t t = 0; t < batch.document(i).n; t++) {
      std::vector<Value> x_attn;
      for (std::size_t hs = 0; hs < q.cols; hs += D) {
        const Values weights = softmax(Values(t + 1, [&](std::size_t s) {
          return dot(queries[first + t].slice(hs, D), keys[first + s].slice(hs, D)) / std::sqrt(D);
        }));
        for (std::size_t j = hs; j < hs + D; j++) {
          x_attn.push_back(dot(weights, Values(t + 1, [&](std::size_t s) { return values[first + s][j]; })));
        }
      }
      out.emplace_back(x_attn);
    }
  }
  const Array data = send_back(out, dout);
  return {data, grad_of(queries), grad_of(keys), grad_of(values)};
}

inline Answer scalar_cross_entropy(const Array& logits, std::span<const Token> targets, const Array& dlosses) {
  const Scope scope;
  const Rows inputs = leaves(logits);
  Rows losses;
  for (std::size_t n = 0; n < inputs.size(); n++) {
    losses.emplace_back(1, [&](std::size_t) { return cross_entropy(inputs[n], targets[n]); });
  }
  const Array data = send_back(losses, dlosses);
  return {data, grad_of(inputs)};
}

// --- src/tensor ------------------------------------------------------------------------------------------------------

inline View<double> view(Array& x) { return {x.data.data(), x.rows, x.cols, x.cols}; }
inline View<const double> view(const Array& x) { return {x.data.data(), x.rows, x.cols, x.cols}; }
inline View<const double> view(const Parameter& w) { return {w.data, w.rows, w.cols, w.cols}; }

inline Answer src_embedding(const Batch& batch, const Parameter& wte, const Parameter& wpe, const Array& dx) {
  Array x(dx.rows, dx.cols), dwte(wte.rows, wte.cols), dwpe(wpe.rows, wpe.cols);
  naive<double>().embedding_forward(view(x), batch.tokens(), batch.positions(), view(wte), view(wpe));
  naive<double>().embedding_backward(view(dwte), 0, view(dx), batch.tokens());
  naive<double>().embedding_backward(view(dwpe), 0, view(dx), batch.positions());
  return {x, dwte, dwpe};
}

inline Answer src_linear(const Array& x, const Parameter& w, const Array& dy) {
  Array y(dy.rows, dy.cols), dx(x.rows, x.cols), dw(w.rows, w.cols);
  Weight<double> weight(w.rows, w.cols);
  copy(weight.data.view(), view(w));
  naive<double>().linear_forward(view(y), view(x), weight, {});
  naive<double>().linear_backward_input(view(dx), view(dy), weight, {});
  naive<double>().linear_backward_weight(view(dw), 0, view(dy), view(x));
  return {y, dx, dw};
}

inline Answer src_rmsnorm(const Array& x, const Array& dy) {
  Array y(x.rows, x.cols), dx(x.rows, x.cols);
  std::vector<double> scale(x.rows);
  naive<double>().rmsnorm_forward(view(y), scale.data(), view(x));
  naive<double>().rmsnorm_backward(view(dx), view(dy), view(x), scale.data(), {});
  return {y, dx};
}

inline Answer src_relu(const Array& x, const Array& dy) {
  Array y(x.rows, x.cols), dx(x.rows, x.cols);
  naive<double>().activation_forward(view(y), view(x), Activation::relu);
  naive<double>().activation_backward(view(dx), view(dy), view(x), Activation::relu);
  return {y, dx};
}

inline Answer src_attention(const Batch& batch, std::size_t n_head, Array q, Array k, Array v, Array dout) {
  Array out(q.rows, q.cols), dq(q.rows, q.cols), dk(q.rows, q.cols), dv(q.rows, q.cols), log_sum(n_head, q.rows);
  const std::size_t D = q.cols / n_head;
  const Mask mask = Mask::causal();
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    auto rows = [first = first, n = n](Array& x) { return view(x).slice_rows(first, n); };
    const View<double> sums = view(log_sum).slice_cols(first, n);
    const AttentionCall<double> call{.q = rows(q),
                                     .k = rows(k),
                                     .v = rows(v),
                                     .n_head = n_head,
                                     .n_kv_head = n_head,
                                     .scale = 1 / std::sqrt(D),
                                     .mask = mask};
    naive<double>().attention_forward(rows(out), sums, call);
    naive<double>().attention_backward({rows(dq), rows(dk), rows(dv)}, rows(dout), rows(out), sums, call);
  }
  return {out, dq, dk, dv};
}

inline Answer src_cross_entropy(const Array& logits, std::span<const Token> targets, const Array& dlosses) {
  Array losses(logits.rows, 1), probs(logits.rows, logits.cols), dlogits(logits.rows, logits.cols);
  naive<double>().cross_entropy_forward(losses.data.data(), view(probs), view(logits), targets);
  naive<double>().cross_entropy_backward(view(dlogits), dlosses.data.data(), view(probs), targets);
  return {losses, dlogits};
}

/// The gradient of the batch's loss, by src/tensor/gpt.h with the fast kernels.
inline std::vector<double> src_gradient(const Config& config, Parameters& parameters, const Batch& batch,
                                        std::span<const double> weights) {
  TensorModel<double> model(config, parameters);
  Activations<double> activations;
  activations.resize(model, batch.num_positions());
  const Share all{0, batch.num_documents()};
  gpt_forward(model, fast<double>(), batch, all, activations);
  gpt_backward(model, fast<double>(), batch, all, weights.data(), activations);
  gpt_backward_weights(model, fast<double>(), batch, activations, 0, 1);
  model.copy_grad_to(parameters);
  std::vector<double> gradient(parameters.size());
  std::swap_ranges(gradient.begin(), gradient.end(), parameters.grad().begin());
  return gradient;
}

// --- Side by side ----------------------------------------------------------------------------------------------------

/// The numbers here are around 1, the longest sums have a few hundred terms, and each rounding is 1.1e-16 of what is
/// summed: two ways to add up the same differ by less than this, and two different formulas by more.
constexpr double tolerance = 1e-12;

/// Prints a line for each Array of a layer: how far the draft is from the scalar path and from src/tensor. True if that
/// is nothing but rounding.
inline bool compare(const char* layer, const std::vector<std::pair<const char*, Array>>& draft, const Answer& scalar,
                    const Answer& src) {
  bool agree = true;
  for (std::size_t i = 0; i < draft.size(); i++) {
    const auto& [name, array] = draft[i];
    const double from_scalar = largest_difference(array.data, scalar[i].data);
    const double from_src = largest_difference(array.data, src[i].data);
    fmt::print("{:13} | {:7} | {:7} | {:15.6f} | {:10.6f}\n", i == 0 ? layer : "", name,
               fmt::format("({},{})", array.rows, array.cols), from_scalar, from_src);
    agree = agree && from_scalar < tolerance && from_src < tolerance;
  }
  return agree;
}

/// Each layer alone: random numbers go in, and random gradients come back. True if all agree.
inline bool check_layers(const Config& config, Parameters& p, const Batch& batch, PythonRandom& numbers) {
  const std::size_t C = config.n_embd;
  auto random = [&](std::size_t cols) { return random_array(batch.num_positions(), cols, numbers); };
  const Array x = random(C), dy = random(C), q = random(C), k = random(C), v = random(C);
  const Array logits = random(config.vocab_size), dlosses = random(1);
  const Parameter &wte = p["wte"], &wpe = p["wpe"], &wo = p["layer0.attn_wo"];
  embedding_backward(wte, dy, batch.tokens());
  embedding_backward(wpe, dy, batch.positions());
  linear_backward_weight(wo, dy, x);
  const Array dwte = taken_grad(wte), dwpe = taken_grad(wpe), dwo = taken_grad(wo);
  const Attention a = attention_forward(batch, config, q, k, v);
  const auto [dq, dk, dv] = attention_backward(dy, batch, config, q, k, v, a.weights);
  Array losses(logits.rows, 1);
  losses.data = cross_entropy_forward(logits, batch.targets());
  const Array dlogits = cross_entropy_backward(dlosses.data, logits, batch.targets());

  bool agree = compare("embedding", {{"x", embedding_forward(batch, wte, wpe)}, {"dwte", dwte}, {"dwpe", dwpe}},
                       scalar_embedding(batch, wte, wpe, dy), src_embedding(batch, wte, wpe, dy));
  agree &= compare("linear", {{"y", linear_forward(x, wo)}, {"dx", linear_backward_input(dy, wo)}, {"dw", dwo}},
                   scalar_linear(x, wo, dy), src_linear(x, wo, dy));
  agree &= compare("rmsnorm", {{"y", rmsnorm_forward(x)}, {"dx", rmsnorm_backward(dy, x)}},
                   scalar_layer(rmsnorm, x, dy), src_rmsnorm(x, dy));
  agree &= compare("relu", {{"y", relu_forward(x)}, {"dx", relu_backward(dy, x)}}, scalar_layer(relu, x, dy),
                   src_relu(x, dy));
  agree &=
      compare("attention", {{"out", a.out}, {"dq", dq}, {"dk", dk}, {"dv", dv}},
              scalar_attention(batch, config.n_head, q, k, v, dy), src_attention(batch, config.n_head, q, k, v, dy));
  agree &= compare("cross-entropy", {{"losses", losses}, {"dlogits", dlogits}},
                   scalar_cross_entropy(logits, batch.targets(), dlosses),
                   src_cross_entropy(logits, batch.targets(), dlosses));
  return agree;
}

}  // namespace lesson09
