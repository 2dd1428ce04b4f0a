Array squared_relu_backward(const Array& dy, const Array& x) {
  Array dx(x.rows, x.cols);
  for (std::size_t i = 0; i < x.data.size(); i++) dx.data[i] = x.data[i] > 0 ? 2 * x.data[i] * dy.data[i] : 0;
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
