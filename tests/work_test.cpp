#include <doctest/doctest.h>

#include "inspect/work.h"
#include "scalar/ops.h"

using namespace microgpt;

TEST_CASE("the work of a linear layer is its weights, that of a dot product its length") {
  const Scope scope;
  const Work before = work_on_tape();
  const Parameters parameters({{"w", 3, 2}});
  const Values x(2, [](std::size_t) { return 0.0; });
  const Values y = linear(x, Matrix(parameters["w"]));
  dot(y, y);
  softmax(y);
  const Work work = work_on_tape();
  CHECK(work.linear - before.linear == 6);
  CHECK(work.dot - before.dot == 3);
  CHECK(work.exp - before.exp == 3);
}
