// The shapes of published models, and how many parameters they have.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/attention_shape.h"
#include "base/count.h"

namespace microgpt {

/// A model whose blocks are like this project's, but for what the defaults say.
struct PublishedModel {
  std::string name;
  std::size_t n_layer = 0;
  AttentionShape attention;
  std::size_t vocab_size = 0;
  std::size_t mlp_dim = 0;       // width of the MLP's inside
  std::size_t mlp_matrices = 3;  // 3: one of them gates what another lets in; 2: plain
  std::size_t window = 0;        // tokens that a token sees at most, itself included; 0: all before it
  std::size_t positions = 0;     // learned rows; 0: positions are told otherwise
  bool tied = false;             // one matrix embeds tokens and makes logits
  bool layernorm = false;        // norms have a gain and a bias, not a gain alone
  std::size_t block_norms = 2;
  bool qkv_biases = false;
  bool other_biases = false;  // of attention's output and the MLP

  // A mixture of experts: in all but the first layers, every token goes through a few of many small MLPs.
  std::size_t dense_layers = 0;  // the first ones
  std::size_t experts = 0;       // to choose from; 0: no mixture
  std::size_t shared_experts = 0;
  std::size_t expert_dim = 0;
  bool router_biases = false;
};

/// All of them, and one by its name. Throws UsageError, with the names there are, for any other.
std::span<const PublishedModel> published_models();
const PublishedModel& published_model(const std::string& name);

/// The same model with attention of another kind: mha, mqa, gqa or mla. Head sizes stay. GQA takes as many key and
/// value heads as divide the query heads, at most 8 of them and at most half; MLA takes DeepSeek-V2's proportions, 4
/// head_dim in the latent vector and half a head_dim in the rotary key, and makes queries as DeepSeek-V2-Lite does,
/// without a latent. If the heads can be grouped no other way, the result is mqa for gqa.
PublishedModel with_attention(PublishedModel model, const std::string& kind);

/// Weights, biases, and the norms of latent vectors, of all layers.
Count attention_parameters(const PublishedModel& model);
Count num_parameters(const PublishedModel& model);

}  // namespace microgpt
