// A small graph as a drawing, in the language of Graphviz: dot -Tsvg graph.dot -o graph.svg
#pragma once

#include <map>
#include <string>

#include "scalar/value.h"

namespace microgpt {

/// Names for values that have one, shown in their boxes.
using Labels = std::map<const Node*, std::string>;

/// The graph that `root` was computed from, root to the right: operation, data and grad of each node,
/// and on each arrow the local gradient that the grad to the right is multiplied with on its way back.
std::string to_dot(Value root, const Labels& labels = {});

/// Has Graphviz draw a file of its language as SVG. False if that fails, most likely because there is no `dot`.
bool draw_svg(const std::string& dot, const std::string& svg);

/// Writes it to a file. Throws Error if that fails, or if there are more than 2,000 nodes, which nobody could read.
void write_dot(Value root, const std::string& path, const Labels& labels = {});

}  // namespace microgpt
