#include "debug/graphviz.h"

#include <fmt/core.h>

#include <cstdlib>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"

namespace microgpt {
namespace {

constexpr std::size_t max_nodes = 2000;

/// Numbers root and every node below it, in the order they are met.
std::unordered_map<const Node*, std::size_t> number_nodes(const Node* root, std::vector<const Node*>& nodes) {
  std::unordered_map<const Node*, std::size_t> number;
  auto add = [&](const Node* node) {
    if (number.emplace(node, nodes.size()).second) nodes.push_back(node);
  };
  add(root);
  for (std::size_t i = 0; i < nodes.size(); i++) {
    for (const Node* child : std::span(nodes[i]->child, nodes[i]->n_child)) add(child);
    if (nodes.size() > max_nodes) {
      throw Error("a graph of more than " + std::to_string(max_nodes) +
                  " nodes cannot be read as a drawing; draw a smaller part");
    }
  }
  return number;
}

/// Escapes text for a record label.
std::string escaped_label(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\\\"{}|<>").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string to_dot(Value root, const Labels& labels) {
  std::vector<const Node*> nodes;
  const auto number = number_nodes(root.live(), nodes);
  std::string dot =
      "digraph {\n"
      "  rankdir=LR;\n"
      "  node [shape=record, fontname=\"monospace\"];\n"
      "  edge [fontname=\"monospace\"];\n";
  for (std::size_t i = 0; i < nodes.size(); i++) {
    const Node& node = *nodes[i];
    const auto label = labels.find(&node);
    const std::string name = escaped_label(label != labels.end() ? label->second : op_name(node.op));
    dot += fmt::format("  n{} [label=\"{} | data {:.4f} | grad {:.4f}\"];\n", i, name, node.data, node.grad);
    for (std::uint32_t c = 0; c < node.n_child; c++) {
      dot += fmt::format("  n{} -> n{} [label=\"{:.4g}\"];\n", number.at(node.child[c]), i, node.local_grad[c]);
    }
    if (node.n_row != 0)
      dot += fmt::format("  p{0} [shape=plaintext, label=\"{1} parameters\"];\n  p{0} -> n{0};\n", i, node.n_row);
  }
  return dot + "}\n";
}

bool draw_svg(const std::string& dot, const std::string& svg) {
  return std::system(fmt::format("dot -Tsvg '{}' -o '{}' 2>/dev/null", dot, svg).c_str()) == 0;
}

}  // namespace microgpt
