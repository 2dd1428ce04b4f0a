// Exercise 18: absorbing. Here is the latent attention of one new position. Its numbers are right, and for each head it
// makes the keys and values of all old positions anew. Move the matrices to the other side, so that none is made. Then
// fold two matrices into one, as a program does once, before it generates.
//
// make exercise-18 says the first thing that is wrong; make hint L=18 gives a hint, then another, then a solution.
#include <cmath>
#include <vector>

#include "lesson/softmax.h"

using microgpt::softmax;
using Row = std::vector<double>;
using Rows = std::vector<Row>;  // a matrix: a row for each output

std::size_t products = 0;  // how many dot() and add() have computed so far

double dot(const Row& a, const Row& b) {
  products += a.size();
  double total = 0;
  for (std::size_t j = 0; j < a.size(); j++) total += a[j] * b[j];
  return total;
}

/// to += factor * x.
void add(Row& to, double factor, const Row& x) {
  products += x.size();
  for (std::size_t j = 0; j < x.size(); j++) to[j] += factor * x[j];
}

/// One head: its part of W_UK and of W_UV, (D,L) each. W c is a key or a value of D numbers.
struct Head {
  Rows uk, uv;
};

/// What a head finds, (D). q (D) is its query and r (R) the part of it that is rotated. c (n,L) and k_rope (n,R) are
/// all that is kept of n positions. dot() and add() count the products: use them.
Row expanded(const Head& head, const Row& q, const Row& r, const Rows& c, const Rows& k_rope) {
  const std::size_t D = q.size(), R = r.size();
  Row weights, out(D);
  for (std::size_t s = 0; s < c.size(); s++) {
    double score = dot(r, k_rope[s]);
    for (std::size_t i = 0; i < D; i++) score += q[i] * dot(head.uk[i], c[s]);  // number i of the key
    weights.push_back(score / std::sqrt(D + R));
  }
  weights = softmax(weights);
  for (std::size_t s = 0; s < c.size(); s++) {
    for (std::size_t i = 0; i < D; i++) out[i] += weights[s] * dot(head.uv[i], c[s]);
  }
  return out;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// The same, without any key or value.
Row attend(const Head& head, const Row& q, const Row& r, const Rows& c, const Rows& k_rope) {
  return expanded(head, q, r, c, k_rope);  // TODO
}

/// One matrix (L,C) for two: folded x is W_UK^T (W_Q x), for any x (C). wq is the head's part of W_Q, (D,C), and uk its
/// part of W_UK, (D,L).
Rows folded(const Rows& wq, const Rows& uk) {
  return Rows(uk[0].size(), Row(wq[0].size()));  // TODO
}
#endif

#include "exercise_tests.h"
