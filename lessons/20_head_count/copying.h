// The task of copying a word, and a model that learns it.
#pragma once

#include <vector>

#include "base/task.h"
#include "heads/probe.h"
#include "train/batch_trainer.h"
#include "train/evaluation.h"

namespace microgpt {

/// Documents like "cbebhh=cbebhh" to learn from, and others to be tested on.
struct Words {
  PythonRandom random{1};
  std::vector<Document> training = draw_documents({}, Part::training, 4800, random);
  std::vector<Document> held_out = draw_documents({}, Part::held_out, 600, random);
  Tokenizer tokenizer{training};
};
constexpr std::size_t letters = 6, equals = 7;  // of a word; and the position of "=", after BOS and the word

struct Copier {
  Config config;
  Parameters parameters;
  std::vector<double> losses;  // of each step
  double loss = 0;             // on the held-out words
  double right = 0;            // the share of the letters after "=" that it predicts
};

/// Measures it on the held-out words: how surprised it is, and how many letters of the answers it has right.
inline void test(Copier& copier, const Words& words) {
  std::vector<ProbeDocument> tests;
  for (const Document& word : words.held_out) {
    tests.push_back(probe_document(word, words.tokenizer, copier.config.block_size));
  }
  const Scores scores = Probe(copier.config, copier.parameters, tests).scores();
  copier.loss = estimate(scores.losses).mean;
  copier.right = estimate(scores.accuracies).mean;
}

}  // namespace microgpt
