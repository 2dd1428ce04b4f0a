// Options of the command line that are checked before anything runs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

/// A whole number from 1 to 1,000,000,000. Throws UsageError with the option's name for anything else.
std::size_t parse_count(const std::string& option, const std::string& text);

/// A number from `least` to `greatest`. Throws UsageError with the option's name for anything else.
double parse_number(const std::string& option, const std::string& text, double least, double greatest);

/// An option that reads a count. The target is a std::size_t, or an optional one.
template <class T>
CLI::Option* add_count(CLI::App* app, const std::string& name, T& target, const std::string& help) {
  auto read = [&target, name](const std::string& text) { target = parse_count(name, text); };
  return app->add_option_function<std::string>(name, read, help)->type_name("N");
}

/// An option that reads a number within these limits.
template <class T>
CLI::Option* add_number(CLI::App* app, const std::string& name, T& target, double least, double greatest,
                        const std::string& help) {
  auto read = [&target, name, least, greatest](const std::string& text) {
    target = parse_number(name, text, least, greatest);
  };
  return app->add_option_function<std::string>(name, read, help)->type_name("F");
}

/// An option that reads a number from 1e-9 to 1e6.
template <class T>
CLI::Option* add_positive(CLI::App* app, const std::string& name, T& target, const std::string& help) {
  return add_number(app, name, target, 1e-9, 1e6, help);
}

/// The words of a list like "fast|naive". Of "fast|" the second one is empty.
std::vector<std::string> split(const std::string& words, char separator);

/// An option that reads a list like "16,32". Whoever takes a word out of it refuses what it must not be, such as empty.
CLI::Option* add_list(CLI::App* app, const std::string& name, std::vector<std::string>& target,
                      const std::string& help);

/// An option that is one of such words. The target is a std::string, or an optional one.
template <class T>
CLI::Option* add_choice(CLI::App* app, const std::string& name, T& target, const std::string& words,
                        const std::string& help) {
  return app->add_option(name, target, help)->check(CLI::IsMember(split(words, '|')).description(""))->type_name(words);
}

CLI::Option* add_data(CLI::App* app, std::string& target);
CLI::Option* add_seed(CLI::App* app, std::string& target);
CLI::Option* add_model(CLI::App* app, std::string& target);

/// At most 1024.
CLI::Option* add_threads(CLI::App* app, std::optional<std::size_t>& target);

/// Throws std::system_error if something that was printed did not arrive.
void flush_output();

}  // namespace microgpt
