// The commands of the program. Each has a file with its name, its options and its code, and a place in main.cpp.
#pragma once

#include <initializer_list>

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

/// inspect MODEL --html: writes the page `html` of a model. `data` is a file with documents of the model, by default
/// the held-out ones of what it was trained on; `text` is what the page shows first, by default the first of these
/// documents. Throws Error if a file cannot be read or written, or if the page would be too large for a browser to be
/// quick, and UsageError if the documents have characters that the model does not know.
void write_inspector(const std::string& path, const std::string& html, const std::optional<std::string>& data,
                     const std::optional<std::string>& text);

/// Parses the command line, and runs the command that was typed, or prints help or version. Throws UsageError for a
/// wrong command line, and whatever the command throws.
void run(std::initializer_list<Command (*)()> makers, int argc, char** argv);

}  // namespace microgpt
