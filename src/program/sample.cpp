// microgpt sample: generates names with a trained model.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/python_random.h"
#include "base/replace_file.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/measured_documents.h"
#include "program/output_path.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "train/checkpoint.h"
#include "train/constraints.h"
#include "train/evaluation.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

enum class Layout : std::uint8_t { numbered, plain, csv, json };

struct SampleOptions {
  std::string model;
  std::size_t num = 20;
  double temperature = 0.5;
  std::uint64_t seed = 42;
  std::string prompt, suffix, pattern;
  std::size_t min_length = 0;
  std::size_t max_length = max_new_tokens;
  bool unique = false, only_new = false, score = false, rank = false, force = false;
  std::optional<std::string> data, avoid, without, out;
  Layout layout = Layout::numbered;
  std::optional<Dtype> dtype;
  std::optional<Mixture> mixture;  // of the model, if that counts, too

  const Mixture* mixed() const { return mixture ? &*mixture : nullptr; }
};

using Name = std::u32string;  // that was drawn

Constraints constraints_of(const SampleOptions& options, const Checkpoint& checkpoint, const std::set<Document>& data) {
  if (options.min_length > options.max_length) {
    throw UsageError(fmt::format("--min-length is {}, and --max-length {}", options.min_length, options.max_length));
  }
  const Tokenizer& tokenizer = checkpoint.tokenizer;
  // A name as long as the block was cut off there, so it is no new name.
  const std::size_t longest_drawn = checkpoint.config.block_size - (options.only_new ? 1 : 0);
  const std::size_t blanks = std::min(options.prompt.find_first_not_of(' '), options.prompt.size());
  Constraints constraints{.min_length = std::max<std::size_t>(options.min_length, options.only_new ? 1 : 0),
                          .max_length = std::min(options.max_length, longest_drawn),
                          .prefix = known_text("--prompt", options.prompt.substr(blanks), tokenizer),
                          .suffix = known_text("--suffix", options.suffix, tokenizer),
                          .pattern = known_text("--pattern", options.pattern, tokenizer, U"*?"),
                          .excluded = {},
                          .without = {}};
  if (options.min_length > longest_drawn) {
    throw UsageError(
        fmt::format("--min-length is {}; this model's names end at {}", options.min_length, longest_drawn));
  }
  auto exclude = [&](const auto& names) {
    for (const Document& name : names) constraints.excluded.insert(bare(name));
  };
  if (options.avoid) exclude(read_documents(data_of(checkpoint, options.avoid)));
  if (options.only_new) exclude(data);
  if (options.without) {
    DataFile file(*options.without);
    file.lower = true;
    std::string typed = file.path;
    std::replace(typed.begin(), typed.end(), ',', '\n');
    const bool is_file = std::filesystem::exists(file.path) || typed.find_first_of("./") != std::string::npos;
    for (const Document& text : is_file ? read_documents(file) : parse_documents(typed, file)) {
      constraints.without.emplace_back(text);
    }
  }
  return constraints;
}

using Source = std::function<Name()>;  // of the next name

/// New names from one stream of random numbers, one after the other, as in the published program.
Source drawn(Decoder<double>& decoder, const SampleOptions& options, const Tokenizer& tokenizer,
             const std::vector<Token>& prompt) {
  return [&, random = PythonRandom(options.seed)]() mutable {
    return tokenizer.document_of(sample(decoder, options.temperature, random, prompt, options.mixed()));
  };
}

Source drawn(Decoder<float>& decoder, const SampleOptions& options, const Tokenizer& tokenizer,
             const std::vector<Token>& prompt) {
  PythonRandom random(options.seed);
  const std::uint64_t seed = std::uint64_t{random.bits32()} << 32 | random.bits32();
  const std::size_t block = std::min<std::size_t>(options.num, 1024);
  return [&, seed, block, names = std::vector<std::vector<Token>>(), first = std::size_t{0}]() mutable {
    if (first % block == 0) {
      names = sample_many(decoder, first, block, options.temperature, seed, prompt, options.mixed());
    }
    return tokenizer.document_of(names[first++ % block]);
  };
}

struct Found {
  std::vector<Name> names;
  std::string shortfall;  // why there are not more; empty if there are enough
};

/// Draws names until enough of them are as they must be, until that looks hopeless, or until a signal comes.
Found find_names(const SampleOptions& options, const Constraints& constraints, const Source& next) {
  const bool is_always_same = options.temperature == 0;
  const std::size_t patience = is_always_same ? 1 : 100'000;  // tries without a name
  const std::size_t most = 500'000 + 100 * options.num;
  const bool once = options.unique || options.only_new;
  Found found;
  std::set<Name> seen;
  std::map<std::string_view, std::size_t> objections;
  TerminalLine line;
  std::size_t tries = 0, in_vain = 0;
  while (found.names.size() < options.num && in_vain < patience && tries < most && Interrupts::pending() == 0) {
    tries++;
    const Name name = next();
    std::string_view objection = constraints.objection(name);
    if (objection.empty() && once && !seen.insert(options.only_new ? bare(name) : name).second) objection = "repeated";
    if (objection.empty()) {
      found.names.push_back(name);
      in_vain = 0;
    } else {
      objections[objection]++;
      in_vain++;
    }
    if (line.is_due()) line.show(fmt::format("{} names, {} tries since the last", found.names.size(), in_vain));
  }
  const std::size_t n = found.names.size();
  if (n == options.num) return found;
  found.shortfall = fmt::format("found {} of {} names", n, options.num);
  if (Interrupts::pending() != 0) return found;
  found.shortfall +=
      in_vain == patience ? fmt::format(", and no more in {} tries", patience) : fmt::format(" in {} tries", tries);
  const auto most_frequent = std::max_element(objections.begin(), objections.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
  found.shortfall += fmt::format(": most others are {}", most_frequent->first);
  found.shortfall += is_always_same ? "; --temperature 0 draws the same name again and again"
                                    : "; a higher --temperature draws rarer ones";
  return found;
}

using Json = nlohmann::ordered_json;

/// The values of a record between commas, a text in quotes if it needs them; or the names of these columns.
std::string csv_line(const Json& record, bool is_head) {
  std::vector<std::string> fields;
  for (const auto& [column, value] : record.items()) {
    std::string text = is_head ? column : value.is_string() ? value.get<std::string>() : value.dump();
    const bool is_plain = text.find_first_of(",\"\r\n") == std::string::npos;
    for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
    fields.push_back(is_plain ? text : '"' + text + '"');
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

/// The names, and what is known of each, in the layout that was asked for. `cut` is how long a name is that block_size
/// ended, if such names are marked.
std::string list_text(const std::vector<Name>& names, const SampleOptions& options,
                      const std::map<Name, double>& losses, const std::set<Document>& data,
                      std::optional<std::size_t> cut) {
  std::string text;
  Json records = Json::array();
  for (const Name& name : names) {
    const std::string shown = options.out ? encode_utf8(name) : for_output(encode_utf8(name));
    const std::string score = options.score ? fmt::format("  {:.3f}", losses.at(name)) : "";
    const std::string note = mark(data.contains(name), name.size() == cut);
    Json& record = records.emplace_back(Json{{"name", shown}});
    if (!data.empty() && !options.only_new) record["in_data"] = data.contains(name);
    if (options.score) record["nats_per_token"] = losses.at(name);
    switch (options.layout) {
      case Layout::numbered: text += fmt::format("sample {:2}: {}{}{}\n", records.size(), shown, score, note); break;
      case Layout::plain: text += shown + score + "\n"; break;
      case Layout::csv: text += (records.size() == 1 ? csv_line(record, true) : "") + csv_line(record, false); break;
      case Layout::json: break;
    }
  }
  return options.layout == Layout::json ? records.dump(2) + "\n" : text;
}

template <class T>
void sample(const SampleOptions& options, const Checkpoint& checkpoint, const std::set<Document>& data) {
  const Tokenizer& tokenizer = checkpoint.tokenizer;
  std::optional<Interrupts> interrupts(std::in_place);
  const Constraints constraints = constraints_of(options, checkpoint, data);
  // What all names begin with: the prompt, or the pattern's characters before its first wildcard.
  const bool is_prompt = !constraints.prefix.empty();
  const std::u32string_view begin = is_prompt ? constraints.prefix : literal_prefix(constraints.pattern);
  const std::size_t block_size = checkpoint.config.block_size;
  if (begin.size() > block_size) {
    throw UsageError(fmt::format("{} has {} characters; this model's block_size is {}",
                                 is_prompt ? "--prompt" : "--pattern", begin.size(), block_size));
  }
  const std::vector<Token> prompt = tokenizer.encode(begin);
  const std::size_t rows = sizeof(T) == 4 ? std::min<std::size_t>(options.num, 32) : 1;
  TensorModel<T> model(checkpoint.config, checkpoint.parameters, prompt.size() + max_new_tokens);
  Decoder<T> decoder(model, fast<T>(), rows);
  Found found = find_names(options, constraints, drawn(decoder, options, tokenizer, prompt));
  const int signal = Interrupts::pending();
  interrupts.reset();
  std::map<Name, double> losses;
  if (options.rank || options.score) {
    for (const Name& name : found.names) {
      losses[name] = estimate(surprises(decoder, tokenizer.encode_document(name), options.mixed())).mean;
    }
  }
  if (options.rank) {  // the least surprising name first
    std::stable_sort(found.names.begin(), found.names.end(),
                     [&](const Name& a, const Name& b) { return losses.at(a) < losses.at(b); });
  }
  // The published program, which draws in doubles, prints names that are cut off as any other.
  const auto cut = sizeof(T) == 4 ? std::optional(decoder.length()) : std::nullopt;
  const std::string text = list_text(found.names, options, losses, data, cut);
  const char* mark = options.layout == Layout::csv ? "\xef\xbb\xbf" : "";  // spreadsheets know UTF-8 by it
  options.out ? replace_file(*options.out, mark + text) : fmt::print("{}", text);
  flush_output();
  if (signal != 0) throw Interrupted(signal, "stopped; " + found.shortfall);
  if (!found.shortfall.empty()) throw Error(found.shortfall);
}

void sample(const Options& table, SampleOptions& options) {
  const Checkpoint checkpoint = load_checkpoint(options.model);
  options.mixture = checkpoint.mixture();
  const std::string own = checkpoint.trained_with("data");
  if (options.out) {
    require_output(
        "--out", *options.out,
        {options.model, own, options.data.value_or(own), options.avoid.value_or(own), options.without.value_or(own)});
    if (std::error_code none; !options.force && std::filesystem::is_regular_file(*options.out, none)) {
      throw UsageError(fmt::format("--out '{}' is there already; choose another path, or add --force", *options.out));
    }
  }
  if (options.out && !is_typed(table, "--layout")) {  // then the ending of the file says how it is written
    const std::string ending = std::filesystem::path(*options.out).extension().string();
    options.layout = ending == ".csv" ? Layout::csv : ending == ".json" ? Layout::json : Layout::plain;
    if (options.layout == Layout::plain && !ending.empty() && ending != ".txt") {
      throw UsageError(fmt::format("--out writes .txt, .csv, which spreadsheets open, and .json; not '{}'", ending));
    }
  }
  std::set<Document> data;
  if (options.data || options.only_new) {
    const std::vector<Document> documents = read_documents(data_of(checkpoint, options.data));
    data = {documents.begin(), documents.end()};
  }
  // A model of the tensor engine was trained in floats, and is sampled in them.
  const Dtype trained = checkpoint.trained_with("engine") == "tensor" ? Dtype::f32 : Dtype::f64;
  options.dtype.value_or(trained) == Dtype::f32 ? sample<float>(options, checkpoint, data)
                                                : sample<double>(options, checkpoint, data);
}

}  // namespace

Command sample_command() {
  auto options = std::make_shared<SampleOptions>();
  SampleOptions& o = *options;
  const Options drawing{
      model_option(o.model),
      {"--num", "names to generate", count(o.num)},
      {"--temperature", "below 1: likelier names, above 1: wilder ones, 0: the likeliest", number(o.temperature, 0)},
      seed_option(o.seed),
      {"--dtype", "f32: fast; f64: as the published program does it [as the model was trained]",
       choice<std::optional<Dtype>>(o.dtype, {{"f32", Dtype::f32}, {"f64", Dtype::f64}})}};
  const Options output{
      {"--data", "what the model learned from: names that are in it are marked", text(o.data, "FILE")},
      {"--score", "each name's loss: how surprised the model is, in nats per token", flag(o.score)},
      {"--rank", "the least surprising name first: in the order of that loss", flag(o.rank)},
      {"--layout", "numbered: sample 1: ...; plain: a name per line; csv; json",
       choice(
           o.layout,
           {{"numbered", Layout::numbered}, {"plain", Layout::plain}, {"csv", Layout::csv}, {"json", Layout::json}})},
      {"--out", "write to this file: .txt, a name per line; .csv (UTF-8, with a byte mark); .json",
       text(o.out, "FILE")},
      {"--force", "replace the file of --out if it is there", flag(o.force)}};
  const Options constraints{
      {"--prompt", "the beginning of every name", text(o.prompt, "TEXT")},
      {"--suffix", "the end of every name", text(o.suffix, "TEXT")},
      {"--pattern", "the form of every name: * is any text, ? any character", text(o.pattern, "TEXT")},
      {"--min-length", "fewest characters", count(o.min_length, max_count, 0)},
      {"--max-length", "most characters", count(o.max_length)},
      {"--new", "none of --data [what the model learned] or its beginning, capitals or not; none twice",
       flag(o.only_new)},
      {"--unique", "no name twice", flag(o.unique)},
      {"--avoid", "no name of this file, which is read as the model's data were", text(o.avoid, "FILE")},
      {"--without", "no name with one of these texts, or with a line of this file; capitals do not matter",
       text(o.without, "TEXT,...")}};
  return {"sample", "Generate names with a trained model.",
          "A name ends when the model ends it, at the model's block_size, or after 1000 characters. Names that are not "
          "as they\nmust be are drawn anew, so the others are as likely as the model says.\n"
          "Examples:\n"
          "  microgpt sample names.safetensors --num 5\n"
          "  microgpt sample names.safetensors --prompt ma --temperature 0.8 --seed 7\n"
          "  microgpt sample names.safetensors --new --pattern 'ma*o' --max-length 7 --layout plain\n"
          "  microgpt sample names.safetensors --new --avoid friends.txt --without ass,sex\n"
          "  microgpt sample names.safetensors --num 200 --new --score --rank --out new.csv",
          drawing + under("How to show them", output) + under("What names must be like", constraints),
          [options](const Options& table) { sample(table, *options); }};
}

}  // namespace microgpt
