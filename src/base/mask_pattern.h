// Which earlier tokens a token may attend to, written as one word: local:128, bigbird:64:4:8. The published patterns:
// windows and strides from Child et al., "Generating Long Sequences with Sparse Transformers" (2019),
// global tokens from Beltagy et al., "Longformer" (2020), and random tokens from Zaheer et al., "Big Bird" (2020).
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace microgpt {

/// Token t sees token s <= t if any of these rules allows it. Every pattern is causal, and every token sees itself.
struct MaskPattern {
  std::size_t window = std::numeric_limits<std::size_t>::max();  // W: itself and the W - 1 before it
  std::size_t block = 0;     // S: instead of a window, s >= t / S * S, the start of t's block of S; 0: no blocks
  std::size_t stride = 0;    // S: every S-th token back; 0: none
  std::size_t n_global = 0;  // G: the first G tokens
  std::size_t n_random = 0;  // R: R more, drawn for each t from the tokens between the first G and the window

  bool operator==(const MaskPattern&) const = default;
};

/// Reads one of
///   full            every token before it
///   local:W         a window
///   strided:W:S     a window, and every S-th token back
///   global:W:G      a window, and the first G tokens
///   random:R        itself, and R others
///   bigbird:W:G:R   a window, the first G tokens, and R others
///   block:S         its own block of S tokens, and the first block
/// Throws UsageError, which names the spec, if `spec` is none of these, or its W or S is 0.
MaskPattern parse_mask_pattern(const std::string& spec);

/// Some, with commas between them. At most 1000 characters.
std::vector<MaskPattern> parse_mask_patterns(const std::string& specs);

std::string mask_forms();  // all of these: "full, local:W, ..."

/// The shortest spec that parse_mask_pattern reads as this pattern.
std::string mask_spec(const MaskPattern& pattern);
std::string mask_specs(const std::vector<MaskPattern>& patterns);

}  // namespace microgpt
