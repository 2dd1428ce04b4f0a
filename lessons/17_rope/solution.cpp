void to_neighbours(const Parameter& matrix, std::size_t D) {
  const std::vector<double> old(matrix.data, matrix.data + matrix.size());
  for (std::size_t i = 0; i < matrix.rows; i++) {
    const std::size_t head = i / D * D, j = i % D;
    const std::size_t from = head + j / 2 + (j % 2 == 0 ? 0 : D / 2);
    std::copy_n(old.data() + from * matrix.cols, matrix.cols, matrix.row(i).begin());
  }
}

std::vector<std::string> to_convert() { return {"attn_wq", "attn_wk"}; }

std::vector<Row> renumber(std::vector<Row> kept, std::size_t n) {
  auto flip = [](Row& row) {
    for (std::size_t j = 1; j < row.size(); j += 2) row[j] = -row[j];
  };
  for (Row& row : kept) {
    flip(row);
    row = rotate(row, n);
    flip(row);
  }
  return kept;
}
