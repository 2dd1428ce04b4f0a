#include "program/train_options.h"

#include "base/error.h"
#include "train/processes.h"

namespace microgpt {
namespace {

constexpr bool saved = true;
const std::string tensor_heading = "The tensor engine";
const std::string attention_heading = "Attention (the tensor engine)";

bool is_of_tensor_engine(const Option& option) {
  return option.heading == tensor_heading || option.heading == attention_heading;
}

Options general_options(TrainOptions& options) {
  TrainConfig& how = options.preset.train;
  Binding preset = text(options.preset.name, "NAME");  // it is read before the options that change it
  preset.read = [&options](const std::string&, const std::string& name) { options.use(name); };
  const Options first{{"--preset",
                       "gist: Karpathy's microgpt.py; walkthrough: the 200-line course version,\n"
                       "500 steps, block-size 8;\n"
                       "with --engine tensor, --hold-out, --loss token-mean: fast: for about a second;\n"
                       "best: for a minute or two; list: what suits --data, as if that alone were given",
                       preset, saved},
                      {"--steps", "training steps, one batch each", count(how.num_steps), saved}};
  const Options others{
      {"--optimizer", "how a gradient changes the parameters; sgd needs a larger --lr, such as 0.1",
       choice(how.optimizer, {{"adam", OptimizerName::adam}, {"sgd", OptimizerName::sgd}}), saved},
      {"--lr", "learning rate of the first step", number(how.learning_rate), saved},
      seed_option(options.seed),
      {"--samples", "names to generate", count(options.samples)},
      {"--temperature", "below 1: likelier names, above 1: wilder ones [fast, best: 1]", number(options.temperature)},
      digits_option(options.all_digits),
      {"--hold-out", "train on nine tenths of the distinct documents; microgpt eval uses the others",
       flag(options.hold_out), saved},
      {"--quiet", "no step lines and no time left", flag(options.quiet)}};
  const std::string save = "write the model here, in the safetensors format, when training ends or is interrupted";
  const Options kept{
      {"--save-every", "write it after every N steps, too", count(options.save_every)},
      {"--resume", "go on with the training that was saved here, with its options; it is saved here again",
       text(options.resume, "FILE")},
      {"--engine", "scalar: one number at a time, easy to read; tensor: batches, fast",
       choice(options.engine, {{"scalar", Engine::scalar}, {"tensor", Engine::tensor}}), saved}};
  return data_options(options.data) + first + size_options(options.preset.model) + others +
         save_options(options.save, options.force, save) + kept;
}

Options tensor_options(TrainOptions& options) {
  TrainConfig& how = options.preset.train;
  return {
      {"--batch", "documents per step", count(how.batch_size), saved},
      {"--dtype", "float or double", dtype(options.dtype), saved},
      threads_option(options.threads),
      {"--kernels", "naive: the plain loops that specify the fast ones",
       choice(options.naive, {{"fast", false}, {"naive", true}}), saved},
      {"--loss", "a step's loss: the mean of the documents' means, or of all tokens",
       choice(options.loss_mean, {{"document-mean", LossMean::documents}, {"token-mean", LossMean::tokens}}), saved},
      {"--dropout", "share of the attention weights, and of attention's and the MLP's output, to drop",
       number(how.dropout, 0, 0.99), saved},
      {"--weight-decay", "every step first shrinks each weight by --lr times this (AdamW)",
       number(how.weight_decay, 0, 1000), saved}};
}

}  // namespace

void TrainOptions::use(const std::string& name) {
  preset = microgpt::preset(name);
  if (name == "gist" || name == "walkthrough") return;
  engine = Engine::tensor;
  loss_mean = LossMean::tokens;
  hold_out = true;
  if (!is_list()) temperature = 1;
}

Options train_options(TrainOptions& options) {
  Config& config = options.preset.model;
  const Options positions{
      {"--pos", "positions: a learned row for each, or a rotation of queries and keys",
       choice(config.rope, {{"learned", false}, {"rope", true}}), saved},
      {"--mask",
       "what a position sees [full: all so far]\n" + mask_forms() +
           "\n(W: window, S: stride or block, G: first tokens, R: random tokens);\none for each layer: local:4,full",
       masks(config.masks), saved}};
  return general_options(options) + under(tensor_heading, tensor_options(options)) +
         under(attention_heading, attention_options(config, options.attention) + positions);
}

void require_fit(const Options& table, const TrainOptions& options) {
  if (options.save_every && !options.save) throw UsageError("--save-every needs --save");
  if (options.engine == Engine::tensor) return;
  if (processes::count() > 1) throw UsageError("mpirun needs --engine tensor");
  for (const Option& option : table) {
    if (option.typed && is_of_tensor_engine(option)) throw UsageError(option.name + " needs --engine tensor");
  }
  if (options.preset.train.batch_size > 1) {
    throw UsageError(fmt::format("--preset {} needs --engine tensor", options.preset.name));
  }
}

std::map<std::string, std::string> training_words(Options table, const TrainOptions& options) {
  if (options.engine == Engine::scalar) std::erase_if(table, is_of_tensor_engine);
  return saved_words(table);
}

}  // namespace microgpt
