// Draws small graphs with Graphviz: dot -Tsvg graph.dot -o graph.svg
#pragma once

#include <map>
#include <string>

#include "scalar/value.h"

namespace microgpt {

/// Names for some nodes, shown in their boxes.
using Labels = std::map<const Node*, std::string>;

/// The graph that `root` was computed from, with root at the right. A box shows a node's operation, data and grad. An
/// arrow shows the local gradient by which backward() multiplies the grad at its right end. Throws Error if there are
/// more than 2,000 nodes: too many to read.
std::string to_dot(Value root, const Labels& labels = {});

/// Runs Graphviz to turn a .dot file into an SVG. Returns false if that fails, most likely because `dot` is not
/// installed.
bool draw_svg(const std::string& dot, const std::string& svg);

}  // namespace microgpt
