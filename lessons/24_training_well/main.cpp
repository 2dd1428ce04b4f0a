// Lesson 24: a better model, and how we know that it is better. Names are put aside, a table of counts is the opponent,
// and two cures keep a model from learning by heart. In the end the model and the table are asked together.
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "show.h"

using namespace microgpt;

/// Drops repeated names first: the 32033 lines of makemore's list are 29494 names.
Parts draft_split(Names names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  PythonRandom(42).shuffle(names);
  const auto tenth = static_cast<std::ptrdiff_t>(names.size() / 10);
  return {.training = {names.begin(), names.end() - 2 * tenth},
          .validation = {names.end() - 2 * tenth, names.end() - tenth},
          .held_out = {names.end() - tenth, names.end()}};
}

/// The mean of -log p over all predictions in these names. A long name has more of them than a short one.
double mean_loss(const Predictor& predictor, const Names& names, const Tokenizer& tokenizer) {
  double total = 0, predictions = 0;
  for (const Document& name : names) {
    for (const double p : predictor(tokenizer.encode_document(name))) {
      total -= std::log(p);
      predictions++;
    }
  }
  return total / predictions;
}

/// A table of what came after each context: after no token, after the last, and so on to the last four.
struct Ngram {
  std::size_t vocab_size;
  std::map<std::vector<Token>, std::vector<double>> sightings = {};

  /// The last n tokens before tokens[i].
  static std::vector<Token> context(std::span<const Token> tokens, std::size_t i, std::size_t n) {
    return {&tokens[i - n], &tokens[i]};
  }

  void count(std::span<const Token> tokens) {
    for (std::size_t i = 1; i < tokens.size(); i++) {
      for (std::size_t n = 0; n <= 4 && n <= i; n++) {
        std::vector<double>& seen = sightings[context(tokens, i, n)];
        seen.resize(vocab_size);
        seen[tokens[i]]++;
      }
    }
  }

  /// p(tokens[i]) from contexts of fewer than `order` tokens. What the shorter ones say counts like `trust` sightings.
  double probability(std::span<const Token> tokens, std::size_t i, std::size_t order, double trust) const {
    double p = 1.0 / static_cast<double>(vocab_size);
    for (std::size_t n = 0; n < order && n <= i; n++) {
      const auto found = sightings.find(context(tokens, i, n));
      if (found == sightings.end()) break;  // never seen, so no longer context was
      const std::vector<double>& seen = found->second;
      const double total = std::accumulate(seen.begin(), seen.end(), 0.0);
      p = (seen[tokens[i]] + trust * p) / (total + trust);  // stop: backoff
    }
    return p;
  }
};

/// The table of these names as a predictor. It needs to know how far to look back, and how far to trust what it sees.
Counting counting(const Names& names, const Tokenizer& tokenizer) {
  const auto ngram = std::make_shared<Ngram>(Ngram{tokenizer.vocab_size()});
  for (const Document& name : names) ngram->count(tokenizer.encode_document(name));
  return [ngram](std::size_t order, double trust) {
    return [=](std::span<const Token> tokens) {
      Probabilities all;
      for (std::size_t i = 1; i < tokens.size(); i++) all.push_back(ngram->probability(tokens, i, order, trust));
      return all;
    };
  };
}

/// Dropout: each number becomes 0 with probability p. The others grow, so that the mean stays the same.
std::vector<double> dropped(std::vector<double> x, double p, PythonRandom& random) {
  for (double& number : x) number = random.random() < p ? 0 : number / (1 - p);
  return x;
}

/// Two predictors together: each probability is the mean of theirs.
Predictor mixed(const Predictor& a, const Predictor& b) {
  return [a, b](std::span<const Token> tokens) {
    const Probabilities of_a = a(tokens), of_b = b(tokens);
    Probabilities all;
    for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); i++) all.push_back((of_a[i] + of_b[i]) / 2);
    return all;
  };
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Parts parts = draft_split(lesson.documents);
  Experiments experiments(lesson, parts, mean_loss);
  show_backoff(counting({U"ana", U"anna", U"hanna"}, Tokenizer(U"ahn")));
  show_dropped(dropped);
  experiments.learn_by_heart();

  const Counting table = counting(parts.training, lesson.tokenizer);
  const double trust = experiments.choose_trust(table);
  experiments.one_thing_at_a_time();
  experiments.luck();
  const Recipe chosen{.model = {.n_layer = 2, .n_embd = 32},
                      .train = {.num_steps = 2000, .batch_size = 32, .learning_rate = 0.008}};
  experiments.open_envelope(chosen, table(5, trust), mixed);
  experiments.check();
  return lesson.finish();
}
