// The commands of the program, a file each: what they are called, what they take, and what they do.
#pragma once

#include "program/options.h"

namespace microgpt {

Command train_command();
Command train_fast_command();
Command sample_command();
Command eval_command();
Command inspect_command();
Command kv_command();
Command bench_command();

}  // namespace microgpt
