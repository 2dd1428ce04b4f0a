// Errors the user can act on: one line that says what is wrong, where, and what to do.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace microgpt {

/// Something outside the program is wrong: a file, a disk, a diverging run. The program exits with 1.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user asked for something impossible: a bad option or combination of options. The program exits with 2.
struct UsageError : Error {
  using Error::Error;
};

/// Training produced numbers that are not finite.
struct Diverged : Error {
  explicit Diverged(const std::string& fact) : Error(fact + "; training diverged") {}

  /// Steps are counted from 1.
  Diverged(std::size_t step, double loss)
      : Diverged("step " + std::to_string(step) + ": the loss is " +
                 (std::isnan(loss) ? "nan" : std::to_string(loss))) {}
};

}  // namespace microgpt
