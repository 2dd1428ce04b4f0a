// What the four kinds of attention keep of a token, in src/tensor and in published models.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "inspect/published.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "rows.h"
#include "tensor/decoder.h"
#include "train/batch_trainer.h"

namespace microgpt {

/// The tokens of names, BOS to BOS.
inline std::vector<std::vector<Token>> first_names(const Lesson& lesson, std::size_t num) {
  std::vector<std::vector<Token>> names;
  for (std::size_t i = 1; i <= num; i++) names.push_back(lesson.tokens_of_step(i));
  return names;
}

/// A model of two layers with attention of this kind.
inline Config of_kind(const std::string& kind, std::size_t vocab_size) {
  Config config{.vocab_size = vocab_size, .n_layer = 2};
  choose_attention(config, kind);
  if (kind == "mla") config.rope_dim = 2;
  return config;
}

/// The largest difference of any logit, over a whole document: read token by token with a Decoder's cache, and by
/// gpt_forward, which takes all positions at once and keeps nothing.
inline double decoder_difference(const Config& config, const Parameters& parameters, bool absorbed) {
  std::vector<Token> tokens;
  for (std::size_t t = 0; t <= config.block_size; t++) tokens.push_back(5 * t % config.vocab_size);
  Batch batch(config.block_size);
  batch.add(tokens);
  TensorModel<double> model(config, parameters);
  Activations<double> activations;
  activations.resize(model, batch.num_positions());
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  Decoder<double> decoder(model, fast<double>(), absorbed);
  double largest = 0;
  for (std::size_t t = 0; t < batch.num_positions(); t++) {
    const View<double> row = activations.logits.view().slice_rows(t, 1);
    largest = std::max(largest, largest_difference(decoder.next(tokens[t]), {row.data, row.cols}));
  }
  return largest;
}

/// A line for each kind: what it keeps of a token, by the formula, and by the size of the cache that it makes.
inline void show_kinds(Lesson& lesson) {
  fmt::print("\nkind | parameters | kept of a token in a layer | numbers | bytes a token, 2 layers, float\n");
  bool all_the_same = true, as_foretold = true;
  for (const std::string kind : {"mha", "gqa", "mqa", "mla"}) {
    const Config config = of_kind(kind, lesson.tokenizer.vocab_size());
    const Parameters parameters = initialize(config, {.init_std = 0.4}, lesson.random);
    const AttentionShape shape = attention_shape(config);
    const std::string kept = kind == "mla" ? fmt::format("{} latent + {} rotary", shape.kv_latent, shape.rope_dim)
                                           : fmt::format("2 * {} heads * {}", shape.n_kv_head, shape.value_dim);
    TensorModel<float> model(config, parameters);
    const std::size_t bytes = Decoder<float>(model).cache_bytes_per_token();
    as_foretold = as_foretold && bytes == cache_bytes(shape, config.n_layer, 1, sizeof(float)).value();
    for (const bool absorbed : {true, false}) {
      all_the_same = all_the_same && decoder_difference(config, parameters, absorbed) < 1e-12;
    }
    fmt::print("{:4} | {:10} | {:26} | {:7} | {}\n", kind, parameters.size(), kept, cached_numbers(shape).value(),
               bytes);
  }
  lesson.check("src/tensor says the same with a cache and without, of every kind", all_the_same);
  lesson.check("its caches are as large as base/attention_shape.h says", as_foretold);
}

/// Published models, with two bytes a number.
inline void show_published() {
  fmt::print("\nmodel       | kind | numbers a token | KiB a token | GiB for 131072 tokens | and with mha\n");
  for (const std::string name : {"llama2-7b", "llama3-8b", "falcon-7b", "deepseek-v2"}) {
    const PublishedModel& model = published_model(name);
    const PublishedModel mha = with_attention(model, "mha");
    auto bytes = [](const PublishedModel& of, std::size_t tokens) {
      return static_cast<double>(cache_bytes(of.attention, of.n_layer, tokens, 2).value());
    };
    constexpr double kibi = 1024, gibi = kibi * kibi * kibi;
    fmt::print("{:11} | {:4} | {:15} | {:11.1f} | {:21.1f} | {:12.1f}\n", name, model.attention.kind(),
               cache_bytes(model.attention, model.n_layer, 1, 1).value(), bytes(model, 1) / kibi,
               bytes(model, 131072) / gibi, bytes(mha, 131072) / gibi);
  }
}

/// Parameters that have learned a little.
inline Parameters trained(const Config& config, const Lesson& lesson) {
  const TrainConfig train{.num_steps = 500, .batch_size = 16};
  PythonRandom random(1);
  Parameters parameters = initialize(config, train, random);
  BatchTrainer<double> trainer(config, train, parameters, lesson.documents, lesson.tokenizer, {});
  while (trainer.steps_done() < train.num_steps) trainer.step();
  trainer.model().copy_to(parameters);
  return parameters;
}

/// Trains a model of each kind, with three seeds.
inline void show_worth(const Lesson& lesson) {
  fmt::print("\nwhat the memory buys\n");
  std::vector<Candidate> candidates;
  for (const std::string kind : {"mha", "gqa", "mqa", "mla"}) {
    candidates.push_back({kind, of_kind(kind, lesson.tokenizer.vocab_size())});
  }
  compare(lesson.documents, lesson.tokenizer, candidates).print();
}

}  // namespace microgpt
