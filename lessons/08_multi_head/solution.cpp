std::vector<double> contribution(const Parameter& wo, std::size_t h, const std::vector<double>& head_out) {
  const std::size_t hs = h * head_out.size();
  std::vector<double> y(wo.rows);
  for (std::size_t i = 0; i < wo.rows; i++) {
    for (std::size_t j = 0; j < head_out.size(); j++) y[i] += wo.row(i)[hs + j] * head_out[j];
  }
  return y;
}

void silence(const Parameter& wo, std::size_t h, std::size_t n_head) {
  const std::size_t D = wo.cols / n_head;
  for (std::size_t i = 0; i < wo.rows; i++) {
    for (std::size_t j = 0; j < D; j++) wo.row(i)[h * D + j] = 0;
  }
}
