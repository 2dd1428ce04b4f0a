// Made-up words such as mira, for lesson 08. Whoever stands at the last letter is asked for two others: which came
// first, and which stands right before me? Nothing can be learnt by heart, as the letters are drawn at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/parameters.h"
#include "base/python_random.h"
#include "microgpt.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

using Rows = std::vector<Values>;  // a list of numbers for each position

/// What one head did, to be shown.
struct Head {
  Values attn_weights;  // (t): how much of each position so far
  Values head_out;      // (head_dim)
};

inline constexpr std::size_t num_consonants = 10, num_vowels = 5;

inline std::vector<Token> word_tokens(std::string_view text) {
  std::vector<Token> tokens;
  for (const char c : text) tokens.push_back(std::string_view("bdklmnprstaeiou").find(c));
  return tokens;
}

/// Consonant, vowel, consonant, vowel.
inline std::vector<Token> draw_word(PythonRandom& random) {
  std::vector<Token> word;
  while (word.size() < 4) {
    word.push_back(random.below(num_consonants));
    word.push_back(num_consonants + random.below(num_vowels));
  }
  return word;
}

/// Attention as in lesson 07, with a W_O behind it, and two matrices that make logits of what was found.
struct Reader {
  explicit Reader(const StateDict& p)
      : wte(p["wte"]),
        wpe(p["wpe"]),
        wq(p["wq"]),
        wk(p["wk"]),
        wv(p["wv"]),
        wo(p["wo"]),
        first(p["first"]),
        before(p["before"]),
        params(p.params) {}

  Matrix wte, wpe;        // (V,C) of a letter, (4,C) of its place
  Matrix wq, wk, wv, wo;  // (C,C)
  Matrix first, before;   // (V,C)
  List params;
};

/// The logits, (V), of the first letter and of the one before the last.
struct Answers {
  Values first, before;
  std::vector<Head> heads;
};

using Answer = Answers (*)(const Reader& model, std::span<const Token> word, std::size_t n_head);

/// The place of the largest logit.
inline Token likeliest(const Values& logits) {
  const std::vector<double> numbers = logits.data();
  return static_cast<Token>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

/// The training loop of lesson 05 with 1500 random words. Each asks both questions.
inline Reader learn_words(Answer answer, std::size_t n_head, std::uint64_t seed) {
  constexpr std::size_t V = num_consonants + num_vowels, C = 16, num_steps = 1500;
  const std::vector<Parameters::Shape> shapes{{"wte", V, C}, {"wpe", 4, C}, {"wq", C, C},    {"wk", C, C},
                                              {"wv", C, C},  {"wo", C, C},  {"first", V, C}, {"before", V, C}};
  PythonRandom random(seed);
  const Reader model(StateDict(shapes, 0.25, random));
  const Loss loss = [&](std::span<const Token> word) {
    const Answers answers = answer(model, word, n_head);
    return 0.5 * (cross_entropy(answers.first, word[0]) + cross_entropy(answers.before, word[2]));
  };
  for (std::size_t step = 0; step < num_steps; step++) {
    const double lr = 0.15 * (1 - static_cast<double>(step) / num_steps);
    train_step(loss, draw_word(random), model.params, sgd_update, lr, step);
  }
  return model;
}

/// For how many of 500 new words, in percent, both answers are right.
inline double both_right(Answer answer, const Reader& model, std::size_t n_head) {
  constexpr int num_words = 500;
  PythonRandom random(0);
  int right = 0;
  for (int i = 0; i < num_words; i++) {
    const Scope scope;
    const std::vector<Token> word = draw_word(random);
    const Answers answers = answer(model, word, n_head);
    right += likeliest(answers.first) == word[0] && likeliest(answers.before) == word[2] ? 1 : 0;
  }
  return 100.0 * right / num_words;
}

}  // namespace microgpt
