// Value: a number that remembers how it was computed, after Karpathy's micrograd. Compute a loss with Values and call
// loss.backward(): then every Value that went into the loss knows its gradient, how fast the loss changes with it.
//
//   Value a = 2.0;
//   Value c = a * a + exp(a);
//   c.backward();
//   a.grad();  // 2 a + exp(a)
//
// A Node is one number and how it came about. The Tape is the list of all nodes, in the order in which the forward
// computation made them. A Value is a pointer to its node. Read on to the end, then value.cpp, which ends with
// backward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalar/arena.h"

namespace microgpt {

/// A checked build (debug, asan) refuses a Value whose Scope has ended, and can print every node: see trace_node().
#ifdef MICROGPT_CHECKED
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

// --- A node: one number, and how it came about -----------------------------------------------------------------------

/// What made a node. It is there for people and pictures: backward() only needs the local gradients.
enum class Op : std::uint8_t { leaf, parameter, add, mul, pow, log, exp, relu, sum, dot, linear };

/// The operation's short name: "+", "*", "exp", ...
const char* op_name(Op op);

/// The children of a node are the nodes it was computed from. local_grad[i] is the derivative of data with respect to
/// child[i]; the forward computes it, because it has the numbers at hand. A node may also read a row of a parameter
/// matrix. These parameters are children, too, but two plain arrays stand for them, so that a matrix of a thousand
/// parameters does not need a thousand nodes. (Output i of linear(x, w) reads row i of w.)
struct Node {
  double data;
  double grad;               // d loss / d data, once backward() has run
  Node* const* child;        // n_child of them
  const double* local_grad;  // n_child of them
  double* row_grad;          // n_row of them: the gradients of the parameters that it read
  const double* row_local;   // n_row of them: d data / d parameter
  std::uint32_t n_child;
  std::uint32_t n_row;
  std::uint32_t visit;  // the number of the last backward() that met this node
  Op op;
};

/// Prints the node to standard error if MICROGPT_TRACE is 1. `pass` is "forward" or "backward".
void trace_node(const char* pass, const Node& node);

// --- The tape: all nodes, in the order in which they were made -------------------------------------------------------

class Tape {
 public:
  /// Writes a node on the tape. The arrays are not copied: they are from this tape too, or live at least as long.
  Node* record(Op op, double data, std::span<Node* const> child, const double* local_grad,
               std::span<double> row_grad = {}, const double* row_local = nullptr) {
    const auto n_child = static_cast<std::uint32_t>(child.size());
    const auto n_row = static_cast<std::uint32_t>(row_grad.size());
    Node* node = nodes_.allocate(1);
    *node = {data, 0.0, child.data(), local_grad, row_grad.data(), row_local, n_child, n_row, 0, op};
    if constexpr (checked) trace_node("forward", *node);
    return node;
  }

  /// Room for n pointers or numbers that live as long as the nodes around them.
  std::span<Node*> pointers(std::size_t n) { return {pointers_.allocate(n), n}; }
  std::span<double> numbers(std::size_t n) { return {numbers_.allocate(n), n}; }

  /// Computes d root / d node for every node that went into `root`. Leaves and parameters add it to what they had.
  void backward(Node* root);

  const Arena<Node>& nodes() const { return nodes_; }

  /// The number of the innermost open Scope, or 0 outside of all.
  std::uint64_t scope() const { return open_.empty() ? 0 : open_.back(); }

  /// Whether the nodes of that scope are still there.
  bool is_open(std::uint64_t scope) const {
    return scope == 0 || std::find(open_.begin(), open_.end(), scope) != open_.end();
  }

 private:
  friend class Scope;

  struct Mark {
    Arena<Node>::Mark nodes;
    Arena<Node*>::Mark pointers;
    Arena<double>::Mark numbers;
  };

  Mark open_scope();
  void close_scope(const Mark& mark);
  void topological_order(Node* root);

  Arena<Node> nodes_;  // an arena never moves what it holds, so a pointer to a node stays good
  Arena<Node*> pointers_;
  Arena<double> numbers_;

  std::vector<std::uint64_t> open_;  // the numbers of the open scopes, outermost first
  std::uint64_t last_scope_ = 0;

  struct Frame {
    Node* node;
    Node* const* next;  // the first child that may not have been visited yet
    Node* const* end;
  };
  std::vector<Node*> order_;  // of the last backward(): children before their parents
  std::vector<Frame> path_;   // from the root to the node being visited
  std::uint32_t visit_ = 0;
};

/// The one tape on which all Values are written. It belongs to one thread.
inline Tape tape;

/// The nodes made while a Scope lives are taken off the tape when it ends. Each training step is a Scope, so it writes
/// over the memory of the step before. Values from inside must not be used afterwards.
class Scope {
 public:
  Scope() : mark_(tape.open_scope()) {}
  ~Scope() { tape.close_scope(mark_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Tape::Mark mark_;
};

/// The number of the Scope in which a Value was made. A release build does not remember it.
struct ScopeCheck {
#ifdef MICROGPT_CHECKED
  std::uint64_t scope;
  void require_open() const;  // throws std::logic_error if the scope has ended
#else
  ScopeCheck(std::uint64_t) {}
  static constexpr std::uint64_t scope = 0;
  void require_open() const {}
#endif
};

// --- A value: a pointer to a node, written like a number -------------------------------------------------------------

class Value {
 public:
  /// A leaf: a number that was given, not computed.
  Value(double data) : Value(tape.record(Op::leaf, data, {}, nullptr)) {}

  /// The value of a node, which was made in the given scope.
  explicit Value(Node* of, std::uint64_t scope = tape.scope()) : node(of), made_in_{scope} {}

  double data() const { return live()->data; }

  /// d loss / d this value, after loss.backward().
  double grad() const { return live()->grad; }

  void backward() const { tape.backward(live()); }

  /// The node. In a checked build throws std::logic_error if its Scope has ended.
  Node* live() const {
    made_in_.require_open();
    return node;
  }

  Node* node;

 private:
  [[no_unique_address]] ScopeCheck made_in_;
};

Value operator+(Value a, Value b);
Value operator*(Value a, Value b);
Value operator+(Value a, double b);
Value operator*(Value a, double b);
Value operator/(Value a, double b);
Value pow(Value x, double exponent);
Value log(Value x);
Value exp(Value x, double less = 0);  // exp(x - less) as one node: softmax subtracts the largest number first
Value relu(Value x);                  // x where it is positive, else 0

// The other operators are made of these, in the way and the order of microgpt.py.
inline Value operator+(double a, Value b) { return b + a; }
inline Value operator*(double a, Value b) { return b * a; }
inline Value operator-(Value a) { return a * -1.0; }
inline Value operator-(Value a, Value b) { return a + -b; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator-(double a, Value b) { return -b + a; }
inline Value operator/(Value a, Value b) { return a * pow(b, -1.0); }
inline Value operator/(double a, Value b) { return pow(b, -1.0) * a; }

}  // namespace microgpt
