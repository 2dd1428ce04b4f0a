// The tape: every node of the computation, in the order the forward made them. A Scope takes back all that was made
// since it began, so that each training step writes over the memory of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalar/arena.h"
#include "scalar/node.h"
#include "scalar/trace.h"

namespace microgpt {

#ifdef MICROGPT_CHECKED
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

class Tape {
 public:
  /// Records a node. The arrays are not copied: they come from this tape, or live as long as it does.
  Node* record(Op op, double data, std::span<Node* const> child, const double* local_grad,
               std::span<double> row_grad = {}, const double* row_local = nullptr) {
    Node* node = nodes_.allocate(1);
    *node = {data,
             0.0,
             child.data(),
             local_grad,
             row_grad.data(),
             row_local,
             static_cast<std::uint32_t>(child.size()),
             static_cast<std::uint32_t>(row_grad.size()),
             0,
             op};
    size_++;
    if constexpr (checked) trace_node("forward", *node);
    return node;
  }

  /// Room for n pointers or numbers that live as long as the nodes around them.
  std::span<Node*> pointers(std::size_t n) { return {pointers_.allocate(n), n}; }
  std::span<double> numbers(std::size_t n) { return {numbers_.allocate(n), n}; }

  /// Gives every node that `root` was computed from its gradient, and adds to the gradients of parameters and leaves.
  void backward(Node* root);

  /// Nodes on the tape.
  std::size_t size() const { return size_; }

  template <class Visit>
  void for_each(Visit visit) const {
    nodes_.for_each(visit);
  }

  /// The innermost open Scope's number; 0 outside of all.
  std::uint64_t scope() const { return open_.empty() ? 0 : open_.back(); }

  /// Whether nodes made in that scope are still there.
  bool is_open(std::uint64_t scope) const;

 private:
  friend class Scope;

  struct Mark {
    Arena<Node>::Mark nodes;
    Arena<Node*>::Mark pointers;
    Arena<double>::Mark numbers;
    std::size_t size;
  };

  Mark open_scope();
  void close_scope(const Mark& mark);
  void topological_order(Node* root);

  Arena<Node> nodes_;
  Arena<Node*> pointers_;
  Arena<double> numbers_;
  std::size_t size_ = 0;

  std::vector<std::uint64_t> open_;  // numbers of the open scopes, outermost first
  std::uint64_t last_scope_ = 0;

  struct Frame {
    Node* node;
    Node* const* next;  // the first child that may not have been visited yet
    Node* const* end;
  };
  std::vector<Node*> order_;
  std::vector<Frame> path_;
  std::uint32_t visit_ = 0;
};

/// The one tape that all Values are written on. It belongs to one thread.
inline Tape tape;

/// In a checked build, remembers a scope and finds out whether it has ended; in a release build, nothing at all.
class ScopeCheck {
 public:
#ifdef MICROGPT_CHECKED
  explicit ScopeCheck(std::uint64_t scope) : scope_(scope) {}
  std::uint64_t scope() const { return scope_; }
  /// Throws std::logic_error if the scope has ended.
  void require_open() const;

 private:
  std::uint64_t scope_;
#else
  explicit ScopeCheck(std::uint64_t) {}
  std::uint64_t scope() const { return 0; }
  void require_open() const {}
#endif
};

/// Nodes made while a Scope lives are taken back when it ends, and with them every Value that stood for one.
class Scope {
 public:
  Scope() : mark_(tape.open_scope()) {}
  ~Scope() { tape.close_scope(mark_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Tape::Mark mark_;
};

}  // namespace microgpt
