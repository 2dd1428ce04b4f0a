// microgpt sample: generates names with a trained model.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "base/utf8.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/print.h"
#include "tensor/decoder.h"
#include "tensor/gpt.h"
#include "train/checkpoint.h"
#include "train/constraints.h"
#include "train/held_out.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

enum class Layout : std::uint8_t { numbered, plain, json };

struct SampleOptions {
  std::string model;
  std::size_t num = 20;
  double temperature = 0.5;
  std::size_t top_k = 0;
  double top_p = 1;
  std::string seed = "42";
  std::string prompt, suffix, contains, pattern;
  std::size_t min_length = 0;
  std::size_t max_length = max_new_tokens;
  bool unique = false, only_new = false, score = false;
  std::optional<std::string> data, avoid;
  Layout layout = Layout::numbered;
  std::optional<Dtype> dtype;
};

/// The text of an option. Throws UsageError unless the model knows all its characters, but for these wildcards.
std::u32string known_text(const std::string& option, const std::string& text, const Tokenizer& tokenizer,
                          std::u32string_view wildcards = U"") {
  const std::optional<std::u32string> decoded = decode_utf8(text);
  if (!decoded) throw UsageError(option + " is not valid UTF-8");
  std::u32string letters = *decoded;
  std::erase_if(letters, [&](char32_t c) { return wildcards.find(c) != std::u32string_view::npos; });
  tokenizer.encode(letters);
  return *decoded;
}

std::set<Document> set_of(const std::string& path) {
  const std::vector<Document> documents = read_documents(path);
  return {documents.begin(), documents.end()};
}

Constraints constraints_of(const SampleOptions& options, const Tokenizer& tokenizer, const std::set<Document>& data) {
  if (options.min_length > options.max_length) {
    throw UsageError(fmt::format("--min-length is {}, and --max-length {}", options.min_length, options.max_length));
  }
  Constraints constraints{.min_length = options.min_length,
                          .max_length = options.max_length,
                          .suffix = known_text("--suffix", options.suffix, tokenizer),
                          .contains = known_text("--contains", options.contains, tokenizer),
                          .pattern = known_text("--pattern", options.pattern, tokenizer, U"*?"),
                          .excluded = {}};
  if (options.avoid) constraints.excluded = set_of(*options.avoid);
  if (options.only_new) constraints.excluded.insert(data.begin(), data.end());
  return constraints;
}

/// What all names begin with: the prompt, or the pattern's characters before its first wildcard.
std::vector<Token> beginning(const SampleOptions& options, const Checkpoint& checkpoint, std::u32string_view pattern) {
  std::u32string prompt = known_text("--prompt", options.prompt, checkpoint.tokenizer);
  if (prompt.empty()) prompt = literal_prefix(pattern);
  const std::size_t block_size = checkpoint.config.block_size;
  if (prompt.size() > block_size) {
    throw UsageError(fmt::format("{} has {} characters; this model's block_size is {}",
                                 options.prompt.empty() ? "--pattern" : "--prompt", prompt.size(), block_size));
  }
  return checkpoint.tokenizer.encode(prompt);
}

using Generator = std::function<std::vector<Token>()>;

/// Names from one stream of random numbers, one after the other, as in the published program.
Generator one_by_one(Decoder<double>& decoder, const Sampling& sampling, PythonRandom random,
                     std::vector<Token> prompt) {
  return [&decoder, sampling, random, prompt]() mutable { return sample(decoder, sampling, random, prompt); };
}

/// Names that grow side by side, `block` at a time.
Generator side_by_side(Decoder<float>& decoder, const Sampling& sampling, PythonRandom random,
                       std::vector<Token> prompt, std::size_t block) {
  const std::uint64_t seed = std::uint64_t{random.bits32()} << 32 | random.bits32();
  return [&decoder, sampling, seed, prompt, block, names = std::vector<std::vector<Token>>(),
          first = std::size_t{0}]() mutable {
    if (first % block == 0) names = sample_many(decoder, first, block, sampling, seed, prompt);
    return std::move(names[first++ % block]);
  };
}

struct Found {
  std::vector<Document> names;
  std::string shortfall;  // why there are not more; empty if there are enough
};

/// Generates names until `num` of them are as they must be, or until that looks hopeless.
Found find_names(const SampleOptions& options, const Tokenizer& tokenizer, const Constraints& constraints,
                 const Generator& generate) {
  constexpr std::size_t patience = 100'000;  // tries without a name
  const bool once = options.unique || options.only_new;
  Found found;
  std::set<Document> seen;
  std::map<std::string_view, std::size_t> objections;
  for (std::size_t in_vain = 0; found.names.size() < options.num && in_vain < patience;) {
    const Document name = tokenizer.document_of(generate());
    std::string_view objection = constraints.objection(name);
    if (objection.empty() && once && !seen.insert(name).second) objection = "repeated";
    if (objection.empty()) {
      found.names.push_back(name);
      in_vain = 0;
    } else {
      objections[objection]++;
      in_vain++;
    }
  }
  if (found.names.size() < options.num) {
    const auto most = std::max_element(objections.begin(), objections.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    found.shortfall = fmt::format("found {} of {} names, and no more in {} tries: most others are {}",
                                  found.names.size(), options.num, patience, most->first);
  }
  return found;
}

void print_names(const SampleOptions& options, const std::vector<Document>& names, const std::set<Document>& data,
                 const std::function<double(const Document&)>& loss) {
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < names.size(); i++) {
    const std::string name = encode_utf8(names[i]);
    const bool is_copy = data.contains(names[i]);
    if (options.layout == Layout::json) {
      nlohmann::ordered_json& record = records.emplace_back(nlohmann::ordered_json{{"name", name}});
      if (!data.empty()) record["in_data"] = is_copy;
      if (options.score) record["nats_per_token"] = loss(names[i]);
      continue;
    }
    const std::string score = options.score ? fmt::format("  {:.3f}", loss(names[i])) : "";
    if (options.layout == Layout::plain) {
      fmt::print("{}{}\n", for_output(name), score);
    } else {
      print_sample(i + 1, name, score + mark(is_copy));
    }
  }
  if (options.layout == Layout::json) fmt::print("{}\n", records.dump(2));
}

template <class T>
void sample(const SampleOptions& options, const Checkpoint& checkpoint, const Constraints& constraints,
            const std::set<Document>& data) {
  constexpr bool is_float = sizeof(T) == 4;
  const std::vector<Token> prompt = beginning(options, checkpoint, constraints.pattern);
  const Sampling sampling(options.temperature, options.top_k, options.top_p);
  const PythonRandom random{std::string_view(options.seed)};
  const std::size_t block = std::min<std::size_t>(options.num, 1024);
  TensorModel<T> model(checkpoint.config, checkpoint.parameters, prompt.size() + max_new_tokens);
  Decoder<T> decoder(model, fast<T>(), true, is_float ? std::min<std::size_t>(block, 32) : 1);
  if (!checkpoint.config.is_plain() && options.layout == Layout::numbered) {
    fmt::print("KV cache: {} bytes per token, in {}\n", decoder.cache_bytes_per_token(), is_float ? "float" : "double");
  }
  Generator generate;
  if constexpr (is_float) {
    generate = side_by_side(decoder, sampling, random, prompt, block);
  } else {
    generate = one_by_one(decoder, sampling, random, prompt);
  }
  const Found found = find_names(options, checkpoint.tokenizer, constraints, generate);
  print_names(options, found.names, data, [&](const Document& name) {
    return token_loss(model, {&name, 1}, checkpoint.tokenizer, 1);
  });
  if (!found.shortfall.empty()) throw Error(found.shortfall);
}

void sample(SampleOptions& options) {
  const Checkpoint checkpoint = load_checkpoint(options.model);
  if (options.seed == "random") options.seed = std::to_string(std::random_device()());
  if (options.only_new && !options.data) options.data = checkpoint.data_path();
  const std::set<Document> data = options.data ? set_of(*options.data) : std::set<Document>();
  const Constraints constraints = constraints_of(options, checkpoint.tokenizer, data);
  // A model of the tensor engine was trained in floats, and is sampled in them.
  const Dtype trained = checkpoint.trained_with("engine") == "tensor" ? Dtype::f32 : Dtype::f64;
  options.dtype.value_or(trained) == Dtype::f32 ? sample<float>(options, checkpoint, constraints, data)
                                                : sample<double>(options, checkpoint, constraints, data);
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
          {"--avoid", "no name of this file", text(options.avoid, "FILE")}};
}

}  // namespace

Command sample_command() {
  auto options = std::make_shared<SampleOptions>();
  const Options general{
      model_option(options->model),
      {"--num", "names to generate [20]", count(options->num)},
      {"--temperature", "below 1: likelier names, above 1: wilder ones, 0: the likeliest [0.5]",
       number(options->temperature, 0)},
      {"--top-k", "draw only among the N likeliest characters", count(options->top_k)},
      {"--top-p", "draw only among the likeliest characters that have this probability together",
       number(options->top_p)},
      {"--seed", "any whole number, or random", text(options->seed, "N")},
      {"--data", "what the model learned from: names that are in it are marked", text(options->data, "FILE")},
      {"--score", "each name's loss: how surprised the model is, in nats per token", flag(options->score)},
      {"--layout", "numbered: sample 1: ...; plain: a name per line; json",
       choice(options->layout, {{"numbered", Layout::numbered}, {"plain", Layout::plain}, {"json", Layout::json}})},
      {"--dtype", "f32: fast; f64: as the published program does it [as the model was trained]",
       choice<std::optional<Dtype>>(options->dtype, {{"f32", Dtype::f32}, {"f64", Dtype::f64}})}};
  return {"sample", "Generate names with a trained model.",
          "A name ends when the model ends it, at the model's block_size, or after 1000 characters. Names that are not "
          "as they\nmust be are drawn anew, so the others are as likely as the model says.\n"
          "Examples:\n"
          "  microgpt sample names.safetensors --num 5\n"
          "  microgpt sample names.safetensors --prompt ma --temperature 0.8 --seed 7\n"
          "  microgpt sample names.safetensors --new --pattern 'ma*o' --max-length 7 --layout plain",
          general + under("What names must be like", constraint_options(*options)),
          [options](const Options&) { sample(*options); }};
}

}  // namespace microgpt
