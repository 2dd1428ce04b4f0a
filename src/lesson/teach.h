// Tests that teach: the first thing that is wrong, what usually causes it, and nothing else. For the reader's own
// microgpt (tests/mine/tests.cpp), and for exercises of lessons (exercise_tests.h).
//
// Each test calls the reader's code and compares numbers. What is being called is written down before it runs, so that
// the runner (lessons/mine/mine.sh) can say what crashed or never returned.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace teach {

using Numbers = std::vector<double>;

inline const char* result_path = "";  // what this run has to say; the first line is a stage. "": standard output
inline std::string folder;            // with what the whole program printed
inline int stage = 0;

/// All tests, in the order of the file.
struct Test {
  int stage;
  void (*run)();
};
inline std::vector<Test> tests;
inline bool add(int of_stage, void (*run)()) {
  tests.push_back({of_stage, run});
  return true;
}
#define TESTS(stage, name)                              \
  void name();                                          \
  const bool name##_is_added = teach::add(stage, name); \
  void name()

inline double number(double x) { return x; }
inline double number(float x) { return x; }
template <class Value>
double number(const Value& value) {
  return value.data();
}
template <class Number>
Numbers numbers(const std::vector<Number>& list) {
  Numbers all;
  for (const Number& x : list) all.push_back(teach::number(x));
  return all;
}
template <class Number>
Numbers numbers(const Number& x) {
  return {teach::number(x)};
}

/// How far the lists agree. NaN agrees with NaN.
inline std::size_t first_difference(const Numbers& a, const Numbers& b, double tolerance) {
  auto agree = [&](double x, double y) {
    return std::abs(x - y) <= tolerance * (1 + std::abs(y)) || (std::isnan(x) && std::isnan(y));
  };
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && agree(a[i], b[i])) i++;
  return i;
}
inline bool near(const Numbers& a, const Numbers& b, double tolerance) {
  return a.size() == b.size() && first_difference(a, b, tolerance) == a.size();
}

/// "2", or "{1, 2, 3}". At most six numbers.
inline std::string text(const Numbers& numbers, int digits) {
  std::string all;
  for (std::size_t i = 0; i < numbers.size() && i < 6; i++) {
    char one[40];
    std::snprintf(one, sizeof one, "%.*g", digits, std::isnan(numbers[i]) ? std::abs(numbers[i]) : numbers[i] + 0.0);
    all += (i > 0 ? ", " : "") + std::string(one);
  }
  if (numbers.size() == 1) return all;
  return "{" + all + (numbers.size() > 6 ? ", ..." : "") + "}";
}

inline void write_result(const std::string& lines) {
  if (*result_path == '\0') return;
  std::FILE* file = std::fopen(result_path, "w");
  if (file == nullptr) std::exit(2);
  std::fprintf(file, "%d\n%s", stage, lines.c_str());
  std::fclose(file);
}

[[noreturn]] inline void fail(const std::string& what, const std::string& because) {
  write_result(what + "\n" + because + "\n");
  if (*result_path == '\0') std::printf("%s\n%s\n", what.c_str(), because.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

/// What is about to be called, in the reader's words, and what to say if it gives something unusual or never returns.
inline std::string call, otherwise;
struct Mistake {
  Numbers gives;
  std::string reads, because;
};
inline std::vector<Mistake> mistakes;

inline void calling(std::string_view what, std::string_view help) {
  call = what;
  otherwise = help;
  mistakes.clear();
  write_result(call + "\n" + otherwise + "\n");
}

/// What the call gives because of a usual mistake.
inline void usual(const Numbers& gives, const char* because) { mistakes.push_back({gives, "", because}); }
inline void usual_text(std::string_view reads, const char* because) {
  mistakes.push_back({{}, std::string(reads), because});
}

/// Of more than six numbers, those are told that begin with the first wrong one.
inline void compare(Numbers all, Numbers want, double tolerance) {
  if (near(all, want, tolerance)) return;
  for (const Mistake& mistake : mistakes) {
    if (near(all, mistake.gives, std::max(tolerance, 2e-4))) otherwise = mistake.because;
  }
  if (all.size() == want.size() && all.size() > 6) {
    const std::size_t first = std::min(first_difference(all, want, tolerance), all.size() - 6);
    call += ": numbers " + std::to_string(first) + " to " + std::to_string(first + 5);
    for (Numbers* list : {&all, &want}) *list = Numbers(list->begin() + first, list->begin() + first + 6);
  }
  const int digits = text(all, 4) == text(want, 4) ? 9 : 4;
  const char* verb = all.size() > 1 && call.find(": ") != std::string::npos ? " are " : " is ";
  fail(call + verb + text(all, digits) + ", and should be " + text(want, digits) + ".", otherwise);
}

template <class Got>
void should_be(const Got& got, const Numbers& want, double tolerance = 1e-7) {
  compare(teach::numbers(got), want, tolerance);
}

inline void should_read(std::string got, std::string_view want) {
  if (got == want) return;
  for (const Mistake& mistake : mistakes) {
    if (got == mistake.reads) otherwise = mistake.because;
  }
  std::replace(got.begin(), got.end(), '\0', '?');
  if (got.size() > 60) got = got.substr(0, 60) + "...";
  fail(call + " is \"" + got + "\", and should be \"" + std::string(want) + "\".", otherwise);
}

/// Runs the tests of the stages argv[3] to argv[4], in the order of their file.
inline int run_all(int argc, char** argv) {
  if (argc < 5) return 2;
  result_path = argv[1];
  folder = argv[2];
  const int first = std::atoi(argv[3]), last = std::atoi(argv[4]);
  for (const Test& test : tests) {
    if (test.stage < first || test.stage > last) continue;
    stage = test.stage;
    test.run();
  }
  std::fflush(stdout);
  write_result("finished\n");
  std::_Exit(0);  // what the reader's globals do at the end is not tested
}

/// The main() of an exercise: runs these tests. With argv[1], what is wrong is written to that file.
inline int exercise(int argc, char** argv, const std::vector<void (*)()>& all) {
  if (argc > 1) result_path = argv[1];
  for (void (*test)() : all) test();
  return 0;
}

}  // namespace teach
