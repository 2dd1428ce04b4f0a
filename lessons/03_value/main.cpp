// Lesson 03: a Value, a number that knows how it was computed. The draft is value.h beside this file: pointers to the
// numbers it was made from. Here are two ways back that come to mind first. One is slow and one is wrong; both are
// compared with backward(), which finds every gradient of any expression.
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "mlp.h"
#include "pictures.h"
#include "value.h"

using namespace microgpt;
using Draft = lesson03::Value;

/// L = u * v. There are two ways from u to L: u is a factor of L, and it is in v.
struct Expression {
  Draft a = 2.0;
  Draft b = -3.0;
  Draft u = a * b;
  Draft v = u + 10.0;
  Draft L = u * v;
};

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

/// x + x, the same of the result, and so on, n times. There are 2^n ways from x to the last sum.
Draft diamonds(Draft x, int n) {
  for (int i = 0; i < n; i++) x = x + x;
  return x;
}

/// Wrong: each time a node is given more, it hands on all that it has.
void hand_down_everything(lesson03::Node& node) {
  for (std::size_t i = 0; i < node.children.size(); i++) {
    node.children[i]->grad += node.local_grads[i] * node.grad;
    hand_down_everything(*node.children[i]);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // How much L changes with each of its numbers, by trying, as in lesson 02. No number here needs to be rounded.
  constexpr double h = 0x1p-10;
  auto slope = [](const Expression& up, const Expression& down) { return (up.L.data() - down.L.data()) / (2 * h); };
  const std::vector<double> measured{slope({.a = 2.0 + h}, {.a = 2.0 - h}), slope({.b = -3.0 + h}, {.b = -3.0 - h}),
                                     slope({.u = -6.0 + h}, {.u = -6.0 - h}), slope({.v = 4.0 + h}, {.v = 4.0 - h})};
  auto gradients = [](const Expression& of) { return std::vector{of.a.grad(), of.b.grad(), of.u.grad(), of.v.grad()}; };

  const Expression d;
  const std::size_t calls = hand_down(*d.L.node, 1);
  fmt::print("\nL = u * v, v = u + 10, u = a * b\n");
  fmt::print("calls to hand the gradient of L down to all: {}\n", calls);
  fmt::print("value |     data | measured | handed down\n");
  const std::vector<double> data{d.a.data(), d.b.data(), d.u.data(), d.v.data()}, handed_down = gradients(d);
  for (int i = 0; i < 4; i++) {
    fmt::print("    {} | {:8.4f} | {:8.4f} | {:11.4f}\n", "abuv"[i], data[i], measured[i], handed_down[i]);
  }

  const Expression e;
  e.L.backward();                                   // stop: backward
  fmt::print("\nvalue | measured | backward()\n");  // stop: gradients
  const std::vector<double> found = gradients(e);
  for (int i = 0; i < 4; i++) fmt::print("    {} | {:8.4f} | {:10.4f}\n", "abuv"[i], measured[i], found[i]);
  lesson.picture("03_graph.svg", lesson03::graph_picture(e.a, e.b, e.u, e.v, e.L));
  lesson.check("the gradients are those measured", found == measured && handed_down == measured);

  e.L.backward();
  fmt::print("after a second backward(): a {:.4f}, u {:.4f}\n", e.a.grad(), e.u.grad());
  lesson.check("a second backward() adds to leaves only", e.a.grad() == 2 * found[0] && e.u.grad() == found[2]);

  // The Value of src makes no node of a constant.
  const Scope scope;
  const Value a = 2.0, b = -3.0, u = a * b, v = u + 10.0, L = u * v;
  L.backward();
  const std::size_t ours = e.L.topological_order().size();  // stop: src
  fmt::print("the Value of src needs {} nodes for it, ours {}\n", nodes_on_tape(), ours);

  // The three ways back, through ever more paths.
  const std::vector<int> lengths{1, 2, 3, 10, 20};
  fmt::print("\ndiamonds | calls to hand down | gradient\n");
  for (const int n : lengths) {
    const Draft x = 1.0, y = diamonds(x, n);
    const std::size_t calls_down = hand_down(*y.node, 1);
    fmt::print("{:8} | {:18} | {:8}\n", n, calls_down, x.grad());
  }
  fmt::print("\ndiamonds | gradient, everything handed down\n");
  for (const int n : lengths) {
    const Draft x = 1.0, y = diamonds(x, n);
    y.node->grad = 1;
    hand_down_everything(*y.node);
    fmt::print("{:8} | {:9.4g}\n", n, x.grad());
  }
  fmt::print("\ndiamonds | nodes in order | gradient\n");
  for (const int n : lengths) {
    const Draft x = 1.0, y = diamonds(x, n);
    y.backward();
    fmt::print("{:8} | {:14} | {:8}\n", n, y.topological_order().size(), x.grad());
  }

  // The MLP of lesson 02, its weights at random.
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\nnum params: {}\n", parameters.size());
  const Draft first = lesson03::Mlp<Draft>(parameters).document_loss(lesson.tokens_of_step(1));
  fmt::print("nodes of the first name's loss: {}; calls to hand its gradient down: {}\n",
             first.topological_order().size(), hand_down(*first.node, 1));

  // Training as in lesson 02, without any line of its backward pass.
  const lesson03::Mlp<Draft> mlp(parameters);
  for (std::size_t step = 1; step <= 50; step++) {
    const double learning_rate = 1 - static_cast<double>(step - 1) / 1000;
    const Draft loss = mlp.document_loss(lesson.tokens_of_step(step));
    loss.backward();
    for (const Draft& p : mlp.params) {
      p.node->data -= learning_rate * p.grad();
      p.node->grad = 0;
    }
    lesson.step(step, 1000, loss.data());
  }
  fmt::print("step   50 / 1000 | loss {:.4f}\n\n", lesson.losses().back());

  // The same training with the Value of src.
  const Mlp src(parameters);
  std::vector<double> losses;
  for (std::size_t step = 1; step <= 50; step++) {
    losses.push_back(train_step([&](auto tokens) { return document_loss(src, tokens); }, lesson.tokens_of_step(step),
                                src.params, sgd_update, 1 - static_cast<double>(step - 1) / 1000, step - 1));
  }
  lesson.check("50 losses, and all parameters after them, are those of src",
               losses == lesson.losses() && std::equal(src.params.begin(), src.params.end(), mlp.params.begin(),
                                                       [](Value p, const Draft& q) { return p.data() == q.data(); }));
  return lesson.finish();
}
