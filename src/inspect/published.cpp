#include "inspect/published.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace microgpt {
namespace {

/// MHA, MQA or GQA.
AttentionShape grouped(std::size_t n_embd, std::size_t n_head, std::size_t n_kv_head, std::size_t head_dim) {
  return {.n_embd = n_embd, .n_head = n_head, .n_kv_head = n_kv_head, .key_dim = head_dim, .value_dim = head_dim};
}

/// DeepSeek's attention: heads of 128, 512 latent and 64 rotary numbers. The papers' d_c is 4 d_h, and d_h^R half of
/// d_h.
AttentionShape latent(std::size_t n_embd, std::size_t n_head, std::size_t q_latent) {
  return {.n_embd = n_embd,
          .n_head = n_head,
          .n_kv_head = n_head,
          .key_dim = 128 + 64,
          .value_dim = 128,
          .rope_dim = 64,
          .q_latent = q_latent,
          .kv_latent = 512};
}

PublishedModel gpt2(const char* name, std::size_t n_layer, std::size_t n_embd, std::size_t n_head) {
  return {.name = name,
          .n_layer = n_layer,
          .attention = grouped(n_embd, n_head, n_head, 64),
          .vocab_size = 50257,
          .mlp_dim = 4 * n_embd,
          .mlp_matrices = 2,
          .positions = 1024,
          .tied = true,
          .layernorm = true,
          .qkv_biases = true,
          .other_biases = true};
}

/// Llama and models built like it.
PublishedModel llama(const char* name, std::size_t n_layer, const AttentionShape& attention, std::size_t vocab_size,
                     std::size_t mlp_dim) {
  return {.name = name, .n_layer = n_layer, .attention = attention, .vocab_size = vocab_size, .mlp_dim = mlp_dim};
}

PublishedModel mixture(PublishedModel model, std::size_t dense_layers, std::size_t experts, std::size_t shared_experts,
                       std::size_t expert_dim) {
  model.dense_layers = dense_layers;
  model.experts = experts;
  model.shared_experts = shared_experts;
  model.expert_dim = expert_dim;
  return model;
}

std::vector<PublishedModel> all_models() {
  std::vector<PublishedModel> all;
  auto last = [&all]() -> PublishedModel& { return all.back(); };

  // Radford et al. 2019, Language Models are Unsupervised Multitask Learners, table 2
  all.push_back(gpt2("gpt2", 12, 768, 12));
  all.push_back(gpt2("gpt2-xl", 48, 1600, 25));

  // Touvron et al. 2023, Llama 2, table 1, and the models' config.json
  all.push_back(llama("llama2-7b", 32, grouped(4096, 32, 32, 128), 32000, 11008));
  all.push_back(llama("llama2-13b", 40, grouped(5120, 40, 40, 128), 32000, 13824));
  all.push_back(llama("llama2-70b", 80, grouped(8192, 64, 8, 128), 32000, 28672));

  // Grattafiori et al. 2024, The Llama 3 Herd of Models, table 3
  all.push_back(llama("llama3-8b", 32, grouped(4096, 32, 8, 128), 128256, 14336));
  all.push_back(llama("llama3-70b", 80, grouped(8192, 64, 8, 128), 128256, 28672));
  all.push_back(llama("llama3-405b", 126, grouped(16384, 128, 8, 128), 128256, 53248));

  // Jiang et al. 2023, Mistral 7B, table 1: version 0.1, with a sliding window
  all.push_back(llama("mistral-7b", 32, grouped(4096, 32, 8, 128), 32000, 14336));
  last().window = 4096;

  // Jiang et al. 2024, Mixtral of Experts, table 1
  all.push_back(mixture(llama("mixtral-8x7b", 32, grouped(4096, 32, 8, 128), 32000, 0), 0, 8, 0, 14336));

  // Gemma Team 2024, Gemma, table 1, whose feedforward dims count both halves of a gated MLP; heads of 256
  all.push_back(llama("gemma-2b", 18, grouped(2048, 8, 1, 256), 256000, 16384));
  last().tied = true;
  all.push_back(llama("gemma-7b", 28, grouped(3072, 16, 16, 256), 256000, 24576));
  last().tied = true;

  // Almazrouei et al. 2023, The Falcon Series of Open Language Models, and the model's config.json. Attention and MLP
  // of a block stand side by side, behind one norm.
  all.push_back({.name = "falcon-7b",
                 .n_layer = 32,
                 .attention = grouped(4544, 71, 1, 64),
                 .vocab_size = 65024,
                 .mlp_dim = 4 * 4544,
                 .mlp_matrices = 2,
                 .tied = true,
                 .layernorm = true,
                 .block_norms = 1});

  // Yang et al. 2024, Qwen2 Technical Report, table 1
  all.push_back(llama("qwen2-7b", 28, grouped(3584, 28, 4, 128), 152064, 18944));
  last().qkv_biases = true;

  // DeepSeek-AI 2024, DeepSeek-V2, sections 3.1.2 and B.1; DeepSeek-V3 Technical Report, section 4.2, without the part
  // that predicts a second token
  all.push_back(mixture(llama("deepseek-v2-lite", 27, latent(2048, 16, 0), 102400, 10944), 1, 64, 2, 1408));
  all.push_back(mixture(llama("deepseek-v2", 60, latent(5120, 128, 1536), 102400, 12288), 1, 160, 2, 1536));
  all.push_back(mixture(llama("deepseek-v3", 61, latent(7168, 128, 1536), 129280, 18432), 3, 256, 1, 2048));
  last().router_biases = true;
  return all;
}

/// The largest divisor of n that is at most 8 and at most n / 2, or 1.
std::size_t groups_of(std::size_t n) {
  std::size_t groups = std::clamp<std::size_t>(n / 2, 1, 8);
  while (n % groups != 0) groups--;
  return groups;
}

/// All blocks' MLP parameters, including the routers that choose experts.
Count mlp_parameters(const PublishedModel& model) {
  const Count C = model.attention.n_embd;
  const Count biases = model.other_biases ? C + model.mlp_dim : 0;
  const Count dense = model.mlp_matrices * (C * model.mlp_dim) + biases;
  if (model.experts == 0) return model.n_layer * dense;
  const Count router = model.experts * (C + (model.router_biases ? 1 : 0));
  const Count expert = model.mlp_matrices * (C * model.expert_dim);
  const Count mixed = (model.experts + model.shared_experts) * expert + router;
  return model.dense_layers * dense + (model.n_layer - model.dense_layers) * mixed;
}

}  // namespace

std::span<const PublishedModel> published_models() {
  static const std::vector<PublishedModel> models = all_models();
  return models;
}

const PublishedModel& published_model(const std::string& name) {
  const std::span<const PublishedModel> models = published_models();
  auto is_named = [&](const PublishedModel& model) { return model.name == name; };
  const auto found = std::find_if(models.begin(), models.end(), is_named);
  if (found != models.end()) return *found;
  std::string known;
  for (const PublishedModel& model : models) known += (known.empty() ? "" : ", ") + model.name;
  throw UsageError("unknown model '" + name + "'; there are " + known);
}

PublishedModel with_attention(PublishedModel model, const std::string& kind) {
  const AttentionShape& old = model.attention;
  const std::size_t D = old.value_dim;
  AttentionShape shape = grouped(old.n_embd, old.n_head, old.n_head, D);
  if (kind == "mqa") shape.n_kv_head = 1;
  if (kind == "gqa") shape.n_kv_head = groups_of(old.n_head);
  if (kind == "mla") {
    shape.kv_latent = 4 * D;
    shape.rope_dim = D / 2;
    shape.key_dim = D + shape.rope_dim;
  }
  model.attention = shape;
  return model;
}

Count attention_parameters(const PublishedModel& model) {
  const AttentionShape& shape = model.attention;
  const Count H = shape.n_head, G = shape.n_kv_head, K = shape.key_dim, D = shape.value_dim;
  const Count qkv_biases = model.qkv_biases && !shape.is_latent() ? H * K + G * (K + D) : 0;
  const Count out_bias = model.other_biases ? shape.n_embd : 0;
  const Count norms = shape.is_latent() ? shape.q_latent + shape.kv_latent : 0;
  return model.n_layer * (num_attention_weights(shape) + qkv_biases + out_bias + norms);
}

Count num_parameters(const PublishedModel& model) {
  const Count C = model.attention.n_embd;
  const Count rows = (model.tied ? 1 : 2) * Count(model.vocab_size) + model.positions;
  const Count norms = (model.n_layer * Count(model.block_norms) + 1) * ((model.layernorm ? 2 : 1) * C);
  return rows * C + attention_parameters(model) + mlp_parameters(model) + norms;
}

}  // namespace microgpt
