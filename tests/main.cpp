// Runs every test. The first line tells how golden numbers are compared here. A test that is skipped says so and why.
// If none is asked for that exists, that is a failure.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "base/libm.h"

namespace {

bool nothing_ran = false;

class Watcher : public doctest::IReporter {
 public:
  explicit Watcher(const doctest::ContextOptions&) {}

  void test_case_skipped(const doctest::TestCaseData& test) override {
    if (test.m_skip) std::printf("skipped: %s (%s)\n", test.m_name, test.m_description);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    nothing_ran = stats.numTestCasesPassingFilters == 0;
    if (nothing_ran) std::printf("no test has such a name\n");
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
};

REGISTER_LISTENER("watcher", 1, Watcher);

void print_how_golden_numbers_are_compared() {
  const std::string unlike(microgpt::libm_unlike_published());
  if (unlike.empty()) {
    std::printf("golden numbers: compared to the last bit\n");
  } else {
    std::printf("golden numbers: compared to four digits, as %s rounds in another way here\n", unlike.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  print_how_golden_numbers_are_compared();
  const int code = doctest::Context(argc, argv).run();
  return nothing_ran ? 1 : code;
}
