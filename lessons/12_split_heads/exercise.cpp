// Exercise 12: multi-head attention, the whole of it, as other programs expect it: arrays of three and four dimensions
// go in and come out. At the end yours computes what PyTorch's nn.MultiheadAttention computed.
//
// array.h has NdArray, reshape(), transpose() and linear(). Plain loops will do as well.
//
// make exercise-12 says the first thing that is wrong; make hint L=12 gives a hint, then another, then a solution.
#include "array.h"
#include "lesson/softmax.h"

using namespace microgpt;

/// W_Q, W_K, W_V and W_O, (C,C) each.
struct Weights {
  NdArray q, k, v, o;
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// (B,T,C) to (B,H,T,D). D is C / H. Head 0 gets the first D numbers of each position, head 1 the next D, and so on.
NdArray split(const NdArray& x, [[maybe_unused]] std::size_t H) {
  return x;  // TODO
}

/// Each head of each document by itself: T queries look at the M keys of their own document and head. q is (B,H,T,D),
/// k is (B,H,M,D), v is (B,H,M,E), and what comes back is (B,H,T,E). causal (only if T is M): a position sees itself
/// and those before it; else it sees all.
NdArray attend([[maybe_unused]] const NdArray& q, [[maybe_unused]] const NdArray& k, const NdArray& v,
               [[maybe_unused]] bool causal) {
  return v;  // TODO
}

/// (B,H,T,D) back to (B,T,C).
NdArray merge(const NdArray& x) {
  return x;  // TODO
}

/// All of it: x is (B,T,C), and so is what comes back.
NdArray attention(const NdArray& x, [[maybe_unused]] const Weights& w, [[maybe_unused]] std::size_t H,
                  [[maybe_unused]] bool causal) {
  return x;  // TODO
}
#endif

#include "exercise_tests.h"
