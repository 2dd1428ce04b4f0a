// Lesson 20: how many heads? First what a head costs, counted from the shapes of its matrices. Then what it is worth:
// on paper, and in models with 1 to 16 heads, and the same number of parameters, that learn to copy a word.
#include <cmath>
#include <utility>
#include <vector>

#include "microgpt.h"
#include "show.h"

using namespace microgpt;

/// Attention with H heads. A head has D rows of W_Q, W_K and W_V, and D columns of W_O.
Shapes attention(std::size_t C, std::size_t H) {
  const std::size_t D = C / H;
  Shapes all;
  for (std::size_t h = 0; h < H; h++) {
    for (const char* name : {"attn_wq", "attn_wk", "attn_wv"}) all.push_back({name, D, C});
    all.push_back({"attn_wo", C, D});  // stop: head
  }
  return all;
}

/// The arithmetic of H heads on T positions: products with weights, products between positions, exponentials.
Work work_of(std::size_t C, std::size_t H, std::size_t T) {
  Work work{.linear = T * numbers_in(attention(C, H))};
  for (std::size_t h = 0; h < H; h++) {
    for (std::size_t t = 0; t < T; t++) {
      work.dot += (t + 1) * 2 * (C / H);  // query times key, and weight times value
      work.exp += t + 1;                  // one for each position that t sees
    }
  }
  return work;
}

/// The right letter has the value 1, the wrong letter 0; a head has a score for each. Twenty steps down the slope of
/// the loss (1 - found)^2, where `found` is what all heads find together.
void learn_on_paper(const char* heads, std::vector<std::pair<double, double>> numbers) {
  for (int step = 0; step <= 20; step++) {
    const Scope scope;
    Value found = 0.0;
    std::vector<Values> scores;
    for (const auto& [right, wrong] : numbers) {
      scores.push_back(Values(std::vector<Value>{right, wrong}));
      const Values weights = softmax(scores.back());
      found = found + weights[0] * 1.0 + weights[1] * 0.0;  // stop: weights
    }
    ((1.0 - found) * (1.0 - found)).backward();
    if (step % 10 == 0) show_step(heads, step, found, scores);  // stop: slopes
    for (std::size_t h = 0; h < numbers.size(); h++) {
      numbers[h].first -= scores[h][0].grad();
      numbers[h].second -= scores[h][1].grad();
    }
  }
}

/// A model learns to copy. The same seed draws the same numbers and the same order of words, however many heads share
/// the numbers. W_Q and W_K begin `times` as large as usual.
Copier learn_to_copy(const Words& words, std::size_t n_head, double times, std::size_t num_steps, std::uint64_t seed) {
  PythonRandom random(seed);
  std::vector<Document> documents = words.training;
  random.shuffle(documents);
  const Config config{.vocab_size = words.tokenizer.vocab_size(), .n_head = n_head};
  const TrainConfig how{.num_steps = num_steps, .batch_size = 16, .learning_rate = 0.02};
  Copier copier{config, initialize(config, how, random), {}};
  for (const Parameter& w : {copier.parameters["layer0.attn_wq"], copier.parameters["layer0.attn_wk"]}) {
    for (std::size_t i = 0; i < w.size(); i++) w.data[i] *= times;
  }
  BatchTrainer<double> trainer(config, how, copier.parameters, documents, words.tokenizer,
                               {.loss_mean = LossMean::tokens});
  while (copier.losses.size() < num_steps) copier.losses.push_back(trainer.step());
  trainer.model().copy_to(copier.parameters);
  test(copier, words);
  return copier;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_costs(attention, work_of);
  show_shares(lesson, attention);
  fmt::print("\n--- on paper ---\nheads                  | step | found   | slopes\n");
  learn_on_paper("one, sure", {{0, 6}});
  learn_on_paper("one sure, one not sure", {{0, 6}, {0, 0}});
  show_copying(lesson, learn_to_copy);
  show_names(lesson);
  check_counts(lesson, attention, work_of);
  return lesson.finish();
}
