// The tests of exercise 01: one row on paper. Then a table of triples that leans on one of pairs.
#pragma once

#include "base/bigram.h"
#include "lesson/lesson.h"
#include "lesson/teach.h"
#include "train/evaluation.h"

using namespace microgpt;
using namespace teach;

inline void test_probabilities() {
  const Row prior{0.5, 0.25, 0.25};
  calling("probabilities() of the counts (1 0 3), with the prior (0.5 0.25 0.25) and the strength 6",
          "Six imaginary examples, spread like the prior, are (3 1.5 1.5). With the real ones there are ten.");
  usual(Row(3), "Nothing is believed yet. Begin with `strength` imaginary examples, spread like the prior.");
  usual(prior, "That is the prior. What was counted should change it.");
  usual({2.0 / 7, 1.0 / 7, 4.0 / 7}, "One was added to each count, as in the lesson. Add strength * prior instead.");
  usual({0.3, 0.05, 0.65}, "The prior was added once. It counts as `strength` examples.");
  usual({4, 1.5, 4.5}, "So often was each token seen or imagined. Divide by the number of all examples.");
  usual({1, 0.375, 1.125}, "They add up to more than 1. The imaginary examples count in the total, too.");
  should_be(probabilities({1, 0, 3}, prior, 6), {0.4, 0.15, 0.45});
  calling("probabilities() where nothing was counted, with the same prior and strength",
          "A model that has seen nothing believes its prior, however firmly.");
  should_be(probabilities({0, 0, 0}, prior, 6), prior);
}

/// How good are triples, and what do their names look like?
inline void show() {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Split names = split(documents);
  const Tokenizer tokenizer(documents);
  const std::size_t V = tokenizer.vocab_size();
  const Row even(V, 1.0 / static_cast<double>(V));
  Bigram pairs(V);
  std::vector triples(V, std::vector(V, Row(V)));  // triples[a][b][c]: how often c came right after a, b
  auto with_pairs = [&](Token, Token b) { return pairs.probabilities(b); };
  auto alone = [&](Token a, Token b) { return probabilities(triples[a][b], even, static_cast<double>(V)); };
  auto leaning = [&](Token a, Token b) { return probabilities(triples[a][b], pairs.probabilities(b), 8); };
  auto loss = [&](auto after) {
    auto loss_of_name = [&](std::span<const Token> tokens) {
      double total = 0;
      for (std::size_t i = 1; i < tokens.size(); i++) {
        total -= std::log(after(tokens[i == 1 ? 0 : i - 2], tokens[i - 1])[tokens[i]]);
      }
      return total / static_cast<double>(tokens.size() - 1);
    };
    return mean_loss(loss_of_name, names.held_out, tokenizer).mean;
  };
  calling("probabilities() of all triples of names", "With three tokens it was right. Here there are 27.");
  for (std::size_t counted = 0; counted < names.training.size();) {
    const std::vector<Token> tokens = tokenizer.encode_document(names.training[counted++]);
    pairs.count(tokens);
    for (std::size_t i = 1; i < tokens.size(); i++) triples[tokens[i == 1 ? 0 : i - 2]][tokens[i - 1]][tokens[i]] += 1;
    if (counted != 1000 && counted != names.training.size()) continue;
    fmt::print("counted {:5} names: pairs {:.4f}, triples and one more {:.4f}, triples that lean on pairs {:.4f}\n",
               counted, loss(with_pairs), loss(alone), loss(leaning));
  }
  PythonRandom random(1);
  fmt::print("names by triples:");
  for (int i = 0; i < 8; i++) {
    Token a = tokenizer.bos();
    auto next = [&](Token b, std::size_t) { return random.choice(leaning(std::exchange(a, b), b)); };
    fmt::print(" {}", tokenizer.decode(generate(next, tokenizer.bos(), 16)));
  }
  fmt::print("\n");
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_probabilities, show}); }
