// With MICROGPT_TRACE=1 in a debug build, every node is printed to standard error as the forward makes it and as the
// backward passes it.
#pragma once

#include "scalar/node.h"

namespace microgpt {

/// Prints the node if MICROGPT_TRACE is 1: what it is, its numbers, and what it was computed from.
void trace_node(const char* pass, const Node& node);

}  // namespace microgpt
