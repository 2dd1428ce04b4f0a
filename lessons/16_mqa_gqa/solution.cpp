void pool(const Parameter& many, const Parameter& few, std::size_t D) {
  const std::size_t group = many.rows / few.rows;
  for (std::size_t i = 0; i < few.rows; i++) {
    for (std::size_t c = 0; c < few.cols; c++) {
      double total = 0;
      for (std::size_t j = 0; j < group; j++) total += many.row((i / D * group + j) * D + i % D)[c];
      few.row(i)[c] = total / static_cast<double>(group);
    }
  }
}
