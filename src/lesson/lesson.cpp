#include "lesson/lesson.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/error.h"
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

std::string path_of(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "data/names.txt";
  if (argc > 2 || path.starts_with("-"))
    leave(fmt::format("'{}' is too much; it takes one file of names", argv[argc - 1]), 2);
  return path;
}

std::vector<Document> read_shuffled(const std::string& path, PythonRandom& random) {
  std::vector<Document> documents = or_leave([&] { return read_documents(path); });
  random.shuffle(documents);
  return documents;
}

}  // namespace

double mean_of_last_hundred(std::span<const double> losses) {
  return estimate(losses.last(std::min<std::size_t>(losses.size(), 100))).mean;
}

std::string likeliest(std::span<const double> probabilities, const Tokenizer& tokenizer, std::size_t n) {
  std::vector<Token> order(probabilities.size());
  std::iota(order.begin(), order.end(), Token{0});
  std::sort(order.begin(), order.end(), [&](Token a, Token b) {
    return probabilities[a] > probabilities[b] || (probabilities[a] == probabilities[b] && a < b);
  });
  order.resize(std::min(n, order.size()));
  std::string text;
  for (Token token : order) {
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", tokenizer.label(token), probabilities[token]);
  }
  return text;
}

Lesson::Lesson(int argc, char** argv)
    : random(42),
      documents(read_shuffled(path_of(argc, argv), random)),
      tokenizer(documents),
      path_(path_of(argc, argv)) {
  fmt::print("num docs: {}\n", documents.size());
  fmt::print("vocab size: {}\n", tokenizer.vocab_size());
}

const Split& Lesson::split() const {
  if (!split_) split_ = or_leave([&] { return microgpt::split(read_documents(path_)); });
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
  const char* const what = libm_unlike_published().empty() ? "loss" : "about";  // if the C library rounds otherwise
  if (std::getenv("DIGITS") != nullptr) fmt::print("step {:4} | {} {}\n", step, what, loss);
  if (step != 1 && step % 100 != 0) return;
  fmt::print("step {:4} / {:4} | loss {:.4f} | mean of the last {:3}: {:.4f}\n", step, num_steps, loss,
             std::min<std::size_t>(losses_.size(), 100), mean_of_last_hundred(losses_));
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

int Lesson::finish() const {
  for (const std::string& claim : failed_) fmt::print("check failed: {}\n", claim);
  if (num_checks_ > 0 && failed_.empty()) fmt::print("{} checks: all hold\n", num_checks_);
  if (!failed_.empty()) fmt::print("{} of {} checks failed\n", failed_.size(), num_checks_);
  return failed_.empty() ? 0 : 1;
}

}  // namespace microgpt
