// What lesson 07 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/puzzle.h"
#include "lesson/puzzle_picture.h"
#include "microgpt.h"
#include "picture.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// What the positions so far have left behind, one of each for every position.
struct Past {
  std::vector<Values> keys, values;  // (D) each
  std::vector<Values> weights;       // (t + 1): how position t looked back; kept only to be shown
};

/// What learns the puzzle. wte and before make of a sign and of the one before it what is known of a position.
struct Solver {
  explicit Solver(const StateDict& p)
      : wte(p["wte"]),
        before(p["before"]),
        wq(p["wq"]),
        wk(p["wk"]),
        wv(p["wv"]),
        lm_head(p["lm_head"]),
        params(p.params) {}

  Matrix wte, before;  // (V,C): of a letter or sign, and of the one before it
  Matrix wq, wk, wv;   // (C,C)
  Matrix lm_head;      // (V,C)
  List params;
};

using Attention = Values (*)(Values query, Past&);
using Answer = Values (*)(const Solver&, std::span<const Token> puzzle, Past&);
using Gpt = Values (*)(const Model&, Token token_id, std::size_t pos_id, Past&);

/// How much of a table of scores would be used: a cell for each pair of (letter, place), who looks and what is looked
/// at.
inline void show_table_size(const Lesson& lesson) {
  const std::size_t V = lesson.tokenizer.vocab_size(), T = 16;
  std::set<std::pair<std::size_t, std::size_t>> used;
  for (std::size_t step = 1; step <= 1000; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      for (std::size_t t = 0; t <= i; t++) used.insert({i * V + tokens[i], t * V + tokens[t]});
    }
  }
  fmt::print("\na table of scores: {} cells, of which 1000 names use {}\n", V * T * V * T, used.size());
}

/// One query and three letters, small enough for paper.
inline void show_example(const Lesson& lesson, Attention attention) {
  const Scope scope;
  auto list = [](const std::vector<double>& x) { return Values(x.size(), [&](std::size_t i) { return x[i]; }); };
  const Values query = list({1, 2});
  Past past{{list({1, 0}), list({0, 1}), list({1, 1})}, {list({4, 0}), list({0, 2}), list({2, 2})}, {}};
  const Values mixture = attention(query, past);
  fmt::print("\nquery (1 2)\n  key | value | score | score / root of 2 | weight\n");
  for (std::size_t t = 0; t < 3; t++) {
    const Values key = past.keys[t], value = past.values[t];
    const double score = dot(query, key).data();
    fmt::print("({:.0f} {:.0f}) | ({:.0f} {:.0f}) | {:5.0f} | {:17.2f} | {:6.2f}\n", key[0].data(), key[1].data(),
               value[0].data(), value[1].data(), score, score / std::sqrt(2.0), past.weights[0][t].data());
  }
  fmt::print("mixed: ({:.2f} {:.2f})\n", mixture[0].data(), mixture[1].data());
  lesson.picture("07_example.svg", example_picture(past.weights[0].data(), mixture.data()));
}

/// How large a score gets if the lists are random numbers of size 1 or so, and how much of the weight the best of ten
/// keys then takes.
inline void show_typical_scores() {
  PythonRandom random(1);
  fmt::print("\n        | not divided          | divided by the root\n");
  fmt::print("numbers | score | largest weight | score | largest weight\n");
  for (const std::size_t size : {4, 16, 64, 256}) {
    const double root = std::sqrt(static_cast<double>(size));
    double squares = 0, largest = 0, largest_divided = 0;
    for (int i = 0; i < 200; i++) {
      const Scope scope;
      auto draw = [&] { return Values(size, [&](std::size_t) { return random.gauss(0, 1); }); };
      const Values query = draw(), scores(10, [&](std::size_t) { return dot(query, draw()); });
      const Values divided(10, [&](std::size_t t) { return scores[t] / root; });
      const std::vector<double> all = scores.data(), weights = Values(softmax(scores)).data(),
                                of_divided = Values(softmax(divided)).data();
      for (const double score : all) squares += score * score / 2000;
      largest += *std::max_element(weights.begin(), weights.end()) / 200;
      largest_divided += *std::max_element(of_divided.begin(), of_divided.end()) / 200;
    }
    fmt::print("{:7} | {:5.1f} | {:14.2f} | {:5.1f} | {:14.2f}\n", size, std::sqrt(squares), largest,
               std::sqrt(squares) / root, largest_divided);
  }
}

/// Learns the puzzle, and looks at the same letters asked by a star and by a plus.
inline void show_puzzle(const Lesson& lesson, Answer answer) {
  constexpr std::size_t V = puzzle_vocab, C = 16, num_steps = 2000;
  PythonRandom random(42);
  const Solver model(StateDict(
      {{"wte", V, C}, {"before", V, C}, {"wq", C, C}, {"wk", C, C}, {"wv", C, C}, {"lm_head", V, C}}, 0.3, random));
  const Guess guess = [&](std::span<const Token> puzzle) {
    Past past;
    return answer(model, puzzle, past);
  };
  const Solved solved = train_on_puzzles(guess, model.params, Puzzle::star_or_plus, num_steps, 0.1);
  fmt::print("\nthe puzzle of lesson 06: loss {:.2f}, {:.0f}% right\n", solved.loss, 100 * solved.right);
  std::vector<std::vector<double>> rows;
  for (const char* puzzle : {"ca*fd+be*", "ca*fd+be+"}) {
    const Scope scope;
    Past past;
    answer(model, puzzle_tokens(puzzle), past);
    fmt::print("{} | weights{}\n", puzzle, numbers(past.weights[0]));
    rows.push_back(past.weights[0].data());
  }
  fmt::print("\n");
  lesson.picture("07_puzzle.svg", bars_picture("Two askers, two places: each finds the letter after its own sign",
                                               "ca*fd+be?", {"asked by *", "asked by +"}, rows));
}

/// A GPT with random weights. The published build step draws lm_head last.
inline Model draw_gpt(const Config& config, PythonRandom& random) {
  std::vector<Parameters::Shape> shapes = gpt_shapes(config);
  std::rotate(shapes.begin() + 2, shapes.begin() + 3, shapes.end());
  return scalar_model(config, StateDict(shapes, 0.08, random));
}

inline void show_names(Lesson& lesson, const Model& model, Gpt gpt) {
  for (int i = 0; i < 20; i++) {
    Past past;
    const Scope scope;
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16)));
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());
}

/// Prints the held-out loss. Returns where each position of the last name looks.
inline Grid show_where_it_looks(const Lesson& lesson, const Model& model, const Loss& loss, Gpt gpt, int step) {
  const Estimate e = mean_loss(loss, lesson.held_out(10000), lesson.tokenizer);
  fmt::print("\nafter step {}: held-out loss {:.4f} +- {:.4f}\n", step, e.mean, e.standard_error);
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(lesson.documents.back());
  Past past;
  for (std::size_t i = 0; i < std::min(model.block_size, tokens.size() - 1); i++) gpt(model, tokens[i], i, past);
  const Grid grid = times_even_share(attention_grid(past.weights, tokens, lesson.tokenizer));
  fmt::print("each row looks at the columns; ▒▒ is an even share, darker is more\n{}", shades(grid));
  return grid;
}

inline void show_pictures(const Lesson& lesson, const Grid& early, const Grid& late) {
  Svg maps = heat_maps({{"1000 steps: even", early}, {"10000 steps: it picks", late}});
  maps.text(10, 234, "Each row looks at the letters in the columns. Half dark: an even share. Darkest: twice that",
            "start", 9);
  lesson.picture("07_attention.svg", maps);
  lesson.picture("07_model.svg",
                 model_picture("From a letter to the next: what is found is always added to what was known"));
  fmt::print("\n");
}

inline void check_draft(Lesson& lesson, const Model& model, const Loss& loss) {
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss src_loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const LossAndGradient draft = loss_and_gradient(loss, model.params, first);
  const LossAndGradient src = loss_and_gradient(src_loss, model.params, first);
  lesson.check("the loss is that of src/microgpt.cpp with one head, bit for bit", draft.loss == src.loss);
  lesson.check(fmt::format("and so are all {} gradients", model.params.size()), draft.gradient == src.gradient);
  const Model::Layer& layer = model.layers[0];
  for (const auto& [name, matrix] : {std::pair("attn_wk", layer.attn_wk), {"attn_wv", layer.attn_wv}}) {
    lesson.check(fmt::format("nudging each weight of {} shows its gradient", name),
                 largest_slope_error(loss, matrix, first) < 1e-6);
  }
}

}  // namespace microgpt
