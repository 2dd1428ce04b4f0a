// A command of the program as data: its name, code and options. command_line.cpp reads what was typed by this table.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/parse.h"

namespace microgpt {

/// How an option's value is read, checked and written. The functions below make one for a variable.
struct Binding {
  std::string type;  // as the help shows it: N, FILE, fast|naive; empty for a flag
  std::function<void(const std::string& name, const std::string& text)> read;  // throws UsageError with the name
  std::function<std::string()> write;     // the value as it would be typed; empty: there is none
  std::string default_text = {};          // as the help shows it; empty: not shown
  std::vector<std::string> choices = {};  // the allowed texts, checked before; empty: any
};

/// An option "--steps N", a flag "--quiet", or a positional argument MODEL. Options are read in the order of the table,
/// whatever the order in which they are typed.
struct Option {
  std::string name;
  std::string help;  // what it is for
  Binding binding;
  bool saved = false;               // whether a checkpoint keeps its value, for microgpt train --resume
  std::string heading = "Options";  // the section of the help that lists it
  bool required = false;
  std::optional<std::string> typed = {};  // what was typed
};

using Options = std::vector<Option>;

inline constexpr std::size_t max_count = 1'000'000'000;

struct Command {
  std::string name;
  std::string help;    // what it does, in one sentence
  std::string footer;  // the end of its help: notes and examples
  Options options;
  std::function<void(const Options& options)> run;
};

Options under(const std::string& heading, Options options);

Options operator+(Options a, const Options& b);

/// What a checkpoint keeps of them, by option without "--": {"lr", "0.01"}.
std::map<std::string, std::string> saved_words(const Options& options);

bool is_typed(const Options& options, const std::string& name);

/// A whole number, or any, from `min` to `max`. Throws UsageError with the option's name for anything else.
std::size_t parse_count(const std::string& option, const std::string& text, std::size_t max, std::size_t min);
double parse_number(const std::string& option, const std::string& text, double min, double max);

/// No checkpoint keeps an optional value, so none is written.
template <class T>
std::function<std::string()> writer(const T& target) {
  if constexpr (fmt::is_formattable<T>::value) {
    return [&target] { return fmt::format("{}", target); };
  } else {
    return [] { return std::string(); };
  }
}

// The targets of count(), number() and text() may be a std::optional.

/// A count, or with a `min` of 0 any whole number.
template <class T>
Binding count(T& target, std::size_t max = max_count, std::size_t min = 1) {
  auto read = [&target, max, min](const std::string& name, const std::string& text) {
    target = parse_count(name, text, max, min);
  };
  const auto write = writer(target);
  return {min == 0 ? "I" : "N", read, write, write()};
}

/// A number from `min` to `max`.
template <class T>
Binding number(T& target, double min = 1e-9, double max = 1e6) {
  auto read = [&target, min, max](const std::string& name, const std::string& text) {
    target = parse_number(name, text, min, max);
  };
  const auto write = writer(target);
  return {"F", read, write, write()};
}

/// Any text; or, if the type has a '|', one of its words.
template <class T>
Binding text(T& target, const std::string& type) {
  auto read = [&target](const std::string&, const std::string& text) { target = text; };
  const auto write = writer(target);
  return {type, read, write, write(), type.find('|') < type.size() ? parts(type, '|') : std::vector<std::string>{}};
}

/// One of several words, each of which stands for a value.
template <class T>
Binding choice(T& target, const std::vector<std::pair<std::string, T>>& meanings) {
  Binding binding;
  for (const auto& [word, meaning] : meanings) {
    binding.type += (binding.type.empty() ? "" : "|") + word;
    binding.choices.push_back(word);
    if (meaning == target) binding.default_text = word;
  }
  binding.read = [&target, meanings](const std::string&, const std::string& text) {
    for (const auto& [word, meaning] : meanings) {
      if (text == word) target = meaning;
    }
  };
  binding.write = [&target, meanings] {
    std::string word;
    for (const auto& [some, meaning] : meanings) word = meaning == target ? some : word;
    return word;
  };
  return binding;
}

/// A flag. A checkpoint keeps yes or `no`; if `no` is empty, it keeps nothing for a flag that is not set.
Binding flag(bool& target, const std::string& no = "no");

/// A list like "16,32".
Binding counts(std::vector<std::size_t>& target);
Binding list(std::vector<std::string>& target, const std::string& type);  // callers check its parts

enum class Dtype : std::uint8_t { f32, f64 };
Binding dtype(Dtype& target);

Binding masks(std::vector<MaskPattern>& target);

// Options of several commands.

Options data_options(DataFile& target);
Option seed_option(std::uint64_t& target);
Option digits_option(bool& all);  // 4 decimals, or all
Option model_option(std::string& target);
/// --save and --force. A model may be replaced, since a training is often repeated.
Options save_options(std::optional<std::string>& save, bool& force, const std::string& help);

Option threads_option(std::optional<std::size_t>& target, const std::string& help = "threads [chosen by the program]");

Options size_options(Config& config);

/// --attention, and the sizes of its kinds. They must be read after the other sizes. `kind` is what --attention says.
Options attention_options(Config& config, std::string& kind);

}  // namespace microgpt
