// Lesson 24: a better model, and how we know that it is better. Which loss is honest, what to compare it with, which
// knob to turn, and what is luck.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "draw/chart.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "train/evaluation.h"
#include "train/held_out.h"

using namespace microgpt;

using Names = std::vector<Document>;

/// Names to learn from, names to choose a recipe by, and names that nobody looks at before the end.
struct Parts {
  Names training, validation, held_out;
};

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

/// A table of what came after each context: after no token, after the last, after the last two, ...
struct Ngram {
  std::size_t order, vocab_size;  // an order of 5 looks at four tokens and predicts the fifth
  double trust;                   // a shorter context's opinion counts like this many sightings
  std::map<std::vector<Token>, std::vector<double>> sightings = {};

  /// The last n tokens before tokens[i].
  static std::vector<Token> context(std::span<const Token> tokens, std::size_t i, std::size_t n) {
    return {&tokens[i - n], &tokens[i]};
  }

  void count(std::span<const Token> tokens) {
    for (std::size_t i = 1; i < tokens.size(); i++) {
      for (std::size_t n = 0; n < order && n <= i; n++) {
        std::vector<double>& seen = sightings[context(tokens, i, n)];
        seen.resize(vocab_size);
        seen[tokens[i]]++;
      }
    }
  }

  /// p(tokens[i]), given the tokens before it.
  double probability(std::span<const Token> tokens, std::size_t i) const {
    double p = 1.0 / static_cast<double>(vocab_size);
    for (std::size_t n = 0; n < order && n <= i; n++) {
      const auto found = sightings.find(context(tokens, i, n));
      if (found == sightings.end()) break;  // never seen, and so no longer one was
      const std::vector<double>& seen = found->second;
      const double total = std::accumulate(seen.begin(), seen.end(), 0.0);
      p = (seen[tokens[i]] + trust * p) / (total + trust);  // stop: backoff
    }
    return p;
  }
};

/// How surprised a model is by a name: the sum of -log p over its characters and its end.
double surprise(const Ngram& ngram, std::span<const Token> tokens) {
  double total = 0;
  for (std::size_t i = 1; i < tokens.size(); i++) total -= std::log(ngram.probability(tokens, i));
  return total;
}

double surprise(const TensorModel<double>& model, std::span<const Token> tokens) {
  Batch batch(model.config.block_size);
  batch.add(tokens);
  Activations<double> activations;
  activations.dropout = {.rate = 0};  // dropout is for training only
  activations.resize(model, batch.num_positions());
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  const double* const losses = activations.losses.view().data;
  return std::accumulate(losses, losses + batch.num_positions(), 0.0);
}

/// The mean over all predictions in these names, as everywhere in this lesson. A long name has more than a short one.
double mean_loss(const auto& model, const Names& names, const Tokenizer& tokenizer) {
  double total = 0, predictions = 0;
  for (const Document& name : names) {
    const std::vector<Token> tokens = tokenizer.encode_document(name);
    total += surprise(model, tokens);
    predictions += static_cast<double>(tokens.size() - 1);
  }
  return total / predictions;
}

// --- The experiments ---

void on_paper() {
  const Tokenizer tokenizer(U"ahn");
  Ngram ngram{5, tokenizer.vocab_size(), 2};
  for (const Document& name : Names{U"ana", U"anna", U"hanna"}) ngram.count(tokenizer.encode_document(name));
  const std::vector<Token> anna = tokenizer.encode_document(U"anna");
  fmt::print("\nana, anna, hanna: what comes after .ann?\ncontext | probability of a\n");
  for (ngram.order = 1; ngram.order <= 5; ngram.order++)
    fmt::print("{:>7} | {:.4f}\n", std::string(".ann").substr(5 - ngram.order), ngram.probability(anna, 4));
}

/// Generates 500 names, and prints how many of them are copied from the list, and the first few.
void print_names(TensorModel<double>& model, double temperature, const Names& list, const Tokenizer& tokenizer) {
  const std::vector<std::vector<Token>> names = generated(model, 500, temperature);
  fmt::print("temperature {:.1f}: {} of 500 generated names are copies:", temperature,
             count_listed(names, list, tokenizer));
  for (std::size_t i = 0; i < 6; i++) fmt::print(" {}", tokenizer.decode(names[i]));
  fmt::print("\n");
}

/// A wide model, for reading a few names over and over.
Recipe wide(double dropout = 0, double weight_decay = 0) {
  return {.model = {.n_embd = 64},
          .train = {.batch_size = 16, .learning_rate = 0.005, .weight_decay = weight_decay, .dropout = dropout}};
}

/// 500 names again and again: without a cure, with dropout, with weight decay, with both.
void learn_by_heart(const Lesson& lesson, const Parts& parts) {
  const Names few(parts.training.begin(), parts.training.begin() + 500);
  const Names others(parts.validation.begin(), parts.validation.begin() + 500);
  std::vector<Series> trained_on, unseen;  // for each cure; rounded, so that all processors draw the same
  for (const auto& [dropout, decay] : {std::pair(0.0, 0.0), {0.3, 0.0}, {0.0, 2.0}, {0.3, 2.0}}) {
    const std::string cure = fmt::format("dropout {}, weight decay {}", dropout, decay);
    fmt::print("\n--- 500 names, again and again; {} ---\nstep | these 500 names | 500 it never sees\n", cure);
    Series own{"the 500 names it is trained on", {}}, new_to_it{cure, {}};
    const auto measure = [&](BatchTrainer<double>& now, double) {
      const std::size_t step = now.steps_done();
      if (step % 50 != 0 && step != 10) return;
      const double low = mean_loss(now.model(), few, lesson.tokenizer);
      const double honest = mean_loss(now.model(), others, lesson.tokenizer);
      own.points.emplace_back(step, std::round(100 * low) / 100);
      new_to_it.points.emplace_back(step, std::round(100 * honest) / 100);
      if (step <= 50 || step % 200 == 0) fmt::print("{:4} | {:15.2f} | {:.2f}\n", step, low, honest);
    };
    BatchTrainer<double> trainer = trained(wide(dropout, decay), few, lesson.tokenizer, 1, measure);
    print_names(trainer.model(), 0.5, few, lesson.tokenizer);
    trained_on.push_back(own);
    unseen.push_back(new_to_it);
  }
  const Axis steps{"step", {0, 200, 400, 600, 800, 1000}};
  lesson.picture("24_cures.svg", chart("Dropout and weight decay keep the model from learning by heart", steps,
                                       {"loss of names not seen", {2.5, 2.6, 2.7, 2.8, 2.9, 3}}, unseen));
  lesson.picture("24_by_heart.svg", chart("Learning 500 names by heart makes it worse at all others", steps,
                                          {"loss (nats per token)", {0, 1, 2, 3, 4, 5}},
                                          {trained_on[0], {"500 names that it never sees", unseen[0].points}}));
}

/// Tables of 2 to 5 tokens, and how far to trust shorter ones. Leaves the 5-gram with its best trust.
void choose_trust(Ngram& ngram, const Names& validation, const Tokenizer& tokenizer) {
  fmt::print("\n--- counting: validation loss ---\ntrust | 2-gram | 3-gram | 4-gram | 5-gram\n");
  double lowest = INFINITY, best_trust = 0;  // of the 5-gram
  for (const double trust : {1, 3, 10, 30, 100}) {
    ngram.trust = trust;
    fmt::print("{:5}", trust);
    for (ngram.order = 2; ngram.order <= 5; ngram.order++) {
      const double loss = mean_loss(ngram, validation, tokenizer);
      fmt::print(" | {:6.3f}", loss);
      if (ngram.order == 5 && loss < lowest) lowest = loss, best_trust = trust;
    }
    fmt::print("\n");
  }
  ngram.order = 5;
  ngram.trust = best_trust;
}

/// A recipe that reads 16,000 names, and its largest learning rate. Above that, the last bit of a sum decides where the
/// training goes, so that processors do not agree.
struct Row {
  std::string name;
  double max_rate;
  std::size_t n_embd, batch_size;
  bool constant_rate = false;
};

/// Recipes that differ from the first in one thing, each at up to seven learning rates.
void one_thing_at_a_time(const Lesson& lesson, const Parts& parts) {
  const std::vector<double> rates{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
  fmt::print("\n--- 16000 names read, at up to seven learning rates: validation loss ---\n");
  fmt::print("what differs       | 0.001 0.002 0.005  0.01  0.02  0.05   0.1\n");
  std::vector<Series> lines;
  for (const Row& row :
       {Row{"width 16", 0.1, 16, 32}, Row{"1 name a step", 0.01, 16, 1}, Row{"128 names a step", 0.1, 16, 128},
        Row{"width 8", 0.1, 8, 32}, Row{"width 32", 0.02, 32, 32}, Row{"width 16, constant", 0.02, 16, 32, true}}) {
    Recipe recipe{
        {.n_embd = row.n_embd}, {.num_steps = 16000 / row.batch_size, .batch_size = row.batch_size}, row.constant_rate};
    fmt::print("{:18} |", row.name);
    Series line{row.name, {}};
    for (const double rate : rates) {
      if (rate > row.max_rate) break;
      recipe.train.learning_rate = rate;
      BatchTrainer<double> trainer = trained(recipe, parts.training, lesson.tokenizer);
      const double loss = mean_loss(trainer.model(), parts.validation, lesson.tokenizer);
      fmt::print(" {:.3f}", loss);
      line.points.emplace_back(rate, std::round(1000 * loss) / 1000);
    }
    fmt::print("\n");
    if (!row.constant_rate) lines.push_back(line);
  }
  lesson.picture("24_rates.svg",
                 chart("The learning rate has a valley, and each recipe has its own", {"learning rate", rates, true},
                       {"validation loss (nats per token)", {2.38, 2.42, 2.46, 2.5, 2.54}}, lines));
}

/// Twenty models that differ in nothing but luck. Is the best of them a better model?
void luck(const Parts& parts, const Tokenizer& tokenizer) {
  const Names exam(parts.validation.begin(), parts.validation.begin() + 100);
  const Names others(parts.validation.begin() + 100, parts.validation.end());
  const Recipe recipe{.model = {}, .train = {.num_steps = 300, .batch_size = 16}};
  std::vector<double> on_exam, on_others;
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    BatchTrainer<double> trainer = trained(recipe, parts.training, tokenizer, seed);
    on_exam.push_back(mean_loss(trainer.model(), exam, tokenizer));
    on_others.push_back(mean_loss(trainer.model(), others, tokenizer));
  }
  const auto best = static_cast<std::size_t>(std::min_element(on_exam.begin(), on_exam.end()) - on_exam.begin());
  fmt::print("\n--- twenty models that differ only in their seed; the best on 100 names has seed {} ---\n", best + 1);
  fmt::print("names           | mean of the 20 | seed {}\n", best + 1);
  fmt::print("the 100         | {:14.3f} | {:.3f}\n", estimate(on_exam).mean, on_exam[best]);
  fmt::print("the {} others | {:14.3f} | {:.3f}\n", others.size(), estimate(on_others).mean, on_others[best]);
}

/// Opens the envelope: three seeds of our recipe, which reads 64000 names, and of lesson 09's, beside the 5-gram.
void held_out_once(const Parts& parts, const Tokenizer& tokenizer, const Ngram& ngram) {
  const Recipe chosen{.model = {.n_layer = 2, .n_embd = 48},
                      .train = {.num_steps = 2000, .batch_size = 32, .learning_rate = 0.005}};
  PerSeed of_ours{}, of_lesson_09{}, of_ngram{};
  of_ngram.fill(mean_loss(ngram, parts.held_out, tokenizer));
  fmt::print("\n--- the envelope: names that nobody has looked at ---\n");
  for (std::size_t i = 0; i < num_seeds; i++) {
    BatchTrainer<double> ours = trained(chosen, parts.training, tokenizer, i + 1);
    of_ours[i] = mean_loss(ours.model(), parts.held_out, tokenizer);
    BatchTrainer<double> lesson_09 = trained({}, parts.training, tokenizer, i + 1);
    of_lesson_09[i] = mean_loss(lesson_09.model(), parts.held_out, tokenizer);
    if (i > 0) continue;
    for (const double temperature : {0.5, 1.0}) print_names(ours.model(), temperature, parts.training, tokenizer);
  }
  fmt::print("the loss of three seeds, and how far ours is below it\n");
  for (const auto& [label, losses] :
       {std::pair("our recipe", of_ours), {"lesson 09's recipe", of_lesson_09}, {"the 5-gram", of_ngram}}) {
    const auto [mean, margin] = difference(losses, of_ours);
    fmt::print("{:20} | {:.3f} {:.3f} {:.3f} | {:.3f} +- {:.3f}\n", label, losses[0], losses[1], losses[2], mean,
               margin);
  }
}

/// The drafts beside src/.
void check(Lesson& lesson, const Parts& parts) {
  Names known = parts.training;
  known.insert(known.end(), parts.validation.begin(), parts.validation.end());
  const auto first_known = std::find_first_of(parts.held_out.begin(), parts.held_out.end(), known.begin(), known.end());
  lesson.check("no held-out name is among those to train on or to choose by", first_known == parts.held_out.end());
  Names sorted = lesson.documents;
  std::sort(sorted.begin(), sorted.end());
  lesson.check("the held-out names are those of src/base/split.h", parts.held_out == split(sorted).held_out);
  BatchTrainer<double> trainer =
      trained(wide(0.3), {parts.training.begin(), parts.training.begin() + 500}, lesson.tokenizer);
  const double loss = mean_loss(trainer.model(), parts.validation, lesson.tokenizer);
  lesson.check("the loss of a model trained with dropout is that of src/train/held_out.h",
               std::abs(loss - token_loss(trainer.model(), parts.validation, lesson.tokenizer, 1)) < 1e-9);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Tokenizer& tokenizer = lesson.tokenizer;
  const Parts parts = draft_split(lesson.documents);
  if (parts.validation.size() < 500) {
    fmt::print(stderr, "lesson: it takes a list of at least 5000 names\n");
    return 1;
  }
  on_paper();
  fmt::print("\nnow 66 small models are trained, which takes about 20 seconds\n");
  learn_by_heart(lesson, parts);
  Ngram ngram{.order = 5, .vocab_size = tokenizer.vocab_size(), .trust = 1};
  for (const Document& name : parts.training) ngram.count(tokenizer.encode_document(name));
  choose_trust(ngram, parts.validation, tokenizer);
  one_thing_at_a_time(lesson, parts);
  luck(parts, tokenizer);
  held_out_once(parts, tokenizer, ngram);
  check(lesson, parts);
  return lesson.finish();
}
