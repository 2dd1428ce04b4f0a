// With MICROGPT_TRACE=1 in a debug build, every node is printed to standard error as the forward makes it and as the
// backward passes it.
#pragma once

#include "scalar/node.h"

namespace microgpt {

bool trace_enabled();
void trace_node(const char* pass, const Node& node);

}  // namespace microgpt
