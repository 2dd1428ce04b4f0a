// The shape of a model and how it is trained, and the two published microgpts as presets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/activation.h"
#include "base/mask_pattern.h"

namespace microgpt {

/// The shape of a GPT. The loops use the letters: T, C, H, D, L, V.
struct Config {
  std::size_t vocab_size = 0;                // V: characters + BOS
  std::size_t n_layer = 1;                   // L: blocks
  std::size_t n_embd = 16;                   // C: width of the residual stream
  std::size_t n_head = 4;                    // H: attention heads
  std::size_t block_size = 16;               // T: maximum number of positions in a document
  Activation activation = Activation::relu;  // in the MLP

  // The forms of attention. The scalar path supports only the defaults.
  std::size_t n_kv_head = 0;  // G: key and value heads, each shared by a group of query heads; 0 means n_head
  std::size_t q_latent = 0;   // Lq: latent attention (MLA) makes queries from this many numbers
  std::size_t kv_latent = 0;  // Lkv: and keys and values from this many; 0: not latent
  std::size_t rope_dim = 0;   // R: how many numbers of a query or key RoPE rotates, in latent attention
  bool rope = false;          // positions come from rotation (RoPE) alone; there is no wpe
  std::vector<MaskPattern> masks{MaskPattern{}};  // what a position sees, for all layers or for each

  std::size_t head_dim() const { return n_embd / n_head; }                      // D
  std::size_t kv_heads() const { return n_kv_head == 0 ? n_head : n_kv_head; }  // G
  bool is_latent() const { return kv_latent > 0; }

  /// mha, mqa, gqa or mla.
  std::string attention() const;

  /// Whether the scalar path supports it: multi-head attention over all positions so far, with wpe.
  bool is_plain() const;

  bool operator==(const Config&) const = default;
};

/// Throws UsageError if a size is 0, n_head does not divide n_embd, n_kv_head does not divide n_head, a rotation has an
/// odd width, masks is neither one for all layers nor one for each, block_size is more than 10^9, or the model has more
/// than max_parameters: by default 2^26, 2 GiB with gradients and Adam's two means.
void validate(const Config& config, std::uint64_t max_parameters = std::uint64_t{1} << 26);

/// Changes the kind of attention: mha; mqa; gqa, with half as many key and value heads as query heads; or mla, whose
/// latent vectors have 3/4 of the width for queries and 1/2 for keys and values, and no rotary part.
void choose_attention(Config& config, const std::string& kind);

/// How many parameters a model of this shape has, up to 2^60. `config` must be valid, but for its size.
std::size_t num_parameters(const Config& config);

enum class Schedule : std::uint8_t {
  linear,  // from the learning rate straight down to zero
  cosine,  // half a cosine wave down to zero
};

enum class OptimizerName : std::uint8_t { adam, sgd };

/// How a model is initialised and trained.
struct TrainConfig {
  std::size_t num_steps = 1000;
  std::size_t first_step = 0;  // more if an earlier training goes on
  std::size_t batch_size = 1;  // B: documents per step
  double learning_rate = 0.01;
  OptimizerName optimizer = OptimizerName::adam;
  double beta1 = 0.85;      // Adam: decay of the mean of the gradients
  double beta2 = 0.99;      // Adam: decay of the mean of their squares
  double eps_adam = 1e-8;   // Adam: avoids a division by zero
  double weight_decay = 0;  // on the tensor path, AdamW: a step first shrinks weights by learning_rate * weight_decay
  double dropout = 0;       // on the tensor path: the share of numbers that a step sets to zero; see tensor/dropout.h
  Schedule schedule = Schedule::linear;
  double init_std = 0.08;         // weights start as gauss(0, init_std)
  bool zero_projections = false;  // attn_wo and mlp_fc2 start at zero, so each block starts as the identity
};

/// A model and its training, by name.
struct Preset {
  std::string name;
  Config model;
  TrainConfig train;
  std::string heading;  // printed above the new names
};

/// The two published programs, "gist" (the current microgpt.py) and "walkthrough" (the 200-line version that the course
/// explains); for the tensor path "fast", which learns most in about a second, "best", in a minute or two, and "list",
/// whose sizes are to be adapted to a list of names. Throws UsageError for any other name.
Preset preset(const std::string& name);

}  // namespace microgpt
