#include <doctest/doctest.h>

#include "scalar/value.h"

namespace microgpt {
namespace {

TEST_CASE("a value used twice accumulates both gradients") {
  const Scope scope;
  const Value a = 3.0;
  const Value b = 5.0;
  (a * b + a).backward();
  CHECK(a.grad() == 6);  // b + 1
  CHECK(b.grad() == 3);
}

TEST_CASE("a value that is both factors has the gradient 2x, both terms 2") {
  const Scope scope;
  const Value x = 3.0;
  (x * x).backward();
  CHECK(x.grad() == 6);
  const Value y = 3.0;
  (y + y).backward();
  CHECK(y.grad() == 2);
}

TEST_CASE("both sides of a diamond bring their gradient home before it goes on") {
  const Scope scope;
  const Value x = 3.0;
  const Value a = x * 2.0;
  const Value b = a * a;
  const Value c = a * 5.0;
  (b * c).backward();      // 5 a^3 with a = 6
  CHECK(a.grad() == 540);  // 15 a^2
  CHECK(x.grad() == 1080);
}

TEST_CASE("sixty diamonds in a row are walked once each, not 2^60 times") {
  const Scope scope;
  const Value x = 1.0;
  Value y = x;
  for (int i = 0; i < 60; i++) y = y + y;
  y.backward();
  CHECK(x.grad() == 0x1p60);
}

TEST_CASE("a second backward adds to the leaves and begins anew inside") {
  const Scope scope;
  const Value x = 3.0;
  const Value inner = x * x;
  const Value loss = inner * 2.0;
  loss.backward();
  loss.backward();
  CHECK(loss.grad() == 1);
  CHECK(inner.grad() == 2);  // not 4
  CHECK(x.grad() == 24);     // twice 12
}

TEST_CASE("two losses of one leaf add up") {
  const Scope scope;
  const Value x = 3.0;
  const Value inner = x * 7.0;
  (inner * inner).backward();
  inner.backward();  // once in the middle, now the root
  CHECK(inner.grad() == 1);
  CHECK(x.grad() == 2 * 21 * 7 + 7);
}

TEST_CASE("what the loss was not computed from gets no gradient") {
  const Scope scope;
  const Value x = 3.0;
  const Value loss = x * 2.0;
  const Value other = x * 5.0;
  loss.backward();
  CHECK(x.grad() == 2);
  CHECK(other.grad() == 0);
}

TEST_CASE("a chain of a million nodes does not overflow the stack, and its gradient is right") {
  const Scope scope;
  const Value x = 1.0;
  Value y = x;
  for (int i = 0; i < 500'000; i++) y = (y + 1.0) * (i % 2 == 0 ? 2.0 : 0.5);
  y.backward();
  CHECK(x.grad() == 1);  // 250,000 factors of 2 and of 1/2
}

TEST_CASE("deep in a product, a factor's gradient is all the others, multiplied one by one") {
  const Scope scope;
  const Value first = 3.0;
  Value product = first;
  double others = 1.0;
  for (int i = 0; i < 1000; i++) {
    product = product * 1.001;
    others = others * 1.001;
  }
  product.backward();
  CHECK(first.grad() == others);
}

}  // namespace
}  // namespace microgpt
