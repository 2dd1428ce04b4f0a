// What the targets of libFuzzer share. A target is a function, LLVMFuzzerTestOneInput, that libFuzzer calls with many
// inputs. An input is a finding if the function does not return: if it stops in a sanitizer, by require(), or by an
// exception, takes longer than 10 seconds, or allocates too much. See tests/fuzz.sh.
#pragma once

#include <string>
#include <vector>

namespace microgpt {

/// The inputs that libFuzzer begins with, different for each target. With SEEDS=FOLDER in its environment, a target
/// writes them there and exits.
std::vector<std::string> seeds();

/// Stops the program, with what is wrong, unless `holds`.
void require(bool holds, const std::string& wrong);

}  // namespace microgpt
