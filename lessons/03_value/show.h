// What lesson 03 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "mlp.h"
#include "picture.h"
#include "train/optimizer.h"
#include "value.h"

namespace microgpt {

using Draft = lesson03::Value;

/// L = u * v. There are two ways from u to L: u is a factor of L, and it is in v.
template <class V>
struct Expression {
  V a = 2.0;
  V b = -3.0;
  V u = a * b;
  V v = u + 10.0;
  V L = u * v;
};
using E = Expression<Draft>;

using HandDown = std::size_t (*)(lesson03::Node&, double share);

/// How much L changes with one of its numbers, by trying, as in lesson 02. No number here needs to be rounded.
inline double measure(E (*with_change)(double change)) {
  constexpr double h = 0x1p-10;
  return (with_change(h).L.data() - with_change(-h).L.data()) / (2 * h);
}

/// The gradients of e, beside those handed down and measured.
inline void show_gradients(Lesson& lesson, const E& e, const E& handed_down, std::size_t calls) {
  fmt::print("\nL = u * v, v = u + 10, u = a * b\n");
  fmt::print("calls to hand the gradient of L down to all: {}\n", calls);
  fmt::print("value |     data | measured | handed down\n");
  std::string second = "value | measured | backward()\n";
  bool as_measured = true;
  auto row = [&](const char* name, const Draft& value, double measured, const Draft& shares) {
    fmt::print("{:>5} | {:8.4f} | {:8.4f} | {:11.4f}\n", name, value.data(), measured, shares.grad());
    second += fmt::format("{:>5} | {:8.4f} | {:10.4f}\n", name, measured, value.grad());
    as_measured = as_measured && value.grad() == measured && shares.grad() == measured;
  };
  row("a", e.a, measure([](double h) { return E{.a = 2.0 + h}; }), handed_down.a);
  row("b", e.b, measure([](double h) { return E{.b = -3.0 + h}; }), handed_down.b);
  row("u", e.u, measure([](double h) { return E{.u = -6.0 + h}; }), handed_down.u);
  row("v", e.v, measure([](double h) { return E{.v = 4.0 + h}; }), handed_down.v);
  fmt::print("\n{}", second);
  lesson.picture("03_graph.svg", lesson03::graph_picture(e.a, e.b, e.u, e.v, e.L));
  lesson.check("the gradients are those measured", as_measured);
}

/// After a second backward(), with the gradients of a and u after the first.
inline void show_second_backward(Lesson& lesson, const E& e, double a, double u) {
  fmt::print("after a second backward(): a {:.4f}, u {:.4f}\n", e.a.grad(), e.u.grad());
  lesson.check("a second backward() adds to leaves only", e.a.grad() == 2 * a && e.u.grad() == u);
}

/// The Value of src makes no node of a constant.
inline void show_src(const E& e) {
  fmt::print("the Value of src needs {} nodes for it, ours {}\n", nodes_on_tape(), e.L.topological_order().size());
}

inline void show_diamonds(Draft (*diamonds)(Draft x, int n), HandDown hand_down,
                          void (*hand_down_everything)(lesson03::Node&)) {
  fmt::print("\ndiamonds | calls to hand down | gradient\n");
  std::string second = "\ndiamonds | gradient, everything handed down\n";
  std::string third = "\ndiamonds | nodes in order | gradient\n";
  for (int n : {1, 2, 3, 10, 20}) {
    const Draft x = 1.0, y = 1.0, z = 1.0;
    const Draft handed_down = diamonds(x, n), everything = diamonds(y, n), in_order = diamonds(z, n);
    const std::size_t calls = hand_down(*handed_down.node, 1);
    everything.node->grad = 1;
    hand_down_everything(*everything.node);
    in_order.backward();
    const std::size_t nodes = in_order.topological_order().size();
    fmt::print("{:8} | {:18} | {:8}\n", n, calls, x.grad());
    second += fmt::format("{:8} | {:9.4g}\n", n, y.grad());
    third += fmt::format("{:8} | {:14} | {:8}\n", n, nodes, z.grad());
  }
  fmt::print("{}{}", second, third);
}

/// The weights of the MLP of lesson 02, at random.
inline Parameters draw_mlp(Lesson& lesson) {
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  return parameters;
}

/// How large the graph of a name's loss is, and how long handing down takes in it.
inline void show_size(const Parameters& parameters, std::span<const Token> name, HandDown hand_down) {
  const Draft loss = lesson03::Mlp<Draft>(parameters).document_loss(name);
  fmt::print("nodes of the first name's loss: {}; calls to hand its gradient down: {}\n",
             loss.topological_order().size(), hand_down(*loss.node, 1));
}

/// The same training with the Value of src. `parameters` are those with which it began.
inline void check_training(Lesson& lesson, const lesson03::Mlp<Draft>& draft, const Parameters& parameters) {
  fmt::print("step   50 / 1000 | loss {:.4f}\n\n", lesson.losses().back());
  const Mlp src(parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(src, tokens); };
  std::vector<double> losses;
  for (std::size_t step = 1; step <= 50; step++) {
    const double learning_rate = 1 - static_cast<double>(step - 1) / 1000;
    losses.push_back(train_step(loss, lesson.tokens_of_step(step), src.params, sgd_update, learning_rate, step - 1));
  }
  lesson.check("50 losses, and all parameters after them, are those of src",
               losses == lesson.losses() && std::equal(src.params.begin(), src.params.end(), draft.params.begin(),
                                                       [](Value a, const Draft& b) { return a.data() == b.data(); }));
}

}  // namespace microgpt
