// Parses the command line and runs a command.
#pragma once

#include <vector>

#include "program/options.h"

namespace microgpt {

/// Runs the command that was typed, or prints help or version. Throws UsageError for a wrong command line, and whatever
/// the command throws.
void run(std::vector<Command>& commands, int argc, char** argv);

}  // namespace microgpt
