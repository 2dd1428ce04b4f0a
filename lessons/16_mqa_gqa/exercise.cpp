// Exercise 16: grouped-query attention of a whole text, and its way back. H query heads share G heads of keys and
// values. At the end yours computes the outputs and gradients that PyTorch computed, for GQA, MQA and MHA.
//
// make exercise-16 says the first thing that is wrong; make hint L=16 gives a hint, then another, then a solution.
#include <cmath>

#include "lesson/array.h"
#include "lesson/softmax.h"

using namespace microgpt;

/// Queries (T,H*D), keys and values (T,G*D); or the slopes of all these. x[t][c] is number c of position t.
struct Qkv {
  Array q, k, v;
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What the heads find, (T,H*D). A position sees itself and those before it. Each group of H / G neighbouring query
/// heads reads one head of keys and values.
Array gqa(const Qkv& a, [[maybe_unused]] std::size_t H, [[maybe_unused]] std::size_t G) {
  return Array(a.q.rows, a.q.cols);  // TODO
}

/// The slopes of all queries, keys and values. dout (T,H*D) are the slopes of what gqa() returned.
Qkv gqa_backward([[maybe_unused]] const Array& dout, const Qkv& a, [[maybe_unused]] std::size_t H,
                 [[maybe_unused]] std::size_t G) {
  Qkv d{Array(a.q.rows, a.q.cols), Array(a.k.rows, a.k.cols), Array(a.v.rows, a.v.cols)};  // all 0
  // TODO
  return d;
}
#endif

#include "exercise_tests.h"
