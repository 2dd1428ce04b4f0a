Array layernorm_backward(const Parameter& gain, const Parameter& bias, const Array& x, const Array& dy) {
  const Array z = rmsnorm(centred(x));
  Array dz = dy;
  for (std::size_t n = 0; n < x.rows; n++) {
    for (std::size_t c = 0; c < x.cols; c++) {
      bias.grad[c] += dy[n][c];
      gain.grad[c] += dy[n][c] * z[n][c];
      dz[n][c] *= gain.data[c];
    }
  }
  // What is left of each slope when the mean of the row's slopes is taken out: the way back through centred() is
  // centred() itself.
  return centred(rmsnorm_backward(centred(x), dz));
}
