// What every lesson needs besides its idea: names to learn from, uniform output, and checks. And the standard headers
// that nearly every lesson uses, so that only the rarer ones stand at its head.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "base/tokenizer.h"
#include "draw/svg.h"

namespace microgpt {

/// Of fewer losses if there are no hundred.
double mean_of_last_hundred(std::span<const double> losses);

/// The n most likely tokens, the most likely first: "a 0.309, k 0.121". BOS is written ".".
std::string likeliest(std::span<const double> probabilities, const Tokenizer& tokenizer, std::size_t n);

/// The command line of a lesson is the file of names to learn from, by default data/names.txt.
class Lesson {
 public:
  /// Reads the names, seeds the random numbers with 42 and shuffles, as microgpt.py does. Prints "num docs: ..." and
  /// "vocab size: ...". An option ends the program with one line and exit code 2, a wrong file with exit code 1.
  Lesson(int argc, char** argv);

  PythonRandom random;
  std::vector<Document> documents;
  Tokenizer tokenizer;

  /// Training names and held-out names, the same as in every program of this project.
  const Split& split() const;

  /// The held-out names, without those among the first `trained` documents: names that the lesson has not seen after
  /// that many steps. (If the file has no repeated names, none are left out.)
  std::vector<Document> held_out(std::size_t trained) const;

  /// BOS, document, BOS: the tokens of this step's name. Steps count from 1.
  std::vector<Token> tokens_of_step(std::size_t step) const;

  /// Records the loss. Prints it for the first step and every hundredth, with the mean of the last hundred; with
  /// DIGITS=1 also for every step, with all digits (make reproduce compares these). If the loss is NaN, ends the
  /// program with one line and exit code 1.
  void step(std::size_t step, std::size_t num_steps, double loss);
  const std::vector<double>& losses() const { return losses_; }

  /// Prints the heading before the first name, then "sample  1: kamon".
  void name(const std::string& text);

  /// How many of the names so far are in the data, letter for letter.
  std::size_t copied() const;

  /// Writes build/pictures/<file>, or to the folder that the environment variable PICTURES names. Reports it on
  /// standard error.
  void picture(const std::string& file, const Svg& svg) const;

  /// A claim that must hold, or the lesson fails. finish() says which claims do not hold.
  void check(const std::string& claim, bool holds);

  /// True with TIMES=1 (make lesson-13 TIMES=1). Timings are never part of the checked output.
  static bool timed();

  /// How long `work` takes, in microseconds: the shortest of many runs, since that was the least disturbed.
  static double microseconds(const std::function<void()>& work);

  /// Prints how the checks went: "6 checks: all hold", or each claim that does not. Returns the lesson's exit code: 0
  /// if every check held.
  int finish() const;

 private:
  std::string path_;                    // of the file of names
  mutable std::optional<Split> split_;  // made when it is first asked for
  std::size_t num_checks_ = 0;
  std::vector<std::string> failed_;  // claims
  std::vector<double> losses_;
  std::vector<std::string> names_;
};

}  // namespace microgpt
