Values contribution(const Matrix& wo, std::size_t h, const List& head_out) {
  const std::size_t D = head_out.size();
  return Values(wo.size(), [&](std::size_t i) { return dot(Slice(wo[i]).subspan(h * D, D), Slice(head_out)); });
}

void silence(const Matrix& wo, std::size_t h, std::size_t n_head) {
  for (const List& row : wo) {
    const std::size_t D = row.size() / n_head;
    for (std::size_t j = 0; j < D; j++) row[h * D + j].node->data = 0;
  }
}

Values says(const Model& model, std::size_t h, const List& x) {
  const Model::Layer& layer = model.layers[0];
  const Values v = linear(x, layer.attn_wv);
  const std::size_t D = v.size() / model.n_head;
  return linear(contribution(layer.attn_wo, h, v.slice(h * D, D)), model.lm_head);
}
