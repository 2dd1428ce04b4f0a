// What lessons say about a model: what it expects next, and how much arithmetic it takes.
#include <doctest/doctest.h>

#include "lesson/likeliest.h"
#include "lesson/work.h"
#include "microgpt.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

TEST_CASE("the likeliest tokens come first, and no more than there are") {
  const Tokenizer tokenizer(U"ab");
  const std::vector<double> p{0.25, 0.25, 0.5};
  CHECK(likeliest(p, tokenizer, 2) == ". 0.500, a 0.250");
  CHECK(likeliest(p, tokenizer, 9) == ". 0.500, a 0.250, b 0.250");
}

TEST_CASE("the work of a linear layer is its weights, that of a dot product its length") {
  const Scope scope;
  const Work before = work_on_tape();
  const Parameters parameters({{"w", 3, 2}});
  const Values x(2, [](std::size_t) { return 0.0; });
  const Values y = linear(x, StateDict(parameters)["w"]);
  dot(y, y);
  softmax(y);
  const Work work = work_on_tape();
  CHECK(work.linear - before.linear == 6);
  CHECK(work.dot - before.dot == 3);
  CHECK(work.exp - before.exp == 3);
}
