#include "program/train_for_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/replace_file.h"
#include "base/split.h"
#include "base/utf8.h"
#include "draw/chart.h"
#include "program/interrupt.h"
#include "program/output_path.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"
#include "train/held_out.h"
#include "train/ngram.h"
#include "train/sampling.h"
#include "train/thread_trials.h"

namespace microgpt {
namespace {

/// How often a training looks at the watched documents, how many it looks at, and after how many looks in vain it ends.
constexpr std::size_t num_looks = 24;
constexpr std::size_t most_watched = 2000;
constexpr std::size_t patience = 8;

/// The longest document that is not cut off.
constexpr std::size_t longest_block = 512;

/// Fewer documents than this are learned with larger steps.
constexpr std::size_t few = 400;

/// data/names.txt, and the 32,033 names of makemore.
constexpr std::array<std::uint64_t, 2> published_lists{0xbe71ec2af0943ef1U, 0x9682a4e5e24a370bU};

struct Best {
  double loss = std::numeric_limits<double>::infinity();
  std::size_t step = 0;
};

/// Whether nothing that was typed says what the model or its training must be.
bool only_names_are_given(const Options& table) {
  const std::set<std::string> others{"--data",    "--column", "--lower",       "--plot",    "--save", "--force",
                                     "--samples", "--seed",   "--temperature", "--threads", "--quiet"};
  return is_typed(table, "--data") &&
         std::none_of(table.begin(), table.end(), [&](const Option& o) { return o.typed && !others.contains(o.name); });
}

/// Whether a tenth of them can be held out.
bool has_ten_distinct(std::span<const Document> documents) {
  std::set<std::u32string_view> distinct;
  for (std::size_t i = 0; i < documents.size() && distinct.size() < 10; i++) distinct.insert(documents[i]);
  return distinct.size() == 10;
}

/// The mean of the weights of the last part of the steps: a quarter if there are few documents, else a sixteenth. It is
/// steadier than the weights of any one step, so large steps do no harm.
class MeanWeights {
 public:
  MeanWeights(const Config& config, std::size_t num_documents)
      : config_(config), part_(num_documents < few ? 4 : 16), latest_(gpt_shapes(config)), mean_(gpt_shapes(config)) {}

  /// Adds the model after a step. Steps count from 1.
  void add(TensorModel<float>& model, std::size_t step) {
    model.copy_to(latest_);
    const double share = part_ / (static_cast<double>(step - 1) + part_);
    for (std::size_t i = 0; i < mean_.size(); i++) mean_.data()[i] += share * (latest_.data()[i] - mean_.data()[i]);
  }

  TensorModel<float> model() const { return {config_, mean_}; }

 private:
  const Config& config_;
  double part_;
  Parameters latest_, mean_;
};

Interrupted interrupted(const std::string& path, const Best& best, int signal) {
  return {signal, fmt::format("stopped; the best model so far, of step {}, is saved in '{}'", best.step, path)};
}

/// Keeps the model, which is the best so far.
void keep(Run& run, TensorModel<float>& model, const Best& best, std::optional<OwnFile>& file) {
  model.copy_to(run.parameters);
  run.state.step = best.step;
  if (!file) return;
  file->save([&] {
    save_checkpoint(*run.options.save, run.options.preset.model, run.start.tokenizer, run.parameters, run.state);
  });
}

/// Prints the best loss beside that of counting, and draws `losses`, of training and of the watched documents: on a
/// terminal, and as a picture if options.plot says where.
void show_result(const Run& run, const Best& best, std::span<const Document> watched, std::vector<Series> losses) {
  const Ngram ngram = best_ngram(run.start.documents, run.start.tokenizer);
  const double counted = counted_loss(std::cref(ngram), watched, run.start.tokenizer);
  fmt::print("best at step {}: {:.4f} nats per token; counting runs of up to {} characters: {:.4f}\n", best.step,
             best.loss, ngram.order, counted);
  Series& counting = losses.emplace_back(Series{"counting", losses.back().points});
  for (auto& [step, loss] : counting.points) loss = counted;
  std::set<double> numbers;
  for (const Series& series : losses) {
    for (const auto& [step, loss] : series.points) numbers.insert(loss);
  }
  const Axis steps = round_axis("step", 0, counting.points.back().first);
  const Axis nats = round_axis("loss (nats per token)", *numbers.begin(), *numbers.rbegin());
  if (::isatty(STDOUT_FILENO) != 0) fmt::print("\n{}", text_chart(steps, nats, losses));
  if (run.options.plot) replace_file(*run.options.plot, chart("Learning from a list", steps, nats, losses).str());
}

void print_names(const Run& run) {
  const Preset& preset = run.options.preset;
  TensorModel<float> model(preset.model, run.parameters, max_new_tokens);
  Decoder<float> decoder(model);
  const auto& [documents, tokenizer, held_out] = run.start;
  std::set<std::u32string_view> data(documents.begin(), documents.end());
  data.insert(held_out.begin(), held_out.end());
  fmt::print("\n{}\n", preset.heading);
  for (std::size_t i = 1; i <= run.options.samples; i++) {
    const std::u32string name = tokenizer.document_of(sample(decoder, run.options.temperature, run.random));
    print_sample(i, encode_utf8(name), mark(data.contains(name), name.size() == decoder.length()));
  }
}

}  // namespace

bool is_left_to_the_program(const Options& table, std::span<const Document> documents) {
  if (!only_names_are_given(table) || !has_ten_distinct(documents)) return false;
  return std::find(published_lists.begin(), published_lists.end(), fingerprint(documents)) == published_lists.end();
}

// Found with lists of 100 to 18,000 names, words, places and languages in four alphabets. The fewer names, the sooner
// a model knows them by heart: dropout, weight decay and heads that see only the last few letters delay that, and the
// watched names tell when it begins.
void choose_training(TrainOptions& options, const Start& start) {
  const std::size_t n = start.documents.size();
  const auto names = static_cast<double>(n);
  options.engine = Engine::tensor;
  options.loss_mean = LossMean::tokens;
  options.preset = preset("best");
  auto& [name, model, how, heading] = options.preset;
  model.vocab_size = start.tokenizer.vocab_size();
  model.n_layer = 2;
  model.mask.window = n < few ? 4 : 6;
  const std::size_t positions = std::max(longest(start.documents), longest(start.held_out)) + 1;
  model.block_size = std::clamp<std::size_t>(positions, 16, longest_block);
  validate(model);
  how.batch_size = n < 4000 ? 16 : 32;
  how.learning_rate = n < few ? 0.012 : 0.006;
  how.dropout = std::round(100 * std::clamp(0.4 - 0.2 * std::log10(names / 300), 0.0, 0.4)) / 100;
  how.weight_decay = std::clamp(300 / names, 0.1, 1.0);
  how.num_steps = std::min<std::size_t>(300 + 12 * n / how.batch_size, 12'000);
  heading = "--- new names, and names of the list where it says so ---";
  fmt::print(
      "chosen for {} distinct documents: n_layer {}, n_embd {}, block_size {}, mask {}, dropout {}; {} batches of {}\n",
      n + start.held_out.size(), model.n_layer, model.n_embd, model.block_size, mask_spec(model.mask), how.dropout,
      how.num_steps, how.batch_size);
}

void train_watched(Run& run) {
  const TrainOptions& options = run.options;
  const auto& [name, model, how, heading] = options.preset;
  const Tokenizer& tokenizer = run.start.tokenizer;
  const std::size_t threads = choose_threads(model, how.batch_size, options.threads).threads;
  BatchTrainer<float> trainer(model, how, run.parameters, run.start.documents, tokenizer,
                              batch_options(options, threads, run.random));
  ThreadTrials trials(threads);
  const std::span<const Document> held_out = run.start.held_out;
  const std::span<const Document> watched = held_out.first(std::min(held_out.size(), most_watched));
  const std::size_t steps_between_looks = (how.num_steps + num_looks - 1) / num_looks;
  std::optional<Interrupts> interrupts;
  std::optional<OwnFile> file;
  if (options.save) {
    interrupts.emplace();
    file.emplace(*run.options.save);
  }
  run.state.moments.clear();  // this training cannot go on later
  std::optional<TerminalLine> line(std::in_place);
  MeanWeights mean(model, run.start.documents.size());
  Best best;
  std::vector<Series> losses{{"watched names", {}}, {"training, with dropout", {}}};
  double sum = 0;  // of the losses since the last look
  for (std::size_t step = 1; step <= how.num_steps && step <= best.step + patience * steps_between_looks; step++) {
    sum += options.threads ? trainer.step() : trials.step(trainer);
    mean.add(trainer.model(), step);
    const int signal = Interrupts::pending();
    if (!options.quiet && line->is_due()) line->show(fmt::format("step {} of {}", step, how.num_steps));
    if (step % steps_between_looks != 0 && step != how.num_steps && signal == 0) continue;
    TensorModel<float> steady = mean.model();
    const double loss = token_loss(steady, watched, tokenizer, threads);
    if (loss < best.loss) keep(run, steady, best = {loss, step}, file);
    losses[0].points.emplace_back(step, loss);
    const std::size_t steps_since = (step - 1) % steps_between_looks + 1;
    losses[1].points.emplace_back(step, std::exchange(sum, 0) / static_cast<double>(steps_since));
    line.emplace();  // erases the one before
    if (!options.quiet) {
      fmt::print("step {:5} / {:5} | loss on {} watched {:.4f}\n", step, how.num_steps, watched.size(), loss);
    }
    flush_output();
    if (signal != 0) throw interrupted(*options.save, best, signal);
  }
  show_result(run, best, watched, losses);
  print_names(run);
}

}  // namespace microgpt
