// The commands of the program, a file each: what they are called, what they take, and what they do.
#pragma once

#include <CLI/CLI.hpp>

namespace microgpt {

/// Each adds its command to the program.
void add_train(CLI::App& app);
void add_train_fast(CLI::App& app);
void add_sample(CLI::App& app);
void add_eval(CLI::App& app);
void add_inspect(CLI::App& app);
void add_kv(CLI::App& app);
void add_bench(CLI::App& app);

}  // namespace microgpt
