// Lesson 03: a Value, a number that knows how it was computed. The draft is value.h beside this file: pointers to the
// numbers it was made from. On that graph backward() finds every gradient of any expression, and nobody has to work
// them out by hand again.
#include <fmt/core.h>

#include <cmath>

#include "debug/graphviz.h"
#include "lesson/lesson.h"
#include "mlp.h"
#include "scalar/mlp.h"
#include "train/optimizer.h"
#include "value.h"

using namespace microgpt;
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

/// How much L changes with one of its numbers, by trying, as in lesson 02. No number here needs to be rounded.
double measure(E (*with_change)(double change)) {
  constexpr double h = 0x1p-10;
  return (with_change(h).L.data() - with_change(-h).L.data()) / (2 * h);
}

void show_expression(Lesson& lesson) {
  const E e;
  e.L.backward();  // stop: backward
  fmt::print("\nL = u * v, v = u + 10, u = a * b\nvalue |     data |     grad | measured\n");
  bool as_measured = true;
  auto row = [&](const char* name, const Draft& value, double measured) {
    fmt::print("{:>5} | {:8.4f} | {:8.4f} | {:8.4f}\n", name, value.data(), value.grad(), measured);
    as_measured = as_measured && value.grad() == measured;
  };
  row("a", e.a, measure([](double h) { return E{.a = 2.0 + h}; }));
  row("b", e.b, measure([](double h) { return E{.b = -3.0 + h}; }));
  row("u", e.u, measure([](double h) { return E{.u = -6.0 + h}; }));
  row("v", e.v, measure([](double h) { return E{.v = 4.0 + h}; }));
  const double a = e.a.grad(), u = e.u.grad();  // stop: gradients
  fmt::print("the constant 10 is a node too, with a grad of {:.4f}\n", e.v.node->children[1]->grad);
  e.L.backward();
  fmt::print("after a second backward: a {:.4f}, u {:.4f}\n", e.a.grad(), e.u.grad());
  // The Value of src makes no node of a constant. Its graph can be drawn.
  const Expression<Value> src;
  src.L.backward();
  fmt::print("nodes: {} here, {} in src\n\n", e.L.topological_order().size(), tape.nodes().size());  // stop: src
  Labels names{{src.a.node, "a"}, {src.b.node, "b"}, {src.u.node, "u = a * b"}};
  names.insert({{src.v.node, "v = u + 10"}, {src.L.node, "L = u * v"}});
  fmt::print("{}\n", to_dot(src.L, names));
  lesson.graph("03_expression", to_dot(src.L, names));
  lesson.check("the gradients are those measured", as_measured);
  lesson.check("a second backward adds to leaves only", e.a.grad() == 2 * a && e.u.grad() == u);
}

/// x + x, the same of the result, and so on, n times. There are 2^n ways from x to the last sum.
Draft diamonds(Draft x, int n) {
  for (int i = 0; i < n; i++) x = x + x;
  return x;
}

/// Backward without an order: give a node its share, then each child its share of that. Returns how many calls it took.
std::size_t recurse(lesson03::Node& v, double share) {
  v.grad += share;
  std::size_t calls = 1;
  for (std::size_t i = 0; i < v.children.size(); i++) calls += recurse(*v.children[i], v.local_grads[i] * share);
  return calls;
}

/// Wrong: a node hands on all it has, again and again, each time it was given more.
void recurse_too_soon(lesson03::Node& v) {
  for (std::size_t i = 0; i < v.children.size(); i++) {
    v.children[i]->grad += v.local_grads[i] * v.grad;
    recurse_too_soon(*v.children[i]);
  }
}

void show_why_an_order() {
  fmt::print("\n         | in order:            | recursion:           | too soon:\n");
  fmt::print("diamonds |   nodes |   gradient |   calls |   gradient |   gradient\n");
  for (int n : {1, 2, 3, 10, 20}) {
    const Draft x = 1.0, y = 1.0, z = 1.0;
    const Draft in_order = diamonds(x, n), recursion = diamonds(y, n), too_soon = diamonds(z, n);
    in_order.backward();
    const std::size_t nodes = in_order.topological_order().size();
    const std::size_t calls = recurse(*recursion.node, 1);
    too_soon.node->grad = 1;
    recurse_too_soon(*too_soon.node);
    fmt::print("{:8} | {:7} | {:10} | {:7} | {:10} | {:10.4g}\n", n, nodes, x.grad(), calls, y.grad(), z.grad());
  }
}

/// Softmax, log and minus together send back to the logits what lesson 02 worked out: p, less 1 at the target.
bool same_as_by_hand(const lesson03::Mlp<Draft>& mlp, Token token, Token target) {
  const lesson03::List<Draft> logits = mlp.logits(token), probs = softmax(logits);
  (-log(probs[target])).backward();
  bool same = true;
  for (Token i = 0; i < logits.size(); i++) {
    // p and 1 are rounded fewer than 10 times on their ways, each time by at most 2^-52, and neither is above 1.
    const double by_hand = probs[i].data() - (i == target ? 1 : 0);
    same = same && std::abs(logits[i].grad() - by_hand) < 20 * 0x1p-52;
  }
  return same;
}

/// The first 50 steps of training the MLP of lesson 02, by the draft and by src side by side.
void train_beside_src(Lesson& lesson) {
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  lesson03::Mlp<Draft> mlp(parameters), spare(parameters);
  const Mlp model(parameters);
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Draft first_loss = spare.document_loss(first);
  fmt::print("nodes of the first name: {}\n", first_loss.topological_order().size());
  fmt::print("calls in a recursion over it: {}\n", recurse(*first_loss.node, 1));
  lesson.check("its first logits have the gradient found by hand", same_as_by_hand(spare, first[0], first[1]));
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
  lesson.check("50 losses and 50 times all gradients are those of src, to the last bit", same);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lesson03::broken = {lesson.broken("assign"), lesson.broken("preorder"), lesson.broken("stale")};
  show_expression(lesson);
  show_why_an_order();
  train_beside_src(lesson);
  return lesson.finish(50);
}
