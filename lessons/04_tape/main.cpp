// Lesson 04: a tape. The draft is tape.h beside this file: used like the Value of lesson 03, but its nodes lie one
// after the other in memory that each step writes over again, and its backward does not call itself.
#include <fmt/core.h>

#include <chrono>
#include <optional>

#include "../lessons/03_value/value.h"  // from src
#include "lesson/draft_mlp.h"
#include "lesson/lesson.h"
#include "picture.h"
#include "scalar/mlp.h"
#include "tape.h"
#include "train/optimizer.h"

using namespace microgpt;
using Pointers = lesson03::Value;
using Draft = lesson04::Value;

/// The obvious row of nodes, a std::vector: when it is full, it moves all that it holds.
void show_why_not_a_vector() {
  std::vector<lesson04::Node> row(1);
  std::size_t moves = 0;
  for (const lesson04::Node* first = row.data(); row.size() < 59305; first = row.data()) {
    row.push_back({});
    moves += row.data() != first ? 1 : 0;
  }
  fmt::print("\n{} nodes in a std::vector: all of them moved {} times\n", row.size(), moves);
}

/// The expression of lesson 03. a and b are made before the Scope and stay; the rest is taken back when it ends.
void show_small_tape(Lesson& lesson) {
  const lesson04::Scope outer;
  const Draft a = 2.0, b = -3.0;
  std::optional<Draft> kept;
  {
    const lesson04::Scope scope;
    const Draft u = a * b, v = u + 10.0, L = u * v;
    L.backward();  // stop: small
    fmt::print("\nplace |     data | children | gradient\n");
    for (std::size_t place = 0; place < lesson04::tape.nodes.used; place++) {
      const lesson04::Node& node = lesson04::tape.nodes[place];
      std::string children;
      for (const lesson04::Edge& edge : node.edges) children += fmt::format(" {}", edge.child - a.node);
      fmt::print("{:5} | {:8.4f} | {:>8} | {:8.4f}\n", place, node.data, children, node.grad);
    }
    lesson.picture("04_tape.svg", lesson04::tape_picture({"a", "b", "u = a · b", "v = u + 10", "L = u · v"}, 2));
    kept = u;
  }
  fmt::print("the Scope has ended: {} places in use", lesson04::tape.nodes.used);
  const Draft sum = a + b;  // stop: again
  fmt::print("; then a + b is {}, and u, which was kept, says {}\n", sum.data(), kept->data());
}

/// What the loss of one name takes: nodes that backward goes through, pieces of memory, and the deepest way down.
void count_nodes(const Lesson& lesson, const Parameters& parameters) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const Pointers loss = draft::Mlp<Pointers>(parameters).document_loss(tokens);
  std::size_t nodes = 0, pieces = 0;
  for (const lesson03::Node* node : loss.topological_order()) {
    nodes++;
    pieces += node->children.empty() ? 1 : 3;  // the node, its list of children, its list of local gradients
  }
  fmt::print("\nthe first name's loss               |  nodes | pieces of memory | depth\n");
  fmt::print("lesson 03                           | {:6} | {:16} |\n", nodes, pieces);
  auto print = [&](const char* name, draft::Dot<Draft> dot) {
    const lesson04::Scope scope;
    draft::Mlp<Draft>(parameters, dot).document_loss(tokens).backward();
    const lesson04::Tape& used = lesson04::tape;
    fmt::print("{:<35} | {:6} | {:16} | {:5}\n", name, used.reached,
               used.nodes.chunks_in_use() + used.edges.chunks_in_use(), used.depth);
  };
  print("the tape", draft::dot<Draft>);
  print("the tape, a dot product as one node", lesson04::dot);
}

/// The MLP of lesson 02 trained by the draft; and what the tape holds after some of the steps.
void train(Lesson& lesson, const Parameters& initial) {
  draft::Mlp<Draft> mlp(initial, lesson04::dot);
  std::size_t made = 0;
  std::string table = "\nafter step | nodes made | still in use | room for\n";
  for (std::size_t step = 1; step <= 1000; step++) {
    {
      const std::size_t mark = lesson04::tape.nodes.used;
      const lesson04::Scope scope;
      const Draft loss = mlp.document_loss(lesson.tokens_of_step(step));
      loss.backward();  // stop: loss
      made += lesson04::tape.nodes.used - mark;
      lesson.step(step, 1000, loss.data());
    }
    mlp.sgd_update(1 - static_cast<double>(step - 1) / 1000);  // stop: update
    if (step == 1 || step == 10 || step == 100 || step == 1000) {
      table += fmt::format("{:10} | {:10} | {:12} | {:8}\n", step, made, lesson04::tape.nodes.used,
                           lesson04::tape.nodes.room());
    }
  }
  fmt::print("{}", table);
  lesson.check("nothing stays on the tape but the parameters", lesson04::tape.nodes.used == initial.size());
}

/// The same training with the Value of src.
void train_in_src(Lesson& lesson, Parameters& parameters) {
  const Mlp model(parameters);
  Sgd sgd;
  std::size_t same = 0;
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  microgpt::train(loss, parameters, sgd, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 1},
                  [&](std::size_t step, double value) { same += value == lesson.losses()[step - 1] ? 1 : 0; });
  fmt::print("losses that are those of src, bit for bit: {}\n", same);
  lesson.check("all losses are those of src", same == 1000);
}

/// ((x + 1) + 1) + ..., n times: as deep as a graph can be.
template <class V>
V chain(V x, int n) {
  for (int i = 0; i < n; i++) x = x + 1.0;
  return x;
}

void show_deep_chain() {
  constexpr int n = 1'000'000;
  const lesson04::Scope scope;
  const Draft x = 0.0;
  const Draft end = chain(x, n);
  end.backward();  // stop: chain
  fmt::print("\n{} additions: data {}, depth {}, gradient of x {}\n\n", n, end.data(), lesson04::tape.depth, x.grad());
}

/// How long a step takes differs between machines, so it goes to standard error.
template <class V>
void print_time(const Lesson& lesson, const char* name, const draft::Mlp<V>& mlp) {
  const double time = Lesson::microseconds([&] {
    const lesson04::Scope scope;
    mlp.document_loss(lesson.tokens_of_step(1)).backward();
  });
  fmt::print(stderr, "{:7.0f} microseconds for the first name, forward and back: {}\n", time, name);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_why_not_a_vector();
  show_small_tape(lesson);
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));
  train(lesson, parameters);
  count_nodes(lesson, parameters);
  show_deep_chain();
  print_time(lesson, "lesson 03", draft::Mlp<Pointers>(parameters));
  print_time(lesson, "the tape", draft::Mlp<Draft>(parameters));
  print_time(lesson, "the tape, a dot product as one node", draft::Mlp<Draft>(parameters, lesson04::dot));
  train_in_src(lesson, parameters);
  return lesson.finish(1000);
}
