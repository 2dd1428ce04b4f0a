#include "inspect/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/utf8.h"

namespace microgpt {
namespace {

struct Statistics {
  double mean, stddev, min, max;
};

Statistics statistics(std::span<const double> numbers) {
  const auto n = static_cast<double>(numbers.size());
  double total = 0;
  for (double x : numbers) total += x;
  const double mean = total / n;
  double squares = 0;
  for (double x : numbers) squares += (x - mean) * (x - mean);
  const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
  return {mean, std::sqrt(squares / n), *min, *max};
}

std::string attention_details(const Config& config) {
  if (config.is_latent()) {
    return fmt::format("  (q_latent {}, kv_latent {}, rope_dim {})", config.q_latent, config.kv_latent,
                       config.rope_dim);
  }
  return config.kv_heads() == config.n_head ? "" : fmt::format("  (n_kv_head {})", config.kv_heads());
}

}  // namespace

std::string summary(const Config& config, const Tokenizer& tokenizer, const Parameters& parameters) {
  std::string text;
  auto line = [&]<class... T>(fmt::format_string<T...> format, T&&... values) {
    text += fmt::format(format, std::forward<T>(values)...) + '\n';
  };
  line("n_layer     {}", config.n_layer);
  line("n_embd      {}", config.n_embd);
  line("n_head      {}  (head_dim {})", config.n_head, config.head_dim());
  line("attention   {}{}", config.attention(), attention_details(config));
  line("mask        {}", mask_spec(config.mask));
  line("positions   {}", config.rope ? "rotated (RoPE)" : "learned (wpe)");
  line("block_size  {}", config.block_size);
  line("vocab_size  {}  ({} and BOS)", config.vocab_size, visible(encode_utf8(tokenizer.characters())));
  line("activation  {}", named(config.activation).title);
  line("");
  line("{:<18} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9}", "parameter", "shape", "size", "mean", "std", "min", "max");
  for (const Parameter& p : parameters.matrices()) {
    const Statistics s = statistics({p.data, p.size()});
    line("{:<18} {:>10} {:>8} {:>+9.4f} {:>9.4f} {:>+9.4f} {:>+9.4f}", p.name, fmt::format("{} x {}", p.rows, p.cols),
         p.size(), s.mean, s.stddev, s.min, s.max);
  }
  line("{:<18} {:>10} {:>8}", "all", "", parameters.size());
  return text;
}

}  // namespace microgpt
