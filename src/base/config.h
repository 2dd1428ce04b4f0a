// The shape of a model and how it is trained, and the two published microgpts as presets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/activation.h"
#include "base/mask_pattern.h"

namespace microgpt {

/// The shape of a GPT. Long names here, letters in the loops: T, C, H, D, L, V.
struct Config {
  std::size_t vocab_size = 0;                // V: characters + BOS
  std::size_t n_layer = 1;                   // L: blocks
  std::size_t n_embd = 16;                   // C: width of the residual stream
  std::size_t n_head = 4;                    // H: attention heads
  std::size_t block_size = 16;               // T: most positions in a document
  Activation activation = Activation::relu;  // of the MLP

  // The forms of attention; the scalar path has the first of each only.
  std::size_t n_kv_head = 0;  // G: heads of keys and values, which the query heads share in groups; 0 stands for n_head
  std::size_t q_latent = 0;   // Lq: multi-head latent attention makes queries from so many numbers,
  std::size_t kv_latent = 0;  // Lkv: and keys and values from so many; 0: not latent
  std::size_t rope_dim = 0;   // R: numbers of a latent attention's query or key that tell positions by rotation
  bool rope = false;          // positions are told by rotation (RoPE) alone, not by wpe
  MaskPattern mask = {};      // which of the positions so far a position sees

  std::size_t head_dim() const { return n_embd / n_head; }                      // D
  std::size_t kv_heads() const { return n_kv_head == 0 ? n_head : n_kv_head; }  // G
  bool is_latent() const { return kv_latent > 0; }

  /// mha, mqa, gqa or mla.
  std::string attention() const;

  /// Whether the scalar path has it: multi-head attention over all positions so far, which are told by wpe.
  bool is_plain() const;

  bool operator==(const Config&) const = default;
};

/// Throws UsageError if a size is 0, heads do not divide what they share, a rotation has an odd width, or the model
/// would have more parameters than there may be: else 2^26, 2 GiB with gradients and Adam's two means.
void validate(const Config& config, std::size_t most_parameters = std::size_t{1} << 26);

/// Throws UsageError if a step with so many documents would take more memory than anybody wants to spend on it.
void validate_batch(const Config& config, std::size_t batch_size);

/// Gives the model another kind of attention: mha, mqa, gqa with half as many heads of keys and values, or mla with
/// latent vectors of 3/4 of the width for queries and of half of it for keys and values, and no rotary part.
void choose_attention(Config& config, const std::string& kind);

/// The parameters a model of this shape has. Call it on a validated config.
std::size_t num_parameters(const Config& config);

enum class Schedule : std::uint8_t {
  linear,  // from the learning rate straight down to zero
  cosine,  // half a cosine wave down to zero
};

enum class OptimizerName : std::uint8_t { adam, sgd };

/// How a model is initialised and trained.
struct TrainConfig {
  std::size_t num_steps = 1000;
  std::size_t batch_size = 1;  // B: documents in a step
  double learning_rate = 0.01;
  OptimizerName optimizer = OptimizerName::adam;
  double beta1 = 0.85;     // Adam: how long the mean of the gradients remembers
  double beta2 = 0.99;     // Adam: how long the mean of their squares remembers
  double eps_adam = 1e-8;  // Adam: keeps the division finite
  Schedule schedule = Schedule::linear;
  double init_std = 0.08;         // weights start as gauss(0, init_std)
  bool zero_projections = false;  // attn_wo and mlp_fc2 start at zero: each block first passes its input through
};

/// A model and its training, by name.
struct Preset {
  std::string name;
  Config model;
  TrainConfig train;
  std::string heading;  // printed above the invented names
};

/// The two published programs, "gist" (the current microgpt.py) and "walkthrough" (the 200-line version that the course
/// explains), and "fast": what learns most in a second on the tensor path.
/// Throws UsageError for any other name.
Preset preset(const std::string& name);

}  // namespace microgpt
