// Lesson 15: the KV cache. To generate a name, a model is asked for one letter after the other. All letters before the
// new one have been through it already. What of them is still needed? Their keys and their values; nothing else.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bigram.h"
#include "base/published.h"
#include "draw/plot.h"
#include "draw/readable.h"
#include "lesson/lesson.h"
#include "lesson/work.h"
#include "scalar/ops.h"
#include "tensor/decoder.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// What a layer keeps of every position read so far: its key and its value, (C) each. All heads' slices are in them.
struct Kept {
  std::vector<Values> keys, values;
};

/// Attention of one position: its query (C) meets the first `seen` keys and mixes their values, head by head.
Values attend(Values q, const Kept& kept, std::size_t seen, std::size_t H) {
  const std::size_t D = q.size() / H;
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

/// A GPT that reads on from where it is.
struct Reader {
  const Model& model;
  bool looks_ahead = false;  // may a position see those after it, as in a model that only reads?
  std::vector<Kept> kept = std::vector<Kept>(model.layers.size());
  std::size_t position = 0;  // of the next token

  /// Begins another name.
  void begin() {
    position = 0;
    kept.assign(model.layers.size(), {});
  }

  /// Reads these tokens after all that were read before. What becomes of each: (C), lm_head makes its logits.
  std::vector<Values> read(std::span<const Token> tokens) {
    std::vector<Values> x;
    for (std::size_t i = 0; i < tokens.size(); i++) {
      x.push_back(rmsnorm(add(model.wte[tokens[i]], model.wpe[position + i])));
    }
    for (std::size_t li = 0; li < kept.size(); li++) read_layer(model.layers[li], kept[li], x);
    position += tokens.size();  // stop: read
    return x;
  }

  /// The same. The logits (V) of the token that comes next.
  Values next(std::span<const Token> tokens) { return linear(read(tokens).back(), model.lm_head); }

 private:
  /// One layer, for the new positions x.
  void read_layer(const Model::Layer& layer, Kept& layer_kept, std::vector<Values>& x) {
    const std::size_t before = layer_kept.keys.size();
    std::vector<Values> q;
    for (const Values& row : x) {
      const Values x_norm = rmsnorm(row);
      q.push_back(linear(x_norm, layer.attn_wq));
      layer_kept.keys.push_back(linear(x_norm, layer.attn_wk));
      layer_kept.values.push_back(linear(x_norm, layer.attn_wv));
    }
    for (std::size_t i = 0; i < x.size(); i++) {
      const std::size_t seen = looks_ahead ? layer_kept.keys.size() : before + i + 1;
      const Values x_attn = attend(q[i], layer_kept, seen, model.n_head);
      x[i] = add(linear(x_attn, layer.attn_wo), x[i]);
      x[i] = add(linear(relu(linear(rmsnorm(x[i]), layer.mlp_fc1)), layer.mlp_fc2), x[i]);
    }
  }
};

/// A way to get the logits of the next letter from all tokens so far.
using Way = std::function<Values(std::span<const Token>)>;

Way read_on(Reader& reader) {
  return [&reader](std::span<const Token> so_far) {
    if (so_far.size() == 1) reader.begin();
    return reader.next(so_far.last(1));  // stop: next
  };
}

/// The loss of a name. In training all its letters are there, so they are read at once.
Value draft_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  const std::vector<Values> x = Reader{model}.read(tokens.first(n));
  return mean(Values(n, [&](std::size_t t) { return cross_entropy(linear(x[t], model.lm_head), tokens[t + 1]); }));
}

/// The scores of attention while a name grows: a row for each query, a column for each key.
Svg rows_picture() {
  const std::vector<std::string> letters{".", "m", "a", "r", "i", "a"};
  std::vector<Tiles> maps;
  for (std::size_t n = 3; n <= letters.size(); n++) {
    maps.push_back({letters[n - 1] + " comes", letters, {}});
    for (std::size_t t = 1; t <= n; t++) maps.back().rows.emplace_back(t, t == n ? 1 : 0);
  }
  return tile_maps("Queries down, keys across: a new letter asks one query, and meets every key", maps,
                   {{"#d0d0d0", "old: nobody asks for these again"}, {"#0072b2", "new: computed now"}}, maps.size());
}

/// Three letters have been read. A fourth comes.
void show_four_letters() {
  const Scope scope;
  auto row = [](double a, double b) { return Values(2, [&](std::size_t j) { return j == 0 ? a : b; }); };
  Kept kept{{row(1, 0), row(0, 1), row(1, 1)}, {row(4, 0), row(0, 2), row(2, 2)}};
  auto show = [&](const char* which, Values q) {
    const Values mixed = attend(q, kept, kept.keys.size(), 1);
    fmt::print("{} letter: {} scores, mixed value ({:.2f}, {:.2f})\n", which, kept.keys.size(), mixed[0].data(),
               mixed[1].data());
  };
  fmt::print("\n--- four letters on paper ---\n");
  show("third ", row(1, 2));
  kept.keys.push_back(row(2, 1));
  kept.values.push_back(row(6, 0));
  show("fourth", row(2, 0));
}

/// Names by each way, and by a table of pairs, from the same random numbers; the mean loss over some names' letters.
void show_ways(const Lesson& lesson, const Model& model, std::span<const Document> names) {
  Reader reader{model};
  fmt::print("\n--- three ways to ask for the next letter, and a table of pairs ---\n");
  fmt::print("way                | loss  | names\n");
  auto show = [&](const char* what, const Way& way) {
    const Scope scope;
    std::vector<double> losses;
    for (const Document& name : names) {
      const std::vector<Token> tokens = lesson.tokenizer.encode_document(name);
      for (std::size_t n = 1; n < tokens.size() && n <= model.block_size; n++) {
        losses.push_back(cross_entropy(way(std::span(tokens).first(n)), tokens[n]).data());
      }
    }
    fmt::print("{:18} | {:.3f} |", what, estimate(losses).mean);
    PythonRandom random(7);
    for (int i = 0; i < 6; i++) {
      std::vector<Token> so_far;
      const Next next = [&](Token token, std::size_t) {
        so_far.push_back(token);
        return draw_token(way(so_far), 0.5, random);
      };
      fmt::print(" {}", lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), model.block_size)));
    }
    fmt::print("\n");
  };
  show("read all again", [&](auto so_far) { return Reader{model}.next(so_far); });
  show("read only the last", [&](auto so_far) { return Reader{model}.next(so_far.last(1)); });
  show("read on", read_on(reader));
  Bigram pairs(lesson.tokenizer.vocab_size());  // of the same 1000 names as the model
  for (std::size_t step = 1; step <= 1000; step++) pairs.count(lesson.tokens_of_step(step));
  show("pairs, lesson 01", [&pairs](std::span<const Token> so_far) {
    const std::vector<double> p = pairs.probabilities(so_far.back());
    return Values(p.size(), [&](std::size_t i) { return std::log(p[i]); });
  });
}

/// Multiply-adds: what one letter costs, and what it costs together with all letters before it.
void show_work(Config config) {
  config.block_size = 64;
  const Parameters zeros(gpt_shapes(config));
  const Model model = scalar_model(config, zeros);
  const std::vector<Token> tokens(config.block_size);
  const Scope scope;
  Reader reader{model};
  std::size_t all_again = 0, all_on = 0;
  fmt::print("\n--- multiply-adds: this letter alone; all letters up to it ---\n");
  fmt::print("letter | alone: read again | read on | all: read again | read on | times fewer\n");
  for (std::size_t t = 1; t <= config.block_size; t++) {
    const std::size_t again = products_of([&] { Reader{model}.next(std::span(tokens).first(t)); });
    const std::size_t on = products_of([&] { reader.next(std::span(tokens).first(1)); });
    all_again += again;
    all_on += on;
    if (!std::has_single_bit(t)) continue;  // 1, 2, 4, 8, ...
    fmt::print("{:6} | {:17} | {:7} | {:15} | {:7} | {:11.1f}\n", t, again, on, all_again, all_on,
               static_cast<double>(all_again) / static_cast<double>(all_on));
  }
}

/// The first number of BOS's key in the second layer, while more and more of a name is read at once.
void show_first_key(const Model& model, std::span<const Token> tokens) {
  fmt::print("\n--- the first position's key in the second layer, while the name grows ---\n");
  fmt::print("tokens read at once |      1      2      3      4      5\n");
  for (const bool looks_ahead : {false, true}) {
    fmt::print("{:<19} |", looks_ahead ? "all look ahead" : "nobody looks ahead");
    for (std::size_t n = 1; n <= 5; n++) {
      const Scope scope;
      Reader reader{model, looks_ahead};
      reader.read(tokens.first(n));
      fmt::print(" {:6.3f}", reader.kept[1].keys[0][0].data());
    }
    fmt::print("\n");
  }
}

/// 2: a key and a value. They are as wide as the model, because every head has its own slice of them.
std::size_t cache_size(std::size_t layers, std::size_t width, std::size_t positions, std::size_t number_bytes) {
  return 2 * layers * width * positions * number_bytes;
}

/// The caches of published models, and after how many positions they are as large as the parameters.
void show_sizes() {
  fmt::print("\n--- how large a cache is: 2 * layers * width * positions * bytes of a number ---\n");
  fmt::print("model      | layers | width | positions | the cache | parameters | as many bytes after\n");
  for (const auto& [name, positions] : {std::pair("gpt2", 1024), {"llama2-7b", 4096}, {"llama2-13b", 4096}}) {
    const PublishedModel& model = published_model(name);
    const std::size_t width = model.attention.n_embd, of_parameters = 2 * num_parameters(model).value();
    fmt::print("{:10} | {:6} | {:5} | {:9} | {:>9} | {:>10} | {:6} positions\n", name, model.n_layer, width, positions,
               readable_bytes(cache_size(model.n_layer, width, positions, 2)), readable_bytes(of_parameters),
               of_parameters / cache_size(model.n_layer, width, 1, 2));
  }
}

/// At every letter of these names: read on against read again, against a prompt of all letters so far in two calls,
/// and against the cache of src/tensor.
void check_logits(Lesson& lesson, const Model& model, const Parameters& parameters, std::span<const Document> names) {
  const Scope scope;
  TensorModel<double> tensor_model(config_of(model), parameters);
  Decoder<double> decoder(tensor_model);
  Reader reader{model};
  bool as_again = true, as_prompt = true, as_src = true;
  for (const Document& name : names) {
    const std::vector<Token> tokens = lesson.tokenizer.encode_document(name);
    decoder.reset();
    for (std::size_t n = 1; n < tokens.size() && n <= model.block_size; n++) {
      const auto so_far = std::span<const Token>(tokens).first(n);
      const std::vector<double> logits = read_on(reader)(so_far).data();
      as_again = as_again && logits == Reader{model}.next(so_far).data();
      Reader prompted{model};
      if (n > 1) prompted.read(so_far.first(n - 1));
      as_prompt = as_prompt && logits == prompted.next(so_far.last(1)).data();
      as_src = as_src && largest_difference(logits, decoder.next(tokens[n - 1])) < 1e-12;
    }
  }
  lesson.check("reading on gives the logits of reading again", as_again);
  lesson.check("so does a prompt that is read at once", as_prompt);
  lesson.check("and so does src/tensor/decoder.h", as_src);
  lesson.check("its cache is as large as the formula says", decoder.cache_bytes() == cache_size(2, 16, 16, 8));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lesson.picture("15_rows.svg", rows_picture());
  show_four_letters();
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters = initialize(config, {}, lesson.random);
  const Model model = scalar_model(config, parameters);
  const Loss loss = [&](auto tokens) { return draft_loss(model, tokens); };
  AdamOptimizer adam({}, parameters.size());
  fmt::print("\n--- a model of two layers learns names ---\n");
  train(loss, parameters, adam, lesson.documents, lesson.tokenizer, {},
        [&](std::size_t step, double value) { lesson.step(step, 1000, value); });

  const std::vector<Document> unseen = lesson.held_out(1000);
  const std::span<const Document> names = std::span(unseen).first(20);
  show_ways(lesson, model, names);
  show_work(config);
  show_first_key(model, lesson.tokens_of_step(1));
  show_sizes();

  check_logits(lesson, model, parameters, names);
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss src = [&](auto tokens) { return document_loss(model, tokens); };
  lesson.check("loss and gradient are those of src/microgpt.cpp, bit for bit",
               loss_and_gradient(loss, parameters, first) == loss_and_gradient(src, parameters, first));
  return lesson.finish();
}
