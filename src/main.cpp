// The program: microgpt train, sample, inspect, bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "microgpt.h"

namespace microgpt {
namespace {

constexpr const char* version = "0.1.0";
constexpr std::size_t most = 1'000'000'000;  // of anything that is counted

// --- Options ---------------------------------------------------------------------------------------------------------

/// A whole number from 1 to 1,000,000,000. Throws UsageError with the option's name for anything else.
std::size_t parse_count(const std::string& option, const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most) {
    throw UsageError(fmt::format("{} is '{}'; it must be a whole number from 1 to {}", option, text, most));
  }
  return count;
}

/// A number from 1e-9 to 1e6. Throws UsageError with the option's name for anything else.
double parse_positive(const std::string& option, const std::string& text) {
  constexpr double least = 1e-9;
  constexpr double greatest = 1e6;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least && number <= greatest)) {
    throw UsageError(fmt::format("{} is '{}'; it must be a number from {} to {:.0f}", option, text, least, greatest));
  }
  return number;
}

/// Options that read a count or a number, checked before anything runs.
template <class T>
void add_count(CLI::App* app, const std::string& name, T& target, const std::string& help) {
  app->add_option_function<std::string>(
         name, [&target, name](const std::string& text) { target = parse_count(name, text); }, help)
      ->type_name("N");
}

template <class T>
void add_positive(CLI::App* app, const std::string& name, T& target, const std::string& help) {
  app->add_option_function<std::string>(
         name, [&target, name](const std::string& text) { target = parse_positive(name, text); }, help)
      ->type_name("F");
}

struct TrainOptions {
  std::string preset = "gist";
  std::string data = "data/names.txt";
  std::optional<std::size_t> steps, n_layer, n_embd, n_head, block_size;
  std::optional<double> learning_rate;
  std::string seed = "42";
  std::size_t samples = 20;
  double temperature = 0.5;
  std::string digits = "4";
  bool quiet = false;
  std::optional<std::string> save;
};

struct SampleOptions {
  std::string model;
  std::size_t num = 20;
  double temperature = 0.5;
  std::string seed = "42";
  std::string prompt;
};

struct BenchOptions {
  std::string data = "data/names.txt";
  std::vector<std::string> n_embd{"16", "32", "64"};
  std::size_t steps = 200;
  std::size_t rounds = 5;
  bool json = false;
};

// --- Commands --------------------------------------------------------------------------------------------------------

/// Throws std::system_error if something that was printed did not arrive.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

/// The shortest digits that read back as the same double, as Python prints it.
std::string all_digits(double x) {
  const std::string text = fmt::format("{}", x);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

void print_samples(const Model& model, const Tokenizer& tokenizer, PythonRandom& random, std::size_t num,
                   double temperature, std::span<const Token> prompt = {}) {
  for (std::size_t i = 1; i <= num; i++) {
    fmt::print("sample {:2}: {}\n", i, tokenizer.decode(sample(model, temperature, random, prompt)));
  }
}

void run_steps(Trainer& trainer, std::size_t num_steps, const TrainOptions& options) {
  Progress progress(num_steps, options.quiet);
  for (std::size_t step = 1; step <= num_steps; step++) {
    const double loss = trainer.step();
    const std::string digits = options.digits == "17" ? all_digits(loss) : fmt::format("{:.4f}", loss);
    progress.show(step, fmt::format("step {:4} / {:4} | loss {}", step, num_steps, digits));
  }
}

// Every line is the reference's, and the random numbers are drawn in its order: shuffle, parameters, samples.
void train(const TrainOptions& options) {
  Preset chosen = preset(options.preset);
  Config& config = chosen.model;
  config.n_layer = options.n_layer.value_or(config.n_layer);
  config.n_embd = options.n_embd.value_or(config.n_embd);
  config.n_head = options.n_head.value_or(config.n_head);
  config.block_size = options.block_size.value_or(config.block_size);
  chosen.train.num_steps = options.steps.value_or(chosen.train.num_steps);
  chosen.train.learning_rate = options.learning_rate.value_or(chosen.train.learning_rate);
  config.vocab_size = 1;  // not known yet; the rest is worth checking before the data is read
  validate(config);

  PythonRandom random{std::string_view(options.seed)};
  std::vector<Document> documents = read_documents(options.data);
  random.shuffle(documents);
  fmt::print("num docs: {}\n", documents.size());
  const Tokenizer tokenizer(documents);
  config.vocab_size = tokenizer.vocab_size();
  validate(config);
  fmt::print("vocab size: {}\n", config.vocab_size);
  Parameters parameters = initialize(config, chosen.train, random);
  fmt::print("num params: {}\n", parameters.size());
  if (options.save) rehearse_save(*options.save, config, tokenizer, parameters);

  Trainer trainer(config, chosen.train, parameters, documents, tokenizer);
  run_steps(trainer, chosen.train.num_steps, options);
  if (options.save) save_checkpoint(*options.save, config, tokenizer, parameters);

  fmt::print("\n{}\n", chosen.heading);
  print_samples(Model(config, parameters), tokenizer, random, options.samples, options.temperature);
}

void sample(const SampleOptions& options) {
  PythonRandom random{std::string_view(options.seed)};
  const Checkpoint checkpoint = load_checkpoint(options.model);
  const std::optional<std::u32string> prompt = decode_utf8(options.prompt);
  if (!prompt) throw UsageError("--prompt is not valid UTF-8");
  const std::size_t block_size = checkpoint.config.block_size;
  if (prompt->size() > block_size) {
    throw UsageError(
        fmt::format("--prompt has {} characters; this model's block_size is {}", prompt->size(), block_size));
  }
  const std::vector<Token> tokens = checkpoint.tokenizer.encode(*prompt);
  const Model model(checkpoint.config, checkpoint.parameters);
  print_samples(model, checkpoint.tokenizer, random, options.num, options.temperature, tokens);
}

void inspect(const std::string& path) {
  const Checkpoint checkpoint = load_checkpoint(path);
  fmt::print("{}", summary(checkpoint.config, checkpoint.tokenizer, checkpoint.parameters));
}

void bench(const BenchOptions& options) {
  std::vector<std::size_t> widths;
  for (const std::string& text : options.n_embd) widths.push_back(parse_count("--n-embd", text));
  const std::vector<Document> documents = read_documents(options.data);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  if (!options.json) {
    fmt::print("one document a step, double, one thread; the median of {} rounds of {} steps\n\n", options.rounds,
               options.steps);
    fmt::print("{:>6} {:>9} {:>10} {:>10} {:>10} {:>11} {:>9}\n", "n_embd", "params", "µs/step", "fastest", "names/s",
               "nodes/step", "peak MiB");
  }
  for (std::size_t n_embd : widths) {
    const Measurement m = measure_training(documents, n_embd, options.steps, options.rounds);
    if (options.json) {
      results.push_back({{"n_embd", m.n_embd},
                         {"num_params", m.num_params},
                         {"microseconds_per_step", m.microseconds_per_step},
                         {"fastest_round", m.fastest_round},
                         {"names_per_second", m.names_per_second},
                         {"nodes_per_step", m.nodes_per_step},
                         {"peak_mebibytes", m.peak_mebibytes}});
    } else {
      fmt::print("{:>6} {:>9} {:>10.1f} {:>10.1f} {:>10.0f} {:>11.0f} {:>9.1f}\n", m.n_embd, m.num_params,
                 m.microseconds_per_step, m.fastest_round, m.names_per_second, m.nodes_per_step, m.peak_mebibytes);
      flush_output();
    }
  }
  if (options.json) fmt::print("{}\n", results.dump(2));
}

// --- The command line ------------------------------------------------------------------------------------------------

void add_train(CLI::App& app, TrainOptions& options) {
  CLI::App* train_app = app.add_subcommand("train", "Train a GPT on a file of names and invent new ones.");
  train_app->footer(
      "Examples:\n"
      "  microgpt train\n"
      "  microgpt train --preset walkthrough --data names.txt\n"
      "  microgpt train --steps 5000 --n-embd 32 --save names.safetensors");
  train_app
      ->add_option("--preset", options.preset,
                   "gist (the current microgpt.py) or walkthrough (the 200-line course version)")
      ->type_name("NAME")
      ->capture_default_str();
  train_app->add_option("--data", options.data, "UTF-8 text, one document a line")
      ->type_name("FILE")
      ->capture_default_str();
  add_count(train_app, "--steps", options.steps, "documents to learn from, one a step [gist: 1000, walkthrough: 500]");
  add_count(train_app, "--n-layer", options.n_layer, "blocks [1]");
  add_count(train_app, "--n-embd", options.n_embd, "width of the residual stream [16]");
  add_count(train_app, "--n-head", options.n_head, "attention heads; divides n-embd [4]");
  add_count(train_app, "--block-size", options.block_size, "longest document, in tokens [gist: 16, walkthrough: 8]");
  add_positive(train_app, "--lr", options.learning_rate, "learning rate of the first step [0.01]");
  train_app->add_option("--seed", options.seed, "any whole number")->type_name("N")->capture_default_str();
  add_count(train_app, "--samples", options.samples, "names to invent [20]");
  add_positive(train_app, "--temperature", options.temperature, "below 1: likelier names, above 1: wilder ones [0.5]");
  train_app->add_option("--digits", options.digits, "digits of a loss: 4 after the point, or 17: all there are")
      ->check(CLI::IsMember({"4", "17"}).description(""))
      ->type_name("4|17")
      ->capture_default_str();
  train_app->add_flag("--quiet", options.quiet, "no step lines and no progress bar");
  train_app->add_option("--save", options.save, "write the trained model here, in the safetensors format")
      ->type_name("FILE");
  train_app->callback([&options] { train(options); });
}

void add_sample(CLI::App& app, SampleOptions& options) {
  CLI::App* sample_app = app.add_subcommand("sample", "Invent names with a trained model.");
  sample_app->footer(
      "Examples:\n"
      "  microgpt sample names.safetensors --num 5\n"
      "  microgpt sample names.safetensors --prompt ma --temperature 0.8 --seed 7");
  sample_app->add_option("MODEL", options.model, "a model written by microgpt train --save")
      ->required()
      ->type_name("FILE");
  add_count(sample_app, "--num", options.num, "names to invent [20]");
  add_positive(sample_app, "--temperature", options.temperature, "below 1: likelier names, above 1: wilder ones [0.5]");
  sample_app->add_option("--seed", options.seed, "any whole number")->type_name("N")->capture_default_str();
  sample_app->add_option("--prompt", options.prompt, "how every name begins")->type_name("TEXT");
  sample_app->callback([&options] { sample(options); });
}

void add_inspect(CLI::App& app, std::string& model) {
  CLI::App* inspect_app = app.add_subcommand("inspect", "Print a model's config and what its parameters look like.");
  inspect_app->footer("Example:\n  microgpt inspect names.safetensors");
  inspect_app->add_option("MODEL", model, "a model written by microgpt train --save")->required()->type_name("FILE");
  inspect_app->callback([&model] { inspect(model); });
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* bench_app = app.add_subcommand("bench", "Measure how fast training is, at several widths.");
  bench_app->footer("Examples:\n  microgpt bench\n  microgpt bench --n-embd 16 --steps 1000 --json");
  bench_app->add_option("--data", options.data, "UTF-8 text, one document a line")
      ->type_name("FILE")
      ->capture_default_str();
  bench_app->add_option("--n-embd", options.n_embd, "widths to measure")
      ->type_name("N")
      ->delimiter(',')
      ->default_str("16,32,64");
  add_count(bench_app, "--steps", options.steps, "training steps in a round [200]");
  add_count(bench_app, "--rounds", options.rounds, "rounds; their median counts [5]");
  bench_app->add_flag("--json", options.json, "print JSON instead of a table");
  bench_app->callback([&options] { bench(options); });
}

/// What the library says, but where that is obscure.
std::string in_words(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError: return fmt::format("unexpected '{}'", app.remaining(true).front());
    case CLI::ExitCodes::ArgumentMismatch: return message.substr(0, message.find(':')) + " needs a value";
    default: return message;
  }
}

void run(int argc, char** argv) {
  CLI::App app("microgpt: train a small GPT, one scalar at a time, and watch it learn.", "microgpt");
  app.footer("Start with `microgpt train`. `microgpt COMMAND --help` tells more of each command.");
  app.set_version_flag("--version", fmt::format("microgpt {}", version));
  app.require_subcommand(0, 1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // of an option that is given twice
  TrainOptions train_options;
  SampleOptions sample_options;
  std::string inspect_model;
  BenchOptions bench_options;
  add_train(app, train_options);
  add_sample(app, sample_options);
  add_inspect(app, inspect_model);
  add_bench(app, bench_options);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->set_version_flag("--version", app.version());
  }
  constexpr const char* commands = "there are train, sample, inspect and bench; see microgpt --help";
  auto is_asked_for = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_asked_for).empty()) {
    throw UsageError(fmt::format("unknown command '{}'; {}", argv[1], commands));
  }
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw UsageError(fmt::format("no command given; {}", commands));
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> command = app.get_subcommands();
    const std::string help = command.empty() ? "" : command[0]->get_name() + " ";
    throw UsageError(fmt::format("{}; see microgpt {}--help", in_words(error, app), help));
  }
  flush_output();
}

bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

}  // namespace
}  // namespace microgpt

int main(int argc, char** argv) {
  auto fail = [](std::string message, int code) {
    std::replace_if(message.begin(), message.end(), microgpt::is_control, '?');  // one line, whatever a name holds
    std::fflush(stdout);
    fmt::print(stderr, "microgpt: {}\n", message);
    return code;
  };
  try {
    microgpt::run(argc, argv);
    return 0;
  } catch (const microgpt::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const std::system_error& error) {  // fmt::print throws it; files have Errors of their own
    return fail("cannot write to standard output: " + error.code().message(), 1);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; choose a smaller shape", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
