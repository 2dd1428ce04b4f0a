// Value: a number that remembers how it was computed. Written like any number; then loss.backward() gives every Value
// that the loss was computed from its gradient, by the chain rule. The face is that of Karpathy's micrograd.
//
//   Value a = 2.0;
//   Value c = a * a + exp(a);
//   c.backward();
//   a.grad();  // 2 a + exp(a)
#pragma once

#include <cstdint>

#include "scalar/tape.h"

namespace microgpt {

class Value {
 public:
  /// A leaf: a number that was given, not computed.
  Value(double data) : Value(tape.record(Op::leaf, data, {}, nullptr)) {}

  /// What a node of the tape holds; it was made in the given scope.
  explicit Value(Node* of, std::uint64_t scope = tape.scope()) : node(of), scope_(scope) {}

  double data() const { return live()->data; }

  /// d loss / d this value, after loss.backward().
  double grad() const { return live()->grad; }

  /// Sets the gradient of every value this one was computed from, and adds to those of leaves and parameters.
  void backward() const { tape.backward(live()); }

  /// The node, or in a checked build (debug, asan) std::logic_error if its Scope has ended.
  Node* live() const {
    scope_.require_open();
    return node;
  }

  Node* node;

 private:
  [[no_unique_address]] ScopeCheck scope_;
};

Value operator+(Value a, Value b);
Value operator*(Value a, Value b);
Value operator+(Value a, double b);
Value operator*(Value a, double b);

/// x to a fixed power, by the C library's pow.
Value pow(Value x, double exponent);
Value log(Value x);
/// exp(x - less) as one node: the difference by itself would only pass the gradient on.
Value exp(Value x, double less = 0);
/// x where it is positive, else 0.
Value relu(Value x);

// What follows is made of the above, in the way and the order of microgpt.py.
inline Value operator+(double a, Value b) { return b + a; }
inline Value operator*(double a, Value b) { return b * a; }
inline Value operator-(Value a) { return a * -1.0; }
inline Value operator-(Value a, Value b) { return a + -b; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator-(double a, Value b) { return -b + a; }
inline Value operator/(Value a, Value b) { return a * pow(b, -1.0); }
Value operator/(Value a, double b);
inline Value operator/(double a, Value b) { return pow(b, -1.0) * a; }

}  // namespace microgpt
