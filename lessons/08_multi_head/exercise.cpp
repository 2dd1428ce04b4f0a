// Exercise 08: what does one head say? W_O reads the heads' outputs side by side, so some of its columns belong to head
// 0, the next ones to head 1, and so on. Taken apart by these columns, attention is a sum with one term for each head.
// And one term alone can be followed to the logits: if this head looks at that letter, what does it make likelier?
//
// make exercise-08 says the first thing that is wrong; make hint L=08 gives a hint, then another, then a solution.
#include "microgpt.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What head h adds to W_O x_attn, (C): the columns of wo, (C,C), that read this head, times head_out, (D).
Values contribution(const Matrix& wo, [[maybe_unused]] std::size_t h, [[maybe_unused]] const List& head_out) {
  return Values(wo.size(), [&](std::size_t) { return 0.0; });  // TODO
}

/// Suppose that head h of the first layer gives all its attention to one position, whose normed numbers are x, (C). How
/// much does that add to the logit of each token that could come next, (V)? No other head counts, and no MLP.
Values says(const Model& model, [[maybe_unused]] std::size_t h, [[maybe_unused]] const List& x) {
  return Values(model.lm_head.size(), [&](std::size_t) { return 0.0; });  // TODO
}
#endif

#include "exercise_tests.h"
