// What lesson 04 counts, compares and prints around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../lessons/03_value/mlp.h"  // from src
#include "../lessons/03_value/value.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "tape.h"
#include "train/gradient.h"
#include "train/optimizer.h"

namespace lesson04 {

using lesson03::Mlp;
using microgpt::Lesson;
using microgpt::Parameters;

/// What the loss of a name takes: computed nodes, and pieces of memory. On the tape, `before` nodes were there already.
inline std::pair<std::size_t, std::size_t> nodes_and_pieces(const lesson03::Value& loss, std::size_t) {
  std::size_t nodes = 0, pieces = 0;  // for each: itself, its list of children, its list of local gradients
  for (const lesson03::Node* node : loss.topological_order()) {
    nodes += node->children.empty() ? 0 : 1;
    pieces += node->children.empty() ? 1 : 3;
  }
  return {nodes, pieces};
}

inline std::pair<std::size_t, std::size_t> nodes_and_pieces(const Value&, std::size_t before) {
  return {tape.nodes.used - before, tape.nodes.chunks_in_use() + tape.edges.chunks_in_use()};
}

/// A line of the table. Time differs between machines, so it goes to standard error.
template <class V>
void show_cost(const Lesson& lesson, const Parameters& parameters, const char* name, typename Mlp<V>::Dot dot) {
  const Scope scope;
  const Mlp<V> mlp(parameters, dot);
  const std::size_t before = tape.nodes.used;
  const auto [nodes, pieces] = nodes_and_pieces(mlp.document_loss(lesson.tokens_of_step(1)), before);
  fmt::print("{:<35} | {:6} | {:16}\n", name, nodes, pieces);
  const double time = Lesson::microseconds([&] {
    const Scope again;
    mlp.document_loss(lesson.tokens_of_step(1)).backward();
  });
  fmt::print(stderr, "{:7.0f} microseconds for the first name, forward and back: {}\n", time, name);
}

/// The same training with the Value of src. `parameters` are those with which it began.
inline void check_losses(Lesson& lesson, const Parameters& parameters) {
  const microgpt::Mlp src(parameters);
  std::vector<double> losses;
  microgpt::train([&](auto tokens) { return document_loss(src, tokens); }, src.params, microgpt::sgd_update,
                  lesson.documents, lesson.tokenizer, {.num_steps = lesson.losses().size(), .learning_rate = 1},
                  [&](std::size_t, double loss) { losses.push_back(loss); });
  lesson.check("all losses are those of src, to 1e-9", microgpt::largest_difference(losses, lesson.losses()) < 1e-9);
}

}  // namespace lesson04
