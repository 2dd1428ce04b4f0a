#include "scalar/value.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

#include "base/libm.h"

namespace microgpt {

// --- Forward: each operation records its result and its local gradients ---------------------------------------------

namespace {

constexpr double one[] = {1.0, 1.0};
constexpr double zero = 0.0;

/// Writes the result of an operation on the tape.
Value record(Op op, double data, std::initializer_list<Value> of, const double* local_grad) {
  const std::span<Node*> child = tape.pointers(of.size());
  std::transform(of.begin(), of.end(), child.begin(), [](Value x) { return x.live(); });
  return Value(tape.record(op, data, child, local_grad));
}

/// Local gradients, kept on the tape.
const double* keep(std::initializer_list<double> local_grad) {
  const std::span<double> numbers = tape.numbers(local_grad.size());
  std::copy(local_grad.begin(), local_grad.end(), numbers.begin());
  return numbers.data();
}

}  // namespace

Value operator+(Value a, Value b) { return record(Op::add, a.data() + b.data(), {a, b}, one); }
Value operator+(Value a, double b) { return record(Op::add, a.data() + b, {a}, one); }
Value operator*(Value a, Value b) { return record(Op::mul, a.data() * b.data(), {a, b}, keep({b.data(), a.data()})); }
Value operator*(Value a, double b) { return record(Op::mul, a.data() * b, {a}, keep({b})); }
Value operator/(Value a, double b) { return a * libm_pow(b, -1.0); }

// Softmax divides every element by the same total, so keeping the last answer saves most calls. (Not that for 0, which
// equals -0.)
Value pow(Value x, double exponent) {
  struct Power {
    double x = 1, exponent = 1, power = 1, slope = 1;
  };
  static thread_local constinit Power last;
  if (x.data() != last.x || exponent != last.exponent || x.data() == 0) {
    last = {x.data(), exponent, libm_pow(x.data(), exponent), exponent * libm_pow(x.data(), exponent - 1)};
  }
  return record(Op::pow, last.power, {x}, keep({last.slope}));
}

Value log(Value x) { return record(Op::log, std::log(x.data()), {x}, keep({1.0 / x.data()})); }

Value exp(Value x, double less) {
  const Value y = record(Op::exp, std::exp(x.data() - less), {x}, nullptr);
  y.node->local_grad = &y.node->data;  // exp is its own derivative
  return y;
}

Value relu(Value x) {
  const bool positive = x.data() > 0;
  return record(Op::relu, positive ? x.data() : 0.0, {x}, positive ? one : &zero);
}

// --- Scopes: the tape is wound back to where it was -----------------------------------------------------------------

Tape::Mark Tape::open_scope() {
  open_.push_back(++last_scope_);
  return {nodes_.mark(), pointers_.mark(), numbers_.mark()};
}

void Tape::close_scope(const Mark& mark) {
  open_.pop_back();
  nodes_.rewind(mark.nodes);
  pointers_.rewind(mark.pointers);
  numbers_.rewind(mark.numbers);
}

#ifdef MICROGPT_CHECKED
void ScopeCheck::require_open() const {
  if (tape.is_open(scope)) return;
  throw std::logic_error("a Value is used after its Scope has ended; its place on the tape is no longer its own");
}
#endif

// --- Backward: the chain rule, from the loss to everything it was computed from -------------------------------------

// Puts all nodes below the root in order, children before parents: depth-first, as build_topo in microgpt.py. A graph
// may be millions of nodes deep, so the path is a vector and not the call stack. Nodes with children start from a
// gradient of zero, so that a second backward() does not count the first one again; leaves keep adding up.
//
// All rows of a linear layer share one list of children. A list that was just walked is not walked again.
void Tape::topological_order(Node* root) {
  const std::uint32_t visit = ++visit_;
  order_.clear();
  Node* const* walked = nullptr;
  std::uint32_t n_walked = 0;
  // Meets a node for the first time: it goes on the path, or straight into the order if nothing below it is left.
  auto enter = [&](Node* node) {
    node->visit = visit;
    const bool leaf = node->n_child == 0;
    if (!leaf || node->n_row != 0) node->grad = 0;
    if (leaf || (node->child == walked && node->n_child == n_walked)) {
      order_.push_back(node);
    } else {
      path_.push_back({node, node->child, node->child + node->n_child});
    }
  };
  enter(root);
  while (!path_.empty()) {
    Frame& frame = path_.back();
    Node* const* next = frame.next;
    while (next != frame.end && (*next)->visit == visit) next++;
    if (next != frame.end) {
      frame.next = next + 1;
      enter(*next);
    } else {
      Node* const node = frame.node;
      if (node->n_child > 2) {
        walked = node->child;
        n_walked = node->n_child;
      }
      order_.push_back(node);
      path_.pop_back();
    }
  }
}

// Read from its end, that order has every node after those that were computed from it, so its gradient is complete when
// it is handed on. Each child gets it times the local gradient, and adds up what it gets: three times for a in
// a * a + exp(a).
//
// Sums of doubles depend on their order. This one is that of microgpt.py, where a node of many terms is a chain of
// additions, which hands its gradient on last term first. (Only if one of more than two terms of a sum was computed
// from another could the orders differ. A GPT has no such sum.)
void Tape::backward(Node* root) {
  topological_order(root);
  root->grad = 1.0;
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    Node& node = **it;
    if constexpr (checked) trace_node("backward", node);
    if (order_.rend() - it > 8) __builtin_prefetch(*(it + 8));  // for speed alone
    const double grad = node.grad;
    for (std::uint32_t i = node.n_child; i-- > 0;) node.child[i]->grad += node.local_grad[i] * grad;
    for (std::uint32_t i = 0; i < node.n_row; i++) node.row_grad[i] += node.row_local[i] * grad;
  }
}

}  // namespace microgpt
