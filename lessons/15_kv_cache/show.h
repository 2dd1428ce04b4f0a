// Around the idea: what is trained, printed, drawn, timed and checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bigram.h"
#include "base/published.h"
#include "draw/plot.h"
#include "draw/readable.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/processor_time.h"
#include "lesson/work.h"
#include "microgpt.h"
#include "tensor/decoder.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// A way to get the logits of the next letter from all tokens so far.
using Way = std::function<Values(std::span<const Token>)>;

/// Two numbers.
inline Values row(double a, double b) {
  return Values(2, [&](std::size_t j) { return j == 0 ? a : b; });
}

/// What a letter found on paper.
inline void show_letter(const char* which, std::size_t scores, const Values& mixed) {
  if (scores == 3) fmt::print("\n--- four letters on paper ---\n");
  fmt::print("{} letter: {} scores, mixed value ({:.2f}, {:.2f})\n", which, scores, mixed[0].data(), mixed[1].data());
}

/// The scores of attention while a name grows: a row for each query, a column for each key.
inline Svg rows_picture() {
  const std::vector<std::string> letters{".", "m", "a", "r", "i", "a"};
  std::vector<Tiles> maps;
  for (std::size_t n = 3; n <= letters.size(); n++) {
    maps.push_back({letters[n - 1] + " comes", letters, {}});
    for (std::size_t t = 1; t <= n; t++) maps.back().rows.emplace_back(t, t == n ? 1 : 0);
  }
  return tile_maps("Queries down, keys across: a new letter asks one query, and meets every key", maps,
                   {{"#d0d0d0", "old: nobody asks for these again"}, {"#0072b2", "new: computed now"}}, maps.size());
}

/// A model of two layers that has learnt a thousand names with the draft.
struct Draft {
  Draft(Lesson& lesson, Value (*draft_loss)(const Model&, std::span<const Token>))
      : config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2},
        parameters(initialize(config, {}, lesson.random)),
        model(scalar_model(config, parameters)),
        loss([this, draft_loss](auto tokens) { return draft_loss(model, tokens); }) {
    lesson.picture("15_rows.svg", rows_picture());
    fmt::print("\n--- a model of two layers learns names ---\n");
    train(loss, model.params, adam_optimizer({}, parameters.size()), lesson.documents, lesson.tokenizer, {},
          [&](std::size_t step, double value) { lesson.step(step, 1000, value); });
    copy_data(model.params, parameters);
  }
  Draft(const Draft&) = delete;

  Config config;
  Parameters parameters;
  Model model;
  Loss loss;
};

/// The mean loss over all letters of twenty held-out names. Leaves all on the tape.
inline double loss_of(const Lesson& lesson, const Model& model, const Way& way) {
  std::vector<double> losses;
  const std::vector<Document> names = lesson.held_out(1000);
  for (const Document& name : std::span(names).first(std::min<std::size_t>(20, names.size()))) {
    const std::vector<Token> tokens = lesson.tokenizer.encode_document(name);
    for (std::size_t t = 1; t < tokens.size() && t <= model.block_size; t++) {
      losses.push_back(cross_entropy(way(std::span(tokens).first(t)), tokens[t]).data());
    }
  }
  return estimate(losses).mean;
}

/// The loss, and names by this way, always from the same random numbers.
inline void show_way(const Lesson& lesson, const Model& model, const std::string& what, const Way& way) {
  const Scope scope;
  fmt::print("{:18} | {:.3f} |", what, loss_of(lesson, model, way));
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
}

/// Names by each way, and by a table of pairs.
inline void show_ways(const Lesson& lesson, const Model& model, const std::vector<std::pair<std::string, Way>>& ways) {
  fmt::print("\n--- three ways to ask for the next letter, and a table of pairs ---\n");
  fmt::print("way                | loss  | names\n");
  for (const auto& [what, way] : ways) show_way(lesson, model, what, way);
  Bigram pairs(lesson.tokenizer.vocab_size());  // of the same 1000 names as the model
  for (std::size_t step = 1; step <= 1000; step++) pairs.count(lesson.tokens_of_step(step));
  show_way(lesson, model, "pairs, lesson 01", [&pairs](std::span<const Token> so_far) {
    const std::vector<double> p = pairs.probabilities(so_far.back());
    return Values(p.size(), [&](std::size_t i) { return std::log(p[i]); });
  });
}

/// Multiply-adds: what one letter costs, and what it costs together with all letters before it.
template <class Reader>
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
    const std::size_t on = products_of([&] { reader.next(std::span(tokens).first(1)); });
    const Scope forgotten;
    const std::size_t again = products_of([&] { Reader{model}.next(std::span(tokens).first(t)); });
    all_again += again;
    all_on += on;
    if (!std::has_single_bit(t)) continue;  // 1, 2, 4, 8, ...
    fmt::print("{:6} | {:17} | {:7} | {:15} | {:7} | {:11.1f}\n", t, again, on, all_again, all_on,
               static_cast<double>(all_again) / static_cast<double>(all_on));
  }
}

/// The first number of BOS's key in the second layer, if BOS sees the first `seen` of these tokens.
inline double first_key(const Model& model, std::span<const Token> tokens, std::size_t seen) {
  const Scope scope;
  const Model::Layer& layer = model.layers[0];
  Rows x, x_norm;
  for (std::size_t t = 0; t < seen; t++) {
    x.push_back(rmsnorm(add(model.wte[tokens[t]], model.wpe[t])));
    x_norm.push_back(rmsnorm(x[t]));
  }
  const Values x_attn = all_heads(linear(x_norm[0], layer.attn_wq), linear(x_norm, layer.attn_wk),
                                  linear(x_norm, layer.attn_wv), model.n_head);
  const Values mid = add(linear(x_attn, layer.attn_wo), x[0]);
  const Values out = add(linear(relu(linear(rmsnorm(mid), layer.mlp_fc1)), layer.mlp_fc2), mid);
  return linear(rmsnorm(out), model.layers[1].attn_wk)[0].data();
}

/// The same while more and more of a name is read at once.
inline void show_first_key(const Model& model, std::span<const Token> tokens) {
  fmt::print("\n--- the first position's key in the second layer, while the name grows ---\n");
  fmt::print("tokens read at once |      1      2      3      4      5\n");
  for (const bool looks_ahead : {false, true}) {
    fmt::print("{:<19} |", looks_ahead ? "all look ahead" : "nobody looks ahead");
    for (std::size_t n = 1; n <= 5; n++) fmt::print(" {:6.3f}", first_key(model, tokens, looks_ahead ? n : 1));
    fmt::print("\n");
  }
}

/// The loss with caches that have room for fewer and fewer letters.
template <class Reader>
void show_rooms(const Lesson& lesson, const Model& model) {
  fmt::print("\n--- a cache with room for so many letters, the oldest overwritten ---\n");
  for (const std::size_t room : {16, 8, 4, 2, 1}) {
    const Scope scope;
    Reader reader{model, room};
    const Way way = [&](auto so_far) { return reader.read_on(so_far); };
    fmt::print("room for {:2} | loss {:.3f}\n", room, loss_of(lesson, model, way));
  }
}

/// 2: a key and a value. They are as wide as the model, because every head has its own slice of them.
inline std::uint64_t cache_size(std::uint64_t layers, std::size_t width, std::size_t positions,
                                std::size_t number_bytes) {
  return 2 * layers * width * positions * number_bytes;
}

/// The caches of published models, and after how many positions they are as large as the parameters.
inline void show_sizes() {
  fmt::print("\n--- how large a cache is: 2 * layers * width * positions * bytes of a number ---\n");
  fmt::print("model      | layers | width | positions | the cache | parameters | as many bytes after\n");
  for (const auto& [name, positions] : {std::pair("gpt2", 1024), {"llama2-7b", 4096}, {"llama2-13b", 4096}}) {
    const PublishedModel& model = published_model(name);
    const std::size_t width = model.attention.n_embd;
    const std::uint64_t of_parameters = 2 * num_parameters(model).value();
    fmt::print("{:10} | {:6} | {:5} | {:9} | {:>9} | {:>10} | {:6} positions\n", name, model.n_layer, width, positions,
               readable_bytes(cache_size(model.n_layer, width, positions, 2)), readable_bytes(of_parameters),
               of_parameters / cache_size(model.n_layer, width, 1, 2));
  }
}

/// The tokens of twenty held-out names, without the BOS at the end.
inline std::vector<std::vector<Token>> names_to_read(const Lesson& lesson, const Model& model) {
  std::vector<std::vector<Token>> names;
  for (const Document& name : lesson.held_out(1000)) {
    if (names.size() == 20) break;
    names.push_back(lesson.tokenizer.encode_document(name));
    names.back().resize(std::min(model.block_size, names.back().size() - 1));
  }
  return names;
}

/// Reading on, with this room, against the cache of src/tensor, where a mask hides what is older.
template <class Reader>
bool reads_as_src(const Lesson& lesson, const Draft& draft, std::size_t room) {
  Config config = draft.config;
  config.mask.window = room;
  TensorModel<double> tensor_model(config, draft.parameters);
  Decoder<double> decoder(tensor_model);
  const Scope scope;
  Reader reader{draft.model, room};
  bool same = true;
  for (const std::vector<Token>& name : names_to_read(lesson, draft.model)) {
    decoder.reset();
    reader.begin();
    for (const Token& token : name) {
      const std::vector<double> logits = reader.next({&token, 1}).data();
      same = same && largest_difference(logits, decoder.next(token)) < 1e-12;
    }
  }
  return same && decoder.cache_bytes() == cache_size(2, 16, 16, 8);
}

/// Reading on against reading again, against a prompt of all letters so far in two calls, and against src/.
template <class Reader>
void check_logits(Lesson& lesson, Draft& draft) {
  const Scope scope;
  Reader reader{draft.model};
  bool as_again = true, as_prompt = true;
  for (const std::vector<Token>& name : names_to_read(lesson, draft.model)) {
    for (std::size_t n = 1; n <= name.size(); n++) {
      const auto so_far = std::span<const Token>(name).first(n);
      const std::vector<double> logits = reader.read_on(so_far).data();
      as_again = as_again && logits == Reader{draft.model}.next(so_far).data();
      Reader prompted{draft.model};
      if (n > 1) prompted.read(so_far.first(n - 1));
      as_prompt = as_prompt && logits == prompted.next(so_far.last(1)).data();
    }
  }
  lesson.check("reading on gives the logits of reading again", as_again);
  lesson.check("so does a prompt that is read at once", as_prompt);
  lesson.check("and so does src/tensor/decoder.h, with a cache of the size that the formula says",
               reads_as_src<Reader>(lesson, draft, 16));
  lesson.check("with room for four letters, it is as if src/tensor hid the others",
               reads_as_src<Reader>(lesson, draft, 4));
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss src = [&](auto tokens) { return document_loss(draft.model, tokens); };
  const List& params = draft.model.params;
  lesson.check("loss and gradient are those of src/microgpt.cpp, bit for bit",
               loss_and_gradient(draft.loss, params, first) == loss_and_gradient(src, params, first));
}

/// With TIMES=1: src/tensor in float, on one thread, in milliseconds.
struct Times {
  /// After n letters have been read.
  explicit Times(std::size_t n) : config{.vocab_size = 27, .n_layer = 4, .n_embd = 128, .block_size = n + more} {
    Parameters parameters(gpt_shapes(config));
    PythonRandom random(1);
    draw_weights(parameters, 0.08, random);
    TensorModel<float> model(config, parameters);
    Batch batch(n);
    batch.add(std::vector<Token>(n + 1));
    Activations<float> activations;
    activations.resize(model, n);
    at_once = processor_time([&] { gpt_forward(model, fast<float>(), batch, {0, 1}, activations); });
    Decoder<float> decoder(model);
    auto read = [&](std::size_t letters) {
      const std::clock_t start = std::clock();
      for (std::size_t t = 0; t < letters; t++) decoder.next(Token{0});
      return static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
    };
    for (int round = 0; round < 5; round++) {
      decoder.reset();
      one_by_one = std::min(one_by_one, read(n));
      one_more = std::min(one_more, read(more) / more);
    }
  }

  static constexpr std::size_t more = 16;
  static constexpr double never = std::numeric_limits<double>::infinity();
  Config config;
  double at_once = 0, one_by_one = never, one_more = never;
};

inline void show_times() {
  fmt::print("\nsrc/tensor, 4 layers, width 128, milliseconds\n");
  fmt::print("letters | all at once | one by one | one more | times faster than all | times fewer products\n");
  for (const std::size_t n : {16, 64, 256, 1024}) {
    const Times times(n);
    const double N = static_cast<double>(n), linear = 4 * 12 * 128 * 128 + 27 * 128, attention = 4 * 2 * 128;
    const double all = N * linear + attention * N * (N + 1) / 2, one = linear + attention * N;
    fmt::print("{:7} | {:11.3f} | {:10.3f} | {:8.3f} | {:21.0f} | {:20.0f}\n", n, times.at_once, times.one_by_one,
               times.one_more, times.at_once / times.one_more, all / one);
  }
}

}  // namespace microgpt
