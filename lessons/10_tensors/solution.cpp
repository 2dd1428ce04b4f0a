Array layernorm_backward(const Array& dy, const Array& x) {
  Array centred = x;
  for (std::size_t n = 0; n < x.rows; n++) {
    double mean = 0;
    for (std::size_t c = 0; c < x.cols; c++) mean += x.row(n)[c] / static_cast<double>(x.cols);
    for (std::size_t c = 0; c < x.cols; c++) centred.row(n)[c] -= mean;
  }
  Array dx = rmsnorm_backward(dy, centred);
  for (std::size_t n = 0; n < x.rows; n++) {
    double mean = 0;
    for (std::size_t c = 0; c < x.cols; c++) mean += dx.row(n)[c] / static_cast<double>(x.cols);
    for (std::size_t c = 0; c < x.cols; c++) dx.row(n)[c] -= mean;
  }
  return dx;
}

void linear_backward_weight_rows(Array& dw, std::size_t first, const Array& dy, const Array& x) {
  for (std::size_t i = 0; i < dw.rows; i++) {
    for (std::size_t j = 0; j < dw.cols; j++) {
      double total = 0;
      for (std::size_t n = 0; n < dy.rows; n++) total += dy.row(n)[first + i] * x.row(n)[j];
      dw.row(i)[j] = total;
    }
  }
}
