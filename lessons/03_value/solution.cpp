// Hint 1: A new Value is {number, {what it was computed from}, {local gradients}}. The number comes from std::tanh of
// x.data(). For the root you need no new node: the operators of value.h make them, and each knows its way back.
//
// Hint 2: The only child of tanh(x) is x.node, and the local gradient is 1 - t * t, where t is the number. In the root,
// y is a Value from beginning to end: y = (y + x / y) * 0.5. A double would forget where it came from.

Value tanh(const Value& x) {
  const double t = std::tanh(x.data());
  return {t, {x.node}, {1 - t * t}};
}

Value square_root(const Value& x, int rounds) {
  Value y = 1.0;
  for (int i = 0; i < rounds; i++) y = (y + x / y) * 0.5;
  return y;
}
