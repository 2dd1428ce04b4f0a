// A command of the program as data: its name, its options and its code. Options are checked before the command runs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

using Read = std::function<void(const std::string& text)>;

/// An option "--steps N", a flag "--quiet", or a positional argument MODEL.
struct Option {
  std::string name;
  std::string type;                     // its value, as shown in the help: N, FILE, fast|naive; empty for a flag
  std::string help;                     // what it is for
  std::string heading;                  // the section of the help that lists it
  Read read = {};                       // takes the value that was typed, or throws UsageError
  bool* flag = nullptr;                 // for a flag: what it sets
  std::string default_value = {};       // as the help shows it; empty: not shown
  std::vector<std::string> words = {};  // the allowed values; empty: any
  bool required = false;
};

struct Command {
  std::string name;
  std::string help;         // what it does, in one sentence
  std::string footer = {};  // the end of its help: notes and examples
  std::vector<Option> options = {};
  std::function<void()> run = {};
  std::string heading = "Options";  // for the options added next
};

/// Parses a whole number from `min` to `max`. Throws UsageError with the option's name for anything else.
std::size_t parse_count(const std::string& option, const std::string& text, std::size_t max = 1'000'000'000,
                        std::size_t min = 1);

/// Parses a number from `min` to `max`. Throws UsageError with the option's name for anything else.
double parse_number(const std::string& option, const std::string& text, double min, double max);

/// The words of a list like "fast|naive". "fast|" has two, the second empty.
std::vector<std::string> split(const std::string& words, char separator);

// Each of these adds an option that stores the typed value in `target`, and returns the option.

Option& add_option(Command& command, const std::string& name, const std::string& type, const std::string& help,
                   Read read);

Option& add_flag(Command& command, const std::string& name, bool& target, const std::string& help);

/// A count.
template <class T>
Option& add_count(Command& command, const std::string& name, T& target, const std::string& help) {
  return add_option(command, name, "N", help,
                    [&target, name](const std::string& text) { target = parse_count(name, text); });
}

/// A whole number that may be 0: which one of several, counted from 0.
template <class T>
Option& add_index(Command& command, const std::string& name, T& target, const std::string& help) {
  return add_option(command, name, "I", help,
                    [&target, name](const std::string& text) { target = parse_count(name, text, 1'000'000'000, 0); });
}

/// A number from `min` to `max`.
template <class T>
Option& add_number(Command& command, const std::string& name, T& target, double min, double max,
                   const std::string& help) {
  return add_option(command, name, "F", help, [&target, name, min, max](const std::string& text) {
    target = parse_number(name, text, min, max);
  });
}

/// A number from 1e-9 to 1e6.
template <class T>
Option& add_positive(Command& command, const std::string& name, T& target, const std::string& help) {
  return add_number(command, name, target, 1e-9, 1e6, help);
}

/// Any text. If target is a std::string, the help shows its current value as the default.
Option& add_text(Command& command, const std::string& name, std::string& target, const std::string& type,
                 const std::string& help);
Option& add_text(Command& command, const std::string& name, std::optional<std::string>& target, const std::string& type,
                 const std::string& help);

/// One of words like "fast|naive".
template <class T>
Option& add_choice(Command& command, const std::string& name, T& target, const std::string& words,
                   const std::string& help) {
  Option& option = add_text(command, name, target, words, help);
  option.words = split(words, '|');
  return option;
}

/// A list like "16,32". Callers validate each word.
Option& add_list(Command& command, const std::string& name, std::vector<std::string>& target, const std::string& type,
                 const std::string& help);

Option& add_data(Command& command, std::string& target);
Option& add_seed(Command& command, std::string& target);
Option& add_model(Command& command, std::string& target);

/// At most 1024.
Option& add_threads(Command& command, std::optional<std::size_t>& target,
                    const std::string& help = "threads [chosen by the program]");

}  // namespace microgpt
