// The only file that includes the library CLI11, which is slow to compile.
#include "program/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace microgpt {
namespace {

void add(CLI::App& app, const Option& option) {
  if (option.flag != nullptr) {
    app.add_flag(option.name, *option.flag, option.help)->group(option.heading);
    return;
  }
  const CLI::callback_t read = [&option](const CLI::results_t& texts) {
    option.read(texts.back());
    return true;
  };
  CLI::Option* added = app.add_option(option.name, read, option.help);
  added->type_name(option.type)->group(option.heading)->required(option.required)->default_str(option.default_value);
  if (!option.words.empty()) added->check(CLI::IsMember(option.words).description(""));
}

void add(CLI::App& app, const Command& command, const std::string& version) {
  CLI::App* added = app.add_subcommand(command.name, command.help);
  added->footer(command.footer);
  for (const Option& option : command.options) add(*added, option);
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

const Command* find(const std::vector<Command>& commands, const std::string& name) {
  for (const Command& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

/// The library's message, reworded where it is obscure.
std::string in_words(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError: return fmt::format("unexpected '{}'", app.remaining(true).front());
    case CLI::ExitCodes::ArgumentMismatch: return message.substr(0, message.find(':')) + " needs a value";
    default: return message;
  }
}

}  // namespace

void run(const Program& program, int argc, char** argv) {
  const std::string version = program.name + " " + program.version;
  CLI::App app(program.help, program.name);
  app.footer(program.footer);
  app.set_version_flag("--version", version);
  app.require_subcommand(0, 1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // if an option is given twice
  for (const Command& command : program.commands) add(app, command, version);

  const std::string there_are = fmt::format("there are {}; see {} --help", names(program.commands), program.name);
  if (argc > 1 && argv[1][0] != '-' && find(program.commands, argv[1]) == nullptr) {
    throw UsageError(fmt::format("unknown command '{}'; {}", argv[1], there_are));
  }
  auto typed = [&] {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    return commands.empty() ? nullptr : find(program.commands, commands.front()->get_name());
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
    return;
  } catch (const CLI::ParseError& error) {
    const std::string command = typed() == nullptr ? "" : typed()->name + " ";
    throw UsageError(fmt::format("{}; see {} {}--help", in_words(error, app), program.name, command));
  }
  if (typed() == nullptr) throw UsageError(fmt::format("no command given; {}", there_are));
  typed()->run();
}

}  // namespace microgpt
