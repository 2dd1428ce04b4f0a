// microgpt train: from a file of names to a trained model, and new names. train(), near the end, tells the story.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/attention_shape.h"
#include "base/error.h"
#include "base/file.h"
#include "base/python_random.h"
#include "base/split.h"
#include "base/utf8.h"
#include "draw/progress.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/output_path.h"
#include "program/print.h"
#include "program/train_list.h"
#include "program/train_options.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"
#include "train/checkpoint.h"
#include "train/held_out.h"
#include "train/optimizer.h"
#include "train/processes.h"
#include "train/sampling.h"
#include "train/scalar_trainer.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

/// Shows the line of every step, and saves the training when it is time for that.
class AfterStep {
 public:
  /// `collect` brings run.parameters and run.state.moments up to date.
  AfterStep(Run& run, std::function<void()> collect)
      : run_(run), options_(run.options), collect_(std::move(collect)), progress_(num_steps_, options_.quiet) {
    if (!options_.save) return;
    interrupts_.emplace();
    file_.emplace(*options_.save);
  }

  /// Throws Interrupted, after saving, if the program was asked to stop and the training is to be saved.
  void operator()(std::size_t step, double loss) {
    run_.state.step = step;
    const std::string digits = options_.all_digits ? all_digits(loss) : fmt::format("{:.4f}", loss);
    print([&] { progress_.show(step, fmt::format("step {:4} / {:4} | loss {}", step, num_steps_, digits)); });
    save_if(step % options_.save_every.value_or(num_steps_) == 0, step == num_steps_, Interrupts::pending());
  }

  /// The same with validation, whose best weights are what is saved.
  template <class T>
  void operator()(std::size_t step, TensorModel<T>& model, EarlyStopping<T>& early) {
    const int signal = Interrupts::pending();
    bool is_better = false;
    print([&] { is_better = early.improves(model, step, signal != 0); });
    save_if(is_better, step == early.last_step(), signal);
  }

  /// The next step cannot be done: saves the last one, and throws Interrupted. Only if the training is to be saved.
  [[noreturn]] void give_up() {
    save(true);
    throw interrupted(Interrupts::pending());
  }

 private:
  void print(const std::function<void()>& lines) {
    try {
      lines();
      flush_output();
    } catch (const std::system_error& error) {
      if (options_.save) save(true);
      if (options_.save && error.code().value() == EPIPE) throw interrupted(SIGPIPE);
      throw;
    }
  }

  void save_if(bool is_due, bool is_last, int signal) {
    if (!options_.save) return;
    is_last = is_last || signal != 0;
    if (is_due || is_last) save(is_last);
    if (signal != 0) throw interrupted(signal);
  }

  /// If that fails, says so, or throws the Error if it is the last time.
  void save(bool is_last) {
    collect_();
    try {
      file_->save([this] {
        save_checkpoint(*options_.save, options_.preset.model, run_.start.tokenizer, run_.parameters, run_.state);
      });
      save_failed_ = false;
    } catch (const Diverged&) {
      throw;
    } catch (const Error& error) {
      if (is_last) throw;
      if (!std::exchange(save_failed_, true)) tell(fmt::format("{}; training goes on", error.what()));
    }
  }

  Interrupted interrupted(int signal) const {
    const std::size_t step = run_.state.step;
    if (options_.is_list()) {
      return {signal, fmt::format("stopped; the model of step {} is saved in '{}'", step, *options_.save)};
    }
    const std::string again = fmt::format("go on with: microgpt train --resume {}", shell_word(*options_.save));
    const std::string others = options_.save_every ? fmt::format(" --save-every {}", *options_.save_every) : "";
    const std::string next = step == num_steps_ ? "it was the last" : again + others;
    return {signal, fmt::format("stopped and saved after step {} of {}; {}", step, num_steps_, next)};
  }

  Run& run_;
  TrainOptions& options_;
  std::function<void()> collect_;
  std::size_t num_steps_ = options_.preset.train.num_steps;
  std::optional<Interrupts> interrupts_;
  std::optional<OwnFile> file_;
  bool save_failed_ = false;  // the last time
  Progress progress_;
};

/// Generates names, of fewer than `length` tokens. If names are held out, or few, those that stand in the data are
/// marked: a model may know them by heart. For a list, such a name, its beginning, one that came before, an empty one,
/// and one that is cut off are drawn anew, up to 200 times, each time more boldly.
void finish(const Run& run, std::size_t length, const std::function<std::vector<Token>(double temperature)>& generate) {
  const auto& [documents, tokenizer, held_out] = run.start;
  auto any = [&start = run.start](auto is) {
    return std::any_of(start.documents.begin(), start.documents.end(), is) ||
           std::any_of(start.held_out.begin(), start.held_out.end(), is);
  };
  const bool are_marked = !held_out.empty() || documents.size() < 10;
  std::set<std::u32string> names{U""};
  fmt::print("\n{}\n", run.options.preset.heading);
  for (std::size_t i = 1; i <= run.options.samples; i++) {
    std::u32string name;
    for (int tries = 0; tries < 200; tries++) {
      name = tokenizer.document_of(generate(run.options.temperature * std::pow(1.01, tries)));
      if (!run.options.is_list()) break;
      const bool is_beginning = any([&](const Document& one) { return one.starts_with(name); });
      if (!is_beginning && name.size() < length && names.insert(name).second) break;
    }
    const bool is_copy = are_marked && any([&](const Document& one) { return one == name; });
    print_sample(i, encode_utf8(name), are_marked ? mark(is_copy, name.size() == length) : "");
  }
}

/// The loop of src/microgpt.cpp.
void train_scalar(Run& run) {
  const Config& config = run.options.preset.model;
  const TrainConfig& how = run.options.preset.train;
  const Model model = scalar_model(config, run.parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const bool is_adam = how.optimizer == OptimizerName::adam;
  Adam adam = make_adam(how, is_adam ? model.params.size() : 0);
  if (is_adam) adam.m = run.state.moments[0], adam.v = run.state.moments[1];
  {
    AfterStep after_step(run, [&] {
      copy_data(model.params, run.parameters);
      if (is_adam) run.state.moments = {adam.m, adam.v};
    });
    auto update = [&](const List& params, double learning_rate, std::size_t step) {
      is_adam ? adam.update(params, learning_rate, step) : sgd_update(params, learning_rate);
    };
    train(loss, model.params, update, run.start.documents, run.start.tokenizer, how, std::ref(after_step));
  }
  finish(run, config.block_size, [&](double temperature) { return sample(model, temperature, run.random); });
}

/// Batches of documents, shared by threads and processes.
template <class T>
void train_tensor(Run& run) {
  const TrainOptions& options = run.options;
  const Config& config = options.preset.model;
  const TrainConfig& how = options.preset.train;
  const std::size_t documents = std::max<std::size_t>(1, how.batch_size / processes::count());
  const auto [threads, reason] = choose_threads(config, documents, options.threads);
  const Kernels<T>& kernels = options.naive ? naive<T>() : fast<T>();
  if (processes::count() > 1) {
    fmt::print("processes: {}; each hands {} bytes of gradients on in a step\n", processes::count(),
               run.parameters.size() * sizeof(T));
  }
  fmt::print("threads: {} ({}); KV cache of the samples: {:.0f} bytes per token\n", threads, reason,
             cache_bytes(attention_shape(config), config.n_layer, 1, sizeof(T)));
  BatchOptions batch{.loss_mean = options.loss_mean, .threads = threads};
  // Without dropout no seed is drawn for it: the samples must stay the same.
  if (how.dropout > 0) batch.dropout = {how.dropout, static_cast<std::uint64_t>(run.random.random() * 0x1p53)};
  BatchTrainer<T> trainer(config, how, run.parameters, run.start.documents, run.start.tokenizer, batch, kernels);
  trainer.set_moments(run.state.moments);
  std::optional<EarlyStopping<T>> early;
  if (options.is_list()) {
    early.emplace(run, threads);
    run.state.moments.clear();  // this training cannot go on later
  }
  {
    AfterStep after_step(run, [&] {
      if (early) return;  // the parameters are those that were best
      trainer.model().copy_to(run.parameters);
      run.state.moments = trainer.moments();
    });
    ThreadTrials trials(threads);
    try {
      for (std::size_t i = how.first_step + 1; i <= (early ? early->last_step() : how.num_steps); i++) {
        const auto start = std::chrono::steady_clock::now();
        if (!options.threads) trainer.use_threads(trials.next());
        const double loss = trainer.step();
        trials.took(seconds_since(start));
        early ? after_step(i, trainer.model(), *early) : after_step(i, loss);
      }
    } catch (const processes::Lost&) {
      after_step.give_up();
    }
  }
  if (early) {
    early->print_result();
    trainer.model() = TensorModel<T>(config, run.parameters, max_new_tokens);
  } else if (options.hold_out) {
    const Split names{run.start.documents, run.start.held_out};
    Quality quality = evaluate(trainer.model(), names, run.start.tokenizer, options.temperature, run.random, threads);
    quality.names.clear();
    fmt::print("\n");
    print_quality(quality, options.temperature, options.all_digits);
  }
  Decoder<T> decoder(trainer.model(), kernels);
  const Mixture mixture{run.state.gpt_share, Ngram(run.state.counted, run.start.tokenizer)};
  finish(run, decoder.length(),
         [&](double temperature) { return sample(decoder, temperature, run.random, {}, early ? &mixture : nullptr); });
}

/// Tells of a sign that stands in nearly every line of a list and in hardly any name, and of the command that takes it
/// away. What is a name only the user knows.
void tell_of_signs(std::span<const Document> documents, const std::string& path) {
  documents = documents.first(std::min<std::size_t>(documents.size(), 1000));
  const std::string from = (path == "-" ? "FILE" : shell_word(path)) + " >names.txt";
  const auto comment = std::find_if(documents.begin(), documents.end(), [](const Document& d) { return d[0] == U'#'; });
  if (comment != documents.end()) {
    tell(fmt::format("note: '{}' is read as a name; without such lines: grep -v '^#' {}",
                     visible(encode_utf8(*comment)), from));
  }
  const auto apart = std::find_if(documents.begin(), documents.end(), [](const Document& d) {
    return std::any_of(d.begin(), d.end(), [](char32_t c) { return c >= 0x300 && c < 0x370; });
  });
  if (apart != documents.end()) {
    tell(fmt::format(
        "note: accents stand behind their letters, as in '{}'; to make each pair one letter: python3 -c 'import "
        "sys, unicodedata; sys.stdout.write(unicodedata.normalize(\"NFC\", sys.stdin.read()))' <{}",
        visible(encode_utf8(*apart)), from));
  }
  for (const char32_t sign : std::u32string_view(U"\t;,|\"[({</:*_+~@\u00ab\u201c\u201e\u2022-0")) {  // 0: any digit
    const std::u32string_view signs = sign == U'0' ? U"0123456789" : std::u32string_view(&sign, 1);
    auto has_sign = [&](const Document& d) {
      const std::size_t at = d.find_first_of(signs);
      return sign == U'-' ? at == 0 : at != Document::npos;  // within a name a hyphen is usual
    };
    std::size_t without = 0;
    auto is_rare = [&](const Document& d) { return !has_sign(d) && 10 * ++without > documents.size(); };
    if (std::any_of(documents.begin(), documents.end(), is_rare)) continue;
    const std::string shown = encode_utf8(sign);
    if (sign == U'\t' || sign == U';' || sign == U',') {
      return tell(documents.size() > 1
                      ? "note: nearly all lines have commas, semicolons or tabs; if this is a table, add "
                        "--column and its name or number"
                      : fmt::format("note: a single line is a single name; to part it: tr '{}' '\\n' <{}",
                                    sign == U'\t' ? "\\t" : shown, from));
    }
    const Document& example = *std::find_if(documents.begin(), documents.end(), has_sign);
    const auto letter = std::find_if(example.begin(), example.end(),
                                     [](char32_t c) { return c >= 0x80 || std::isalpha(static_cast<int>(c)) != 0; });
    const std::string command =
        sign == U'0'   ? signs.find(example[0]) != signs.npos ? "sed 's/^[0-9.) ]*//'" : "tr -d '0-9'"
        : sign == U'-' ? "sed 's/^[- ]*//'"
        : sign == U'<' ? "sed 's/<[^>]*>//g'"
        : sign < 0x80  ? fmt::format("cut -d '{}' -f {}", shown, 1 + std::count(example.begin(), letter, sign))
                       : "sed 's," + shown + ",,g'";
    return tell(fmt::format("note: nearly all lines have a {}, as '{}'; if that is no part of a name: {} <{}",
                            sign == U'0' ? "digit" : "'" + shown + "'", visible(encode_utf8(example)), command, from));
  }
  if (documents.size() == 1)
    tell("note: the data is a single line, and so a single name; put each name on a line of its own");
}

// The lines are printed as in the reference, and random numbers are drawn in its order: shuffle, parameters, samples.
void train(const Options& table, TrainOptions& options) {
  std::optional<Checkpoint> checkpoint;
  if (options.resume) checkpoint = resume(table, options);
  if (!options.save) options.save = options.resume;
  require_fit(table, options);
  if (processes::number() > 0) options.save = {};  // that is the first one's work
  if (options.save) require_own_place(*options.save, options.force, {options.data.path});
  std::vector<Document> documents = read_documents(options.data);
  if (is_left_to_the_program(table, documents)) options.use("list");
  const std::size_t num_lines = documents.size();
  if (num_lines < 10 && leaves_the_choice(table))
    tell("note: ten names at least are needed to choose a model for them");
  auto& [name, model, how, heading] = options.preset;
  PythonRandom random(options.seed);
  Tokenizer tokenizer(documents);
  model.vocab_size = tokenizer.vocab_size();
  Split names = options.hold_out ? split(std::move(documents)) : Split{std::move(documents), {}};
  random.shuffle(names.training);
  validate(model);
  Run run{options, {std::move(names.training), std::move(tokenizer), std::move(names.held_out)}, random};
  if (is_typed(table, "--data") && options.data.column.empty()) tell_of_signs(run.start.documents, options.data.path);
  if (is_typed(table, "--data") && options.is_list()) {
    const std::size_t distinct = run.start.documents.size() + run.start.held_out.size(),
                      repeated = num_lines - distinct;
    if (distinct < 50) tell(fmt::format("note: {} names are few; expect names much like them", distinct));
    if (repeated > 0) tell(fmt::format("note: {} of {} names are repeated; they count once", repeated, num_lines));
  }
  if (options.is_list()) choose_training(table, options, run.start);
  if (options.is_list() && !options.save) tell("note: the model will be gone in the end; --save FILE keeps it");
  run.state.options = training_words(table, options);
  if (checkpoint || options.save) {  // practically never the same for other documents, or with another alphabet
    const Document characters = run.start.tokenizer.characters();
    const std::uint64_t hash = fingerprint({&characters, 1}, fingerprint(run.start.documents));
    run.state.fingerprint = fmt::format("{} documents, fingerprint {:016x}", run.start.documents.size(), hash);
  }
  if (checkpoint) go_on(run, std::move(*checkpoint));  // before anything has the size that the options claim
  const std::vector<Document>& learned = run.start.documents;
  const auto cut = std::count_if(learned.begin(), learned.end(),
                                 [&, most = model.block_size](const Document& d) { return d.size() > most; });
  if (cut > 0 && name != "walkthrough" && !is_typed(table, "--block-size")) {  // who chose the length knows
    tell(fmt::format("note: {} of {} documents are cut off after {} characters; the longest has {}: see --block-size",
                     cut, learned.size(), model.block_size, longest(learned)));
  }
  Parameters drawn = initialize(model, how, random);  // always: names are sampled with the numbers that come after them
  if (!checkpoint) {
    run.parameters = std::move(drawn);
    run.state.moments.assign(num_moments(how), std::vector<double>(run.parameters.size()));
  }
  if (options.resume) fmt::print("data: {}\n", for_output(options.data.path));
  fmt::print("num docs: {}\nvocab size: {}\nnum params: {}\n", run.start.documents.size(),
             run.start.tokenizer.vocab_size(), run.parameters.size());
  const std::string error = processes::first_error("");  // of a process that has other files, for instance
  if (!error.empty()) throw Error(error);

  if (options.engine == Engine::scalar) return train_scalar(run);
  options.dtype == Dtype::f64 ? train_tensor<double>(run) : train_tensor<float>(run);
}

}  // namespace

Command train_command() {
  auto options = std::make_shared<TrainOptions>();
  return {"train", "Train a GPT on a file of names and generate new ones.",
          "Examples:\n"
          "  microgpt train\n"
          "  microgpt train --preset walkthrough --data names.txt\n"
          "  microgpt train --data towns.txt --save towns.safetensors\n"
          "  microgpt train --preset fast --data data/makemore.txt\n"
          "  microgpt train --steps 5000 --n-embd 32 --save names.safetensors\n"
          "  microgpt train --save not_a_model.bin --force\n"
          "  microgpt train --resume names.safetensors\n"
          "  microgpt train --engine tensor --batch 16 --n-embd 64 --steps 5000",
          train_options(*options), [options](const Options& table) { train(table, *options); }};
}

}  // namespace microgpt
