// Hint 1: x[2 i] is in two numbers: in y[2 i] with the factor cos, and in y[2 i + 1] with the factor sin. Its slope is
// the sum of both. Do the same for x[2 i + 1], and look at what you have: it is a rotation. By which angle?
//
// Hint 2: The slope of the rotated query is dscore * rotated key; rotate_backward() makes the slope of q of it. The
// same with q and k exchanged. A key of position p that is rotated back by n positions is a key of position p - n.

Row rotate_backward(const Row& dy, std::size_t position) {
  Row dx(dy.size());
  for (std::size_t i = 0; i < dy.size() / 2; i++) {
    const double angle = static_cast<double>(position) * speed(i, dy.size());
    dx[2 * i] = dy[2 * i] * std::cos(angle) + dy[2 * i + 1] * std::sin(angle);
    dx[2 * i + 1] = -dy[2 * i] * std::sin(angle) + dy[2 * i + 1] * std::cos(angle);
  }
  return dx;
}

std::pair<Row, Row> score_backward(const Row& q, std::size_t at_q, const Row& k, std::size_t at_k, double dscore) {
  Row dq = rotate(k, at_k), dk = rotate(q, at_q);
  for (double& slope : dq) slope *= dscore;
  for (double& slope : dk) slope *= dscore;
  return {rotate_backward(dq, at_q), rotate_backward(dk, at_k)};
}

std::vector<Row> renumber(std::vector<Row> kept, std::size_t n) {
  for (Row& key : kept) key = rotate_backward(key, n);
  return kept;
}
