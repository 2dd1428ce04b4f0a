// Lesson 03: a Value, a number that knows how it was computed. The draft is value.h beside this file: pointers to the
// numbers it was made from. On that graph backward() finds every gradient of any expression.
#include <fmt/core.h>

#include <string>

#include "lesson/draft_mlp.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "lesson/mlp.h"
#include "train/optimizer.h"
#include "value.h"

using namespace microgpt;
using Draft = lesson03::Value;
using DraftMlp = draft::Mlp<Draft>;

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

/// The obvious way back: give a node its share, then each of its children its share of that. Returns how many calls it
/// took.
std::size_t hand_down(lesson03::Node& node, double share) {
  node.grad += share;
  std::size_t calls = 1;
  for (std::size_t i = 0; i < node.children.size(); i++) {
    calls += hand_down(*node.children[i], node.local_grads[i] * share);  // stop: share
  }
  return calls;
}

/// Wrong: each time a node is given more, it hands on all that it has.
void hand_down_everything(lesson03::Node& node) {
  for (std::size_t i = 0; i < node.children.size(); i++) {
    node.children[i]->grad += node.local_grads[i] * node.grad;
    hand_down_everything(*node.children[i]);
  }
}

/// How much L changes with one of its numbers, by trying, as in lesson 02. No number here needs to be rounded.
double measure(E (*with_change)(double change)) {
  constexpr double h = 0x1p-10;
  return (with_change(h).L.data() - with_change(-h).L.data()) / (2 * h);
}

void show_expression(Lesson& lesson) {
  const E first, e;
  fmt::print("\nL = u * v, v = u + 10, u = a * b\n");
  fmt::print("calls to hand the gradient of L down to all: {}\n", hand_down(*first.L.node, 1));
  e.L.backward();  // stop: backward
  fmt::print("value |     data | measured | handed down\n");
  std::string second = "value | measured | backward()\n";
  bool as_measured = true;
  auto row = [&](const char* name, const Draft& value, double measured, const Draft& handed_down) {
    fmt::print("{:>5} | {:8.4f} | {:8.4f} | {:11.4f}\n", name, value.data(), measured, handed_down.grad());
    second += fmt::format("{:>5} | {:8.4f} | {:10.4f}\n", name, measured, value.grad());
    as_measured = as_measured && value.grad() == measured && handed_down.grad() == measured;
  };
  row("a", e.a, measure([](double h) { return E{.a = 2.0 + h}; }), first.a);
  row("b", e.b, measure([](double h) { return E{.b = -3.0 + h}; }), first.b);
  row("u", e.u, measure([](double h) { return E{.u = -6.0 + h}; }), first.u);
  row("v", e.v, measure([](double h) { return E{.v = 4.0 + h}; }), first.v);
  fmt::print("\n{}", second);
  lesson.picture("03_graph.svg", lesson03::graph_picture(e.a, e.b, e.u, e.v, e.L));
  const double a = e.a.grad(), u = e.u.grad();  // stop: gradients
  e.L.backward();
  fmt::print("after a second backward(): a {:.4f}, u {:.4f}\n", e.a.grad(), e.u.grad());
  lesson.check("the gradients are those measured", as_measured);
  lesson.check("a second backward() adds to leaves only", e.a.grad() == 2 * a && e.u.grad() == u);
}

/// The same with the Value of src, which makes no node of a constant.
void show_src() {
  const Scope scope;
  const Expression<Value> src;
  src.L.backward();
  fmt::print("the Value of src needs {} nodes for it, ours {}\n", nodes_on_tape(),  // stop: src
             E().L.topological_order().size());
}

/// x + x, the same of the result, and so on, n times. There are 2^n ways from x to the last sum.
Draft diamonds(Draft x, int n) {
  for (int i = 0; i < n; i++) x = x + x;
  return x;
}

void show_why_an_order() {
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

/// The first 50 steps of training the MLP of lesson 02, by the draft and by src side by side.
void train_beside_src(Lesson& lesson) {
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  DraftMlp mlp(parameters), spare(parameters);
  const Mlp model(parameters);
  const Draft first_loss = spare.document_loss(lesson.tokens_of_step(1));
  fmt::print("nodes of the first name's loss: {}; calls to hand its gradient down: {}\n",
             first_loss.topological_order().size(), hand_down(*first_loss.node, 1));
  bool same = true;
  for (std::size_t step = 1; step <= 50; step++) {
    const Scope scope;
    const Draft loss = mlp.document_loss(lesson.tokens_of_step(step));
    loss.backward();  // stop: loss
    const Value loss_in_src = document_loss(model, lesson.tokens_of_step(step));
    loss_in_src.backward();
    same = same && loss.data() == loss_in_src.data() && mlp.same_gradients(parameters);
    lesson.step(step, 1000, loss.data());
    const double learning_rate = 1 - static_cast<double>(step - 1) / 1000;
    mlp.sgd_update(learning_rate);
    sgd_update(parameters, learning_rate);
  }
  fmt::print("step   50 / 1000 | loss {:.4f}\n\n", lesson.losses().back());
  lesson.check("50 losses and 50 times all gradients are those of src", same);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_expression(lesson);
  show_src();
  show_why_an_order();
  train_beside_src(lesson);
  return lesson.finish(50);
}
