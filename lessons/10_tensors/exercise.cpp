// Exercise 10: attention for a whole batch in one go. Lesson 10 went name by name. Large programs often compute the
// scores of all rows with all rows, as one matrix product, and let a mask say which of them count.
//
// make exercise-10 says the first thing that is wrong; make hint L=10 gives a hint, then another, then a solution.
#include "lesson/array.h"
#include "lesson/softmax.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// (N,N): mask[t][s] is 1 if row t may look at row s, else 0. A row sees its own name, up to itself. name[t] is the
/// number of the name that row t belongs to.
Array document_mask(const std::vector<std::size_t>& name) {
  return Array(name.size(), name.size());  // TODO
}

/// out (N,D) of one head, for all rows at once: scores = q k^T / sqrt(D) is (N,N), every row with every row; weights is
/// the softmax of each row, over what the mask lets it see; out = weights v.
Array masked_attention(const Array& q, [[maybe_unused]] const Array& k, const Array& v,
                       [[maybe_unused]] const Array& mask) {
  return Array(q.rows, v.cols);  // TODO
}
#endif

#include "exercise_tests.h"
