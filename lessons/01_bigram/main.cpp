// Lesson 01: predict the next character by counting pairs.
//
// The whole model is a table: how often did each character come right after each other one? Before a name is counted,
// the table has to predict it, character by character. How surprised it is, is its loss.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/bigram.h"
#include "inspect/plot.h"
#include "lesson/lesson.h"
#include "train/evaluation.h"

using namespace microgpt;

/// counts[i][j]: how often token j came right after token i. Shape (V, V).
using Counts = std::vector<std::vector<double>>;

void count_pairs(Counts& counts, std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    counts[tokens[i]][tokens[i + 1]] += 1;  // stop: count
  }
}

/// From a row of counts, the probability of each next token: its share of the row. Every pair counts one more than it
/// was seen, so that a pair that was never seen is unlikely, but not impossible.
std::vector<double> probabilities(const std::vector<double>& row) {
  const double total = std::accumulate(row.begin(), row.end(), static_cast<double>(row.size()));
  std::vector<double> p;
  for (double count : row) p.push_back((count + 1) / total);
  return p;
}

/// How surprising it is, in nats, that something happens to which the model gave the probability p.
double surprise(double p) { return -std::log(p); }

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Tokenizer& tokenizer = lesson.tokenizer;
  const std::size_t vocab_size = tokenizer.vocab_size();

  // What a loss means, such as 3.3 or 2.37: a choice between n equally likely characters has a surprise of log(n).
  fmt::print("\na loss of | is as unsure as a choice between\n");
  for (double loss : {0.0, std::log(2.0), 2.37, std::log(static_cast<double>(vocab_size))}) {
    fmt::print("{:9.4f} | {:4.1f} equally likely characters\n", loss, std::exp(loss));
  }

  // The loss of a name is the mean surprise of its characters and of its end.
  Counts counts(vocab_size, std::vector<double>(vocab_size));
  auto document_loss = [&](std::span<const Token> tokens) {
    const std::size_t n = tokens.size() - 1;
    double total = 0;
    for (std::size_t i = 0; i < n; i++) {
      const std::vector<double> p = probabilities(counts[tokens[i]]);
      total += surprise(p[tokens[i + 1]]);  // stop: surprise
    }
    return 1.0 / static_cast<double>(n) * total;
  };

  // Learning: first predict a name, then count it.
  fmt::print("\n");
  constexpr std::size_t num_steps = 1000;
  for (std::size_t step = 1; step <= num_steps; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    const double loss = document_loss(tokens);  // stop: predict
    count_pairs(counts, tokens);
    lesson.step(step, num_steps, loss);
  }
  std::vector<std::string> labels;
  for (Token token = 0; token < tokenizer.bos(); token++) labels.push_back(tokenizer.decode({&token, 1}));
  labels.emplace_back("BOS");
  lesson.picture("01_counts.svg", heat_map("row: a character, column: the next one", {labels, labels, counts}));

  // A name that was not counted: the rows of the table that it needs, and the surprise of each of its characters.
  const Split& split = lesson.split();
  const std::vector<Token> tokens = tokenizer.encode_document(lesson.documents.back());
  Grid rows{{}, labels, {}};
  std::string surprises = "after | came | probability | surprise\n";
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    rows.row_labels.push_back(labels[tokens[i]]);
    rows.rows.push_back(probabilities(counts[tokens[i]]));
    const double p = rows.rows.back()[tokens[i + 1]];
    surprises +=
        fmt::format("{:>5} | {:>4} | {:11.4f} | {:8.4f}\n", labels[tokens[i]], labels[tokens[i + 1]], p, surprise(p));
  }
  fmt::print("\na name it has not seen; darker is more likely\n{}\n{}", shades(rows), surprises);
  fmt::print("the mean of these surprises is its loss: {:.4f}\n", document_loss(tokens));

  // The table does not change any more, and still every name has another loss: only a mean tells how good a model is.
  Bigram all(vocab_size);
  for (const Document& document : split.training) all.count(tokenizer.encode_document(document));
  auto print_mean = [&](std::size_t counted, const Loss& loss) {
    const Estimate mean = mean_loss(loss, split.held_out, tokenizer);
    fmt::print("counted {:5} names | loss {:.4f} +- {:.4f} | standard deviation of a single loss {:.4f}\n", counted,
               mean.mean, mean.standard_error, mean.stddev);
  };
  fmt::print("\nthe mean over {} names it has not seen\n", split.held_out.size());
  print_mean(num_steps, document_loss);
  print_mean(split.training.size(), [&](auto name) { return all.loss(name); });

  // New names: begin at BOS, draw a character in proportion to its probability, go on from there until BOS is drawn.
  for (int i = 0; i < 20; i++) {
    std::vector<Token> name;
    Token token = tokenizer.bos();
    while (name.size() < 16) {
      token = lesson.random.choice(probabilities(counts[token]));  // stop: draw
      if (token == tokenizer.bos()) break;
      name.push_back(token);
    }
    lesson.name(tokenizer.decode(name));
  }
  fmt::print("of these, letter for letter in the list of names: {}\n\n", lesson.copied());

  // The same with src/base/bigram.h.
  Bigram bigram(vocab_size);
  bool same_losses = true;
  for (std::size_t step = 1; step <= num_steps; step++) {
    same_losses = same_losses && bigram.loss(lesson.tokens_of_step(step)) == lesson.losses()[step - 1];
    bigram.count(lesson.tokens_of_step(step));
  }
  bool same_probabilities = true;
  bool sum_is_one = true;
  for (Token token = 0; token < vocab_size; token++) {
    const std::vector<double> p = probabilities(counts[token]);
    same_probabilities = same_probabilities && p == bigram.probabilities(token);
    // 2 V roundings, each of a number not above 1 and so by at most epsilon / 2
    const double tolerance = static_cast<double>(vocab_size) * std::numeric_limits<double>::epsilon();
    sum_is_one = sum_is_one && std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1) <= tolerance;
  }
  lesson.check("after every character the probabilities sum to 1", sum_is_one);
  lesson.check("they are those of src/base/bigram.h", same_probabilities);
  lesson.check("so are the losses of all steps", same_losses);
  return lesson.finish();
}
