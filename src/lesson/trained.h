// A trained model, as lessons on heads need it: its weights, and held-out documents to measure it on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heads/probe.h"
#include "lesson/recipe.h"

namespace microgpt {

struct Trained {
  Config config;
  Tokenizer tokenizer;
  Parameters parameters;
  std::vector<ProbeDocument> held_out;
};

/// Learns some documents, and holds the others out.
inline Trained train(const Recipe& recipe, const std::vector<Document>& documents, std::span<const Document> held_out,
                     std::uint64_t seed) {
  const Tokenizer tokenizer(documents);
  BatchTrainer<double> trainer = trained(recipe, documents, tokenizer, seed);
  const Config config = trainer.model().config;
  Trained result{config, tokenizer, Parameters(gpt_shapes(config)), {}};
  trainer.model().copy_to(result.parameters);
  for (const Document& document : held_out) {
    result.held_out.push_back(probe_document(document, tokenizer, config.block_size));
  }
  return result;
}

}  // namespace microgpt
