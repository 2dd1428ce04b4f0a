// Around the idea: published sizes, what a loss is the mean of, and when it was measured.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/published.h"
#include "base/python_random.h"
#include "lesson/comparison.h"
#include "lesson/recipe.h"
#include "lesson/tensor_gradient.h"
#include "train/evaluation.h"
#include "train/held_out.h"

namespace microgpt {

/// Published models: what they keep of 4096 tokens, and what they would keep without sharing. Two bytes a number.
inline void show_published() {
  fmt::print("\n--- 4096 tokens in published models ---\n");
  fmt::print("model       | layers | width | query heads | heads of keys and values | cache, MiB | without sharing\n");
  for (const std::string name : {"llama2-7b", "llama2-13b", "llama2-70b", "llama3-8b", "falcon-7b"}) {
    const PublishedModel& model = published_model(name);
    auto mebi = [](const PublishedModel& of) { return cache_bytes(of.attention, of.n_layer, 4096, 2).value() >> 20; };
    fmt::print("{:11} | {:6} | {:5} | {:11} | {:24} | {:10} | {:15}\n", name, model.n_layer, model.attention.n_embd,
               model.attention.n_head, model.attention.n_kv_head, mebi(model), mebi(with_attention(model, "mha")));
  }
}

/// How much higher each form's held-out loss is than the first form's, seed by seed.
inline void show_differences(const Comparison& forms) {
  fmt::print("seed by seed, higher than {} by\n", forms.outcomes[0].label);
  for (std::size_t i = 1; i < forms.outcomes.size(); i++) {
    fmt::print("{:11} |", forms.outcomes[i].label);
    for (std::size_t seed = 0; seed < num_seeds; seed++) {
      fmt::print(" {:+.4f}", forms.outcomes[i].held_out[seed] - forms.outcomes[0].held_out[seed]);
    }
    fmt::print("\n");
  }
}

/// Trains MHA as compare() does with its first seed. The loss of the last hundred steps as it was measured on the way,
/// and that of the same names, of all training names and of the held-out ones, by the finished model.
inline void show_when_measured(const Split& names, const Tokenizer& tokenizer) {
  std::vector<double> losses;
  BatchTrainer<double> trainer = trained({{}, comparison_budget}, names.training, tokenizer, 1,
                                         [&](auto&, double loss) { losses.push_back(loss); });
  std::vector<Document> documents = names.training;
  PythonRandom(1).shuffle(documents);  // the order in which they were read
  const std::size_t first = 900 * comparison_budget.batch_size, n = 100 * comparison_budget.batch_size;
  auto loss = [&](std::span<const Document> of) { return token_loss(trainer.model(), of, tokenizer, 1); };
  fmt::print("\n--- one model (mha, seed 1), means over predictions ---\n");
  fmt::print("the last 100 steps, each before its update     {:.4f}\n", estimate(std::span(losses).last(100)).mean);
  fmt::print("the same {} names, read by the finished model {:.4f}\n", n, loss(std::span(documents).subspan(first, n)));
  fmt::print("all {} training names, by the finished model {:.4f}\n", documents.size(), loss(documents));
  fmt::print("the {} held-out names, by the finished model  {:.4f}\n", names.held_out.size(), loss(names.held_out));
}

}  // namespace microgpt
