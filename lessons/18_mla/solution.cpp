Matrix folded_query(const Matrix& uq, const Matrix& uk, std::size_t h, std::size_t P) {
  Matrix folded(uk[0].size(), Numbers(uq[0].size()));
  for (std::size_t row = h * P; row < (h + 1) * P; row++) {
    for (std::size_t i = 0; i < folded.size(); i++) add(folded[i], uk[row][i], uq[row]);
  }
  return folded;
}

Matrix folded_output(const Matrix& uv, const Matrix& o, std::size_t h, std::size_t D) {
  Matrix folded;
  for (const Numbers& row : o) folded.push_back(transposed_times(of_head(uv, h, D), of_head(row, h, D)));
  return folded;
}
