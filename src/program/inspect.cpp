// microgpt inspect: prints what is in a model.
#include "inspect/summary.h"

#include <fmt/core.h>

#include <memory>
#include <string>

#include "program/commands.h"
#include "program/options.h"
#include "train/checkpoint.h"

namespace microgpt {

Command inspect_command() {
  auto model = std::make_shared<std::string>();
  Command command{.name = "inspect",
                  .help = "Print a model's config and statistics of its parameters.",
                  .footer = "Example:\n  microgpt inspect names.safetensors"};
  add_model(command, *model);
  command.run = [model] {
    const Checkpoint checkpoint = load_checkpoint(*model);
    fmt::print("{}", summary(checkpoint.config, checkpoint.tokenizer, checkpoint.parameters));
  };
  return command;
}

}  // namespace microgpt
