Value tanh(const Value& x) {
  const double t = std::tanh(x.data());
  return {t, {x.node}, {1 - t * t}};
}

Value square_root(const Value& x, int rounds) {
  Value y = 1.0;
  for (int i = 0; i < rounds; i++) y = (y + x / y) * 0.5;
  return y;
}

std::vector<double> contributions(const Value& root, const Value& value) {
  std::vector<double> parts;
  const std::vector<Node*> order = root.topological_order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = **it;
    for (std::size_t i = 0; i < node.children.size(); i++) {
      if (node.children[i] == value.node) parts.push_back(node.local_grads[i] * node.grad);
    }
  }
  return parts;
}
