// What the targets of libFuzzer share. A target is a function, LLVMFuzzerTestOneInput, that libFuzzer calls with many
// inputs. An input is a finding if the function does not return: if it stops in a sanitizer, by wrong(), or by an
// exception, takes longer than 10 seconds, or allocates too much. See tests/fuzz.sh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// libFuzzer's own change of an input, for a target that has others, too. Returns the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace microgpt {

/// The inputs that libFuzzer begins with, different for each target. With SEEDS=FOLDER in its environment, a target
/// writes them there and exits.
std::vector<std::string> seeds();

/// Stops the program with what is wrong.
[[noreturn]] void wrong(const std::string& what);

/// The same unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) wrong(what);
}

}  // namespace microgpt
