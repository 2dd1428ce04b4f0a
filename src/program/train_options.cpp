#include "program/train_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace microgpt {
namespace {

/// Throws UsageError for options that only the tensor path supports.
void refuse_tensor_options(const TrainOptions& options) {
  auto refuse = [](bool given, const char* option) {
    if (given) throw UsageError(fmt::format("{} needs --engine tensor", option));
  };
  refuse(options.batch_size.has_value(), "--batch");
  refuse(options.threads.has_value(), "--threads");
  refuse(options.dtype.has_value(), "--dtype");
  refuse(options.kernels.has_value(), "--kernels");
  refuse(options.loss.has_value(), "--loss");
  refuse(options.dropout.has_value(), "--dropout");
  refuse(options.weight_decay.has_value(), "--weight-decay");
  refuse(options.shape.attention.has_value(), "--attention");
  refuse(options.positions.has_value(), "--pos");
  refuse(options.mask.has_value(), "--mask");
}

}  // namespace

Preset chosen_preset(const TrainOptions& options) {
  if (options.engine == "scalar") refuse_tensor_options(options);
  Preset chosen = preset(options.preset);
  Config& config = chosen.model;
  apply(options.shape, config);
  if (options.positions) config.rope = options.positions == "rope";
  config.mask = given_mask(options.mask.value_or("full"));
  chosen.train.num_steps = options.steps.value_or(chosen.train.num_steps);
  chosen.train.batch_size = options.batch_size.value_or(chosen.train.batch_size);
  chosen.train.optimizer = options.optimizer == "sgd" ? OptimizerName::sgd : OptimizerName::adam;
  chosen.train.learning_rate = options.learning_rate.value_or(chosen.train.learning_rate);
  chosen.train.dropout = options.dropout.value_or(chosen.train.dropout);
  chosen.train.weight_decay = options.weight_decay.value_or(chosen.train.weight_decay);
  if (options.engine == "scalar" && chosen.train.batch_size > 1) {
    throw UsageError(fmt::format("--preset {} needs --engine tensor", options.preset));
  }
  return chosen;
}

bool is_training_word(const std::string& name) {
  constexpr std::array names{"preset",  "data",         "hold-out",  "steps", "lr",      "optimizer",
                             "seed",    "engine",       "batch",     "dtype", "kernels", "loss",
                             "dropout", "weight-decay", "attention", "pos",   "mask"};
  auto is_size = [&](const SizeOption& option) { return option.name == "--" + name; };
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::any_of(size_options.begin(), size_options.end(), is_size);
}

std::map<std::string, std::string> training_words(const TrainOptions& options, const Preset& chosen) {
  const Config& config = chosen.model;
  auto text = [](auto number) { return fmt::format("{}", number); };
  std::map<std::string, std::string> words{
      {"preset", options.preset},
      {"data", options.data},
      {"hold-out", options.hold_out ? "yes" : "no"},
      {"steps", text(chosen.train.num_steps)},
      {"lr", text(chosen.train.learning_rate)},
      {"optimizer", options.optimizer},
      {"seed", options.seed},
      {"engine", options.engine},
  };
  if (options.engine == "tensor") {
    words["batch"] = text(chosen.train.batch_size);
    words["dtype"] = options.dtype.value_or("f32");
    words["kernels"] = options.kernels.value_or("fast");
    words["loss"] = options.loss.value_or("document-mean");
    words["dropout"] = text(chosen.train.dropout);
    words["weight-decay"] = text(chosen.train.weight_decay);
    words["attention"] = config.attention();
    words["pos"] = config.rope ? "rope" : "learned";
    words["mask"] = mask_spec(config.mask);
  }
  for (const SizeOption& option : size_options) {
    const bool is_used = option.attention == nullptr || config.attention() == option.attention;
    if (is_used && config.*option.size > 0) words[option.name + 2] = text(config.*option.size);
  }
  return words;
}

void add_train_options(Command& command, TrainOptions& options) {
  add_text(command, "--preset", options.preset, "NAME",
           "gist (the current microgpt.py), walkthrough (the 200-line course version), fast or best");
  add_data(command, options.data);
  add_count(command, "--steps", options.steps, "training steps, one batch each [gist: 1000, walkthrough: 500]");
  add_sizes(command, options.shape);
  add_choice(command, "--optimizer", options.optimizer, "adam|sgd",
             "how a gradient changes the parameters; sgd needs a larger --lr, such as 0.1");
  add_positive(command, "--lr", options.learning_rate, "learning rate of the first step [0.01]");
  add_seed(command, options.seed);
  add_count(command, "--samples", options.samples, "names to generate [20]");
  add_positive(command, "--temperature", options.temperature, "below 1: likelier names, above 1: wilder ones [0.5]");
  add_choice(command, "--digits", options.digits, "4|17", "digits of a loss: 4 decimals, or all (17 digits)");
  add_flag(command, "--hold-out", options.hold_out,
           "train on nine tenths of the distinct documents; microgpt eval uses the others");
  add_flag(command, "--quiet", options.quiet, "no step lines and no progress bar");
  add_text(command, "--save", options.save, "FILE",
           "write the model here, in the safetensors format, when training ends or is interrupted");
  add_count(command, "--save-every", options.save_every, "write it after every N steps, too");
  add_text(command, "--resume", options.resume, "FILE",
           "go on with the training that was saved here, with its options; it is saved here again");
  add_text(command, "--history", options.history, "DIR",
           "keep the model here again and again while it learns, for microgpt inspect DIR --html FILE;\n"
           "takes 8 bytes a parameter each time: 1.7 MB for 50 of the usual model");
  add_count(command, "--every", options.every,
            "keep it before the first step, after every N, and at the end [at most 50 times in all]");
  add_choice(command, "--engine", options.engine, "scalar|tensor",
             "scalar: one number at a time, easy to read; tensor: batches, fast");
  command.heading = "The tensor engine";
  add_count(command, "--batch", options.batch_size, "documents per step [1]");
  add_choice(command, "--dtype", options.dtype, "f32|f64", "float or double [f32]");
  add_threads(command, options.threads);
  add_choice(command, "--kernels", options.kernels, "fast|naive",
             "naive: the plain loops that specify the fast ones [fast]");
  add_choice(command, "--loss", options.loss, "document-mean|token-mean",
             "a step's loss: the mean of the documents' means, or of all tokens [document-mean]");
  add_number(command, "--dropout", options.dropout, 0, 0.99,
             "share of the attention weights, and of attention's and the MLP's output, to drop [0]");
  add_number(command, "--weight-decay", options.weight_decay, 0, 1000,
             "every step first shrinks each weight by --lr times this (AdamW) [0]");
  command.heading = "Attention (the tensor engine)";
  add_attention(command, options.shape);
  add_choice(command, "--pos", options.positions, "learned|rope",
             "positions: a learned row for each, or a rotation of queries and keys [learned]");
  add_text(command, "--mask", options.mask, "PATTERN",
           "local:W, strided:W:S, global:W:G, random:R, bigbird:W:G:R or block:S [full: all so far]\n"
           "(W: window, S: stride or block, G: first tokens, R: random tokens)");
}

}  // namespace microgpt
