// The commands of the program. Each has its own file with its name, its options and its code.
#pragma once

#include "program/options.h"

namespace microgpt {

Command train_command();
Command train_fast_command();
Command sample_command();
Command eval_command();
Command inspect_command();
Command heads_command();
Command kv_command();
Command task_command();
Command bench_command();

}  // namespace microgpt
