// The shapes of published models, and how many parameters they have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/attention_shape.h"

namespace microgpt {

/// What models of one family have in common in their attention.
struct Design {
  std::size_t norm_vectors = 1;  // what the norm of a latent vector learns; 1: a gain; 2: also a bias; 0: nothing
  bool qkv_biases = false;
  bool out_bias = false;
};

/// A published model, or another one in the same terms.
struct PublishedModel {
  std::string name;
  std::size_t n_layer = 0;
  AttentionShape attention;
  std::size_t mlp_dim = 0;       // the inner width of an MLP; with a mixture of experts, that of the first layers or 0
  std::uint64_t parameters = 0;  // as many as the publisher's files hold; 0: not known
  Design design = {};
  std::vector<std::size_t> windows{0};  // tokens that a token sees, with itself, for all layers or for each; 0: all
};

/// All models, or one by its name. For an unknown name throws UsageError with the known ones.
std::span<const PublishedModel> published_models();
PublishedModel published_model(const std::string& name);

/// The same model with another kind of attention: mha, mqa, gqa or mla. Head sizes stay. GQA takes the most key and
/// value heads that divide the query heads: at most 8, and at most half of them; if that is 1, the result is MQA. MLA
/// takes DeepSeek-V2's proportions: 4 * head_dim numbers in the latent vector, and head_dim / 2 in the rotary key. It
/// makes queries without a latent, as DeepSeek-V2-Lite does.
PublishedModel with_attention(PublishedModel model, const std::string& kind);

/// The weights and biases of attention, and the norms of latent vectors, in all layers.
std::uint64_t attention_parameters(const PublishedModel& model);

}  // namespace microgpt
