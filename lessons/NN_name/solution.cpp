double extended(double x) { return x * x; }
