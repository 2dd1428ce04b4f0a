// Lesson 04: a tape. The draft is tape.h beside this file: used like the Value of lesson 03, but its nodes lie one
// after the other in memory that each step writes over again, and its backward does not call itself.
#include <fmt/core.h>

#include <utility>

#include "../lessons/03_value/value.h"  // from src
#include "lesson/draft_mlp.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "lesson/mlp.h"
#include "tape.h"
#include "train/optimizer.h"

using namespace microgpt;
using Pointers = lesson03::Value;
using Draft = lesson04::Value;

/// The expression of lesson 03. a and b are made before the Scope and stay; the rest is taken back when it ends.
void show_small_tape(const Lesson& lesson) {
  const lesson04::Scope outer;
  const Draft a = 2.0, b = -3.0;
  Draft kept = a;
  {
    const lesson04::Scope scope;
    const Draft u = a * b, v = u + 10.0, L = u * v;
    L.backward();  // stop: small
    lesson.picture("04_tape.svg", lesson04::tape_picture({"a", "b", "u = a · b", "v = u + 10", "L = u · v"}, 2));
    kept = u;
  }
  fmt::print("\nthe Scope has ended: {} places in use", lesson04::tape.nodes.used);
  const Draft sum = a + b;  // stop: again
  fmt::print("; then a + b is {}, and u, which was kept, says {}\n", sum.data(), kept.data());
}

/// The MLP of lesson 02 trained by the draft, and beside it by the Value of src; and what the tape holds in the end.
void train(Lesson& lesson, Parameters& parameters) {
  draft::Mlp<Draft> mlp(parameters, lesson04::dot);
  const Mlp model(parameters);
  std::size_t made = 0;
  bool same = true;
  for (std::size_t step = 1; step <= 1000; step++) {
    {
      const std::size_t mark = lesson04::tape.nodes.used;
      const lesson04::Scope scope;
      const Draft loss = mlp.document_loss(lesson.tokens_of_step(step));
      loss.backward();  // stop: loss
      made += lesson04::tape.nodes.used - mark;
      lesson.step(step, 1000, loss.data());
      const Scope scope_in_src;
      const Value loss_in_src = document_loss(model, lesson.tokens_of_step(step));
      loss_in_src.backward();
      same = same && loss.data() == loss_in_src.data();
    }
    const double learning_rate = 1 - static_cast<double>(step - 1) / 1000;
    mlp.sgd_update(learning_rate);  // stop: update
    sgd_update(parameters, learning_rate);
    if (step == 1 || step == 1000) {
      fmt::print("nodes made: {}; still in use: {}; room for {}\n", made, lesson04::tape.nodes.used,
                 lesson04::tape.nodes.room());
    }
  }
  lesson.check("nothing stays on the tape but the parameters", lesson04::tape.nodes.used == parameters.size());
  lesson.check("all losses are those of src", same);
}

/// How many nodes a graph has, and in how many pieces of memory they are.
std::pair<std::size_t, std::size_t> nodes_and_pieces(const Pointers& root) {
  std::size_t pieces = 0;  // for a node that was computed: itself, its list of children, its list of local gradients
  const std::vector<lesson03::Node*> nodes = root.topological_order();
  for (const lesson03::Node* node : nodes) pieces += node->children.empty() ? 1 : 3;
  return {nodes.size(), pieces};
}

std::pair<std::size_t, std::size_t> nodes_and_pieces(const Draft& root) {
  lesson04::Tape& used = lesson04::tape;
  return {used.topological_order(root.node).size(), used.nodes.chunks_in_use() + used.edges.chunks_in_use()};
}

/// What the loss of one name takes. Time differs between machines, so it goes to standard error.
template <class V>
void print_cost(const Lesson& lesson, const Parameters& parameters, const char* name, draft::Dot<V> dot) {
  const lesson04::Scope scope;
  const draft::Mlp<V> mlp(parameters, dot);
  const auto [nodes, pieces] = nodes_and_pieces(mlp.document_loss(lesson.tokens_of_step(1)));
  fmt::print("{:<35} | {:6} | {:16}\n", name, nodes, pieces);
  const double time = Lesson::microseconds([&] {
    const lesson04::Scope again;
    mlp.document_loss(lesson.tokens_of_step(1)).backward();
  });
  fmt::print(stderr, "{:7.0f} microseconds for the first name, forward and back: {}\n", time, name);
}

/// ((x + 1) + 1) + ..., a million times: as deep as a graph can be.
void show_deep_chain() {
  const lesson04::Scope scope;
  const Draft x = 0.0;
  Draft sum = x;
  for (int i = 0; i < 1'000'000; i++) sum = sum + 1.0;
  sum.backward();  // stop: chain
  fmt::print("\na million additions: {}, gradient of x {}\n", sum.data(), x.grad());
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_small_tape(lesson);
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  train(lesson, parameters);
  fmt::print("\nthe first name's loss               |  nodes | pieces of memory\n");
  print_cost<Pointers>(lesson, parameters, "lesson 03", draft::dot<Pointers>);
  print_cost<Draft>(lesson, parameters, "the tape", draft::dot<Draft>);
  print_cost<Draft>(lesson, parameters, "the tape, a dot product as one node", lesson04::dot);
  show_deep_chain();
  return lesson.finish(1000);
}
