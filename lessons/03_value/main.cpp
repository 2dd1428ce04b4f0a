// Lesson 03: a Value, a number that knows how it was computed. The draft is value.h beside this file: pointers to the
// numbers it was made from. Here are two ways back that come to mind first. One is slow and one is wrong; both are
// compared with backward(), which finds every gradient of any expression.
#include "lesson/lesson.h"
#include "show.h"
#include "value.h"

using namespace microgpt;

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

/// Training as in lesson 02, without any line of its backward pass.
void draft_train(Lesson& lesson, const lesson03::Mlp<Draft>& mlp) {
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
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const E handed_down, e;  // L = u * v, v = u + 10, u = a * b
  const std::size_t calls = hand_down(*handed_down.L.node, 1);
  e.L.backward();                                 // stop: backward
  show_gradients(lesson, e, handed_down, calls);  // stop: gradients
  const double a = e.a.grad(), u = e.u.grad();
  e.L.backward();
  show_second_backward(lesson, e, a, u);
  const Scope scope;
  const Expression<Value> src;
  src.L.backward();
  show_src(e);  // stop: src

  show_diamonds(diamonds, hand_down, hand_down_everything);
  const Parameters parameters = draw_mlp(lesson);
  show_size(parameters, lesson.tokens_of_step(1), hand_down);
  const lesson03::Mlp<Draft> mlp(parameters);
  draft_train(lesson, mlp);
  check_training(lesson, mlp, parameters);
  return lesson.finish(50);
}
