// microgpt eval: measures how good a model is at names it has never seen.
#include <algorithm>
#include <memory>
#include <unordered_set>

#include "base/python_random.h"
#include "base/split.h"
#include "program/commands.h"
#include "program/measured_documents.h"
#include "program/print.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/held_out.h"

namespace microgpt {
namespace {

struct EvalOptions {
  std::string model;
  std::optional<std::string> data;
  double temperature = 1;
  std::uint64_t seed = 42;
  Dtype dtype = Dtype::f32;
  bool all_digits = false;
};

template <class T>
void print_evaluation(const EvalOptions& options) {
  PythonRandom random(options.seed);
  Checkpoint checkpoint = load_checkpoint(options.model);
  const DataFile data = data_of(checkpoint, options.data);
  const Split names = split(read_documents(data));
  // A name longer than all others is new, so there is no need to generate much more of it.
  const std::size_t length = std::max({longest(names.training) + 1, longest(names.held_out) + 1, std::size_t{64}});
  TensorModel<T> model(checkpoint.config, checkpoint.parameters, length);
  const bool may_be_seen = checkpoint.has_seen_all();
  if (!options.data && data.path != usual_names) fmt::print("data: {}\n", for_output(data.path));
  fmt::print("{}: {} of {} distinct documents\n", may_be_seen ? "not held out" : "held out", names.held_out.size(),
             names.held_out.size() + names.training.size());
  if (may_be_seen) {
    fmt::print("This model {}: if it was on this data, it has seen them all.\n",
               checkpoint.training ? "was trained without --hold-out" : "does not say how it was trained");
  }
  if (checkpoint.training) {
    const std::unordered_set<std::u32string_view> held_out(names.held_out.begin(), names.held_out.end());
    std::erase_if(checkpoint.training->counted, [&](const Document& one) { return held_out.contains(one); });
  }
  const std::optional<Mixture> mixture = checkpoint.mixture();
  print_quality(evaluate(model, names, checkpoint.tokenizer, options.temperature, random, available_threads(),
                         mixture ? &*mixture : nullptr),
                options.temperature, options.all_digits, may_be_seen ? "loss, not held out" : "held-out loss");
}

}  // namespace

Command eval_command() {
  auto options = std::make_shared<EvalOptions>();
  return {"eval",
          "Evaluate a model on names that it was not trained on.",
          "A tenth of the distinct documents is held out, always the same. The figures are only fair if the model was "
          "trained on\nthe same data with train --hold-out. Of any other model the output says so.\n"
          "Example:\n"
          "  microgpt train --hold-out --save names.safetensors\n"
          "  microgpt eval names.safetensors",
          {model_option(options->model),
           {"--data", "UTF-8 text, one document per line [what the model was trained on]", text(options->data, "FILE")},
           {"--temperature", "temperature of the generated names", number(options->temperature)},
           seed_option(options->seed),
           {"--dtype", "compute in float or double", dtype(options->dtype)},
           digits_option(options->all_digits)},
          [options](const Options&) {
            options->dtype == Dtype::f64 ? print_evaluation<double>(*options) : print_evaluation<float>(*options);
          }};
}

}  // namespace microgpt
