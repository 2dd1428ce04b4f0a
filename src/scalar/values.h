// Values: a list of Values, as cheap to copy as a pointer. Written like a Python list comprehension:
//
//   Values x(n, [&](std::size_t i) { return a[i] + b[i]; });  // [a[i] + b[i] for i in range(n)]
//
// The list lives on the tape, like its nodes, and ends with their Scope. A node with many children (a sum, a dot
// product) uses the list itself as its children.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scalar/value.h"

namespace microgpt {

class Values {
 public:
  Values() : made_in_{tape.scope()} {}

  template <class Make>
  Values(std::size_t n, Make make) : item_(tape.pointers(n)), made_in_{tape.scope()} {
    for (std::size_t i = 0; i < n; i++) item_[i] = Value(make(i)).live();
  }

  /// Copies a std::vector or another list.
  explicit Values(std::span<const Value> values) : Values(values.size(), [&](std::size_t i) { return values[i]; }) {}

  std::size_t size() const { return item_.size(); }
  Value operator[](std::size_t i) const { return Value(nodes()[i], made_in_.scope); }

  /// Python's x[start : start + n]: the same nodes, not copies.
  Values slice(std::size_t start, std::size_t n) const {
    Values part = *this;
    part.item_ = item_.subspan(start, n);
    return part;
  }

  /// The numbers without the graph.
  std::vector<double> data() const {
    std::vector<double> numbers;
    for (const Node* node : nodes()) numbers.push_back(node->data);
    return numbers;
  }

  /// The nodes behind the values. In a checked build throws std::logic_error if their Scope has ended.
  std::span<Node* const> nodes() const {
    made_in_.require_open();
    return item_;
  }

  class Iterator {
   public:
    Iterator(const Values& values, std::size_t i) : values_(&values), i_(i) {}
    Value operator*() const { return (*values_)[i_]; }
    Iterator& operator++() {
      i_++;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Values* values_;
    std::size_t i_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::span<Node*> item_;
  [[no_unique_address]] ScopeCheck made_in_;
};

}  // namespace microgpt
