#include "base/published.h"

#include <algorithm>

#include "base/error.h"

namespace microgpt {
namespace {

/// MHA, MQA or GQA.
AttentionShape grouped(std::size_t n_embd, std::size_t n_head, std::size_t n_kv_head, std::size_t head_dim) {
  return {.n_embd = n_embd, .n_head = n_head, .n_kv_head = n_kv_head, .key_dim = head_dim, .value_dim = head_dim};
}

/// MLA with DeepSeek-V2's proportions: the papers' d_c is 4 d_h, and d_h^R half of d_h.
AttentionShape latent(std::size_t n_embd, std::size_t n_head, std::size_t q_latent, std::size_t head_dim) {
  AttentionShape shape = grouped(n_embd, n_head, n_head, head_dim);
  shape.rope_dim = head_dim / 2;
  shape.key_dim = head_dim + shape.rope_dim;
  shape.q_latent = q_latent;
  shape.kv_latent = 4 * head_dim;
  return shape;
}

constexpr Design gpt2{.norm_vectors = 2, .qkv_biases = true, .out_bias = true};
constexpr Design falcon{.norm_vectors = 2};
constexpr Design qwen2{.qkv_biases = true};

}  // namespace

std::span<const PublishedModel> published_models() {
  // Name, blocks, attention (width, heads, key and value heads or numbers of a query's latent vector, a head's width),
  // the MLP's inner width, parameters in the publisher's files, and what else is known.
  static const std::vector<PublishedModel> models{
      // Radford et al. 2019, Language Models are Unsupervised Multitask Learners, table 2
      {"gpt2", 12, grouped(768, 12, 12, 64), 4 * 768, 124'439'808, gpt2},
      {"gpt2-xl", 48, grouped(1600, 25, 25, 64), 4 * 1600, 1'557'611'200, gpt2},

      // Touvron et al. 2023, Llama 2, table 1, and the models' config.json
      {"llama2-7b", 32, grouped(4096, 32, 32, 128), 11008, 6'738'415'616},
      {"llama2-13b", 40, grouped(5120, 40, 40, 128), 13824, 13'015'864'320},
      {"llama2-70b", 80, grouped(8192, 64, 8, 128), 28672, 68'976'648'192},

      // Grattafiori et al. 2024, The Llama 3 Herd of Models, table 3
      {"llama3-8b", 32, grouped(4096, 32, 8, 128), 14336, 8'030'261'248},
      {"llama3-70b", 80, grouped(8192, 64, 8, 128), 28672, 70'553'706'496},
      {"llama3-405b", 126, grouped(16384, 128, 8, 128), 53248, 405'853'388'800},

      // Jiang et al. 2023, Mistral 7B, table 1: version 0.1, with a sliding window
      {"mistral-7b", 32, grouped(4096, 32, 8, 128), 14336, 7'241'732'096, {}, {4096}},

      // Jiang et al. 2024, Mixtral of Experts, table 1
      {"mixtral-8x7b", 32, grouped(4096, 32, 8, 128), 0, 46'702'792'704},

      // Gemma Team 2024, Gemma, table 1, whose feedforward dims count both halves of a gated MLP; heads of 256
      {"gemma-2b", 18, grouped(2048, 8, 1, 256), 16384, 2'506'172'416},
      {"gemma-7b", 28, grouped(3072, 16, 16, 256), 24576, 8'537'680'896},

      // Almazrouei et al. 2023, The Falcon Series of Open Language Models, and the model's config.json. Attention and
      // MLP of a block stand side by side, behind one norm.
      {"falcon-7b", 32, grouped(4544, 71, 1, 64), 4 * 4544, 6'921'720'704, falcon},

      // Yang et al. 2024, Qwen2 Technical Report, table 1
      {"qwen2-7b", 28, grouped(3584, 28, 4, 128), 18944, 7'615'616'512, qwen2},

      // DeepSeek-AI 2024, DeepSeek-V2, sections 3.1.2 and B.1; DeepSeek-V3 Technical Report, section 4.2, without the
      // part that predicts a second token
      {"deepseek-v2-lite", 27, latent(2048, 16, 0, 128), 10944, 15'706'484'224},
      {"deepseek-v2", 60, latent(5120, 128, 1536, 128), 12288, 235'741'434'880},
      {"deepseek-v3", 61, latent(7168, 128, 1536, 128), 18432, 671'026'419'200},
  };
  return models;
}

PublishedModel published_model(const std::string& name) {
  std::string known;
  for (const PublishedModel& model : published_models()) {
    if (model.name == name) return model;
    known += (known.empty() ? "" : ", ") + model.name;
  }
  throw UsageError("unknown model '" + name + "'; there are " + known);
}

PublishedModel with_attention(PublishedModel model, const std::string& kind) {
  const AttentionShape old = model.attention;
  const std::size_t others = model.parameters - attention_parameters(model);
  const std::size_t H = old.n_head;
  if (kind == "mla") {
    model.attention = latent(old.n_embd, H, 0, old.value_dim);
  } else {
    std::size_t groups = kind == "mqa" ? 1 : kind == "gqa" ? std::clamp<std::size_t>(H / 2, 1, 8) : H;
    while (H % groups != 0) groups--;
    model.attention = grouped(old.n_embd, H, groups, old.value_dim);
  }
  model.parameters = others + attention_parameters(model);
  return model;
}

std::uint64_t attention_parameters(const PublishedModel& model) {
  const AttentionShape& shape = model.attention;
  const Design& design = model.design;
  const std::size_t H = shape.n_head, G = shape.n_kv_head, K = shape.key_dim, D = shape.value_dim;
  const std::size_t qkv_biases = design.qkv_biases && !shape.is_latent() ? H * K + G * (K + D) : 0;
  const std::size_t out_bias = design.out_bias ? shape.n_embd : 0;
  const std::size_t norms = design.norm_vectors * (shape.q_latent + shape.kv_latent);
  return model.n_layer * (static_cast<std::size_t>(num_attention_weights(shape)) + qkv_biases + out_bias + norms);
}

}  // namespace microgpt
