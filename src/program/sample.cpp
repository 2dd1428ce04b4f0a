// microgpt sample: generates names with a trained model.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/python_random.h"
#include "base/replace_file.h"
#include "base/style.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/measured_documents.h"
#include "program/name_list.h"
#include "program/output_path.h"
#include "program/print.h"
#include "train/blend.h"
#include "train/checkpoint.h"
#include "train/constraints.h"
#include "train/evaluation.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

struct SampleOptions {
  std::string model;
  std::optional<std::size_t> num;
  double temperature = 0.5;
  std::size_t top_k = 0;
  double top_p = 1;
  std::string seed = "42";
  std::string prompt, suffix, contains, pattern;
  std::size_t min_length = 0;
  std::size_t max_length = max_new_tokens;
  bool unique = false, only_new = false, score = false, rank = false;
  std::optional<std::string> data, avoid, given, out, blend, style;
  bool has_signs = false;  // the model learned from several lists
  std::u32string sign;     // of the list of --style
  double weight = 0;       // of the model that is blended in
  Layout layout = Layout::numbered;
  std::optional<Dtype> dtype;

  std::size_t how_many() const { return num.value_or(given ? max_count : 20); }
  bool is_scored() const { return score || layout == Layout::letters; }
  Sampling sampling() const { return {temperature, top_k, top_p, has_signs && sign.empty()}; }
};

/// A name that was drawn.
using Name = std::u32string;

/// The names of a file, of all its lists.
std::set<Document> set_of(const DataFile& file) {
  std::vector<Document> documents = read_documents(file);
  if (styles_of(file.path).size() > 1) {
    for (Document& document : documents) document.remove_prefix(1);
  }
  return {documents.begin(), documents.end()};
}

/// Reads --style, for a model of these lists.
void choose_style(SampleOptions& options, const std::vector<Style>& lists) {
  options.has_signs = lists.size() > 1;
  bool is_known = !options.style;
  std::string names;
  for (const Style& list : lists) {
    if (list.name() == options.style) options.sign = list.sign;
    if (list.name() == options.style) is_known = true;
    names += (names.empty() ? "" : ", ") + list.name();
  }
  if (!is_known) throw UsageError(fmt::format("--style is '{}'; this model learned from: {}", *options.style, names));
  if (!options.has_signs) return;
  if (options.style || !(options.given || options.rank || options.is_scored())) return;
  throw UsageError("--given, --score and --rank need --style, one of: " + names);
}

/// The model of --blend. Tells what cannot be if its alphabet is another than this.
std::optional<Checkpoint> other_model(const SampleOptions& options, const Tokenizer& tokenizer) {
  if (!options.blend) return std::nullopt;
  Checkpoint other = load_checkpoint(*options.blend);
  if (options.has_signs || styles_of(other.trained_with("data")).size() > 1) {
    throw UsageError("--blend needs models that learned from one list each");
  }
  const std::u32string &a = tokenizer.characters(), &b = other.tokenizer.characters();
  std::u32string alone;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(alone));
  if (!alone.empty()) {
    tell(
        fmt::format("note: only one model knows {}; names have none that MODEL does not know, and after the others "
                    "MODEL goes on alone",
                    Tokenizer(alone).alphabet()));
  }
  return other;
}

Constraints constraints_of(const SampleOptions& options, const Checkpoint& checkpoint, const std::set<Document>& data) {
  if (options.min_length > options.max_length) {
    throw UsageError(fmt::format("--min-length is {}, and --max-length {}", options.min_length, options.max_length));
  }
  const Tokenizer& tokenizer = checkpoint.tokenizer;
  // A name as long as the block was cut off there, so it is no new name.
  const bool may_fill = !options.only_new || options.given;
  const std::size_t room = checkpoint.config.block_size - options.sign.size();
  const std::size_t blanks = std::min(options.prompt.find_first_not_of(' '), options.prompt.size());
  Constraints constraints{.min_length = options.min_length,
                          .max_length = may_fill ? options.max_length : std::min(options.max_length, room - 1),
                          .prefix = known_text("--prompt", options.prompt.substr(blanks), tokenizer),
                          .suffix = known_text("--suffix", options.suffix, tokenizer),
                          .contains = known_text("--contains", options.contains, tokenizer),
                          .pattern = known_text("--pattern", options.pattern, tokenizer, U"*?"),
                          .excluded = {}};
  const std::size_t longest_drawn = may_fill ? room : room - 1;
  if (!options.given && options.min_length > longest_drawn) {
    throw UsageError(
        fmt::format("--min-length is {}; this model's names end at {}", options.min_length, longest_drawn));
  }
  if (options.avoid) constraints.excluded = set_of(data_of(checkpoint, options.avoid));
  if (options.only_new) constraints.excluded.insert(data.begin(), data.end());
  return constraints;
}

/// What all documents begin with: a sign, and the prompt, or the pattern's characters before its first wildcard.
/// Nothing if the model draws the list, too.
std::vector<Token> beginning(const SampleOptions& options, const Constraints& constraints,
                             const Checkpoint& checkpoint) {
  const bool is_prompt = !constraints.prefix.empty();
  const std::u32string_view prompt = is_prompt ? constraints.prefix : literal_prefix(constraints.pattern);
  const std::size_t block_size = checkpoint.config.block_size;
  if (options.sign.size() + prompt.size() > block_size) {
    throw UsageError(fmt::format("{} has {} characters; this model's block_size is {}",
                                 is_prompt ? "--prompt" : "--pattern", prompt.size(), block_size));
  }
  if (options.sampling().draws_list) return {};
  return checkpoint.tokenizer.encode(options.sign + Name(prompt));
}

/// The next name, or nothing if there are no more.
using Source = std::function<std::optional<Name>()>;

/// New names from one stream of random numbers, one after the other, as in the published program.
Source drawn(Decoder<double>& decoder, const SampleOptions& options, const Tokenizer& tokenizer,
             const std::vector<Token>& prompt) {
  return [&, sampling = options.sampling(), random = PythonRandom(std::string_view(options.seed))]() mutable {
    return tokenizer.document_of(sample(decoder, sampling, random, prompt));
  };
}

Source drawn(Decoder<float>& decoder, const SampleOptions& options, const Tokenizer& tokenizer,
             const std::vector<Token>& prompt) {
  PythonRandom random{std::string_view(options.seed)};
  const std::uint64_t seed = std::uint64_t{random.bits32()} << 32 | random.bits32();
  const std::size_t block = std::min<std::size_t>(options.how_many(), 1024);
  return [&, seed, block, names = std::vector<std::vector<Token>>(), first = std::size_t{0}]() mutable {
    if (first % block == 0) names = sample_many(decoder, first, block, options.sampling(), seed, prompt);
    return tokenizer.document_of(names[first++ % block]);
  };
}

struct Found {
  std::vector<Name> names;
  std::string shortfall;  // why there are not more; empty if there are enough
};

/// Takes the sign from a document that was drawn. Returns whether it had one in front, and no other.
bool take_sign(Name& document) {
  const std::size_t had = document.size();
  document = without_sign(document);
  return document.size() < had && std::none_of(document.begin(), document.end(), is_sign);
}

std::string_view most_frequent(const std::map<std::string_view, std::size_t>& objections) {
  return std::max_element(objections.begin(), objections.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Takes names until there are as many as asked for that are as they must be, until that looks hopeless, or until a
/// signal comes.
Found find_names(const SampleOptions& options, const Constraints& constraints, const Source& next) {
  constexpr std::size_t patience = 100'000;  // tries without a name
  const std::size_t most = 5 * patience + 100 * options.how_many();
  const bool once = options.unique || options.only_new;
  Found found;
  std::set<Name> seen;
  std::map<std::string_view, std::size_t> objections;
  TerminalLine line;
  std::size_t tries = 0, in_vain = 0;
  auto has_hope = [&] { return options.given || (in_vain < patience && tries < most); };
  while (found.names.size() < options.how_many() && has_hope() && Interrupts::pending() == 0) {
    tries++;
    std::optional<Name> name = next();
    if (!name) return found;
    const bool has_list = !options.has_signs || options.given || take_sign(*name);
    std::string_view objection = has_list ? constraints.objection(*name) : "of no list";
    if (objection.empty() && once && !seen.insert(*name).second) objection = "repeated";
    if (objection.empty()) {
      found.names.push_back(*name);
      in_vain = 0;
    } else {
      objections[objection]++;
      in_vain++;
    }
    if (line.is_due()) line.show(fmt::format("{} names, {} tries since the last", found.names.size(), in_vain));
  }
  const std::size_t n = found.names.size();
  if (n == options.how_many()) return found;
  found.shortfall = fmt::format("found {} of {} names", n, options.how_many());
  if (Interrupts::pending() != 0) return found;
  found.shortfall +=
      in_vain == patience ? fmt::format(", and no more in {} tries", patience) : fmt::format(" in {} tries", tries);
  found.shortfall += fmt::format(": most others are {}", most_frequent(objections));
  if (options.top_k > 0 || options.top_p < 1) found.shortfall += "; --top-k and --top-p may shut the others out";
  return found;
}

using Json = nlohmann::ordered_json;

/// How surprising each token of a name is.
using Nats = std::map<Name, std::vector<double>>;

/// What is known of a name, as a record of name_list.h.
Json record_of(const Name& name, const SampleOptions& options, const Tokenizer& tokenizer, const Nats& all_nats,
               const std::set<Document>& data) {
  auto shown = [&](const std::string& text) { return options.out ? text : for_output(text); };
  Json record{{"name", shown(encode_utf8(name))}};
  if (!data.empty()) record["in_data"] = data.contains(name);
  if (!options.is_scored()) return record;
  const std::vector<Token> tokens = tokenizer.encode_document(name);
  const std::vector<double>& nats = all_nats.at(name);
  const double mean = estimate(nats).mean;
  record["nats_per_token"] = mean;
  record["probability"] = std::exp(-mean * static_cast<double>(nats.size()));
  for (std::size_t i = 1; i <= nats.size(); i++) record["letters"].push_back(shown(tokenizer.label(tokens[i])));
  record["nats"] = nats;
  return record;
}

/// The least surprising name first.
void rank(std::vector<Name>& names, const Nats& nats) {
  auto loss = [&](const Name& name) { return estimate(nats.at(name)).mean; };
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return loss(a) < loss(b); });
}

template <class T>
Nats all_surprises(Decoder<T>& decoder, const SampleOptions& options, const Tokenizer& tokenizer,
                   const std::vector<Name>& names) {
  Nats nats;
  if (!options.rank && !options.is_scored()) return nats;
  for (const Name& name : names) {
    nats[name] = surprises(decoder, tokenizer.encode_document(options.sign + name));
    if (options.has_signs) nats[name].erase(nats[name].begin());  // the sign is given
  }
  return nats;
}

template <class T>
void sample(const SampleOptions& options, const Checkpoint& checkpoint, const std::optional<Checkpoint>& other,
            const std::set<Document>& data) {
  const Tokenizer& tokenizer = checkpoint.tokenizer;
  std::optional<Interrupts> interrupts(std::in_place);
  const Constraints constraints = constraints_of(options, checkpoint, data);
  const std::vector<Token> prompt = beginning(options, constraints, checkpoint);
  std::vector<Document> given;
  if (options.given) {
    given = read_documents(data_of(checkpoint, options.given), [&](const Document& name) { tokenizer.encode(name); });
  }
  const std::size_t rows = sizeof(T) == 4 ? std::min<std::size_t>(options.how_many(), 32) : 1;
  TensorModel<T> model(checkpoint.config, checkpoint.parameters,
                       std::max(prompt.size() + max_new_tokens, longest(given) + 2));
  auto decoder = std::make_unique<Decoder<T>>(model, fast<T>(), true, rows);
  if (other) decoder = std::make_unique<Blend<T>>(model, tokenizer, *other, options.weight, rows);
  if (options.sign.size() + longest(given) > model.length) {
    tell(fmt::format("note: of a name only the first {} characters are scored, the model's block",
                     model.length - options.sign.size()));
  }
  Source next = drawn(*decoder, options, tokenizer, prompt);
  if (options.given) {
    next = [&, i = std::size_t{0}]() mutable {
      return i < given.size() ? std::optional<Name>(given[i++]) : std::nullopt;
    };
  }
  Found found = find_names(options, constraints, next);
  const int signal = Interrupts::pending();
  interrupts.reset();
  const Nats nats = all_surprises(*decoder, options, tokenizer, found.names);
  if (options.rank) rank(found.names, nats);
  Json records = Json::array();
  // The published program, which draws in doubles, prints names that are cut off as any other.
  const bool marks_cuts = sizeof(T) == 4 && !options.given && options.layout == Layout::numbered;
  const std::size_t sign = options.has_signs ? 1 : 0;
  for (const Name& name : found.names) {
    records.push_back(record_of(name, options, tokenizer, nats, data));
    if (marks_cuts && name.size() + sign == decoder->length()) records.back()["cut_off"] = true;
  }
  const std::string text = list_text(records, options.layout);
  options.out ? replace_file(*options.out, text) : fmt::print("{}", text);
  flush_output();
  if (signal != 0) throw Interrupted(signal, "stopped; " + found.shortfall);
  if (!found.shortfall.empty()) throw Error(found.shortfall);
}

/// The ending of the file says how it is written.
void choose_layout(SampleOptions& options) {
  if (!options.out) return;
  const std::string ending = std::filesystem::path(*options.out).extension().string();
  options.layout = Layout::plain;
  if (ending == ".csv") options.layout = Layout::csv;
  if (ending == ".json") options.layout = Layout::json;
}

void sample(SampleOptions& options) {
  const Checkpoint checkpoint = load_checkpoint(options.model);
  std::vector<std::string> sources = paths_of(checkpoint.trained_with("data"));
  for (const auto& file : {options.data, options.avoid, options.given, options.blend}) {
    for (const std::string& path : paths_of(file.value_or(options.model))) sources.push_back(path);
  }
  if (options.out) rehearse_output("--out", *options.out, sources);
  if (options.seed == "random") options.seed = std::to_string(std::random_device()());
  choose_style(options, styles_of(checkpoint.trained_with("data")));
  const std::optional<Checkpoint> other = other_model(options, checkpoint.tokenizer);
  std::set<Document> data;
  if (options.data || options.only_new) data = set_of(data_of(checkpoint, options.data));
  if (other && options.only_new && !options.data) data.merge(set_of(data_of(*other)));
  // A model of the tensor engine was trained in floats, and is sampled in them.
  const Dtype trained = checkpoint.trained_with("engine") == "tensor" ? Dtype::f32 : Dtype::f64;
  options.dtype.value_or(trained) == Dtype::f32 ? sample<float>(options, checkpoint, other, data)
                                                : sample<double>(options, checkpoint, other, data);
}

Options drawing_options(SampleOptions& options) {
  auto read_blend = [&options](const std::string& name, const std::string& text) {
    const std::size_t colon = text.rfind(':');  // if there is none, the file is taken for a weight, and refused
    options.blend = text.substr(0, colon);
    options.weight = parse_number("the weight of " + name, text.substr(colon + 1), 0, 1);
  };
  return {model_option(options.model),
          {"--num", "names to generate [20]", count(options.num)},
          {"--temperature", "below 1: likelier names, above 1: wilder ones, 0: the likeliest [0.5]",
           number(options.temperature, 0)},
          {"--style", "names as in one of the lists of train --data: towns for towns.txt [drawn as in training]",
           text(options.style, "LIST")},
          {"--top-k", "draw only among the N likeliest characters", count(options.top_k)},
          {"--top-p", "draw only among the likeliest characters that have this probability together",
           number(options.top_p, 1e-9, 1)},
          {"--blend",
           "mix in another model, whose probabilities count with this weight, from 0 to 1",
           {"FILE:WEIGHT", read_blend, {}}},
          {"--given", "generate none: take the names of this file, read as the model's data were [all of them]",
           text(options.given, "FILE")},
          {"--seed", "any whole number, or random", text(options.seed, "N")},
          {"--dtype", "f32: fast; f64: as the published program does it [as the model was trained]",
           choice<std::optional<Dtype>>(options.dtype, {{"f32", Dtype::f32}, {"f64", Dtype::f64}})}};
}

Options output_options(SampleOptions& options) {
  const auto layouts = choice(options.layout, {{"numbered", Layout::numbered},
                                               {"plain", Layout::plain},
                                               {"letters", Layout::letters},
                                               {"csv", Layout::csv},
                                               {"json", Layout::json}});
  return {{"--data", "what the model learned from: names that are in it are marked", text(options.data, "FILE")},
          {"--score", "each name's loss: how surprised the model is, in nats per token", flag(options.score)},
          {"--rank", "the least surprising name first: in the order of that loss", flag(options.rank)},
          {"--layout", "numbered: sample 1: ...; plain: a name per line; letters: with each letter's p; csv; json",
           layouts},
          {"--out", "write to this file, completely or not at all; a name per line, or as .csv or .json says",
           text(options.out, "FILE")}};
}

Options constraint_options(SampleOptions& options) {
  return {{"--prompt", "the beginning of every name", text(options.prompt, "TEXT")},
          {"--suffix", "the end of every name", text(options.suffix, "TEXT")},
          {"--contains", "a part of every name", text(options.contains, "TEXT")},
          {"--pattern", "the form of every name: * is any text, ? any character", text(options.pattern, "TEXT")},
          {"--min-length", "fewest characters [0]", count(options.min_length, max_count, 0)},
          {"--max-length", "most characters [1000]", count(options.max_length)},
          {"--new", "no name of --data [what the model was trained on], and none twice", flag(options.only_new)},
          {"--unique", "no name twice", flag(options.unique)},
          {"--avoid", "no name of this file, which is read as the model's data were; may be given several times",
           text(options.avoid, "FILE")}};
}

}  // namespace

Command sample_command() {
  auto options = std::make_shared<SampleOptions>();
  return {"sample", "Generate names with a trained model.",
          "A name ends when the model ends it, at the model's block_size, or after 1000 characters. Names that are not "
          "as they\nmust be are drawn anew, so the others are as likely as the model says.\n"
          "Examples:\n"
          "  microgpt sample names.safetensors --num 5\n"
          "  microgpt sample names.safetensors --prompt ma --temperature 0.8 --seed 7\n"
          "  microgpt sample names.safetensors --new --pattern 'ma*o' --max-length 7 --layout plain\n"
          "  microgpt sample names.safetensors --new --avoid friends.txt\n"
          "  microgpt sample names.safetensors --num 200 --new --score --rank --out new.csv\n"
          "  microgpt sample both.safetensors --style towns\n"
          "  microgpt sample names.safetensors --blend towns.safetensors:0.3\n"
          "  microgpt sample names.safetensors --given mine.txt --layout letters",
          drawing_options(*options) + under("How to show them", output_options(*options)) +
              under("What names must be like", constraint_options(*options)),
          [options](const Options& table) {
            if (!is_typed(table, "--layout")) choose_layout(*options);
            sample(*options);
          }};
}

}  // namespace microgpt
