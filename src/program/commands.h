// The commands of the program. Each has its own file with its name, its options and its code.
#pragma once

#include <vector>

#include "program/options.h"

namespace microgpt {

Command train_command();
Command sample_command();
Command eval_command();
Command inspect_command();
Command heads_command();
Command kv_command();
Command task_command();
Command bench_command();

/// Parses the command line, and runs the command that was typed, or prints help or version. Throws UsageError for a
/// wrong command line, and whatever the command throws.
void run(std::vector<Command>& commands, int argc, char** argv);

}  // namespace microgpt
