// One number of the computation and how it came about. Every Value stands for a Node on the tape.
#pragma once

#include <cstdint>

namespace microgpt {

/// What made a node. backward() never asks: the local gradients say all it needs. For people and pictures.
enum class Op : std::uint8_t { leaf, parameter, add, mul, pow, log, exp, relu, sum, dot, linear };

/// The operation's short name: "+", "*", "exp", ...
const char* op_name(Op op);

/// A node of the graph. Its children are the nodes it was computed from; local_grad[i] is the derivative of data with
/// respect to child[i], fixed when the forward ran. A node may also read a row of a parameter matrix: those n_row
/// parameters are children too, kept as two plain arrays so that a matrix stays one block of numbers.
struct Node {
  double data;
  double grad;               // d loss / d data, once backward() has run
  Node* const* child;        // (n_child)
  const double* local_grad;  // (n_child)
  double* row_grad;          // (n_row) the gradients of the parameters it read, in Parameter::grad
  const double* row_local;   // (n_row) d data / d parameter
  std::uint32_t n_child;
  std::uint32_t n_row;
  std::uint32_t visit;  // the backward pass that last came by
  Op op;
};

}  // namespace microgpt
