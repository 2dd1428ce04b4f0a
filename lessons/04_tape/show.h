// What lesson 04 counts, compares and prints around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../lessons/03_value/value.h"  // from src
#include "lesson/draft_mlp.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "tape.h"
#include "train/gradient.h"
#include "train/optimizer.h"

namespace lesson04 {

using microgpt::Lesson;
using microgpt::Parameters;
namespace draft = microgpt::draft;

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
void show_cost(const Lesson& lesson, const Parameters& parameters, const char* name, draft::Dot<V> dot) {
  const Scope scope;
  const draft::Mlp<V> mlp(parameters, dot);
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
inline void check_losses(Lesson& lesson, Parameters& parameters) {
  const microgpt::Mlp model(parameters);
  const std::size_t num_steps = lesson.losses().size();
  std::vector<double> losses;
  for (std::size_t step = 1; step <= num_steps; step++) {
    const microgpt::Scope scope;
    const microgpt::Value loss = document_loss(model, lesson.tokens_of_step(step));
    loss.backward();
    microgpt::sgd_update(parameters, 1 - static_cast<double>(step - 1) / static_cast<double>(num_steps));
    losses.push_back(loss.data());
  }
  lesson.check("all losses are those of src, to 1e-9", microgpt::largest_difference(losses, lesson.losses()) < 1e-9);
}

}  // namespace lesson04
