// Puzzles that only looking back can solve, for lessons 06 and 07: six random letters with a sign before one of them.
// At the end the sign comes again, and the answer is the letter that followed it the first time.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/python_random.h"
#include "base/tokenizer.h"
#include "microgpt.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

namespace microgpt {

enum class Puzzle {
  star_first,     // *cafdbe*c
  star_anywhere,  // ca*fdbe*f
  star_or_plus    // ca*fd+be*f or ca*fd+be+b: two signs, and the last one says which letter is meant
};

/// The tokens of a puzzle: the letters a to h, and two signs.
inline constexpr Token star = 8, plus = 9;
inline constexpr std::size_t puzzle_vocab = 10;

/// The tokens of a text such as "*cafdbe*".
inline std::vector<Token> puzzle_tokens(std::string_view text) {
  std::vector<Token> tokens;
  for (const char c : text) tokens.push_back(std::string_view("abcdefgh*+").find(c));
  return tokens;
}

/// A new puzzle; its last token is the answer.
inline std::vector<Token> draw_puzzle(Puzzle kind, PythonRandom& random) {
  constexpr std::size_t n = 6;
  std::vector<Token> letters(n), tokens;
  for (Token& letter : letters) letter = random.below(8);
  const std::size_t starred = kind == Puzzle::star_first ? 0 : random.below(n);
  const std::size_t plussed = kind == Puzzle::star_or_plus ? (starred + 1 + random.below(n - 1)) % n : n;
  const bool ask_plus = kind == Puzzle::star_or_plus && random.below(2) == 1;
  for (std::size_t i = 0; i < n; i++) {
    if (i == starred) tokens.push_back(star);
    if (i == plussed) tokens.push_back(plus);
    tokens.push_back(letters[i]);
  }
  tokens.push_back(ask_plus ? plus : star);
  tokens.push_back(letters[ask_plus ? plussed : starred]);
  return tokens;
}

/// The logits, (V), of the answer to a puzzle.
using Guess = std::function<Values(std::span<const Token> puzzle)>;

/// How training on puzzles went.
struct Solved {
  std::vector<double> losses;  // of each step
  double loss = 0;             // mean over a thousand new puzzles
  double right = 0;            // the share of these whose likeliest answer was right
};

/// The training loop of lesson 05, on a new puzzle in each step. Only the answer counts: nothing else can be predicted.
inline Solved train_on_puzzles(const Guess& guess, const List& params, Puzzle kind, std::size_t num_steps,
                               double learning_rate) {
  constexpr std::size_t num_tests = 1000;
  PythonRandom random(7);
  Solved solved;
  const Loss loss = [&](std::span<const Token> tokens) {
    return cross_entropy(guess(tokens.first(tokens.size() - 1)), tokens.back());
  };
  for (std::size_t step = 0; step < num_steps; step++) {
    const double lr = learning_rate * (1 - static_cast<double>(step) / static_cast<double>(num_steps));
    solved.losses.push_back(train_step(loss, draw_puzzle(kind, random), params, sgd_update, lr, step));
  }
  for (std::size_t i = 0; i < num_tests; i++) {
    const Scope scope;
    const std::vector<Token> tokens = draw_puzzle(kind, random);
    const std::vector<double> logits = guess(std::span(tokens).first(tokens.size() - 1)).data();
    solved.loss += loss(tokens).data() / num_tests;
    const auto best = static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    solved.right += best == tokens.back() ? 1.0 / num_tests : 0.0;
  }
  return solved;
}

}  // namespace microgpt
