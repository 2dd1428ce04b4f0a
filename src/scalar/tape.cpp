#include "scalar/tape.h"

#include <algorithm>
#include <stdexcept>

namespace microgpt {

const char* op_name(Op op) {
  switch (op) {
    case Op::leaf: return "leaf";
    case Op::parameter: return "parameter";
    case Op::add: return "+";
    case Op::mul: return "*";
    case Op::pow: return "pow";
    case Op::log: return "log";
    case Op::exp: return "exp";
    case Op::relu: return "relu";
    case Op::sum: return "sum";
    case Op::dot: return "dot";
    case Op::linear: return "linear";
  }
  return "?";
}

bool Tape::is_open(std::uint64_t scope) const {
  return scope == 0 || std::find(open_.begin(), open_.end(), scope) != open_.end();
}

#ifdef MICROGPT_CHECKED
void ScopeCheck::require_open() const {
  if (tape.is_open(scope_)) return;
  throw std::logic_error("a Value is used after its Scope has ended; its place on the tape is no longer its own");
}
#endif

Tape::Mark Tape::open_scope() {
  open_.push_back(++last_scope_);
  return {nodes_.mark(), pointers_.mark(), numbers_.mark(), size_};
}

void Tape::close_scope(const Mark& mark) {
  open_.pop_back();
  nodes_.rewind(mark.nodes);
  pointers_.rewind(mark.pointers);
  numbers_.rewind(mark.numbers);
  size_ = mark.size;
}

// Depth-first, children before parents, as microgpt.py's build_topo, with the path on a vector instead of the call
// stack: a graph may be millions of nodes deep. Nodes with children start from a gradient of zero, so that a second
// backward() does not count the first one again; leaves keep adding up.
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

// Every parent comes before its children, so a node's gradient is complete when its turn comes. The order is the
// reference's to the last node: sums of doubles depend on it. A node of many terms stands for a chain of additions in
// the reference, which hands its gradient back last term first. (Only where one term of a sum was computed from another
// might the reference's order differ; a GPT has no such sum.)
void Tape::backward(Node* root) {
  topological_order(root);
  root->grad = 1.0;
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    Node& node = **it;
    if constexpr (checked) trace_node("backward", node);
    if (order_.rend() - it > 8) __builtin_prefetch(*(it + 8));
    const double grad = node.grad;
    for (std::uint32_t i = node.n_child; i-- > 0;) node.child[i]->grad += node.local_grad[i] * grad;
    for (std::uint32_t i = 0; i < node.n_row; i++) node.row_grad[i] += node.row_local[i] * grad;
  }
}

}  // namespace microgpt
