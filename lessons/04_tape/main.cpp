// Lesson 04: a tape. The idea is in tape.h beside this file: a Value used like that of lesson 03, but its nodes lie one
// after the other, so the way back needs no search and no recursion, and a step is forgotten all at once.
#include "../lessons/03_value/mlp.h"  // from src
#include "../lessons/03_value/value.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "pictures.h"
#include "tape.h"
#include "train/gradient.h"

using namespace lesson04;
using lesson03::Mlp;
using microgpt::Lesson;
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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  try_small_tape(lesson);

  microgpt::Parameters parameters(microgpt::mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\nnum params: {}\n", parameters.size());

  // The MLP of lesson 02. Its parameters are on the tape before the first Scope; each step's nodes come and go.
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

  // What a loss costs: computed nodes, and pieces of memory. Time differs between machines, so it goes to standard
  // error.
  const std::vector<microgpt::Token> name = lesson.tokens_of_step(1);
  constexpr const char* timing = "{:7.0f} microseconds for the first name, forward and back: {}\n";
  fmt::print("\nthe first name's loss               |  nodes | pieces of memory\n");

  const Mlp<Pointers> with_pointers(parameters);
  const Pointers loss = with_pointers.document_loss(name);
  std::size_t nodes = 0, pieces = 0;  // for each: itself, its list of children, its list of local gradients
  for (const lesson03::Node* node : loss.topological_order()) {
    nodes += node->children.empty() ? 0 : 1;
    pieces += node->children.empty() ? 1 : 3;
  }
  fmt::print("lesson 03                           | {:6} | {:16}\n", nodes, pieces);
  fmt::print(stderr, timing, Lesson::microseconds([&] { with_pointers.document_loss(name).backward(); }), "lesson 03");

  for (const bool one_node : {false, true}) {
    const char* what = one_node ? "the tape, a dot product as one node" : "the tape";
    const Scope scope;
    const Mlp<Value> on_tape(parameters, one_node ? dot : lesson03::dot<Value>);
    const std::size_t before = tape.nodes.used;
    on_tape.document_loss(name);
    fmt::print("{:<35} | {:6} | {:16}\n", what, tape.nodes.used - before,
               tape.nodes.chunks_in_use() + tape.edges.chunks_in_use());
    const double time = Lesson::microseconds([&] {
      const Scope again;
      on_tape.document_loss(name).backward();
    });
    fmt::print(stderr, timing, time, what);
  }
  try_deep_chain();

  // The same training with the Value of src.
  const microgpt::Mlp src(parameters);
  std::vector<double> losses;
  microgpt::train([&](auto tokens) { return document_loss(src, tokens); }, src.params, microgpt::sgd_update,
                  lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 1},
                  [&](std::size_t, double loss_of_step) { losses.push_back(loss_of_step); });
  lesson.check("all losses are those of src, to 1e-9", microgpt::largest_difference(losses, lesson.losses()) < 1e-9);
  return lesson.finish();
}
