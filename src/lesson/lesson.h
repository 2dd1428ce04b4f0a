// What every lesson needs around its one idea: names to learn from, lines that look alike, and checks that count.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "base/tokenizer.h"
#include "inspect/svg.h"

namespace microgpt {

/// A lesson as it is run: lesson [NAMES] [--golden FILE] [--break IDEA]
///
/// NAMES is the file to learn from, data/names.txt unless given. --golden compares every loss and every name with those
/// the published program printed. --break does one thing wrong on purpose.
class Lesson {
 public:
  /// Reads the names, seeds the random numbers with 42 and shuffles, as microgpt.py does, and prints
  /// "num docs: ..." and "vocab size: ...". A wrong option or file ends the program with one line and exit code 2 or 1.
  Lesson(int argc, char** argv);

  PythonRandom random;
  std::vector<Document> documents;
  Tokenizer tokenizer;

  /// Training names and held-out names, the same as in every other program here.
  Split split() const;

  /// The held-out names, without those among the first `trained` documents: names that a lesson has not seen after so
  /// many steps. (In a file without repeats there are none to leave out.)
  std::vector<Document> held_out(std::size_t trained) const;

  /// BOS, document, BOS of the step's name; steps count from 1.
  std::vector<Token> tokens_of_step(std::size_t step) const;

  /// True if the lesson was run with --break and this idea.
  bool broken(std::string_view idea);

  /// Remembers the loss, and prints it for the first step and each hundredth, with the mean of the last hundred. A loss
  /// that is not a number ends the program with one line and exit code 1.
  void step(std::size_t step, std::size_t num_steps, double loss);
  const std::vector<double>& losses() const { return losses_; }

  /// Prints a line that the published program prints as well.
  void line(const std::string& text);

  /// Prints the heading before the first name, then "sample  1: kamon".
  void name(const std::string& text);

  /// How many of the names so far stand in the data, letter for letter.
  std::size_t copied() const;

  /// Writes build/pictures/<file>, or build/pictures/broken/<file> with --break, and says so on standard error.
  void picture(const std::string& file, const Svg& svg) const;

  /// Writes <file>.dot there, and <file>.svg if Graphviz is installed, and says so on standard error.
  void graph(const std::string& file, const std::string& dot) const;

  /// Prints "check: <claim>: yes" or "NO"; one NO and the lesson fails.
  void check(const std::string& claim, bool holds);

  /// True with TIMES=1 (make lesson-11 TIMES=1). How long something takes is never part of what is checked.
  static bool timed();

  /// How long `work` takes, in microseconds: the shortest of many runs, which is the least disturbed one.
  static double microseconds(const std::function<void()>& work);

  /// Compares with --golden if it was given. The exit code of the lesson: 0 if every check held. A lesson that stops
  /// early or invents no names is compared as far as `first_losses` goes, and not by names.
  int finish(std::optional<std::size_t> first_losses = {});

 private:
  struct Arguments {
    std::string names = "data/names.txt";
    std::string golden;
    std::string broken;
  };

  static Arguments parse(int argc, char** argv);
  explicit Lesson(const Arguments& arguments);
  std::string picture_path(const std::string& file) const;
  void compare_with_golden(std::optional<std::size_t> first_losses);

  Arguments arguments_;
  bool all_hold_ = true;
  std::set<std::string> ideas_;  // that can be broken
  std::vector<double> losses_;
  std::vector<std::string> names_;
  std::vector<std::string> lines_;
};

}  // namespace microgpt
