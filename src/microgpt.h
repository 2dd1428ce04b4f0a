// microgpt.cpp as a library: all of it but main(), and what only lessons and tests use besides.
#pragma once

#define MICROGPT_LIBRARY
#include "microgpt.cpp"

namespace microgpt {

inline Value operator+(double a, Value b) { return b + a; }
inline Value operator*(double a, Value b) { return b * a; }
inline Value operator-(Value a, Value b) { return a + -b; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator-(double a, Value b) { return -b + a; }
inline Value operator/(double a, Value b) { return pow(b, -1.0) * a; }

/// Calls visit(Node&) for every node on the tape, in the order in which they were made.
void for_each_node(auto visit) {
  for (std::size_t i = 0; i < tape.of<Node>().used(); i++) {
    Node& node = tape.of<Node>()[i];
    if (node.op != nullptr) visit(node);  // without an operation it was taken back, in a checked build
  }
}

inline std::size_t nodes_on_tape() {
  std::size_t n = 0;
  for_each_node([&](const Node&) { n++; });
  return n;
}

}  // namespace microgpt
