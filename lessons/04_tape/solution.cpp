// Hint 1: A leaf has one path, of no steps. Any other node has all the paths of its children, one after the other:
// those of a child that it uses twice count twice. Children stand on the tape before their parents.
//
// Hint 2: Go along the tape from its beginning, and write down the number of each node in a
// std::unordered_map<const Node*, double>. When a node comes, the numbers of its children are known.
#include <unordered_map>

double count_paths(Value root) {
  std::unordered_map<const Node*, double> paths;
  for (std::size_t i = 0; i < tape.nodes.used; i++) {
    const Node& node = tape.nodes[i];
    paths[&node] = node.edges.empty() ? 1 : 0;
    for (const Edge& edge : node.edges) paths[&node] += paths[edge.child];
  }
  return paths[root.node];
}
