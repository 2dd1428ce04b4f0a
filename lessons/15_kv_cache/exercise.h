// What exercise 15 is given: the parts of a GPT that count how many tokens are read. The others are those of main.cpp.
#pragma once

#include "lesson/draft_gpt.h"
#include "microgpt.h"

using namespace microgpt;

inline std::size_t tokens_read = 0;  // how many embeddings were looked up so far

/// What goes into the first layer, (C).
inline Values embedding(const Model& model, Token token, std::size_t position) {
  tokens_read++;
  return rmsnorm(add(model.wte[token], model.wpe[position]));
}

/// The first half of a layer adds to row x (C) what its heads find in these keys and values, (C) each.
inline Values attend(const Model& model, const Model::Layer& layer, const Values& x, const Rows& keys,
                     const Rows& values) {
  if (keys.empty()) return x;
  return add(x, linear(all_heads(linear(rmsnorm(x), layer.attn_wq), keys, values, model.n_head), layer.attn_wo));
}

/// The second half.
inline Values mlp(const Model::Layer& layer, const Values& x) {
  return add(x, linear(relu(linear(rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2));
}
