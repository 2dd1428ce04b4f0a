// Reads the command line by the tables of the commands, and prints their help.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "program/commands.h"
#include "train/processes.h"

namespace microgpt {
namespace {

constexpr const char* version = "microgpt 0.2.0\n";

bool is_help(std::string_view word) { return word == "-h" || word == "--help"; }
bool is_positional(const Option& option) { return !option.name.starts_with("-"); }

/// What can be typed, and beside it what that is. A text may have several lines.
std::string entry(const std::string& typed, const std::string& text) {
  const std::string margin = "\n" + std::string(30, ' ');
  std::string lines = fmt::format("  {:<28}{}", typed, typed.size() < 28 ? "" : margin);
  for (const char c : text) lines += c == '\n' ? margin : std::string(1, c);
  return lines + "\n";
}

std::string about_help() { return entry("-h, --help", "print this") + entry("--version", "print the version"); }

std::string help(std::span<Command> commands) {
  std::string text =
      "microgpt: train a small GPT, one scalar at a time, and watch it learn.\n"
      "Usage: microgpt COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands) text += entry(command.name, command.help);
  return text + "\nOptions:\n" + about_help() +
         "\nStart with `microgpt train`. `microgpt COMMAND --help` explains a command and its options.\n";
}

std::string help(const Command& command) {
  std::string text = fmt::format("{}\nUsage: microgpt {} [OPTIONS]", command.help, command.name), positionals;
  for (const Option& option : command.options) {
    if (!is_positional(option)) continue;
    text += option.required ? " " + option.name : " [" + option.name + "]";
    positionals += "\n" + entry(option.name, option.help);
  }
  text += "\n" + positionals + "\nOptions:\n" + about_help();
  std::string heading = "Options";
  for (const Option& option : command.options) {
    if (is_positional(option)) continue;
    if (option.heading != heading) text += fmt::format("\n{}:\n", heading = option.heading);
    const auto& [type, read, write, usual, choices] = option.binding;
    text += entry(option.name + (type.empty() ? "" : " " + type) + (usual.empty() ? "" : "=" + usual), option.help);
  }
  return text + "\n" + command.footer + "\n";
}

/// Reads the words behind the name of a command. Returns false if they ask for what is printed here.
bool read(Command& command, std::span<char* const> words) {
  auto wrong = [&](const std::string& what) {
    return UsageError(fmt::format("{}; see microgpt {} --help", what, command.name));
  };
  bool all_are_positional = false;  // after "--"
  for (std::size_t i = 0; i < words.size(); i++) {
    const std::string word = words[i], name = word.substr(0, word.find('='));
    const bool positional = all_are_positional || word == "-" || !word.starts_with("-");
    if (word == "--" && !std::exchange(all_are_positional, true)) continue;
    if (!positional && (is_help(word) || word == "--version")) {
      fmt::print("{}", is_help(word) ? help(command) : version);
      return false;
    }
    const auto option = std::find_if(command.options.begin(), command.options.end(), [&](const Option& o) {
      return positional ? is_positional(o) && !o.typed : o.name == name;
    });
    if (option == command.options.end()) throw wrong(fmt::format("unexpected '{}'", word));
    if (positional) {
      option->typed = word;
      continue;
    }
    const bool has_value = word.size() > name.size();
    if (option->binding.type.empty()) {
      if (has_value) throw wrong(name + " takes no value");
      option->typed = "yes";
      continue;
    }
    if (option->typed) throw wrong(name + " is given twice");
    if (!has_value && (i + 1 == words.size() || std::string_view(words[i + 1]).starts_with("--"))) {
      throw wrong(name + " needs a value");
    }
    option->typed = has_value ? word.substr(name.size() + 1) : words[++i];
  }
  for (Option& option : command.options) {
    if (!option.typed) continue;
    const std::vector<std::string>& choices = option.binding.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *option.typed) == choices.end()) {
      throw wrong(fmt::format("{} is '{}'; it must be {}", option.name, *option.typed, option.binding.type));
    }
    option.binding.read(option.name, *option.typed);
  }
  for (const Option& option : command.options) {
    if (option.required && !option.typed) throw wrong(option.name + " is required");
  }
  return true;
}

}  // namespace

void run(std::initializer_list<Command (*)()> makers, int argc, char** argv) {
  std::vector<Command> commands;
  const std::string word = argc < 2 ? "" : argv[1];
  for (const auto make : makers) {  // a table takes time, so none is made behind that of the command
    Command& command = commands.emplace_back(make());
    if (command.name != word) continue;
    if (!read(command, {argv + 2, argv + argc})) return;
    if (processes::count() > 1 && command.name != "train") {
      throw UsageError("mpirun is only for microgpt train --engine tensor");
    }
    return command.run(command.options);
  }
  std::string names;
  for (const Command& command : commands) {
    names += (names.empty() ? "" : &command == &commands.back() ? " and " : ", ") + command.name;
  }
  const std::string there_are = fmt::format("there are {}; see microgpt --help", names);
  if (argc < 2) throw UsageError("no command given; " + there_are);
  if (is_help(word) || word == "--version") return fmt::print("{}", is_help(word) ? help(commands) : version);
  if (word.starts_with("-")) throw UsageError(fmt::format("unexpected '{}'; see microgpt --help", word));
  throw UsageError(fmt::format("unknown command '{}'; {}", word, there_are));
}

}  // namespace microgpt
