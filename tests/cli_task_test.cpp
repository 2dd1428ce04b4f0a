#include "program.h"

namespace microgpt {
namespace {

TEST_CASE("task writes as many documents as asked for, always the same, and others with another seed") {
  CHECK(output({"task", "copy", "--num", "3", "--seed", "1"}) == "cbebhh=cbebhh\nhgdbha=hgdbha\nggahed=ggahed\n");
  CHECK(output({"task", "copy", "--num", "1", "--seed", "1", "--held-out"}) == "bcgfha=bcgfha\n");
  CHECK(lines(output({"task", "reverse"})).size() == 10000);
  CHECK(output({"task", "induction"}) ==
        output({"task", "induction", "--seed", "42", "--num", "10000", "--length", "6", "--letters", "8"}));
  CHECK(output({"task", "induction"}) != output({"task", "induction", "--seed", "43"}));
  CHECK(output({"task", "most-frequent", "--num", "1", "--letters", "1", "--length", "3"}) == "aaa=a\n");
}

TEST_CASE("a task that there is not, or that cannot be drawn, is refused in one line") {
  check_refused(
      {{"task paint", "2: TASK is 'paint'; it must be copy|induction|reverse|most-frequent; see microgpt task --help"},
       {"task induction --length 2", "2: induction needs words of at least 3 letters; choose another --length"},
       {"task induction --length 8", "2: induction has words of up to 9 different letters"},
       {"task copy --length 1 --letters 1", "2: none of the few documents that this task has is for training"}});
}

TEST_CASE("a reader that has enough ends a task in silence") {
  const Run r = in_shell("\"$0\" \"$@\" | head -n 1", {"task", "copy", "--num", "1000000", "--seed", "1"});
  CHECK(r.out == "cbebhh=cbebhh\n");
  CHECK(r.err == "");
}

}  // namespace
}  // namespace microgpt
