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

TEST_CASE("a model can be trained on a task") {
  const NamesFolder folder(output({"task", "copy", "--num", "100"}));
  const std::string text = output(folder.train({"--steps", "3"}));
  CHECK(text.starts_with("num docs: 100\nvocab size: 10\n"));  // a to h, =, and BOS
}

TEST_CASE("a task that there is not, or that cannot be drawn, is refused in one line") {
  check_refused(
      {{"task", "2: TASK is required; see microgpt task --help"},
       {"task paint", "2: TASK is 'paint'; it must be copy|induction|reverse|most-frequent; see microgpt task --help"},
       {"task copy reverse", "2: unexpected 'reverse'; see microgpt task --help"},
       {"task copy --letters 27", "2: --letters is '27'; it must be a whole number from 1 to 26"},
       {"task copy --length 0", "2: --length is '0'; it must be a whole number from 1 to 1000"},
       {"task copy --seed x", "2: the seed 'x' is not a whole number; give one such as 42"},
       {"task induction --length 2", "2: induction needs words of at least 3 letters; choose another --length"},
       {"task induction --length 8", "2: induction has words of up to 9 different letters"},
       {"task copy --length 1 --letters 1", "2: none of the few documents that this task has is for training"}});
}

TEST_CASE("a reader that has enough ends a task in silence; a full disk does not") {
  const Run r = in_shell("\"$0\" \"$@\" | head -n 1", {"task", "copy", "--num", "1000000", "--seed", "1"});
  CHECK(r.out == "cbebhh=cbebhh\n");
  CHECK(r.err == "");
  if (!std::filesystem::is_character_file("/dev/full")) return;
  CHECK(complaint(microgpt({"task", "copy"}, {.out_file = "/dev/full"})) ==
        "1: cannot write to standard output: No space left on device");
}

}  // namespace
}  // namespace microgpt
