// The only file that includes the library CLI11, which is slow to compile.
#include "program/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.h"
#include "train/processes.h"

namespace microgpt {
namespace {

constexpr const char* version = "microgpt 0.2.0";

void add(CLI::App& app, Option& option) {
  auto read = [&option](const std::string& text) {
    option.typed = text;
    option.binding.read(option.name, text);
    return true;
  };
  CLI::Option* added = nullptr;
  if (option.binding.type.empty()) {
    added = app.add_flag_callback(
        option.name, [read] { read("yes"); }, option.help);
  } else {
    added = app.add_option(
        option.name, [=](const CLI::results_t& texts) { return read(texts.back()); }, option.help);
    added->type_name(option.binding.type)->default_str(option.binding.default_text);
    if (!option.binding.choices.empty()) added->check(CLI::IsMember(option.binding.choices).description(""));
  }
  added->group(option.heading)->required(option.required);
}

/// Its options are needed only if the command is typed.
void add(CLI::App& app, Command& command, bool is_typed) {
  CLI::App* added = app.add_subcommand(command.name, command.help);
  added->footer(command.footer);
  for (Option& option : command.options) {
    if (is_typed) add(*added, option);
  }
  added->set_version_flag("--version", version);
}

/// "train, sample and bench".
std::string names(const std::vector<Command>& commands) {
  std::string all = commands.front().name;
  for (std::size_t i = 1; i < commands.size(); i++) {
    all += (i + 1 < commands.size() ? ", " : " and ") + commands[i].name;
  }
  return all;
}

/// The library's message, reworded where it is obscure.
std::string in_words(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError: return fmt::format("unexpected '{}'", app.remaining(true).front());
    case CLI::ExitCodes::ArgumentMismatch: {
      const bool is_repeated = message.find("At Most") < message.size();
      return message.substr(0, message.find(':')) + (is_repeated ? " is given twice" : " needs a value");
    }
    default: return message;
  }
}

}  // namespace

void run(std::vector<Command>& commands, int argc, char** argv) {
  CLI::App app("microgpt: train a small GPT, one scalar at a time, and watch it learn.", "microgpt");
  app.footer("Start with `microgpt train`. `microgpt COMMAND --help` explains a command and its options.");
  app.set_version_flag("--version", version);
  app.require_subcommand(0, 1);
  for (Command& command : commands) add(app, command, std::find(argv, argv + argc, command.name) != argv + argc);

  const std::string there_are = fmt::format("there are {}; see microgpt --help", names(commands));
  auto is_first = [&](const Command& command) { return command.name == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_first)) {
    throw UsageError(fmt::format("unknown command '{}'; {}", argv[1], there_are));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
    return;
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> typed = app.get_subcommands();
    const std::string command = typed.empty() ? "" : typed.front()->get_name() + " ";
    throw UsageError(fmt::format("{}; see microgpt {}--help", in_words(error, app), command));
  }
  for (Command& command : commands) {
    if (!app.got_subcommand(command.name)) continue;
    if (processes::count() > 1 && command.name != "train") {
      throw UsageError("mpirun is only for microgpt train --engine tensor");
    }
    return command.run(command.options);
  }
  throw UsageError(fmt::format("no command given; {}", there_are));
}

}  // namespace microgpt
