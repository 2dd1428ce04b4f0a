// What lesson 08 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/puzzle_picture.h"
#include "picture.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "words.h"

namespace microgpt {

/// What the positions so far have left behind.
struct Past {
  explicit Past(const Model& model) : keys(model.layers.size()), values(model.layers.size()) {}

  std::vector<Rows> keys, values;        // [layer][position], (C)
  std::vector<std::vector<Head>> heads;  // position by position; in it layer by layer; kept only to be shown
};

using Attend = std::vector<Head> (*)(Values, const Rows&, const Rows&, std::size_t n_head);
using Gpt = Values (*)(const Model&, Token token_id, std::size_t pos_id, Past&);
using NameLoss = Value (*)(const Model&, std::span<const Token>, Past&);

/// mira and rima, seen from their last letter, which asks for two places at once.
inline void show_on_paper(Attend attend) {
  auto list = [](const std::vector<double>& x) { return Values(x.size(), [&](std::size_t i) { return x[i]; }); };
  fmt::print("\n");
  for (const std::size_t n_head : {1, 2}) {
    for (const std::string_view name : {"mira", "rima"}) {
      const Scope scope;
      const Values q = list({8, 0, 0, 8});
      const Rows keys{list({1, 0, 0, 0}), list({0, 0, 0, 0}), list({0, 0, 0, 1}), list({0, 0, 0, 0})};
      Rows values;
      for (const char letter : name) {
        values.push_back(letter == 'm' ? list({4, 0, 4, 0}) : letter == 'r' ? list({0, 4, 0, 4}) : list({2, 2, 2, 2}));
      }
      const std::vector<Head> heads = attend(q, keys, values, n_head);
      for (std::size_t h = 0; h < n_head; h++) {
        fmt::print("{}, head {} of {}: looks at", name, h, n_head);
        for (std::size_t t = 0; t < 4; t++) fmt::print("  {} {:.3f}", name[t], heads[h].attn_weights[t].data());
        fmt::print("  and finds {}\n", numbers(heads[h].head_out));
      }
    }
  }
}

inline Loss loss_of(const Model& model, NameLoss loss) {
  return [&model, loss](std::span<const Token> tokens) {
    Past past(model);
    return loss(model, tokens, past);
  };
}

/// The largest gradients in the first three steps of a GPT whose W_O begins at zero, or at random as usual.
inline void show_first_steps(const Lesson& lesson, bool zero, NameLoss loss) {
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  PythonRandom random = lesson.random;  // the weights of the model that learns names
  const Model model = scalar_model(config, initialize(config, {.zero_projections = zero}, random));
  fmt::print("\nW_O begins at {}: the largest gradient in\n", zero ? "zero" : "random");
  fmt::print("step |      W_Q |      W_K |      W_V |      W_O\n");
  for (std::size_t step = 1; step <= 3; step++) {
    const Scope scope;
    loss_of(model, loss)(lesson.tokens_of_step(step)).backward();
    fmt::print("{:4}", step);
    const Model::Layer& layer = model.layers[0];
    for (const Matrix& w : {layer.attn_wq, layer.attn_wk, layer.attn_wv, layer.attn_wo}) {
      double largest = 0;
      for (const List& row : w) {
        for (const Value x : row) largest = std::max(largest, std::abs(x.grad()));
      }
      fmt::print(" | {:8.2g}", largest);
    }
    fmt::print("\n");
    sgd_update(model.params, 0.1);
  }
}

/// What a trained reader says of a word, and where its heads looked. Returns their weights.
inline std::vector<std::vector<double>> show_answers(Answer answer, const Reader& model, std::size_t n_head,
                                                     std::string_view word) {
  const Scope scope;
  const Answers answers = answer(model, word_tokens(word), n_head);
  auto letter = [](const Values& logits) { return "bdklmnprstaeiou"[likeliest(logits)]; };
  fmt::print("{:5} | {} | {}, {}   ", n_head, word, letter(answers.first), letter(answers.before));
  std::vector<std::vector<double>> weights;
  for (const Head& head : answers.heads) {
    weights.push_back(head.attn_weights.data());
    fmt::print(" |{}", numbers(head.attn_weights));
  }
  fmt::print("\n");
  return weights;
}

/// One head and two learn to answer two questions, ten times with other first weights.
inline void show_words(const Lesson& lesson, Answer answer) {
  fmt::print("\nboth answers right, of 500 new words, %; ten trainings each\n");
  std::vector<Reader> second_training;
  for (const std::size_t n_head : {1, 2}) {
    fmt::print("{} of {:2} numbers |", n_head == 1 ? "1 head " : "2 heads", 16 / n_head);
    double total = 0;
    for (std::uint64_t seed = 1; seed <= 10; seed++) {
      const Reader learnt = learn_words(answer, n_head, seed);
      const double right = both_right(answer, learnt, n_head);
      fmt::print(" {:3.0f}", right);
      total += right;
      if (seed == 2) second_training.push_back(learnt);
    }
    fmt::print(" | mean {:3.0f}\n", total / 10);
  }
  fmt::print("\nthe second training of each: what it says, and where its heads look\n");
  fmt::print("heads | word | answers | weights of head 0 and head 1\n");
  std::vector<std::vector<double>> rows;
  for (const std::size_t n_head : {1, 2}) {
    for (const char* word : {"mira", "rima"}) {
      const auto weights = show_answers(answer, second_training[n_head - 1], n_head, word);
      if (word == std::string_view("mira")) rows.insert(rows.end(), weights.begin(), weights.end());
    }
  }
  fmt::print("\n");
  lesson.picture("08_words.svg", bars_picture("One head looks at both; two heads, at one each", "mira",
                                              {"one head", "head 0 of two", "head 1 of two"}, rows));
}

inline void show_names(Lesson& lesson, const Model& model, Gpt gpt) {
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    Past past(model);
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), model.block_size)));
  }
}

/// The loss of held-out names, and where each head looks from every position of the first name.
inline std::vector<TitledGrid> show_maps(const Lesson& lesson, const Model& model, NameLoss loss, int step) {
  const Scope scope;
  const std::vector<Token> name = lesson.tokens_of_step(1);
  Past past(model);
  loss(model, name, past);
  std::vector<TitledGrid> grids;
  for (std::size_t h = 0; h < model.n_head; h++) {
    Rows weights;
    for (const std::vector<Head>& heads : past.heads) weights.push_back(heads[h].attn_weights);
    grids.emplace_back(fmt::format("head {}, step {}", h, step),
                       times_even_share(attention_grid(weights, name, lesson.tokenizer)));
  }
  fmt::print("\n▒▒ is an even share, darker is more\n{}", shades(grids));
  const Estimate e = mean_loss(loss_of(model, loss), lesson.held_out(10000), lesson.tokenizer);
  fmt::print("after step {}: held-out loss {:.4f} +- {:.4f}\n", step, e.mean, e.standard_error);
  return grids;
}

inline void show_pictures(const Lesson& lesson, const std::vector<TitledGrid>& early,
                          const std::vector<TitledGrid>& late) {
  lesson.picture("08_flow.svg", flow_picture());
  lesson.picture("08_model.svg",
                 model_picture("Several heads: attention is cut into slices, and W_O joins what they found",
                               {{"attention", "q, k, v: 4 each", "4 heads"}, {"W_O", "16"}},
                               "new: four heads look at four different places; W_O mixes their findings"));
  lesson.picture(
      "08_heads.svg",
      heat_maps("Four heads: nearly even after 1000 steps; after 10000, three of them pick letters", {early, late},
                "Row: who looks; column: at whom; . is BOS. Half dark: an even share; "
                "darkest: twice that or more."));
}

/// The first position sees only itself, and with two layers the draft is what src/microgpt.cpp computes.
inline void check_draft(Lesson& lesson, NameLoss loss) {
  const std::vector<Token> name = lesson.tokens_of_step(1);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  const Model model = scalar_model(config, initialize(config, {}, lesson.random));
  const Loss in_src = [&](auto document) { return document_loss(model, document); };
  const LossAndGradient draft = loss_and_gradient(loss_of(model, loss), model.params, name);
  const LossAndGradient src = loss_and_gradient(in_src, model.params, name);
  const Scope scope;
  Past past(model);
  loss(model, name, past);
  fmt::print("\n");
  lesson.check("the first position sees only itself", past.heads[0][0].attn_weights.size() == 1);
  lesson.check("with two layers, the loss is that of src/microgpt.cpp", draft.loss == src.loss);
  lesson.check("so is every gradient", draft.gradient == src.gradient);
}

}  // namespace microgpt
