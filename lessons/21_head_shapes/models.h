// Around the idea of lesson 21: the models that are looked at, and pictures.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/task.h"
#include "heads/gallery.h"
#include "lesson/trained.h"

namespace lesson21 {

using namespace microgpt;

/// A model of two layers with four heads each, after 1000 steps of 16 documents. Positions are rotated (lesson 17), or
/// stand in a table.
inline Trained learn(const std::vector<Document>& documents, std::span<const Document> held_out, bool rope,
                     std::uint64_t seed) {
  const Config config{.n_layer = 2, .n_embd = 32, .n_head = 4, .rope = rope};
  return train({.model = config, .train = {.num_steps = 1000, .batch_size = 16}, .rounded = true}, documents, held_out,
               seed);
}

/// It learns fbdhacb=dha: different letters, one of them again, and then what followed it before.
inline Trained induction_model(bool rope, std::uint64_t seed) {
  PythonRandom random(1);
  const std::vector<Document> documents = draw_documents({TaskName::induction}, Part::training, 20000, random);
  return learn(documents, draw_documents({TaskName::induction}, Part::held_out, 300, random), rope, seed);
}

/// The model on a hundred of its held-out documents.
inline Probe a_hundred_of(const Trained& model) {
  return Probe(model.config, model.parameters, {model.held_out.begin(), model.held_out.begin() + 100});
}

/// The weights, with zeros in the columns of W_O that read these heads.
inline Parameters silent(const Trained& model, const std::vector<HeadId>& heads) {
  Parameters copy(gpt_shapes(model.config));
  std::copy(model.parameters.data().begin(), model.parameters.data().end(), copy.data().begin());
  silence(copy, heads, model.config);
  return copy;
}

/// The maps of all heads at a text, without those of `out`.
inline std::vector<TitledGrid> maps_at(const Trained& model, const std::u32string& text,
                                       const std::vector<HeadId>& out = {}) {
  return head_maps(model.config, silent(model, out), model.tokenizer.encode_document(text), model.tokenizer);
}

}  // namespace lesson21
