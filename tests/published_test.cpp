#include "base/published.h"

#include <doctest/doctest.h>

#include <vector>

namespace microgpt {
namespace {

TEST_CASE("the parameters of a published model are those of its parts: embeddings, attention, MLPs and norms") {
  const std::vector<std::pair<std::string, std::size_t>> vocab_sizes{
      {"llama2-7b", 32000},   {"llama2-13b", 32000},   {"llama2-70b", 32000}, {"llama3-8b", 128256},
      {"llama3-70b", 128256}, {"llama3-405b", 128256}, {"mistral-7b", 32000}, {"qwen2-7b", 152064}};
  for (const auto& entry : vocab_sizes) {
    CAPTURE(entry.first);
    const PublishedModel& model = published_model(entry.first);
    const std::size_t C = model.attention.n_embd, L = model.n_layer;
    const std::size_t others = 2 * entry.second * C + L * (3 * C * model.mlp_dim + 2 * C) + C;
    CHECK(model.parameters == others + attention_parameters(model));
  }
  const std::size_t mlps = 12 * (2 * 4 * 768 * 768 + 5 * 768), norms = (2 * 12 + 1) * 2 * 768;
  CHECK(published_model("gpt2").parameters ==
        (50257 + 1024) * 768 + mlps + norms + attention_parameters(published_model("gpt2")));
}

/// Numbers that a cache keeps of a token in all layers.
double kept(const PublishedModel& model) { return cache_bytes(model.attention, model.n_layer, 1, 1); }

TEST_CASE("published models keep of a token what their papers say") {
  // DeepSeek-V2, tables 1 and 9: (d_c + d_h^R) l = 9/2 d_h l numbers for MLA, 34.6 thousand; 15.6 thousand for V2-Lite
  CHECK(kept(published_model("deepseek-v2")) == 60 * 9 * 128 / 2);
  CHECK(kept(published_model("deepseek-v2-lite")) == 27 * 9 * 128 / 2);
  // Llama 2's 7B keeps half a MiB in f16, and its 70B, with grouped queries, less than that
  CHECK(2 * kept(published_model("llama2-7b")) == 512 * 1024);
  CHECK(kept(published_model("llama2-70b")) == 80 * 2 * 8 * 128);
  // heads of 256 in a stream of 3072, so that 16 of them are wider than it
  CHECK(kept(published_model("gemma-7b")) == 28 * 2 * 16 * 256);
}

TEST_CASE("another kind of attention changes what attention has and keeps, and nothing else") {
  const PublishedModel& llama = published_model("llama2-7b");
  const PublishedModel gqa = with_attention(llama, "gqa");
  CHECK(gqa.attention.n_kv_head == 8);
  CHECK(kept(gqa) == kept(llama) / 4);
  CHECK(attention_parameters(gqa) == 32 * (2 * 4096 + 2 * 1024) * std::size_t{4096});
  CHECK(gqa.parameters - attention_parameters(gqa) == llama.parameters - attention_parameters(llama));
  CHECK(with_attention(llama, "mha").attention.kind() == "mha");
  CHECK(kept(with_attention(llama, "mqa")) == kept(llama) / 32);

  const PublishedModel& deepseek = published_model("deepseek-v2");
  CHECK(kept(with_attention(deepseek, "mha")) == 60 * 2 * 128 * 128);
  CHECK(kept(with_attention(with_attention(deepseek, "mqa"), "mla")) == kept(deepseek));

  CHECK(with_attention(published_model("gpt2"), "gqa").attention.n_kv_head == 6);        // of 12
  CHECK(with_attention(published_model("gemma-2b"), "gqa").attention.n_kv_head == 4);    // of 8
  CHECK(with_attention(published_model("falcon-7b"), "gqa").attention.kind() == "mqa");  // 71 is prime
}

}  // namespace
}  // namespace microgpt
