Value squared_distance(const std::vector<Value>& a, const std::vector<Value>& b) {
  const std::span<Edge> edges(tape.edges.take(2 * a.size()), 2 * a.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const double difference = a[i].data() - b[i].data();
    total += difference * difference;
    edges[2 * i] = {a[i].node, 2 * difference};
    edges[2 * i + 1] = {b[i].node, -2 * difference};
  }
  return {total, edges};
}

std::size_t longest_path(Value root) {
  std::unordered_map<const Node*, std::size_t> longest;
  for (std::size_t i = 0; i < tape.nodes.used; i++) {
    const Node& node = tape.nodes[i];
    std::size_t here = 0;
    for (const Edge& edge : node.edges) here = std::max(here, longest.at(edge.child) + 1);
    longest.emplace(&node, here);
  }
  return longest.at(root.node);
}

double count_paths(Value root) {
  std::unordered_map<const Node*, double> paths;
  for (std::size_t i = 0; i < tape.nodes.used; i++) {
    const Node& node = tape.nodes[i];
    double here = node.edges.empty() ? 1 : 0;
    for (const Edge& edge : node.edges) here += paths.at(edge.child);
    paths.emplace(&node, here);
  }
  return paths.at(root.node);
}
