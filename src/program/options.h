// A command of the program as data: what it is called, what it takes, and what it does. Options are checked before
// anything runs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

using Read = std::function<void(const std::string& text)>;

/// "--steps N", the flag "--quiet", or MODEL, a word that stands alone.
struct Option {
  std::string name;
  std::string type;        // what follows it, as the help says: N, FILE, fast|naive; nothing follows a flag
  std::string help;        // what it is for
  std::string heading;     // where the help lists it
  Read read = {};          // takes what was typed, or throws UsageError
  bool* flag = nullptr;    // or else what it switches on
  std::string usual = {};  // its value if it is not typed, where the help shows that
  std::vector<std::string> words = {};  // what it must be one of
  bool required = false;
};

struct Command {
  std::string name;
  std::string help;         // what it does, in a sentence
  std::string footer = {};  // how its help ends: examples
  std::vector<Option> options = {};
  std::function<void()> run = {};
  std::string heading = "Options";  // of the options that are added next
};

/// A whole number from 1 to 1,000,000,000. Throws UsageError with the option's name for anything else.
std::size_t parse_count(const std::string& option, const std::string& text);

/// A number from `least` to `greatest`. Throws UsageError with the option's name for anything else.
double parse_number(const std::string& option, const std::string& text, double least, double greatest);

/// The words of a list like "fast|naive". Of "fast|" the second one is empty.
std::vector<std::string> split(const std::string& words, char separator);

// Each of these adds an option that leaves what was typed in `target`, often a std::optional, and returns it.

Option& add_option(Command& command, const std::string& name, const std::string& type, const std::string& help,
                   Read read);

Option& add_flag(Command& command, const std::string& name, bool& target, const std::string& help);

/// A count.
template <class T>
Option& add_count(Command& command, const std::string& name, T& target, const std::string& help) {
  return add_option(command, name, "N", help,
                    [&target, name](const std::string& text) { target = parse_count(name, text); });
}

/// A number within these limits.
template <class T>
Option& add_number(Command& command, const std::string& name, T& target, double least, double greatest,
                   const std::string& help) {
  return add_option(command, name, "F", help, [&target, name, least, greatest](const std::string& text) {
    target = parse_number(name, text, least, greatest);
  });
}

/// A number from 1e-9 to 1e6.
template <class T>
Option& add_positive(Command& command, const std::string& name, T& target, const std::string& help) {
  return add_number(command, name, target, 1e-9, 1e6, help);
}

/// Any text. The help shows the one that a std::string holds already.
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

/// A list like "16,32". Whoever takes a word out of it refuses what it must not be, such as empty.
Option& add_list(Command& command, const std::string& name, std::vector<std::string>& target, const std::string& type,
                 const std::string& help);

Option& add_data(Command& command, std::string& target);
Option& add_seed(Command& command, std::string& target);
Option& add_model(Command& command, std::string& target);

/// At most 1024.
Option& add_threads(Command& command, std::optional<std::size_t>& target,
                    const std::string& help = "threads [as many as help]");

}  // namespace microgpt
