/// Without the root a score is (W_Q x) . k, with it (start W_Q x) . k / root, so start is the root. The chain rule
/// makes the twin's gradient 1 / root of the other's, and its weights must go root times as far. An SGD step is
/// proportional to the gradient, so it would go 1 / root times as far. An Adam step does not depend on the gradient's
/// size.
Twin twin_of(OptimizerName optimizer, std::size_t D) {
  const double root = std::sqrt(static_cast<double>(D));
  return {root, optimizer == OptimizerName::sgd ? root * root : root};
}

/// A number of a query has the variance width * stddev^2, and so has one of a key. Their product has the variance
/// (width * stddev^2)^2, and the sum of D of these D times that. The root divides it by D. It shall be 1.
double stddev_of(std::size_t width, std::size_t D, bool root) {
  const double products = root ? 1 : static_cast<double>(D);
  return 1 / std::sqrt(static_cast<double>(width) * std::sqrt(products));
}
