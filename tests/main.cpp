// Runs every test. The first line tells how golden numbers are compared here. A test that is skipped says so and why,
// and the last line counts them all.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "base/libm.h"

namespace {

class Counts : public doctest::IReporter {
 public:
  explicit Counts(const doctest::ContextOptions&) {}

  static void print() { std::printf("%u passed, %u failed, %u skipped\n", passed_, failed_, skipped_); }

  void test_run_end(const doctest::TestRunStats& run) override {
    passed_ = run.numTestCasesPassingFilters - run.numTestCasesFailed;
    failed_ = run.numTestCasesFailed;
    skipped_ = run.numTestCases - run.numTestCasesPassingFilters;
  }
  void test_case_skipped(const doctest::TestCaseData& test) override {
    if (test.m_skip) std::printf("skipped: %s (%s)\n", test.m_name, test.m_description);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}

 private:
  inline static unsigned passed_ = 0, failed_ = 0, skipped_ = 0;
};

REGISTER_LISTENER("counts", 1, Counts);

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
  doctest::Context context(argc, argv);
  print_how_golden_numbers_are_compared();
  const int result = context.run();
  if (!context.shouldExit()) Counts::print();
  return result;
}
