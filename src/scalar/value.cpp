#include "scalar/value.h"

#include <bit>
#include <cmath>

#include "base/libm.h"

namespace microgpt {
namespace {

constexpr double one = 1.0;
constexpr double zero = 0.0;
constexpr double both_one[2] = {1.0, 1.0};  // a sum passes its gradient on to both sides

Value unary(Op op, double data, Value x, const double* local_grad) {
  const std::span<Node*> child = tape.pointers(1);
  child[0] = x.live();
  return Value(tape.record(op, data, child, local_grad));
}

Value binary(Op op, double data, Value a, Value b, const double* local_grad) {
  const std::span<Node*> child = tape.pointers(2);
  child[0] = a.live();
  child[1] = b.live();
  return Value(tape.record(op, data, child, local_grad));
}

/// A local gradient that is kept on the tape.
const double* keep(double local_grad) {
  double* const number = tape.numbers(1).data();
  *number = local_grad;
  return number;
}

}  // namespace

Value operator+(Value a, Value b) { return binary(Op::add, a.data() + b.data(), a, b, both_one); }

Value operator+(Value a, double b) { return unary(Op::add, a.data() + b, a, &one); }

Value operator*(Value a, Value b) {
  const std::span<double> local_grad = tape.numbers(2);
  local_grad[0] = b.data();
  local_grad[1] = a.data();
  return binary(Op::mul, a.data() * b.data(), a, b, local_grad.data());
}

Value operator*(Value a, double b) { return unary(Op::mul, a.data() * b, a, keep(b)); }

Value operator/(Value a, double b) { return a * libm_pow(b, -1.0); }

// softmax divides every element by the same total, so the last answer is kept.
Value pow(Value x, double exponent) {
  struct Power {
    double x = 1, exponent = 1, power = 1, slope = 1;
  };
  static thread_local constinit Power last;
  const bool same = std::bit_cast<std::uint64_t>(x.data()) == std::bit_cast<std::uint64_t>(last.x);  // 0 is not -0
  if (!same || exponent != last.exponent) {
    last = {x.data(), exponent, libm_pow(x.data(), exponent), exponent * libm_pow(x.data(), exponent - 1)};
  }
  return unary(Op::pow, last.power, x, keep(last.slope));
}

Value log(Value x) { return unary(Op::log, std::log(x.data()), x, keep(1.0 / x.data())); }

Value exp(Value x, double less) {
  const Value y = unary(Op::exp, std::exp(x.data() - less), x, nullptr);
  y.node->local_grad = &y.node->data;  // exp is its own derivative
  return y;
}

Value relu(Value x) {
  const bool positive = x.data() > 0;
  return unary(Op::relu, positive ? x.data() : 0.0, x, positive ? &one : &zero);
}

}  // namespace microgpt
