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

std::vector<double> says(const Parameters& parameters, std::size_t h, std::size_t n_head,
                         const std::vector<double>& x) {
  const Parameter& wv = parameters["layer0.attn_wv"];
  const Parameter& lm_head = parameters["lm_head"];
  auto times = [](const Parameter& w, std::size_t row, const std::vector<double>& numbers) {
    double total = 0;
    for (std::size_t j = 0; j < numbers.size(); j++) total += w.row(row)[j] * numbers[j];
    return total;
  };
  const std::size_t D = wv.rows / n_head;
  std::vector<double> v_h, logits;
  for (std::size_t i = 0; i < D; i++) v_h.push_back(times(wv, h * D + i, x));
  const std::vector<double> added = contribution(parameters["layer0.attn_wo"], h, v_h);
  for (std::size_t token = 0; token < lm_head.rows; token++) logits.push_back(times(lm_head, token, added));
  return logits;
}
