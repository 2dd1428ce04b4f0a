// Text to numbers, the same in every locale and with every C++ library; and to the parts of a list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

/// The number written in `text`: "0.5", "-3", "1e-4". Returns nothing if the whole text is not a number, is "inf" or
/// "nan", or is too large for a double.
std::optional<double> parse_double(const std::string& text);

/// The same for digits alone: "0", "42".
std::optional<std::size_t> parse_whole(const std::string& text);

/// The parts of a list like "fast|naive". "fast|" has two, the second empty.
std::vector<std::string> parts(const std::string& list, char separator);

}  // namespace microgpt
