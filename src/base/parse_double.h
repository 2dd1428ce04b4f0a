// Text to a number, the same in every locale and with every C++ library.
#pragma once

#include <optional>
#include <string>

namespace microgpt {

/// The number written in `text`: "0.5", "-3", "1e-4". Returns nothing if the whole text is not a number, is "inf" or
/// "nan", or is too large for a double.
std::optional<double> parse_double(const std::string& text);

}  // namespace microgpt
