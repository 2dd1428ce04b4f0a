#include "program/options.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/parse_double.h"

namespace microgpt {

std::size_t parse_count(const std::string& option, const std::string& text) {
  constexpr std::size_t most = 1'000'000'000;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most) {
    throw UsageError(fmt::format("{} is '{}'; it must be a whole number from 1 to {}", option, text, most));
  }
  return count;
}

double parse_number(const std::string& option, const std::string& text, double least, double greatest) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number < least || *number > greatest) {
    throw UsageError(fmt::format("{} is '{}'; it must be a number from {} to {}", option, text, least, greatest));
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

CLI::Option* add_list(CLI::App* app, const std::string& name, std::vector<std::string>& target,
                      const std::string& help) {
  auto read = [&target](const std::string& text) { target = split(text, ','); };
  return app->add_option_function<std::string>(name, read, help);
}

CLI::Option* add_data(CLI::App* app, std::string& target) {
  return app->add_option("--data", target, "UTF-8 text, one document a line")->type_name("FILE")->capture_default_str();
}

CLI::Option* add_seed(CLI::App* app, std::string& target) {
  return app->add_option("--seed", target, "any whole number")->type_name("N")->capture_default_str();
}

CLI::Option* add_model(CLI::App* app, std::string& target) {
  return app->add_option("MODEL", target, "a model written by microgpt train --save")->required()->type_name("FILE");
}

CLI::Option* add_threads(CLI::App* app, std::optional<std::size_t>& target) {
  auto read = [&target](const std::string& text) {
    constexpr std::size_t most = 1024;
    target = parse_count("--threads", text);
    if (target > most) throw UsageError(fmt::format("--threads is {}; it must be at most {}", *target, most));
  };
  return app->add_option_function<std::string>("--threads", read, "threads [as many as help]")->type_name("N");
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

}  // namespace microgpt
