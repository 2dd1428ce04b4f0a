#include "program/commands.h"
namespace microgpt {
void add_bench(CLI::App&) {}
}  // namespace microgpt
