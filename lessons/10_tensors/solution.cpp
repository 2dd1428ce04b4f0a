Array document_mask(const Batch& batch) {
  Array mask(batch.num_positions(), batch.num_positions());
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    for (std::size_t t = first; t < first + n; t++) std::fill(mask[t] + first, mask[t] + t + 1, 1.0);
  }
  return mask;
}

Array masked_attention(const Array& q, const Array& k, const Array& v, const Array& mask) {
  Array out(q.rows, v.cols);
  for (std::size_t t = 0; t < q.rows; t++) {
    std::vector<double> scores(k.rows, -std::numeric_limits<double>::infinity());
    for (std::size_t s = 0; s < k.rows; s++) {
      const double score = std::inner_product(q[t], q[t] + q.cols, k[s], 0.0) / std::sqrt(q.cols);
      if (mask[t][s] == 1) scores[s] = score;
    }
    const std::vector<double> weights = softmax(scores);
    for (std::size_t s = 0; s < k.rows; s++) {
      for (std::size_t j = 0; j < v.cols; j++) out[t][j] += weights[s] * v[s][j];
    }
  }
  return out;
}
