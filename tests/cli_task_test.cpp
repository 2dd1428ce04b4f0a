#include "program.h"

namespace microgpt {
namespace {

TEST_CASE("task writes as many documents as asked for, always the same, and others with another seed") {
  CHECK(output({"task", "copy", "--num", "3", "--seed", "1"}) == "cbebhh=cbebhh\nhgdbha=hgdbha\nggahed=ggahed\n");
  CHECK(output({"task", "copy", "--num", "1", "--seed", "1", "--held-out"}) == "bcgfha=bcgfha\n");
  CHECK(lines(output({"task", "copy"})).size() == 10000);
  CHECK(output({"task", "induction"}) == output({"task", "induction", "--seed", "42", "--num", "10000"}));
  CHECK(output({"task", "induction"}) != output({"task", "induction", "--seed", "43"}));
}

TEST_CASE("a task that there is not is refused in one line") {
  check_refused({{"task paint", "2: TASK is 'paint'; it must be copy|induction; see microgpt task --help"}});
}

TEST_CASE("a reader that has enough ends a task in silence") {
  const Run r = in_shell("\"$0\" \"$@\" | head -n 1", {"task", "copy", "--num", "1000000", "--seed", "1"});
  CHECK(r.out == "cbebhh=cbebhh\n");
  CHECK(r.err == "");
}

}  // namespace
}  // namespace microgpt
