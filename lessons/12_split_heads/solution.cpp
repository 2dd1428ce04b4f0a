Strided transposed(Strided x, std::size_t a, std::size_t b) {
  std::swap(x.shape[a], x.shape[b]);
  std::swap(x.strides[a], x.strides[b]);
  return x;
}

Strided cut(Strided x, std::size_t d, std::size_t n) {
  const auto at = static_cast<std::ptrdiff_t>(d);
  const std::size_t length = x.shape[d] / n;
  x.shape[d] = length;
  x.shape.insert(x.shape.begin() + at, n);
  x.strides.insert(x.strides.begin() + at, length * x.strides[d]);
  return x;
}

std::optional<Strided> joined(const Strided& x, std::size_t d) {
  if (x.strides[d] != x.shape[d + 1] * x.strides[d + 1]) return std::nullopt;
  Strided y = x;
  const auto at = static_cast<std::ptrdiff_t>(d);
  y.shape[d + 1] *= y.shape[d];
  y.shape.erase(y.shape.begin() + at);
  y.strides.erase(y.strides.begin() + at);
  return y;
}
