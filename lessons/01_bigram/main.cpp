// Lesson 01: predict the next character by counting pairs.
//
// The whole model is a table: how often did each character come right after each other one? Before a name is counted,
// the table has to predict it, character by character. How surprised it is, is its loss.
#include <cmath>
#include <numeric>

#include "lesson/lesson.h"
#include "show.h"

using namespace microgpt;

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

/// Learning: first predict a name, then count it.
void learn(Lesson& lesson, Counts& counts) {
  for (std::size_t step = 1; step <= 1000; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    const double loss = document_loss(counts, tokens);  // stop: predict
    count_pairs(counts, tokens);
    lesson.step(step, 1000, loss);
  }
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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Draft draft{count_pairs, probabilities, document_loss, draw_name};
  show_names_of_chance(lesson, draft);
  show_three_tokens(draft);
  show_losses_as_choices(lesson);

  Counts counts = nothing_counted(lesson.tokenizer.vocab_size());
  learn(lesson, counts);
  show_a_name(lesson, counts, draft);
  show_names(lesson, counts, draft);
  show_table(lesson, counts, draft);
  show_means(lesson, counts, draft);
  check_beside_src(lesson, counts, draft);
  return lesson.finish();
}
