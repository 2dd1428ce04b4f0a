// The solved functions of exercise.cpp.

/// The gradient of f at x by central differences: (f(x + h) - f(x - h)) / 2h for each number of x in turn.
Vector central_differences(const Function& f, Vector x, double h) {
  Vector gradient;
  for (double& x_i : x) {
    const double old = x_i;
    x_i = old + h;
    const double above = f(x);
    x_i = old - h;
    const double below = f(x);
    x_i = old;
    gradient.push_back((above - below) / (2 * h));
  }
  return gradient;
}

/// Back through y = relu(x)^2.
Vector squared_relu_backward(const Vector& x, const Vector& dy) {
  Vector dx(dy.size());
  for (std::size_t i = 0; i < dx.size(); i++) dx[i] = dy[i] * 2 * relu({x[i]})[0];
  return dx;
}

/// Back through y = w x + b, as far as b goes.
Vector bias_backward(const std::vector<Vector>& dy) {
  Vector db(dy.at(0).size());
  for (const Vector& dy_of_position : dy) {
    for (std::size_t i = 0; i < db.size(); i++) db[i] += dy_of_position[i];
  }
  return db;
}
