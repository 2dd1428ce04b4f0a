// Exercise 20: a model without its config. Somebody hands you the matrices of a trained model, and nothing else. Most
// sizes can be read from their shapes, but not the number of heads: that is what this lesson is about. Find out which
// numbers are possible, and let the model itself tell you which one is right.
//
// make exercise-20 says the first thing that is wrong; make hint L=20 gives a hint, then another, then a solution.
#include <algorithm>
#include <functional>
#include <limits>

#include "base/parameters.h"

using namespace microgpt;

/// H query heads, and G heads of keys and values. Each has D numbers.
struct Heads {
  std::size_t H, G;
};
using LossOf = std::function<double(Heads)>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// All numbers of heads that fit these matrices. Fewest heads first.
std::vector<Heads> possible_heads(const Parameters& parameters) {
  const std::size_t queries = parameters["layer0.attn_wq"].rows;  // H * D
  const std::size_t keys = parameters["layer0.attn_wk"].rows;     // G * D
  return {{queries, keys}};                                       // TODO: this is D = 1 only
}

/// With how many heads the model was trained. loss_of() runs it with some number of heads on words that it never saw.
Heads heads_of(const Parameters& parameters, [[maybe_unused]] const LossOf& loss_of) {
  return possible_heads(parameters).front();  // TODO: the matrices fit all of them, but only one was trained
}
#endif

#include "exercise_tests.h"
