void reorder(const Parameters& from, const Parameters& to, const Order& order, std::size_t D) {
  const std::size_t C = order.size() * D;
  for (std::size_t i = 0; i < C; i++) {
    const std::size_t old = order[i / D] * D + i % D;
    for (const char* name : {"layer0.attn_wq", "layer0.attn_wk", "layer0.attn_wv"}) {
      for (std::size_t c = 0; c < C; c++) to[name].row(i)[c] = from[name].row(old)[c];
    }
    for (std::size_t r = 0; r < C; r++) to["layer0.attn_wo"].row(r)[i] = from["layer0.attn_wo"].row(r)[old];
  }
}

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
