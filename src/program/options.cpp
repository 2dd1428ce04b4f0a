#include "program/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <random>

#include "base/error.h"
#include "program/print.h"

namespace microgpt {

Options under(const std::string& heading, Options options) {
  for (Option& option : options) option.heading = heading;
  return options;
}

Options operator+(Options a, const Options& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::map<std::string, std::string> saved_words(const Options& options) {
  std::map<std::string, std::string> words;
  for (const Option& option : options) {
    if (!option.saved) continue;
    if (const std::string word = option.binding.write(); !word.empty()) words[option.name.substr(2)] = word;
  }
  return words;
}

bool is_typed(const Options& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const Option& o) { return o.name == name && o.typed; });
}

// --- Values ----------------------------------------------------------------------------------------------------------

std::size_t parse_count(const std::string& option, const std::string& text, std::size_t max, std::size_t min) {
  const std::optional<std::size_t> count = parse_whole(text);
  if (!count || *count < min || *count > max) {
    throw UsageError(fmt::format("{} is '{}'; it must be a whole number from {} to {}", option, text, min, max));
  }
  return *count;
}

double parse_number(const std::string& option, const std::string& text, double min, double max) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number < min || *number > max) {
    throw UsageError(fmt::format("{} is '{}'; it must be a number from {} to {}", option, text, min, max));
  }
  return *number;
}

Binding flag(bool& target, const std::string& no) {
  Binding binding = choice(target, {{"yes", true}, {no, false}});
  binding.type = binding.default_text = "";
  return binding;
}

Binding counts(std::vector<std::size_t>& target) {
  auto read = [&target](const std::string& name, const std::string& text) {
    target.clear();
    for (const std::string& part : parts(text, ',')) target.push_back(parse_count(name, part, max_count, 1));
  };
  return {"N", read, {}, fmt::format("{}", fmt::join(target, ","))};
}

Binding list(std::vector<std::string>& target, const std::string& type) {
  auto read = [&target](const std::string&, const std::string& text) { target = parts(text, ','); };
  return {type, read, {}, fmt::format("{}", fmt::join(target, ","))};
}

Binding dtype(Dtype& target) { return choice(target, {{"f32", Dtype::f32}, {"f64", Dtype::f64}}); }

Binding masks(std::vector<MaskPattern>& target) {
  return {"PATTERN", [&target](auto&, const std::string& text) { target = parse_mask_patterns(text); },
          [&target] { return mask_specs(target); }};
}

// --- Options of several commands -------------------------------------------------------------------------------------

Options data_options(DataFile& file) {
  file.tell = tell;
  return {{"--data", "UTF-8 text, one document per line; -: standard input", text(file.path, "FILE"), true},
          {"--column", "a column of a table (CSV, JSON): its name, or if the first line is a name, too, its number",
           text(file.column, "COLUMN"), true},
          {"--lower", "read capitals as small letters", flag(file.lower, ""), true}};
}

Option seed_option(std::uint64_t& target) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  Binding binding = count(target, most, 0);
  binding.type = "N|random";
  binding.read = [&target](const std::string& name, const std::string& text) {
    const std::string digits = text.substr(text.starts_with('-') ? 1 : 0);  // as in Python, the sign does not count
    target = text == "random" ? std::random_device()() : parse_count(name, digits, most, 0);
  };
  return {"--seed", "a whole number; random: another one each time", binding, true};
}

Option digits_option(bool& all) {
  return {"--digits", "digits of a loss: 4 decimals, or all (17 digits)", choice(all, {{"4", false}, {"17", true}})};
}

Option model_option(std::string& target) {
  return {.name = "MODEL",
          .help = "a model written by microgpt train --save",
          .binding = text(target, "FILE"),
          .required = true};
}

Options save_options(std::optional<std::string>& save, bool& force, const std::string& help) {
  return {
      {"--save", help, text(save, "FILE")},
      {"--force", "--save may replace any file; else only a model, as a training that is repeated does", flag(force)}};
}

Option threads_option(std::optional<std::size_t>& target, const std::string& help) {
  return {"--threads", help, count(target, 1024)};
}

Options size_options(Config& config) {
  return {{"--n-layer", "blocks", count(config.n_layer), true},
          {"--n-embd", "width of the residual stream", count(config.n_embd), true},
          {"--n-head", "attention heads; divides n-embd", count(config.n_head), true},
          {"--block-size", "longest document, in tokens", count(config.block_size), true}};
}

Options attention_options(Config& config, std::string& kind) {
  const std::string kinds = "mha|mqa|gqa|mla";
  auto choose = [&](const std::string&, const std::string& text) {
    kind = text;
    choose_attention(config, kind);
  };
  auto size = [&](const char* name, std::size_t Config::*field, const std::string& of, const std::string& help) {
    Binding binding = count(config.*field);
    binding.default_text = "";
    binding.read = [&kind, of, read = binding.read](const std::string& option, const std::string& text) {
      read(option, text);
      if (kind != of) throw UsageError(fmt::format("{} needs --attention {}", option, of));
    };
    binding.write = [&config, field, of, write = binding.write] {
      return config.attention() == of && config.*field > 0 ? write() : "";
    };
    return Option{name, of + ": " + help, binding, true};
  };
  return {
      {"--attention",
       "multi-head, multi-query, grouped-query or multi-head latent [mha]",
       {kinds, choose, [&config] { return config.attention(); }, "", parts(kinds, '|')},
       true},
      size("--n-kv-head", &Config::n_kv_head, "gqa", "key and value heads; divides n-head [half of n-head]"),
      size("--q-latent", &Config::q_latent, "mla", "width of the latent vector for queries [3/4 of n-embd]"),
      size("--kv-latent", &Config::kv_latent, "mla", "width of the latent vector for keys and values [half of n-embd]"),
      size("--rope-dim", &Config::rope_dim, "mla",
           "width of the rotated part of a key; even, at least 2 with --pos rope [none]")};
}

}  // namespace microgpt
