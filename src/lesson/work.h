// How much arithmetic a computation takes, counted on the tape.
#pragma once

#include <cstddef>
#include <string_view>

#include "microgpt.h"

namespace microgpt {

struct Work {
  std::size_t linear = 0;  // multiply-adds of linear layers: one for each use of a weight
  std::size_t dot = 0;     // multiply-adds of dot products between activations, as in attention
  std::size_t exp = 0;     // exponentials
};

/// The work of all nodes on the tape, forward only.
inline Work work_on_tape() {
  Work work;
  tape.for_each([&](const Node& node) {
    const std::string_view op = node.op;
    if (op == "dot" && !node.edges.empty()) {
      const bool is_linear = node.edges[0].child->op == std::string_view("parameter");
      (is_linear ? work.linear : work.dot) += node.edges.size() / 2;
    }
    if (op == "exp") work.exp++;
  });
  return work;
}

/// How many products `compute` takes: multiply-adds of linear layers and of dot products. What it makes stays on the
/// tape.
template <class Compute>
std::size_t products_of(Compute compute) {
  const Work before = work_on_tape();
  compute();
  const Work after = work_on_tape();
  return after.linear + after.dot - before.linear - before.dot;
}

}  // namespace microgpt
