// The tests of exercise 04: graphs that one can draw, then one that nobody can walk. Then losses of names.
#pragma once

#include "../lessons/03_value/mlp.h"  // from src
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "lesson/teach.h"

using namespace teach;

inline void test_small() {
  const Scope scope;
  calling("count_paths() of a leaf", "It is where the path ends: there is one path, of no steps.");
  should_be(count_paths(1.0), {1});
  const Value a = 2.0, b = -3.0, u = a * b, L = u * (u + 10.0);
  calling("u = a * b, L = u * (u + 10.0): count_paths(L)", "From L to u there are two ways, and from u two to a leaf.");
  usual({0}, "Nothing was counted. A leaf has one path, and a node has those of all its children.");
  usual({2}, "The paths from u down count each time that u is reached: from L itself, and from u + 10.0.");
  usual({5}, "So many edges there are. From L to u there are two ways, and from u two to a leaf.");
  usual({8}, "Nodes on the way count as ends, too. Only a leaf, a node without edges, ends a path.");
  should_be(count_paths(L), {4});
  calling("The same graph: count_paths(u)", "u = a * b. L was made later, and is not below u.");
  should_be(count_paths(u), {2});
}

inline void test_large() {
  {
    const Scope scope;
    Value x = 1.0;
    calling("count_paths() of a row of a million nodes, x = x + 1.0",
            "A function that calls itself needs room for each call. Use a loop along the tape.");
    for (int i = 0; i < 1'000'000; i++) x = x + 1.0;
    should_be(count_paths(x), {1});
  }
  const Scope scope;
  Value x = 1.0;
  for (int i = 0; i < 60; i++) x = x + x;
  calling("count_paths() of 60 diamonds, x = x + x",
          "Each diamond doubles the number. All local gradients are 1, so this is the gradient of the first x, too.");
  should_be(count_paths(x), {0x1p60});
}

inline void show() {
  microgpt::PythonRandom random;
  microgpt::Parameters parameters(microgpt::mlp_shapes(27, 16));
  microgpt::draw_weights(parameters, 0.08, random);
  fmt::print("the loss of   | nodes |   paths\n");
  for (const std::string name : {"rod", "maria", "rosimeire"}) {
    const Scope scope;
    std::vector<microgpt::Token> tokens{26};
    for (const char letter : name) tokens.push_back(static_cast<microgpt::Token>(letter - 'a'));
    tokens.push_back(26);
    const lesson03::Mlp<Value> mlp(parameters, lesson04::dot);
    const std::size_t before = tape.nodes.used;
    const Value loss = mlp.document_loss(tokens);
    fmt::print("{:13} | {:5} | {:7}\n", name, tape.nodes.used - before, count_paths(loss));
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_small, test_large, show}); }
