// Text to numbers, the same in every locale and with every C++ library; and to the parts of a list.
#pragma once

#include <charconv>
#include <cstddef>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace microgpt {

/// The number written in `text`: "0.5", "-3", "1e-4". Returns nothing if the whole text is not a number, is "inf" or
/// "nan", or is too large for a double.
inline std::optional<double> parse_double(const std::string& text) {
  // std::from_chars would be enough, but libc++ (clang, every Mac) only has it for whole numbers. std::strtod reads
  // "0,5" instead of "0.5" in some locales; a stream can be given the classic locale. Streams disagree about anything
  // beyond plain numbers, such as "0x10" or "+1", so those are rejected first.
  if (text.starts_with('+') || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number) || stream.peek() != std::istringstream::traits_type::eof()) return {};
  return number;
}

/// The same for digits alone: "0", "42".
inline std::optional<std::size_t> parse_whole(const std::string& text) {
  const char* const end = text.data() + text.size();
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

/// The parts of a list like "fast|naive". "fast|" has two, the second empty.
inline std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> all;
  std::istringstream text(list + separator);  // so that an empty last part counts
  for (std::string part; std::getline(text, part, separator);) all.push_back(part);
  return all;
}

}  // namespace microgpt
