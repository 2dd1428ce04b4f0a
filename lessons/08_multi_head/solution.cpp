// Hint 1: head_out has D numbers, and stands in x_attn from place h D on. linear() multiplies place j of x_attn by
// column j of W_O. So y[i] is a dot product of head_out with D weights of row i. Slice(wo[i]).subspan() cuts them out.
//
// Hint 2: says() is three steps. v = W_V x, of which v_h are the D numbers from h D on; model.n_head tells D. Then
// contribution() with attn_wo of model.layers[0]. Then linear() with lm_head.

Values contribution(const Matrix& wo, std::size_t h, const List& head_out) {
  const std::size_t D = head_out.size();
  return Values(wo.size(), [&](std::size_t i) { return dot(Slice(wo[i]).subspan(h * D, D), Slice(head_out)); });
}

Values says(const Model& model, std::size_t h, const List& x) {
  const Model::Layer& layer = model.layers[0];
  const Values v = linear(x, layer.attn_wv);
  const std::size_t D = v.size() / model.n_head;
  return linear(contribution(layer.attn_wo, h, v.slice(h * D, D)), model.lm_head);
}
