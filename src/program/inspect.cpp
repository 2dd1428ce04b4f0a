// microgpt inspect: what is in a model.
#include "inspect/summary.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "program/commands.h"
#include "program/options.h"
#include "train/checkpoint.h"

namespace microgpt {

void add_inspect(CLI::App& app) {
  auto model = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "Print a model's config and what its parameters look like.");
  command->footer("Example:\n  microgpt inspect names.safetensors");
  add_model(command, *model);
  command->callback([model] {
    const Checkpoint checkpoint = load_checkpoint(*model);
    fmt::print("{}", summary(checkpoint.config, checkpoint.tokenizer, checkpoint.parameters));
  });
}

}  // namespace microgpt
