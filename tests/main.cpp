// Runs every test. The first line tells how golden numbers are compared here. A test that is skipped says so and why.
// If none is asked for that exists, that is a failure.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_COLORS_NONE
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "base/libm.h"

namespace {

bool nothing_ran = false;

class Watcher : public doctest::ConsoleReporter {
 public:
  using ConsoleReporter::ConsoleReporter;

  void test_case_skipped(const doctest::TestCaseData& test) override {
    if (test.m_skip) std::printf("skipped: %s (%s)\n", test.m_name, test.m_description);
  }
  void test_run_end(const doctest::TestRunStats& stats) override {
    ConsoleReporter::test_run_end(stats);
    nothing_ran = stats.numTestCasesPassingFilters == 0;
    if (nothing_ran) std::printf("no test has such a name\n");
  }
};

REGISTER_REPORTER("watcher", 0, Watcher);

}  // namespace

int main(int argc, char** argv) {
  const std::string unlike(microgpt::libm_unlike_published());
  const std::string digits =
      unlike.empty() ? "the last bit" : "four digits, as " + unlike + " rounds in another way here";
  std::printf("golden numbers: compared to %s\n", digits.c_str());
  doctest::Context context(argc, argv);
  context.addFilter("reporters", "watcher");
  const int code = context.run();
  return nothing_ran ? 1 : code;
}
