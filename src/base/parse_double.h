// Text to a number, the same in every country and with every C++ library.
#pragma once

#include <optional>
#include <string>

namespace microgpt {

/// The number that the whole text is: "0.5", "-3", "1e-4". Nothing for any other text, for "inf" and "nan", and for a
/// number too large for a double.
std::optional<double> parse_double(const std::string& text);

}  // namespace microgpt
