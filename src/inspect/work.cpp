#include "inspect/work.h"

#include "scalar/value.h"

namespace microgpt {

Work work_on_tape() {
  Work work;
  tape.nodes().for_each([&](const Node& node) {
    if (node.op == Op::linear) work.linear += node.n_row;
    if (node.op == Op::dot) work.dot += node.n_child / 2;
    if (node.op == Op::exp) work.exp++;
  });
  return work;
}

}  // namespace microgpt
