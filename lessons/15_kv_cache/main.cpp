// Lesson 15: the KV cache. To generate a name, a model is asked for one letter after the other. All letters before the
// new one have been through it already. What of them is still needed? Their keys and their values; nothing else.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "show.h"

using namespace microgpt;

/// What a layer keeps: a key and a value of each position, (C), with all heads' slices. Their room is taken once; when
/// it is full, the newest overwrites the oldest.
struct Kept {
  Rows keys, values;      // (room, C)
  std::size_t count = 0;  // of all positions so far

  void put(const Values& key, const Values& value) {
    keys[count % keys.size()] = key;
    values[count % values.size()] = value;
    count++;
  }
};

/// Attention of one position: its query (C) meets all keys that are kept and mixes their values, head by head.
Values attend(const Values& q, const Kept& kept, std::size_t H) {
  const std::size_t D = q.size() / H, seen = std::min(kept.count, kept.keys.size());
  std::vector<Value> x_attn;
  for (std::size_t h = 0; h < H; h++) {
    const Values q_h = q.slice(h * D, D);
    const Values scores(seen, [&](std::size_t t) { return dot(q_h, kept.keys[t].slice(h * D, D)) / std::sqrt(D); });
    const Values weights = softmax(scores);
    for (std::size_t j = 0; j < D; j++) {  // stop: weights
      x_attn.push_back(dot(weights, Values(seen, [&](std::size_t t) { return kept.values[t][h * D + j]; })));
    }
  }
  return Values(x_attn);
}

/// Three letters have been read. A fourth comes.
void on_paper() {
  const Scope scope;
  Kept kept{Rows(4), Rows(4)};
  kept.put(row(1, 0), row(4, 0));
  kept.put(row(0, 1), row(0, 2));
  kept.put(row(1, 1), row(2, 2));
  show_letter("third ", kept.count, attend(row(1, 2), kept, 1));
  kept.put(row(2, 1), row(6, 0));
  show_letter("fourth", kept.count, attend(row(2, 0), kept, 1));
}

/// A GPT that reads on from where it is.
struct Reader {
  const Model& model;
  std::size_t room = model.block_size;
  std::size_t position = 0;  // of the next token
  std::vector<Kept> kept = std::vector<Kept>(model.layers.size(), Kept{Rows(room), Rows(room)});

  /// Begins another name.
  void begin() {
    position = 0;
    for (Kept& layer : kept) layer.count = 0;
  }

  /// Reads these tokens after all that were read before. What becomes of each: (C), lm_head makes its logits.
  Rows read(std::span<const Token> tokens) {
    Rows x;
    for (std::size_t i = 0; i < tokens.size(); i++) {
      x.push_back(rmsnorm(add(model.wte[tokens[i]], model.wpe[position + i])));
    }
    for (std::size_t li = 0; li < kept.size(); li++) read_layer(model.layers[li], kept[li], x);
    position += tokens.size();  // stop: read
    return x;
  }

  /// The same. The logits (V) of the token that comes next.
  Values next(std::span<const Token> tokens) { return linear(read(tokens).back(), model.lm_head); }

  /// The same from all tokens so far, of which only the last is new.
  Values read_on(std::span<const Token> so_far) {
    if (so_far.size() == 1) begin();
    return next(so_far.last(1));  // stop: next
  }

  /// One layer, for the new positions x.
  void read_layer(const Model::Layer& layer, Kept& so_far, Rows& x) {
    for (Values& row : x) {
      const Values x_norm = rmsnorm(row);
      so_far.put(linear(x_norm, layer.attn_wk), linear(x_norm, layer.attn_wv));
      const Values x_attn = attend(linear(x_norm, layer.attn_wq), so_far, model.n_head);
      row = add(linear(x_attn, layer.attn_wo), row);
      row = add(linear(relu(linear(rmsnorm(row), layer.mlp_fc1)), layer.mlp_fc2), row);
    }
  }
};

/// The loss of a name. In training all its letters are there, so they are read at once.
Value draft_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  const Rows x = Reader{model}.read(tokens.first(n));
  return mean(Values(n, [&](std::size_t t) { return cross_entropy(linear(x[t], model.lm_head), tokens[t + 1]); }));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  Draft draft(lesson, draft_loss);
  const Model& model = draft.model;
  show_ways(lesson, model,
            {{"read all again", [&](auto so_far) { return Reader{model}.next(so_far); }},
             {"read only the last", [&](auto so_far) { return Reader{model}.next(so_far.last(1)); }},
             {"read on", [reader = Reader{model}](auto so_far) mutable { return reader.read_on(so_far); }}});
  show_work<Reader>(draft.config);
  show_first_key(model, lesson.tokens_of_step(1));
  show_rooms<Reader>(lesson, model);
  show_sizes();
  check_logits<Reader>(lesson, draft);
  if (Lesson::timed()) show_times();
  return lesson.finish();
}
