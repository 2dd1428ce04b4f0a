// The shapes of published models, and how many parameters they have.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/attention_shape.h"
#include "base/count.h"

namespace microgpt {

/// What models of one family have in common.
struct Design {
  std::size_t mlp_matrices = 3;  // 3: one matrix gates the output of another; 2: plain
  std::size_t block_norms = 2;
  std::size_t norm_vectors = 1;  // what a norm learns; 1: a gain; 2: also a bias; 0: nothing
  std::size_t positions = 0;     // rows of learned positions; 0: none, as with RoPE
  bool tied = false;             // one matrix embeds tokens and computes logits
  bool qkv_biases = false;
  bool other_biases = false;  // in attention's output and the MLP
};

/// A mixture of experts: in all but the first layers, every token goes through a few of many small MLPs.
struct Mixture {
  std::size_t dense_layers = 0;  // how many first layers have a plain MLP
  std::size_t experts = 0;       // to choose from; 0: no mixture
  std::size_t shared_experts = 0;
  std::size_t expert_dim = 0;
  bool router_biases = false;
};

/// A published model, or another one in the same terms.
struct PublishedModel {
  std::string name;
  std::size_t n_layer = 0;
  AttentionShape attention;
  std::size_t vocab_size = 0;
  std::size_t mlp_dim = 0;  // the MLP's inner width
  Design design = {};
  std::size_t window = 0;  // how many tokens a token sees, itself included; 0: all up to itself
  Mixture mixture = {};
};

/// All models, or one by its name. For an unknown name throws UsageError with the known ones.
std::span<const PublishedModel> published_models();
const PublishedModel& published_model(const std::string& name);

/// The same model with another kind of attention: mha, mqa, gqa or mla. Head sizes stay. GQA takes the most key and
/// value heads that divide the query heads: at most 8, and at most half of them; if that is 1, the result is MQA. MLA
/// takes DeepSeek-V2's proportions: 4 * head_dim numbers in the latent vector, and head_dim / 2 in the rotary key. It
/// makes queries without a latent, as DeepSeek-V2-Lite does.
PublishedModel with_attention(PublishedModel model, const std::string& kind);

/// The weights and biases of attention, and the norms of latent vectors, in all layers.
Count attention_parameters(const PublishedModel& model);
Count num_parameters(const PublishedModel& model);

}  // namespace microgpt
