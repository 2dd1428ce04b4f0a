// Lesson 20: how many heads? First what a head costs, counted from the shapes of its matrices. Then what it is worth:
// on paper, and in models with 1 to 16 heads, and the same number of parameters, that learn to copy a word.
#include <cstdio>
#include <cstdlib>

#include "base/published.h"
#include "base/task.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "heads/gallery.h"
#include "heads/probe.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/work.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/batch_trainer.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

using Shapes = std::vector<Parameters::Shape>;  // name, rows, columns

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

/// How many numbers the matrices hold whose names contain `part`.
std::size_t numbers_in(const Shapes& shapes, const std::string& part = "") {
  std::size_t n = 0;
  for (const auto& [name, rows, cols] : shapes) n += name.find(part) == std::string::npos ? 0 : rows * cols;
  return n;
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

/// A layer of 2017: attention, or two, and a feed-forward part; after each a norm with a gain and a bias.
Shapes layer_of_2017(std::size_t C, int attentions) {
  Shapes all{{"mlp_fc1", 4 * C, C}, {"mlp_fc1", 4 * C, 1}, {"mlp_fc2", C, 4 * C}, {"mlp_fc2", C, 1}, {"norm", 2, C}};
  for (int i = 0; i < attentions; i++) {
    for (const Parameters::Shape& shape : attention(C, 8)) all.push_back(shape);
    all.push_back({"attn_biases", 4, C});
    all.push_back({"norm", 2, C});
  }
  return all;
}

/// The base model of 2017: 6 layers read English, 6 write German, and these also look back at the English.
Shapes transformer_of_2017(std::size_t C, std::size_t V) {
  Shapes all{{"embedding", V, C}};  // one table for both languages, and for the logits
  for (int layer = 0; layer < 6; layer++) {
    for (const Parameters::Shape& shape : layer_of_2017(C, 1)) all.push_back(shape);
    for (const Parameters::Shape& shape : layer_of_2017(C, 2)) all.push_back(shape);
  }
  return all;
}

/// A layer of LLaMA 2, whose MLP has three matrices.
Shapes layer_of(const PublishedModel& model) {
  Shapes all = attention_matrices(model.attention);
  for (int i = 0; i < 3; i++) all.push_back({"mlp", model.mlp_dim, model.attention.n_embd});
  for (int i = 0; i < 2; i++) all.push_back({"norm", 1, model.attention.n_embd});
  return all;
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
    std::string slopes;  // each head's, for the right letter
    for (const Values& of_head : scores) slopes += fmt::format(" {:7.4f}", of_head[0].grad());
    if (step % 10 == 0) fmt::print("{:22} | {:4} | {:.5f} |{}\n", heads, step, found.data(), slopes);  // stop: slopes
    for (std::size_t h = 0; h < numbers.size(); h++) {
      numbers[h].first -= scores[h][0].grad();
      numbers[h].second -= scores[h][1].grad();
    }
  }
}

/// Documents like "cbebhh=cbebhh" to learn from, and others to be tested on.
struct Words {
  PythonRandom random{1};
  std::vector<Document> training = draw_documents({}, Part::training, 4800, random);
  std::vector<Document> held_out = draw_documents({}, Part::held_out, 600, random);
  Tokenizer tokenizer{training};
};

struct Copier {
  Config config;
  Parameters parameters;
  std::vector<double> losses;  // of each step
  double loss = 0;             // on the held-out words
  double right = 0;            // the share of the letters after "=" that it predicts
};

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

  std::vector<ProbeDocument> tests;
  for (const Document& word : words.held_out) {
    tests.push_back(probe_document(word, words.tokenizer, copier.config.block_size));
  }
  const Scores scores = Probe(copier.config, copier.parameters, tests).scores();
  copier.loss = estimate(scores.losses).mean;
  copier.right = estimate(scores.accuracies).mean;
  return copier;
}

using Study = std::vector<std::vector<Copier>>;  // for each number of heads, a model for each of the seeds 1, 2, 3, ...

/// Prints how many percent of the answers' letters each model has right, as soon as it has learnt; then the mean loss
/// and its standard error.
Study study(const Words& words, double times, std::size_t num_steps, std::size_t seeds,
            const std::vector<std::size_t>& heads) {
  Study all;
  for (const std::size_t H : heads) {
    fmt::print("{:11} | {:5} | {:5} |", times, num_steps, H);
    std::vector<Copier>& copiers = all.emplace_back();
    std::vector<double> losses;
    for (std::uint64_t seed = 1; seed <= seeds; seed++) {
      copiers.push_back(learn_to_copy(words, H, times, num_steps, seed));
      losses.push_back(copiers.back().loss);
      fmt::print(" {:3.0f}", 100 * copiers.back().right);
      std::fflush(stdout);
    }
    fmt::print(" | {:.3f} {:.3f}\n", estimate(losses).mean, estimate(losses).standard_error);
  }
  return all;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  fmt::print("\n--- attention in a layer of 512 numbers; products and exponentials for 256 positions ---\n");
  fmt::print("heads | of width | parameters | products: projections | attention | exponentials\n");
  for (const std::size_t H : {1, 8, 64, 512}) {
    const Work work = work_of(512, H, 256);
    fmt::print("{:5} | {:8} | {:10} | {:21} | {:9} | {:12}\n", H, 512 / H, numbers_in(attention(512, H)), work.linear,
               work.dot, work.exp);
  }

  fmt::print("\n--- who owns the parameters ---\n");
  fmt::print("model               | parameters | attention        | feed-forward     | rest\n");
  const Config ours{.vocab_size = lesson.tokenizer.vocab_size()};
  const std::vector<std::pair<std::string, Shapes>> models{
      {"2017: a layer", layer_of_2017(512, 1)},
      {"2017: base model", transformer_of_2017(512, 37000)},
      {"llama2-70b: a layer", layer_of(published_model("llama2-70b"))},
      {"our model", gpt_shapes(ours)}};
  std::vector<std::string> names;
  std::vector<Bars> shares{{"attention", {}}, {"feed-forward", {}}, {"rest", {}}};  // in percent
  for (const auto& [name, shapes] : models) {
    names.push_back(name);
    const std::size_t n = numbers_in(shapes), heads = numbers_in(shapes, "attn"), mlp = numbers_in(shapes, "mlp");
    fmt::print("{:19} | {:10}", name, n);
    for (std::size_t i = 0; i < 3; i++) {
      const std::size_t part = i == 0 ? heads : i == 1 ? mlp : n - heads - mlp;
      shares[i].heights.push_back(100 * static_cast<double>(part) / static_cast<double>(n));
      fmt::print(" | {:9} {:4.1f} %", part, shares[i].heights.back());
    }
    fmt::print("\n");
  }
  lesson.picture("20_shares.svg", bar_chart("A third of a plain layer is attention; elsewhere it is less",
                                            "share of the parameters, %", names, shares));

  fmt::print("\n--- on paper ---\nheads                  | step | found   | slopes\n");
  learn_on_paper("one, sure", {{0, 6}});
  learn_on_paper("one sure, one not sure", {{0, 6}, {0, 0}});

  // Copying: as usual, and with heads that are sure from the start.
  const Words words;
  fmt::print("\n--- copying words like {}; the lowest possible loss is {:.3f} ---\n", encode_utf8(words.training[0]),
             6 * std::log(8) / 14);  // 6 of 14 predictions are guesses among 8 letters
  const char* const heading = "W_Q and W_K | steps | heads | right answers of each seed, % | loss, standard error";
  fmt::print("{}\n", heading);
  study(words, 1, 300, 3, {1, 4, 16});
  const std::vector<std::size_t> heads{1, 2, 4, 8, 16};
  const Study sure = study(words, 5, 300, 5, heads);
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < heads.size(); i++) {
    Panel& panel = panels.emplace_back(Panel{heads[i], {}});
    for (const Copier& copier : sure[i]) panel.seeds.push_back({copier.losses, copier.right});
  }
  lesson.picture("20_curves.svg", draw_curves(panels));
  if (std::getenv("LONG") != nullptr) {
    fmt::print("\n--- 20 seeds; then 5 seeds and more time ---\n{}\n", heading);
    for (const double times : {1, 5}) study(words, times, 300, 20, heads);
    study(words, 5, 500, 5, {1, 4, 16});
  }

  // Seed 1: where a head looks when letter 1, 2, ... is to be written.
  const std::vector<Token> word = words.tokenizer.encode_document(words.held_out[0]);
  const Copier &single = sure[0][0], &quartet = sure[2][0];
  const auto one = rows_of_answer("one head", head_maps(single.config, single.parameters, word, words.tokenizer));
  const auto four = rows_of_answer("four: head ", head_maps(quartet.config, quartet.parameters, word, words.tokenizer));
  lesson.picture("20_looks.svg", draw_looks(one, four));

  fmt::print("\n--- names ---\n");
  const Comparison comparison = compare(lesson.documents, lesson.tokenizer,
                                        {{"4 heads", {}}, {"1 head", {.n_head = 1}}, {"16 heads", {.n_head = 16}}},
                                        {.num_steps = 300, .batch_size = 16});
  comparison.print();

  // The counts are those of src.
  const std::size_t heads_of_gpt2 = attention_parameters(published_model("gpt2"));
  lesson.check("12 layers of gpt2's attention", 12 * (numbers_in(attention(768, 12)) + 4 * 768) == heads_of_gpt2);
  const Scope scope;
  const Parameters parameters(gpt_shapes(ours));
  const std::vector<Token> name = lesson.tokens_of_step(1);
  document_loss(scalar_model(ours, parameters), name);
  const std::size_t T = name.size() - 1, of_norms = 3 * T * ours.n_embd, of_loss = T * ours.vocab_size;
  const Work counted = work_of(ours.n_embd, ours.n_head, T), on_tape = work_on_tape();
  lesson.check("products of attention in src/microgpt.cpp", on_tape.dot == counted.dot + of_norms);
  lesson.check("exponentials in src/microgpt.cpp", on_tape.exp == counted.exp + of_loss);
  return lesson.finish();
}
