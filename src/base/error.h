// Errors a person can act on: one line that says what is wrong, where, and what to do.
#pragma once

#include <stdexcept>

namespace microgpt {

/// Something outside the program is wrong: a file, a disk, a diverging run. The program exits with 1.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was asked for makes no sense: an option or a combination of options. The program exits with 2.
struct UsageError : Error {
  using Error::Error;
};

}  // namespace microgpt
