// Lesson 01: predict the next character by counting pairs.
//
// The whole model is a table: how often did each character come right after each other one? Before a name is counted,
// the table has to predict it, character by character. How surprised it is, is its loss.
#include <limits>

#include "base/bigram.h"
#include "base/utf8.h"
#include "lesson/lesson.h"
#include "pictures.h"
#include "train/evaluation.h"

using namespace microgpt;

using Counts = std::vector<std::vector<double>>;

/// counts[i][j]: how often token j came right after token i. Shape (V, V).
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

/// A new name: begin at BOS, draw a character in proportion to its probability, go on from there until BOS is drawn.
std::vector<Token> draw_name(const Counts& counts, Token bos, PythonRandom& random) {
  std::vector<Token> name;
  Token token = bos;
  while (name.size() < 16) {
    token = random.choice(probabilities(counts[token]));  // stop: draw
    if (token == bos) break;
    name.push_back(token);
  }
  return name;
}

/// How surprising it is, in nats, that something happens to which the model gave the probability p.
double surprise(double p) { return -std::log(p); }

/// The loss of a name: the mean surprise at its characters and at its end.
double document_loss(const Counts& counts, std::span<const Token> tokens) {
  const std::size_t n = tokens.size() - 1;
  double total = 0;
  for (std::size_t i = 0; i < n; i++) {
    const std::vector<double> p = probabilities(counts[tokens[i]]);
    total += surprise(p[tokens[i + 1]]);  // stop: surprise
  }
  return 1.0 / static_cast<double>(n) * total;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Tokenizer& tokenizer = lesson.tokenizer;
  const std::size_t V = tokenizer.vocab_size();
  std::vector<std::string> labels;
  for (Token token = 0; token < V; token++) labels.push_back(token == tokenizer.bos() ? "BOS" : tokenizer.label(token));
  const Counts nothing(V, std::vector<double>(V));  // every token is equally likely
  PythonRandom chance(1);
  fmt::print("\nnames drawn with 27 equally likely tokens:");
  for (int i = 0; i < 5; i++) fmt::print(" {}", tokenizer.decode(draw_name(nothing, tokenizer.bos(), chance)));
  fmt::print("\n");

  // The example for paper: an alphabet of a, n and BOS; two names are counted, a third is predicted.
  constexpr Token a = 0, n = 1, bos = 2;
  const std::vector<std::string> three{"a", "n", "BOS"};
  Counts pairs(3, std::vector<double>(3));
  count_pairs(pairs, std::vector<Token>{bos, a, n, n, a, bos});
  count_pairs(pairs, std::vector<Token>{bos, n, a, n, bos});
  fmt::print("\nanna and nan, counted\nafter |   a   n BOS | as probabilities\n");
  for (const Token token : {bos, a, n}) {
    const std::vector<double> p = probabilities(pairs[token]);
    fmt::print("{:>5} | {:3} {:3} {:3} | {:.4f} {:.4f} {:.4f}\n", three[token], pairs[token][0], pairs[token][1],
               pairs[token][2], p[0], p[1], p[2]);
  }
  const std::vector<Token> ana{bos, a, n, a, bos};
  fmt::print("then ana comes; surprises:");
  for (std::size_t i = 0; i < 4; i++) fmt::print(" {:.4f}", surprise(probabilities(pairs[ana[i]])[ana[i + 1]]));
  fmt::print(", mean {:.4f}\n", document_loss(pairs, ana));

  // What a loss means, such as 3.3 or 2.37: a choice between n equally likely characters has a surprise of log(n).
  fmt::print("\na loss of | is as unsure as a choice between\n");
  for (const double loss : {0.0, std::log(2.0), 2.37, std::log(static_cast<double>(V))}) {
    fmt::print("{:9.4f} | {:4.1f} equally likely characters\n", loss, std::exp(loss));
  }
  fmt::print("\n");

  // Learning: first predict a name, then count it.
  constexpr std::size_t num_steps = 1000;
  Counts counts = nothing;
  for (std::size_t step = 1; step <= num_steps; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    const double loss = document_loss(counts, tokens);  // stop: predict
    count_pairs(counts, tokens);
    lesson.step(step, num_steps, loss);  // prints every hundredth loss, and keeps all
  }

  // A name that was not counted: the surprise at each of its characters.
  const std::vector<Token> unseen = tokenizer.encode_document(lesson.documents.back());
  fmt::print("\na name it has not seen\nafter | came | probability | surprise\n");
  for (std::size_t i = 0; i + 1 < unseen.size(); i++) {
    const double p = probabilities(counts[unseen[i]])[unseen[i + 1]];
    fmt::print("{} | {} | {:11.6f} | {:8.4f}\n", pad_left(labels[unseen[i]], 5), pad_left(labels[unseen[i + 1]], 4), p,
               surprise(p));
  }
  fmt::print("the mean of these surprises is its loss: {:.4f}\n", document_loss(counts, unseen));

  for (int i = 0; i < 20; i++) lesson.name(tokenizer.decode(draw_name(counts, tokenizer.bos(), lesson.random)));
  fmt::print("of these, letter for letter in the list of names: {}\n", lesson.copied());
  std::vector<std::vector<double>> table;
  for (const std::vector<double>& row : counts) table.push_back(probabilities(row));
  lesson.picture("01_counts.svg", table_picture(labels, table));

  // The table does not change any more, and still every name has another loss: only a mean tells how good a model is.
  const Split& split = lesson.split();
  Counts all = nothing;
  for (const Document& document : split.training) {  // on two lines: in a debugger, next goes through one name
    count_pairs(all, tokenizer.encode_document(document));
  }
  fmt::print("\nthe mean over {} names it has not seen\n", split.held_out.size());
  for (const bool after_all : {false, true}) {
    auto loss = [&](auto tokens) { return document_loss(after_all ? all : counts, tokens); };
    const Estimate mean = mean_loss(loss, split.held_out, tokenizer);
    fmt::print("counted {:5} names | loss {:.4f} +- {:.4f} | standard deviation of a single loss {:.4f}\n",
               after_all ? split.training.size() : num_steps, mean.mean, mean.standard_error, mean.stddev);
  }
  fmt::print("\n");

  // The same with src/base/bigram.h.
  Bigram bigram(V);
  bool same_losses = true, same_probabilities = true, sum_is_one = true;
  for (std::size_t step = 1; step <= num_steps; step++) {
    same_losses = same_losses && bigram.loss(lesson.tokens_of_step(step)) == lesson.losses()[step - 1];
    bigram.count(lesson.tokens_of_step(step));
  }
  for (Token token = 0; token < V; token++) {
    const std::vector<double>& p = table[token];
    same_probabilities = same_probabilities && p == bigram.probabilities(token);
    // 2 V roundings, each of a number not above 1 and so by at most epsilon / 2
    const double tolerance = static_cast<double>(V) * std::numeric_limits<double>::epsilon();
    sum_is_one = sum_is_one && std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1) <= tolerance;
  }
  lesson.check("after every character the probabilities add up to 1", sum_is_one);
  lesson.check("the probabilities are those of src/base/bigram.h", same_probabilities);
  lesson.check("the losses of all steps are those of src/base/bigram.h", same_losses);
  return lesson.finish();
}
