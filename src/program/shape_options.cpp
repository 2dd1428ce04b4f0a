#include "program/shape_options.h"

#include <fmt/core.h>

#include "base/error.h"
#include "program/options.h"

namespace microgpt {
namespace {

/// Calls visit(option, given) for the sizes that every model has, or for those of particular kinds of attention.
void each_size(auto& options, bool of_attention, auto visit) {
  for (std::size_t i = 0; i < size_options.size(); i++) {
    if ((size_options[i].attention != nullptr) == of_attention) visit(size_options[i], options.sizes[i]);
  }
}

}  // namespace

void add_sizes(Command& command, ShapeOptions& target,
               const std::function<std::string(const SizeOption&)>& if_not_given) {
  each_size(target, false, [&](const SizeOption& option, auto& given) {
    add_count(command, option.name, given, fmt::format("{} [{}]", option.help, if_not_given(option)));
  });
}

void add_attention(Command& command, ShapeOptions& target) {
  add_choice(command, "--attention", target.attention, "mha|mqa|gqa|mla",
             "multi-head, multi-query, grouped-query or multi-head latent [mha]");
  each_size(target, true, [&](const SizeOption& option, auto& given) {
    add_count(command, option.name, given, fmt::format("{} [{}]", option.help, option.if_not_given));
  });
}

MaskPattern given_mask(const std::string& spec) {
  try {
    return parse_mask_pattern(spec);
  } catch (const UsageError& error) {
    throw UsageError(std::string("--") + error.what());  // the message begins with "mask"
  }
}

void apply(const ShapeOptions& options, Config& config) {
  auto set = [&](const SizeOption& option, const std::optional<std::size_t>& given) {
    config.*option.size = given.value_or(config.*option.size);
  };
  const std::string kind = options.attention.value_or("mha");
  each_size(options, true, [&](const SizeOption& option, const auto& given) {
    if (given && kind != option.attention) {
      throw UsageError(fmt::format("{} needs --attention {}", option.name, option.attention));
    }
  });
  each_size(options, false, set);
  choose_attention(config, kind);  // sets default sizes for this kind
  each_size(options, true, set);   // the given sizes replace them
}

}  // namespace microgpt
