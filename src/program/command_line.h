// From what was typed to a command that runs.
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

/// Runs the command that was typed, or prints the help or the version that was asked for. Throws UsageError if it can
/// do neither, and whatever the command throws.
void run(const Program& program, int argc, char** argv);

}  // namespace microgpt
