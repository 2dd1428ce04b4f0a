// Hint 1: Without the root, a score is (W_Q x) . k. The twin's is (W_Q x) . k / root of D. How large must its W_Q be
// for the same score? And if all of its W_Q is that many times as large, a step must move it that many times as far.
//
// Hint 2: How far does it go by itself, if its learning rate is not changed? The twin's score is divided by the root,
// and so is the slope of each number of its W_Q. SGD's step is proportional to the slope: it goes too short by the
// root, and has to go too far by the root. Adam divides by the size of the slopes: its step does not depend on it.

Twin twin_of(OptimizerName optimizer, std::size_t D) {
  const double root = std::sqrt(static_cast<double>(D));
  return {root, optimizer == OptimizerName::sgd ? root * root : root};
}
