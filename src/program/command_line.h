// Parses the command line and runs a command.
#pragma once

#include <string>
#include <vector>

#include "program/options.h"

namespace microgpt {

struct Program {
  std::string name;
  std::string version;
  std::string help;
  std::string footer;
  std::vector<Command> commands;
};

/// Runs the command that was typed, or prints help or version. Throws UsageError for a wrong command line, and whatever
/// the command throws.
void run(const Program& program, int argc, char** argv);

}  // namespace microgpt
