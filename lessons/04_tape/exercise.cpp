// Exercise 04: a node of many terms, and two questions about graphs with more paths than anyone can walk.
//
//   make exercise-04    fails until the three functions are written
//   make solution-04    runs the same tests on solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "../lessons/03_value/mlp.h"  // from src
#include "base/python_random.h"
#include "lesson/mlp.h"
#include "tape.h"

using lesson04::Edge;
using lesson04::Node;
using lesson04::Scope;
using lesson04::tape;
using lesson04::Value;

#ifdef SOLUTION
#include "solution.cpp"
#else

/// (a[0] - b[0])^2 + (a[1] - b[1])^2 + ..., as one node. Both lists have the same size.
Value squared_distance([[maybe_unused]] const std::vector<Value>& a, [[maybe_unused]] const std::vector<Value>& b) {
  // TODO: as dot in tape.h. The derivative of (a - b)^2 is 2 (a - b) in a, and the opposite in b.
  return 0.0;
}

/// How many edges the longest path from `root` down to a leaf has. It looks at each node once, and does not call
/// itself: all nodes are on the tape.
std::size_t longest_path([[maybe_unused]] Value root) {
  // TODO
  return 0;
}

/// How many paths there are from `root` down to a leaf: handing gradients down would walk them all. There may be more
/// than a whole number can hold, so it is a double.
double count_paths([[maybe_unused]] Value root) {
  // TODO
  return 0;
}

#endif

TEST_CASE("squared_distance computes the sum of squares") {
  const Scope scope;
  INFO("hint: (5 - 2)^2 + (1 - 3)^2");
  CHECK(squared_distance({5.0, 1.0}, {2.0, 3.0}).data() == 13);
}

TEST_CASE("squared_distance makes one node") {
  const Scope scope;
  const std::vector<Value> a{5.0, 1.0}, b{2.0, 3.0};
  const std::size_t before = tape.nodes.used;
  const Value d = squared_distance(a, b);
  INFO("hint: compute with data(); an operator on Values would make nodes of its own");
  CHECK(tape.nodes.used == before + 1);
  CHECK(d.node->edges.size() == 4);
}

TEST_CASE("squared_distance sends a gradient to both sides") {
  const Scope scope;
  const std::vector<Value> a{5.0, 1.0}, b{2.0, 3.0};
  (squared_distance(a, b) * 10.0).backward();
  INFO("hint: an edge holds the local gradient alone; backward multiplies it by the gradient of the node");
  CHECK(a[0].grad() == 60);
  CHECK(b[0].grad() == -60);
  CHECK(a[1].grad() == -40);
  CHECK(b[1].grad() == 40);
}

TEST_CASE("a value on both sides gathers both gradients") {
  const Scope scope;
  const Value x = 5.0, y = 2.0;
  squared_distance({x, y}, {y, x}).backward();
  INFO("hint: an edge for each time that a value is used; the sum is backward's work");
  CHECK(x.grad() == 12);
  CHECK(y.grad() == -12);
}

TEST_CASE("a leaf's longest path has no edges") {
  const Scope scope;
  CHECK(longest_path(1.0) == 0);
}

TEST_CASE("of two paths the longer counts") {
  const Scope scope;
  const Value a = 2.0, b = -3.0;
  const Value u = a * b;
  const Value L = u * (u + 10.0);
  INFO("hint: one more than the longest path of any of its children");
  CHECK(longest_path(L) == 3);
}

TEST_CASE("a million nodes in a row are no problem") {
  const Scope scope;
  Value x = 1.0;
  for (int i = 0; i < 1'000'000; i++) x = x + 1.0;
  INFO("hint: no recursion, but a loop over tape.nodes: when a node comes, its children are known");
  CHECK(longest_path(x) == 1'000'000);
}

TEST_CASE("2^60 paths are no problem") {
  const Scope scope;
  const Value first = 1.0;
  Value x = first;
  for (int i = 0; i < 60; i++) x = x + x;
  INFO("hint: remember the answer for each node, in a std::unordered_map<Node*, ...>");
  CHECK(longest_path(x) == 60);
  CHECK(count_paths(x) == 0x1p60);
  x.backward();
  INFO("a gradient is a sum over all paths of the product of local gradients; here each product is 1");
  CHECK(first.grad() == count_paths(x));
}

TEST_CASE("a leaf is reached on one path: of no steps") {
  const Scope scope;
  CHECK(count_paths(1.0) == 1);
}

TEST_CASE("paths to all leaves are counted") {
  const Scope scope;
  const Value a = 2.0, b = -3.0;
  const Value u = a * b;
  const Value L = u * (u + 10.0);
  INFO("hint: the paths of a node are those of all its children together");
  CHECK(count_paths(L) == 4);
}

TEST_CASE("in the end, the loss of a name") {
  microgpt::PythonRandom random;
  microgpt::Parameters parameters(microgpt::mlp_shapes(27, 16));
  microgpt::draw_weights(parameters, 0.08, random);
  fmt::print("the loss of   | nodes | longest path |   paths\n");
  double before = 0;
  for (const std::string name : {"rod", "maria", "rosimeire"}) {
    const Scope scope;
    std::vector<microgpt::Token> tokens{26};
    for (char letter : name) tokens.push_back(static_cast<microgpt::Token>(letter - 'a'));
    tokens.push_back(26);
    const lesson03::Mlp<Value> mlp(parameters, lesson04::dot);
    const std::size_t before_loss = tape.nodes.used;
    const Value loss = mlp.document_loss(tokens);
    fmt::print("{:13} | {:5} | {:12} | {:7}\n", name, tape.nodes.used - before_loss, longest_path(loss),
               count_paths(loss));
    CHECK(count_paths(loss) > before);
    before = count_paths(loss);
  }
  std::vector<Value> a(256, 1.0), b(256, 2.0);
  const Scope scope;
  const std::size_t start = tape.nodes.used;
  squared_distance(a, b);
  fmt::print("the squared distance of 256 numbers: {} node\n", tape.nodes.used - start);
}
