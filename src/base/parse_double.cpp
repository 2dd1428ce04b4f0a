#include "base/parse_double.h"

#include <locale>
#include <sstream>

namespace microgpt {

// std::from_chars would do it alone, but the C++ library of Clang, and so of every Mac, has it for whole numbers only.
// std::strtod reads "0,5" instead of "0.5" where the locale says so; a stream can be told not to ask it. What streams
// read beyond plain numbers, such as "0x10" or "+1", they do not all agree on, so it is refused first.
std::optional<double> parse_double(const std::string& text) {
  if (text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number) || stream.peek() != std::istringstream::traits_type::eof()) return {};
  return number;
}

}  // namespace microgpt
