// The solved functions of exercise.cpp.

/// The gradient of f at x by central differences: (f(x + h) - f(x - h)) / 2h for each number of x in turn.
Numbers central_differences(const Function& f, Numbers x, double h) {
  Numbers gradient;
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
Numbers squared_relu_backward(const Numbers& x, const Numbers& dy) {
  Numbers dx(dy.size());
  for (std::size_t i = 0; i < dx.size(); i++) dx[i] = dy[i] * 2 * relu({x[i]})[0];
  return dx;
}

/// Back through y = w x + b, as far as b goes.
Numbers bias_backward(const std::vector<Numbers>& dy) {
  Numbers db(dy.at(0).size());
  for (const Numbers& dy_of_position : dy) {
    for (std::size_t i = 0; i < db.size(); i++) db[i] += dy_of_position[i];
  }
  return db;
}
