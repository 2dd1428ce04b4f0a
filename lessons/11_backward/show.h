// What lesson 11 prints, draws and checks around its idea.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "backward.h"
#include "base/schedule.h"
#include "lesson/lesson.h"
#include "lesson/look.h"
#include "lesson/nudge.h"
#include "picture.h"
#include "microgpt.h"
#include "tensor/gpt.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// The functions of main.cpp.
using LookBackward = void (*)(Qkv& d, const double* dout, const Qkv& a, const Look& at);
using DraftStep = double (*)(const Config& config, Parameters& p, const Batch& batch);

/// Lesson 02's linear layer on paper, and a second row.
struct Paper {
  explicit Paper(std::size_t num_parameters) {
    fmt::print("\n{} parameters: by nudging, one gradient takes {} forward passes\n", num_parameters,
               2 * num_parameters);
    std::iota(w.data, w.data + 4, 1.0);
    fmt::print("\n--- a linear layer, w = (1 2; 3 4), and two rows ---\n");
  }

  void show_row(std::size_t n, const Array& dx) const {
    fmt::print("row {}: x{}, dy{}: dx{}, and dw so far{}\n", n, listed(rows[n].data), listed(drows[n].data),
               listed(dx.data), listed({w.grad, 4}));
  }

  Parameters parameters{{{"w", 2, 2}}};
  const Parameter& w = parameters["w"];
  Array rows[2]{row_of({5, 6}), row_of({1, -1})}, drows[2]{row_of({0.1, -0.2}), row_of({0.3, 0.1})};
};

/// A row of two numbers through rmsnorm, when the loss is the first of the two that come out.
inline void show_rmsnorm() {
  Array x = row_of({1, 7});
  const Array dy = row_of({1, 0});
  auto loss = [&] { return x[0][0] / std::sqrt((x[0][0] * x[0][0] + x[0][1] * x[0][1]) / 2 + 1e-5); };
  fmt::print("\n--- rmsnorm of x = (1 7); the loss is the first number that comes out: {:.3f} ---\n", loss());
  const Array dx = rmsnorm_backward(x, dy);
  const double scale = loss() / x[0][0];
  fmt::print("through its own output{}\n", listed(std::vector{scale, 0.0}));
  fmt::print("through the scale     {}\n", listed(std::vector{dx[0][0] - scale, dx[0][1]}));
  fmt::print("dx, both together     {}\n", listed(dx.data));
  fmt::print("dx by nudging         {}\n", listed(nudged(x.data, loss)));
}

/// Lesson 07's three positions, seen from the third. The loss is the first number that attention returns there.
inline void show_attention(const Lesson& lesson, LookBackward look_backward) {
  Qkv a{{3, 2}, {3, 2}, {3, 2}}, d = a;
  a.q.data = {0, 0, 0, 0, 1, 2};
  a.k.data = {1, 0, 0, 1, 1, 1};
  a.v.data = {4, 0, 0, 2, 2, 2};
  const Look at{0, 2, 0, 2};
  const Array dout = row_of({1, 0});
  look_backward(d, dout[0], a, at);
  auto loss = [&] {
    const std::vector<double> w = weights_of(a.q, a.k, at);
    return w[0] * a.v[0][0] + w[1] * a.v[1][0] + w[2] * a.v[2][0];
  };
  const std::vector<double> weights = weights_of(a.q, a.k, at), dweights{4, 0, 2};  // the first numbers of the values
  const std::vector<double> dscores = softmax_backward(weights, dweights);
  fmt::print("\n--- three positions of attention; the loss is the first number of the answer: {:.3f} ---\n", loss());
  fmt::print("weights{}, dweights{}, dscores{}\n", listed(weights), listed(dweights), listed(dscores));
  lesson.picture("11_way_back.svg", way_back_picture({a.q, a.k, a.v}, {d.q, d.k, d.v}, weights, dscores, loss()));

  fmt::print("number          | slope by hand  | by nudging\n");
  auto print = [&](const char* name, std::size_t s, Array& x, const Array& dx) {
    fmt::print("{} of position {} |{} |{}\n", name, s, listed({dx[s], 2}), listed(nudged({x[s], 2}, loss)));
  };
  print("q", 2, a.q, d.q);
  for (std::size_t s = 0; s < 3; s++) print("k", s, a.k, d.k);
  for (std::size_t s = 0; s < 3; s++) print("v", s, a.v, d.v);
}

/// The gradient of 16 names: by hand for all at once, and from a tape with 16 graphs.
inline void check_gradients(Lesson& lesson, const Config& config, Parameters& p, DraftStep draft_step) {
  Batch batch(config.block_size);
  for (std::size_t step = 1; step <= 16; step++) batch.add(lesson.tokens_of_step(step));
  const double loss = draft_step(config, p, batch);
  const std::vector<double> by_hand(p.grad().begin(), p.grad().end());
  std::fill(p.grad().begin(), p.grad().end(), 0.0);
  const Scope scope;
  const Model model = scalar_model(config, p);
  const Loss mean_loss = [&](auto) {
    return mean(Values(16, [&](std::size_t i) { return document_loss(model, lesson.tokens_of_step(i + 1)); }));
  };
  const std::vector<double> with_values = loss_and_gradient(mean_loss, model.params, {}).gradient;
  fmt::print("\n--- 16 names, {} rows, loss {:.4f}: a parameter of each matrix, on the way back ---\n",
             batch.num_positions(), loss);
  fmt::print("parameter            |  by hand | with Values\n");
  for (const char* name : {"lm_head", "layer0.mlp_fc2", "layer0.mlp_fc1", "layer0.attn_wo", "layer0.attn_wv",
                           "layer0.attn_wk", "layer0.attn_wq", "wpe", "wte"}) {
    const auto i = static_cast<std::size_t>(p[name].grad - p.grad().data());
    fmt::print("{:20} | {:8.5f} | {:8.5f}\n", name + std::string("[0][0]"), by_hand[i], with_values[i]);
  }
  lesson.check("the gradient of 16 names is the one that the tape finds, to 1e-12",
               largest_difference(by_hand, with_values) < 1e-12);
  fmt::print("\n--- the training of lesson 09, with the draft ---\n");
}

/// A step of src's Adam, which moves Values: puts the numbers and their gradients into some, and takes the numbers back.
inline void update(Parameters& p, Adam& adam, double learning_rate, std::size_t step) {
  const Scope scope;
  const List params = StateDict(p).params;
  for (std::size_t i = 0; i < params.size(); i++) params[i].node->grad = std::exchange(p.grad()[i], 0);
  adam.update(params, learning_rate, step);
  copy_data(params, p);
}

/// Five names that the trained model makes up.
inline void show_names(Lesson& lesson, const Config& config, const Parameters& p) {
  const Model model = scalar_model(config, p);
  for (std::size_t i = 0; i < 5; i++) lesson.name(lesson.tokenizer.decode(sample(model, 0.5, lesson.random)));
}

/// The same training, by src with a tape, from the same random numbers.
inline void check_training(Lesson& lesson, const Config& config, const TrainConfig& how, PythonRandom random) {
  const Model model = scalar_model(config, initialize(config, how, random));
  std::vector<double> losses;
  train([&](auto tokens) { return document_loss(model, tokens); }, model.params,
        adam_optimizer(how, model.params.size()), lesson.documents, lesson.tokenizer, how,
        [&](std::size_t, double loss) { losses.push_back(loss); });
  lesson.check("every loss of the training is that of lesson 09, to 1e-9",
               largest_difference(lesson.losses(), losses) < 1e-9);
}

}  // namespace microgpt
