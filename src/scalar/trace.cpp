#include "scalar/value.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace microgpt {

const char* op_name(Op op) {
  static constexpr const char* names[] = {"leaf", "parameter", "+",   "*",   "pow",   "log",
                                          "exp",  "relu",      "sum", "dot", "linear"};
  return names[static_cast<std::size_t>(op)];
}

namespace {

bool trace_enabled() {
  static const bool enabled = [] {
    const char* setting = std::getenv("MICROGPT_TRACE");
    return setting != nullptr && std::string_view(setting) == "1";
  }();
  return enabled;
}

}  // namespace

void trace_node(const char* pass, const Node& node) {
  if (!trace_enabled()) return;
  std::fprintf(stderr, "%-8s %p %-9s data %+.6f grad %+.6f", pass, static_cast<const void*>(&node), op_name(node.op),
               node.data, node.grad);
  for (std::uint32_t i = 0; i < node.n_child; i++) {
    std::fprintf(stderr, "%s%p", i == 0 ? " of " : " ", static_cast<const void*>(node.child[i]));
  }
  if (node.n_row != 0) std::fprintf(stderr, " and %u parameters", unsigned{node.n_row});
  std::fputc('\n', stderr);
}

}  // namespace microgpt
