// What lesson 01 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/bigram.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "train/evaluation.h"

namespace microgpt {

using Counts = std::vector<std::vector<double>>;

inline Counts nothing_counted(std::size_t vocab_size) { return Counts(vocab_size, std::vector<double>(vocab_size)); }

/// The model of main.cpp.
struct Draft {
  void (*count)(Counts&, std::span<const Token>);
  std::vector<double> (*probabilities)(const std::vector<double>& row);
  double (*loss)(const Counts&, std::span<const Token>);
  std::vector<Token> (*draw_name)(const Counts&, Token bos, PythonRandom&);
};

/// Names from a table in which nothing was counted: every token is equally likely. Their random numbers are their own.
inline void show_names_of_chance(const Lesson& lesson, const Draft& draft) {
  const Tokenizer& tokenizer = lesson.tokenizer;
  PythonRandom random(1);
  const Counts nothing = nothing_counted(tokenizer.vocab_size());
  fmt::print("\nnames drawn with 27 equally likely tokens:");
  for (int i = 0; i < 5; i++) fmt::print(" {}", tokenizer.decode(draft.draw_name(nothing, tokenizer.bos(), random)));
  fmt::print("\n");
}

/// The example for paper: an alphabet of a, n and BOS; two names are counted, a third is predicted.
inline void show_three_tokens(const Draft& draft) {
  constexpr Token a = 0, n = 1, bos = 2;
  const std::vector<std::string> labels{"a", "n", "BOS"};
  Counts counts = nothing_counted(3);
  draft.count(counts, std::vector<Token>{bos, a, n, n, a, bos});
  draft.count(counts, std::vector<Token>{bos, n, a, n, bos});
  fmt::print("\nanna and nan, counted\nafter |   a   n BOS | as probabilities\n");
  for (Token token : {bos, a, n}) {
    const std::vector<double> p = draft.probabilities(counts[token]);
    fmt::print("{:>5} | {:3} {:3} {:3} | {:.4f} {:.4f} {:.4f}\n", labels[token], counts[token][0], counts[token][1],
               counts[token][2], p[0], p[1], p[2]);
  }
  const std::vector<Token> ana{bos, a, n, a, bos};
  fmt::print("then ana comes; surprises:");
  for (std::size_t i = 0; i < 4; i++) fmt::print(" {:.4f}", -std::log(draft.probabilities(counts[ana[i]])[ana[i + 1]]));
  fmt::print(", mean {:.4f}\n", draft.loss(counts, ana));
}

/// What a loss means, such as 3.3 or 2.37: a choice between n equally likely characters has a surprise of log(n).
inline void show_losses_as_choices(const Lesson& lesson) {
  fmt::print("\na loss of | is as unsure as a choice between\n");
  for (double loss : {0.0, std::log(2.0), 2.37, std::log(static_cast<double>(lesson.tokenizer.vocab_size()))}) {
    fmt::print("{:9.4f} | {:4.1f} equally likely characters\n", loss, std::exp(loss));
  }
  fmt::print("\n");
}

inline std::string label(const Tokenizer& tokenizer, Token token) {
  return token == tokenizer.bos() ? "BOS" : tokenizer.decode({&token, 1});
}

/// A name that was not counted: the rows of the table that it needs, and the surprise at each of its characters.
inline void show_a_name(const Lesson& lesson, const Counts& counts, const Draft& draft) {
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(lesson.documents.back());
  Grid rows;
  for (Token token = 0; token < counts.size(); token++) rows.col_labels.push_back(label(lesson.tokenizer, token));
  std::string surprises = "after | came | probability | surprise\n";
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    rows.row_labels.push_back(label(lesson.tokenizer, tokens[i]));
    rows.rows.push_back(draft.probabilities(counts[tokens[i]]));
    const double p = rows.rows.back()[tokens[i + 1]];
    surprises += fmt::format("{} | {} | {:11.6f} | {:8.4f}\n", pad_left(rows.row_labels.back(), 5),
                             pad_left(label(lesson.tokenizer, tokens[i + 1]), 4), p, -std::log(p));
  }
  fmt::print("\na name it has not seen; darker is more likely\n{}\n{}", shades(rows), surprises);
  fmt::print("the mean of these surprises is its loss: {:.4f}\n", draft.loss(counts, tokens));
}

inline void show_names(Lesson& lesson, const Counts& counts, const Draft& draft) {
  for (int i = 0; i < 20; i++) {
    lesson.name(lesson.tokenizer.decode(draft.draw_name(counts, lesson.tokenizer.bos(), lesson.random)));
  }
  fmt::print("of these, letter for letter in the list of names: {}\n", lesson.copied());
}

/// The probabilities of the whole table, vowels before the other letters, BOS last.
inline void show_table(const Lesson& lesson, const Counts& counts, const Draft& draft) {
  auto is_vowel = [&](Token token) {
    return std::string("aeiou").find(label(lesson.tokenizer, token)) != std::string::npos;
  };
  std::vector<Token> order(counts.size());
  std::iota(order.begin(), order.end(), Token{0});
  std::stable_partition(order.begin(), order.end(), is_vowel);
  Grid grid;
  for (const Token token : order) {
    grid.col_labels.push_back(label(lesson.tokenizer, token));
    const std::vector<double> p = draft.probabilities(counts[token]);
    grid.rows.emplace_back();
    for (const Token next : order) grid.rows.back().push_back(p[next]);
  }
  grid.row_labels = grid.col_labels;
  Svg picture = heat_map("What the table has learnt: vowels and consonants take turns", grid);
  picture.text(40, 38, "row: a character, column: the next one; the darker, the likelier", "start", 11);
  lesson.picture("01_counts.svg", picture);
}

/// The table does not change any more, and still every name has another loss: only a mean tells how good a model is.
inline void show_means(const Lesson& lesson, const Counts& counts, const Draft& draft) {
  const Split& split = lesson.split();
  Counts all = nothing_counted(counts.size());
  for (const Document& name : split.training) draft.count(all, lesson.tokenizer.encode_document(name));
  fmt::print("\nthe mean over {} names it has not seen\n", split.held_out.size());
  auto print_mean = [&](std::size_t counted, const Counts& table) {
    auto loss = [&](std::span<const Token> tokens) { return draft.loss(table, tokens); };
    const Estimate mean = mean_loss(loss, split.held_out, lesson.tokenizer);
    fmt::print("counted {:5} names | loss {:.4f} +- {:.4f} | standard deviation of a single loss {:.4f}\n", counted,
               mean.mean, mean.standard_error, mean.stddev);
  };
  print_mean(lesson.losses().size(), counts);
  print_mean(split.training.size(), all);
  fmt::print("\n");
}

/// The same with src/base/bigram.h.
inline void check_beside_src(Lesson& lesson, const Counts& counts, const Draft& draft) {
  Bigram bigram(counts.size());
  bool same_losses = true;
  for (std::size_t step = 1; step <= lesson.losses().size(); step++) {
    same_losses = same_losses && bigram.loss(lesson.tokens_of_step(step)) == lesson.losses()[step - 1];
    bigram.count(lesson.tokens_of_step(step));
  }
  bool same_probabilities = true;
  bool sum_is_one = true;
  for (Token token = 0; token < counts.size(); token++) {
    const std::vector<double> p = draft.probabilities(counts[token]);
    same_probabilities = same_probabilities && p == bigram.probabilities(token);
    // 2 V roundings, each of a number not above 1 and so by at most epsilon / 2
    const double tolerance = static_cast<double>(counts.size()) * std::numeric_limits<double>::epsilon();
    sum_is_one = sum_is_one && std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1) <= tolerance;
  }
  lesson.check("after every character the probabilities add up to 1", sum_is_one);
  lesson.check("the probabilities are those of src/base/bigram.h", same_probabilities);
  lesson.check("the losses of all steps are those of src/base/bigram.h", same_losses);
}

}  // namespace microgpt
