// The program: microgpt train, train-fast, sample, eval, inspect, kv, bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "program/commands.h"
#include "program/options.h"

namespace microgpt {
namespace {

constexpr const char* version = "0.2.0";

/// What the library says, but where that is obscure.
std::string in_words(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError: return fmt::format("unexpected '{}'", app.remaining(true).front());
    case CLI::ExitCodes::ArgumentMismatch: return message.substr(0, message.find(':')) + " needs a value";
    default: return message;
  }
}

void run(int argc, char** argv) {
  CLI::App app("microgpt: train a small GPT, one scalar at a time, and watch it learn.", "microgpt");
  app.footer("Start with `microgpt train`. `microgpt COMMAND --help` tells more of each command.");
  app.set_version_flag("--version", fmt::format("microgpt {}", version));
  app.require_subcommand(0, 1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // of an option that is given twice
  for (const auto add : {add_train, add_train_fast, add_sample, add_eval, add_inspect, add_kv, add_bench}) add(app);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->set_version_flag("--version", app.version());
  }
  constexpr const char* commands =
      "there are train, train-fast, sample, eval, inspect, kv and bench; see microgpt --help";
  auto is_asked_for = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_asked_for).empty()) {
    throw UsageError(fmt::format("unknown command '{}'; {}", argv[1], commands));
  }
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw UsageError(fmt::format("no command given; {}", commands));
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> command = app.get_subcommands();
    const std::string help = command.empty() ? "" : command[0]->get_name() + " ";
    throw UsageError(fmt::format("{}; see microgpt {}--help", in_words(error, app), help));
  }
  flush_output();
}

bool is_control(unsigned char c) { return c < ' ' || c == 0x7f; }

}  // namespace
}  // namespace microgpt

int main(int argc, char** argv) {
  auto fail = [](std::string message, int code) {
    std::replace_if(message.begin(), message.end(), microgpt::is_control, '?');  // one line, whatever a name holds
    std::fflush(stdout);
    fmt::print(stderr, "microgpt: {}\n", message);
    return code;
  };
  try {
    microgpt::run(argc, argv);
    return 0;
  } catch (const microgpt::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const std::system_error& error) {  // fmt::print throws it; files have Errors of their own
    return fail("cannot write to standard output: " + error.code().message(), 1);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; choose a smaller shape", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
