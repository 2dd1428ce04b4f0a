#include "base/parse_double.h"

#include <locale>
#include <sstream>

namespace microgpt {

// std::from_chars would be enough, but libc++ (clang, every Mac) only has it for whole numbers. std::strtod reads "0,5"
// instead of "0.5" in some locales; a stream can be given the classic locale. Streams disagree about anything beyond
// plain numbers, such as "0x10" or "+1", so those are rejected first.
std::optional<double> parse_double(const std::string& text) {
  if (text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number) || stream.peek() != std::istringstream::traits_type::eof()) return {};
  return number;
}

}  // namespace microgpt
