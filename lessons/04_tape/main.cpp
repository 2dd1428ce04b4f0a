// Lesson 04: a tape. The idea is in tape.h beside this file: a Value used like that of lesson 03, but its nodes lie one
// after the other, so the way back needs no search and no recursion, and a step is forgotten all at once.
#include <fmt/format.h>

#include "lesson/lesson.h"
#include "picture.h"
#include "show.h"
#include "tape.h"

using namespace lesson04;
using Pointers = lesson03::Value;

/// The expression of lesson 03. a and b are made before the inner Scope and stay; the rest is taken back when it ends.
void try_small_tape(const Lesson& lesson) {
  const Scope outer;
  const Value a = 2.0, b = -3.0;
  Value kept = a;
  {
    const Scope scope;
    const Value u = a * b, v = u + 10.0, L = u * v;
    L.backward();  // stop: small
    fmt::print("\nback along the tape: a {}, b {}, u {}, v {}\n", a.grad(), b.grad(), u.grad(), v.grad());
    lesson.picture("04_tape.svg", tape_picture({"a", "b", "u = a · b", "v = u + 10", "L = u · v"}, 2));
    kept = u;
  }
  fmt::print("the Scope has ended: {} places in use", tape.nodes.used);
  const Value sum = a + b;  // stop: again
  fmt::print("; then a + b is {}, and u, which was kept, says {}\n", sum.data(), kept.data());
}

/// ((x + 1) + 1) + ..., a million times: as deep as a graph can be.
void try_deep_chain() {
  const Scope scope;
  const Value x = 0.0;
  Value sum = x;
  for (int i = 0; i < 1'000'000; i++) sum = sum + 1.0;
  sum.backward();  // stop: chain
  fmt::print("\na million additions: {}, gradient of x {}\n", sum.data(), x.grad());
}

/// The MLP of lesson 02. Its parameters are on the tape before the first Scope; each step's nodes come and go.
void train(Lesson& lesson, const Parameters& parameters) {
  const Mlp<Value> mlp(parameters, dot);
  std::size_t made = 0;
  for (std::size_t step = 1; step <= 1000; step++) {
    {
      const Scope scope;
      const Value loss = mlp.document_loss(lesson.tokens_of_step(step));
      loss.backward();  // stop: loss
      made += tape.nodes.used - parameters.size();
      lesson.step(step, 1000, loss.data());
    }
    const double learning_rate = 1 - static_cast<double>(step - 1) / 1000;  // stop: update
    for (const Value p : mlp.params) {
      p.node->data -= learning_rate * p.grad();
      p.node->grad = 0;
    }
    if (step == 1 || step == 1000) {
      fmt::print("nodes made: {}; still in use: {}; room for {}\n", made, tape.nodes.used, tape.nodes.room());
    }
  }
  lesson.check("nothing stays on the tape but the parameters", tape.nodes.used == parameters.size());
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  try_small_tape(lesson);
  Parameters parameters(microgpt::mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  train(lesson, parameters);
  fmt::print("\nthe first name's loss               |  nodes | pieces of memory\n");
  show_cost<Pointers>(lesson, parameters, "lesson 03", lesson03::dot<Pointers>);
  show_cost<Value>(lesson, parameters, "the tape", lesson03::dot<Value>);
  show_cost<Value>(lesson, parameters, "the tape, a dot product as one node", dot);
  try_deep_chain();
  check_losses(lesson, parameters);
  return lesson.finish(1000);
}
