#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/libm.h"
#include "base/utf8.h"
#include "train/evaluation.h"

namespace microgpt {
namespace {

[[noreturn]] void leave(const std::string& message, int code) {
  std::fflush(stdout);
  fmt::print(stderr, "lesson: {}\n", message);
  std::exit(code);
}

/// Runs an action on files; if it throws Error, the lesson ends with its message.
template <class Action>
auto or_leave(Action action) {
  try {
    return action();
  } catch (const Error& error) {
    leave(error.what(), 1);
  }
}

std::vector<Document> read_shuffled(const std::string& path, PythonRandom& random) {
  std::vector<Document> documents = or_leave([&] { return read_documents(path); });
  random.shuffle(documents);
  return documents;
}

/// The double at the end of a line of the published program: "step 1 / 1000 | loss 3.3660 | 3.3659669475848504".
double last_number(const std::string& line) { return std::strtod(line.c_str() + line.rfind('|') + 1, nullptr); }

std::string after_colon(const std::string& line) { return line.substr(std::min(line.size(), line.find(": ") + 2)); }

/// Equal to the last bit, or to four digits if the C library rounds differently.
bool is_reproduced(double loss, double published) {
  return libm_unlike_published().empty() ? loss == published : std::abs(loss - published) <= 0.5e-4;
}

bool is_reproduced(const std::string& name, const std::string& published) { return name == published; }

template <class T>
std::size_t count_reproduced(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++) count += is_reproduced(a[i], b[i]) ? 1 : 0;
  return count;
}

}  // namespace

double mean_of_last_hundred(std::span<const double> losses) {
  return estimate(losses.last(std::min<std::size_t>(losses.size(), 100))).mean;
}

Lesson::Arguments Lesson::parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i++) {
    const std::string_view word = argv[i];
    if (word == "--golden") {
      if (i + 1 == argc) leave("--golden needs a file", 2);
      arguments.golden = argv[++i];
    } else if (word.starts_with("-")) {
      leave(fmt::format("unknown option {}; it takes [NAMES] [--golden FILE]", word), 2);
    } else {
      arguments.names = word;
    }
  }
  return arguments;
}

Lesson::Lesson(int argc, char** argv) : Lesson(parse(argc, argv)) {}

Lesson::Lesson(const Arguments& arguments)
    : random(42), documents(read_shuffled(arguments.names, random)), tokenizer(documents), arguments_(arguments) {
  fmt::print("num docs: {}\n", documents.size());
  fmt::print("vocab size: {}\n", tokenizer.vocab_size());
}

const Split& Lesson::split() const {
  if (!split_) split_ = or_leave([&] { return microgpt::split(read_documents(arguments_.names)); });
  return *split_;
}

std::vector<Document> Lesson::held_out(std::size_t trained) const {
  const auto seen = std::span(documents).first(std::min(trained, documents.size()));
  const std::set<std::u32string_view> known(seen.begin(), seen.end());
  std::vector<Document> names = split().held_out;
  std::erase_if(names, [&](const Document& name) { return known.contains(name); });
  return names;
}

std::vector<Token> Lesson::tokens_of_step(std::size_t step) const {
  return tokenizer.encode_document(documents[(step - 1) % documents.size()]);
}

void Lesson::step(std::size_t step, std::size_t num_steps, double loss) {
  if (std::isnan(loss)) leave(fmt::format("step {}: the loss is not a number (NaN)", step), 1);
  losses_.push_back(loss);
  if (step != 1 && step % 100 != 0) return;
  fmt::print("step {:4} / {:4} | loss {:.4f} | mean of the last {:3}: {:.4f}\n", step, num_steps, loss,
             std::min<std::size_t>(losses_.size(), 100), mean_of_last_hundred(losses_));
}

void Lesson::line(const std::string& text) {
  lines_.push_back(text);
  fmt::print("{}\n", text);
}

void Lesson::name(const std::string& text) {
  if (names_.empty()) fmt::print("\n--- inference (new, hallucinated names) ---\n");
  names_.push_back(text);
  fmt::print("sample {:2}: {}\n", names_.size(), text);
}

std::size_t Lesson::copied() const {
  std::vector<std::vector<Token>> names;
  for (const std::string& name : names_) names.push_back(tokenizer.encode(*decode_utf8(name)));
  return count_listed(names, documents, tokenizer);
}

void Lesson::picture(const std::string& file, const Svg& svg) const {
  const char* folder = std::getenv("PICTURES");
  const std::string path = fmt::format("{}/{}", folder == nullptr ? "build/pictures" : folder, file);
  or_leave([&] { svg.write(path); });
  std::fflush(stdout);
  fmt::print(stderr, "wrote {}\n", path);
}

void Lesson::check(const std::string& claim, bool holds) {
  num_checks_++;
  if (!holds) failed_.push_back(claim);
}

bool Lesson::is_golden(std::optional<std::size_t> first_losses) {
  std::vector<double> losses;
  std::vector<std::string> names;
  std::istringstream golden(read_file(arguments_.golden));
  std::size_t lines = 0;
  for (std::string line; std::getline(golden, line);) {
    if (line.starts_with("step")) losses.push_back(last_number(line));
    if (line.starts_with("sample")) names.push_back(after_colon(line));
    lines += static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), line));
  }
  if (losses.empty()) throw Error(arguments_.golden + " is not the output of a published program: it has no losses");
  std::string_view all_or_first;
  if (first_losses) {
    names.clear();
    if (*first_losses < losses.size()) {
      losses.resize(*first_losses);
      all_or_first = "the first ";
    }
  }
  const std::size_t equal_losses = count_reproduced(losses_, losses);
  const std::size_t equal_names = count_reproduced(names_, names);
  fmt::print("reproduced: {} of {}{} losses", equal_losses, all_or_first, losses.size());
  if (!names.empty()) fmt::print(", {} of {} names", equal_names, names.size());
  if (!lines_.empty()) fmt::print(", {} of {} other lines", lines, lines_.size());
  const std::string_view unlike = libm_unlike_published();
  fmt::print("{}\n", unlike.empty() ? "" : fmt::format(", to four digits ({} rounds differently here)", unlike));
  return equal_losses == losses.size() && equal_names == names.size() && lines == lines_.size();
}

bool Lesson::timed() { return std::getenv("TIMES") != nullptr; }

double Lesson::microseconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(50);
  double shortest = std::numeric_limits<double>::infinity();
  do {
    const Clock::time_point start = Clock::now();
    work();
    const std::chrono::duration<double, std::micro> spent = Clock::now() - start;
    shortest = std::min(shortest, spent.count());
  } while (Clock::now() < end);
  return shortest;
}

int Lesson::finish(std::optional<std::size_t> first_losses) {
  for (const std::string& claim : failed_) fmt::print("check failed: {}\n", claim);
  if (num_checks_ > 0 && failed_.empty()) fmt::print("{} checks: all hold\n", num_checks_);
  if (!failed_.empty()) fmt::print("{} of {} checks failed\n", failed_.size(), num_checks_);
  const bool is_golden_too = arguments_.golden.empty() || or_leave([&] { return is_golden(first_losses); });
  return failed_.empty() && is_golden_too ? 0 : 1;
}

}  // namespace microgpt
