#include "program/options.h"

#include <fmt/core.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/parse_double.h"

namespace microgpt {

std::size_t parse_count(const std::string& option, const std::string& text, std::size_t max, std::size_t min) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < min || count > max) {
    throw UsageError(fmt::format("{} is '{}'; it must be a whole number from {} to {}", option, text, min, max));
  }
  return count;
}

double parse_number(const std::string& option, const std::string& text, double min, double max) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number < min || *number > max) {
    throw UsageError(fmt::format("{} is '{}'; it must be a number from {} to {}", option, text, min, max));
  }
  return *number;
}

std::vector<std::string> split(const std::string& words, char separator) {
  std::vector<std::string> list(1);
  for (const char c : words) {
    if (c == separator) {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  return list;
}

Option& add_option(Command& command, const std::string& name, const std::string& type, const std::string& help,
                   Read read) {
  command.options.push_back(
      {.name = name, .type = type, .help = help, .heading = command.heading, .read = std::move(read)});
  return command.options.back();
}

Option& add_flag(Command& command, const std::string& name, bool& target, const std::string& help) {
  Option& option = add_option(command, name, "", help, {});
  option.flag = &target;
  return option;
}

Option& add_text(Command& command, const std::string& name, std::string& target, const std::string& type,
                 const std::string& help) {
  Option& option = add_option(command, name, type, help, [&target](const std::string& text) { target = text; });
  option.default_value = target;
  return option;
}

Option& add_text(Command& command, const std::string& name, std::optional<std::string>& target, const std::string& type,
                 const std::string& help) {
  return add_option(command, name, type, help, [&target](const std::string& text) { target = text; });
}

Option& add_list(Command& command, const std::string& name, std::vector<std::string>& target, const std::string& type,
                 const std::string& help) {
  Option& option =
      add_option(command, name, type, help, [&target](const std::string& text) { target = split(text, ','); });
  for (const std::string& word : target) option.default_value += (option.default_value.empty() ? "" : ",") + word;
  return option;
}

Option& add_data(Command& command, std::string& target) {
  return add_text(command, "--data", target, "FILE", "UTF-8 text, one document per line");
}

Option& add_seed(Command& command, std::string& target) {
  return add_text(command, "--seed", target, "N", "any whole number");
}

Option& add_model(Command& command, std::string& target) {
  Option& option = add_text(command, "MODEL", target, "FILE", "a model written by microgpt train --save");
  option.required = true;
  return option;
}

Option& add_threads(Command& command, std::optional<std::size_t>& target, const std::string& help) {
  return add_option(command, "--threads", "N", help,
                    [&target](const std::string& text) { target = parse_count("--threads", text, 1024); });
}

}  // namespace microgpt
