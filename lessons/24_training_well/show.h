// What lesson 24 trains, prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/chart.h"
#include "draw/progress.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "train/evaluation.h"
#include "train/held_out.h"

namespace microgpt {

using Names = std::vector<Document>;

/// Names to learn from, names to choose a recipe by, and names by which nothing is chosen.
struct Parts {
  Names training, validation, held_out;
};

/// p of every token of a document but the first, BOS.
using Probabilities = std::vector<double>;
using Predictor = std::function<Probabilities(std::span<const Token>)>;
using Counting = std::function<Predictor(std::size_t order, double trust)>;
using MeanLoss = double (*)(const Predictor&, const Names&, const Tokenizer&);

/// A GPT as a predictor, as long as there is the model.
inline Predictor asked(const TensorModel<double>& model) {
  return [&model](std::span<const Token> tokens) {
    Batch batch(model.config.block_size);
    batch.add(tokens);
    Activations<double> activations;
    activations.dropout = {.rate = 0};  // dropout is for training only
    activations.resize(model, batch.num_positions());
    gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
    Probabilities all;
    for (std::size_t i = 0; i < batch.num_positions(); i++) {
      all.push_back(std::exp(-activations.losses.view().data[i]));
    }
    return all;
  };
}

/// What the table of three names expects after .ann, with longer and longer contexts.
inline void show_backoff(const Counting& table) {
  const std::vector<Token> anna = Tokenizer(U"ahn").encode_document(U"anna");
  fmt::print("\nana, anna, hanna: what comes after .ann?\ncontext | probability of a\n");
  for (std::size_t order = 1; order <= 5; order++)
    fmt::print("{:>7} | {:.4f}\n", std::string(".ann").substr(5 - order), table(order, 2)(anna)[3]);
}

/// Three numbers with dropout, three times, and the mean of many times.
inline void show_dropped(std::vector<double> (*dropped)(std::vector<double>, double, PythonRandom&)) {
  PythonRandom random(1);
  std::vector<double> mean(3);
  fmt::print("\n0.6, 0.3 and 0.1 with dropout 0.5\n");
  for (int draw = 1; draw <= 10000; draw++) {
    const std::vector<double> x = dropped({0.6, 0.3, 0.1}, 0.5, random);
    if (draw <= 3) fmt::print("draw {}               | {:.1f} {:.1f} {:.1f}\n", draw, x[0], x[1], x[2]);
    for (std::size_t i = 0; i < 3; i++) mean[i] += x[i] / 10000;
  }
  fmt::print("mean of 10000 draws  | {:.1f} {:.1f} {:.1f}\n", mean[0], mean[1], mean[2]);
}

/// A wide model, for reading a few names over and over.
inline Recipe wide(double dropout = 0, double weight_decay = 0) {
  return {.model = {.n_embd = 64},
          .train = {.batch_size = 16, .learning_rate = 0.005, .weight_decay = weight_decay, .dropout = dropout}};
}

/// A recipe that reads 16,000 names, and its largest learning rate. Above that, the last bit of a sum decides where the
/// training goes, so that processors do not agree.
struct Row {
  std::string name;
  double max_rate;
  std::size_t n_embd, batch_size;
  bool constant_rate = false;
  std::size_t n_layer = 1;
};

/// Somebody to be asked about the held-out names: a predictor for each seed.
struct Candidates {
  std::string name;
  std::array<Predictor, num_seeds> of_seed;
};

/// A difference of losses, and how far it may be off, because there are other seeds and other names.
struct Lead {
  double mean, margin;
};

class Experiments {
 public:
  Experiments(Lesson& lesson, const Parts& parts, MeanLoss mean_loss)
      : lesson_(lesson), parts_(parts), mean_loss_(mean_loss) {
    if (parts.validation.size() < 500) {
      fmt::print(stderr, "lesson: it takes a list of at least 5000 names\n");
      std::exit(1);
    }
    fmt::print("\nnow {} small models are trained: about 20 seconds of processor time\n", num_models);
  }

  /// 500 names again and again: without a cure, with dropout, with weight decay, with both.
  void learn_by_heart() {
    const Names few(parts_.training.begin(), parts_.training.begin() + 500);
    const Names others(parts_.validation.begin(), parts_.validation.begin() + 500);
    std::vector<Series> of_few, of_others;  // for each cure; rounded, so that all processors draw the same
    for (const auto& [dropout, decay] : {std::pair(0.0, 0.0), {0.3, 0.0}, {0.0, 2.0}, {0.3, 2.0}}) {
      const std::string cure = fmt::format("dropout {}, weight decay {}", dropout, decay);
      fmt::print("\n--- 500 names, again and again; {} ---\nstep | these 500 names | 500 it never sees\n", cure);
      of_few.push_back({"the 500 names it is trained on", {}});
      of_others.push_back({cure, {}});
      const auto measure = [&](BatchTrainer<double>& now, double) {
        const std::size_t step = now.steps_done();
        if (step % 100 != 0 && step != 10 && step != 50) return;
        const double low = loss(asked(now.model()), few), honest = loss(asked(now.model()), others);
        of_few.back().points.emplace_back(step, std::round(100 * low) / 100);
        of_others.back().points.emplace_back(step, std::round(100 * honest) / 100);
        line_.reset();
        if (step <= 50 || step % 200 == 0) fmt::print("{:4} | {:15.2f} | {:.2f}\n", step, low, honest);
      };
      BatchTrainer<double> trainer = train(wide(dropout, decay), few, 1, measure);
      print_names(trainer.model(), 0.5, few);
    }
    const Axis steps{"step", {0, 200, 400, 600, 800, 1000}};
    lesson_.picture("24_cures.svg", chart("Dropout and weight decay keep the model from learning by heart", steps,
                                          {"loss of names not seen", {2.5, 2.6, 2.7, 2.8, 2.9, 3}}, of_others));
    lesson_.picture("24_by_heart.svg", chart("Learning 500 names by heart makes it worse at all others", steps,
                                             {"loss (nats per token)", {0, 1, 2, 3, 4, 5}},
                                             {of_few[0], {"500 names that it never sees", of_others[0].points}}));
  }

  /// Tables of 2 to 5 tokens, and how far to trust shorter contexts. Returns the best trust of the 5-gram.
  double choose_trust(const Counting& table) const {
    fmt::print("\n--- counting: validation loss ---\ntrust | 2-gram | 3-gram | 4-gram | 5-gram\n");
    double lowest = INFINITY, best_trust = 0;  // of the 5-gram
    for (const double trust : {1, 3, 10, 30, 100}) {
      fmt::print("{:5}", trust);
      double found = 0;
      for (std::size_t order = 2; order <= 5; order++) {
        found = loss(table(order, trust), parts_.validation);
        fmt::print(" | {:6.3f}", found);
      }
      fmt::print("\n");
      if (found < lowest) best_trust = trust;
      lowest = std::min(lowest, found);
    }
    return best_trust;
  }

  /// Recipes that differ from the first in one thing, each at up to six learning rates.
  void one_thing_at_a_time() {
    const std::vector<double> rates{0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
    fmt::print("\n--- 16000 names read, at up to six learning rates: validation loss ---\n");
    fmt::print("what differs       | 0.002 0.005  0.01  0.02  0.05   0.1\n");
    std::vector<Series> lines;
    for (const Row& row :
         {Row{"width 16", 0.1, 16, 32}, Row{"1 name a step", 0.01, 16, 1}, Row{"128 names a step", 0.1, 16, 128},
          Row{"width 32", 0.02, 32, 32}, Row{"width 32, 2 layers", 0.01, 32, 32, false, 2},
          Row{"width 16, constant", 0.02, 16, 32, true}}) {
      Recipe recipe{{.n_layer = row.n_layer, .n_embd = row.n_embd},
                    {.num_steps = 16000 / row.batch_size, .batch_size = row.batch_size},
                    row.constant_rate};
      fmt::print("{:18} |", row.name);
      Series line{row.name, {}};
      for (const double rate : rates) {
        if (rate > row.max_rate) break;
        recipe.train.learning_rate = rate;
        BatchTrainer<double> trainer = train(recipe, parts_.training, 1);
        const double found = loss(asked(trainer.model()), parts_.validation);
        fmt::print(" {:.3f}", found);
        line.points.emplace_back(rate, std::round(1000 * found) / 1000);
      }
      fmt::print("\n");
      if (!row.constant_rate) lines.push_back(line);
    }
    lesson_.picture("24_rates.svg",
                    chart("The learning rate has a valley, and each recipe has its own", {"learning rate", rates, true},
                          {"validation loss (nats per token)", {2.38, 2.42, 2.46, 2.5, 2.54}}, lines));
  }

  /// Twenty models that differ in nothing but luck. Is the best of them a better model?
  void luck() {
    const Names exam(parts_.validation.begin(), parts_.validation.begin() + 100);
    const Names others(parts_.validation.begin() + 100, parts_.validation.end());
    std::vector<double> on_exam, on_others;
    for (std::uint64_t seed = 1; seed <= 20; seed++) {
      BatchTrainer<double> trainer =
          train({.model = {}, .train = {.num_steps = 300, .batch_size = 16}}, parts_.training, seed);
      on_exam.push_back(loss(asked(trainer.model()), exam));
      on_others.push_back(loss(asked(trainer.model()), others));
    }
    const auto best = static_cast<std::size_t>(std::min_element(on_exam.begin(), on_exam.end()) - on_exam.begin());
    fmt::print("\n--- twenty models that differ only in their seed; the best on 100 names has seed {} ---\n", best + 1);
    fmt::print("names           | mean of the 20 | seed {}\n", best + 1);
    fmt::print("the 100         | {:14.3f} | {:.3f}\n", estimate(on_exam).mean, on_exam[best]);
    fmt::print("the {} others | {:14.3f} | {:.3f}\n", others.size(), estimate(on_others).mean, on_others[best]);
  }

  /// The held-out names, asked about once: our recipe, which reads 64000 names, lesson 09's, the table, ours together
  /// with the table, and with itself after another training.
  void open_envelope(const Recipe& recipe, const Predictor& table,
                     Predictor (*mixed)(const Predictor&, const Predictor&)) {
    fmt::print("\n--- the envelope: names by which nothing was chosen ---\n");
    std::vector<BatchTrainer<double>> models;
    Candidates ours{"our recipe", {}}, plain{"lesson 09's recipe", {}}, together{"ours and the 5-gram", {}},
        twice{"two seeds of ours", {}};
    for (std::uint64_t seed = 1; seed <= num_seeds; seed++) models.push_back(train({}, parts_.training, seed));
    for (std::uint64_t seed = 1; seed <= num_seeds; seed++) models.push_back(train(recipe, parts_.training, seed));
    for (std::size_t i = 0; i < num_seeds; i++) {
      plain.of_seed[i] = asked(models[i].model());
      ours.of_seed[i] = asked(models[num_seeds + i].model());
      together.of_seed[i] = mixed(ours.of_seed[i], table);
    }
    for (std::size_t i = 0; i < num_seeds; i++)
      twice.of_seed[i] = mixed(ours.of_seed[i], ours.of_seed[(i + 1) % num_seeds]);
    for (const double temperature : {0.5, 1.0}) print_names(models[num_seeds].model(), temperature, parts_.training);
    fmt::print("the loss of three seeds, and how far it is above ours\n");
    Candidates counts{"the 5-gram", {table, table, table}};
    for (const Candidates* each : {&ours, &plain, &counts, &together, &twice}) print_candidates(*each, ours);
  }

  /// The drafts beside src/.
  void check() {
    Names known = parts_.training;
    known.insert(known.end(), parts_.validation.begin(), parts_.validation.end());
    const Names& held_out = parts_.held_out;
    lesson_.check("no held-out name is among those to train on or to choose by",
                  std::find_first_of(held_out.begin(), held_out.end(), known.begin(), known.end()) == held_out.end());
    Names sorted = lesson_.documents;
    std::sort(sorted.begin(), sorted.end());
    lesson_.check("the held-out names are those of src/base/split.h", held_out == split(sorted).held_out);
    Recipe short_training = wide(0.3);
    short_training.train.num_steps = 100;
    BatchTrainer<double> trainer = train(short_training, {known.begin(), known.begin() + 500}, 1);
    const double in_src = token_loss(trainer.model(), parts_.validation, lesson_.tokenizer, 1);
    lesson_.check("the loss of a model trained with dropout is that of src/train/held_out.h",
                  std::abs(loss(asked(trainer.model()), parts_.validation) - in_src) < 1e-9);
  }

 private:
  static constexpr int num_models = 57;

  double loss(const Predictor& predictor, const Names& names) const {
    return mean_loss_(predictor, names, lesson_.tokenizer);
  }

  /// Trains a model. A terminal shows how many there are.
  BatchTrainer<double> train(
      const Recipe& recipe, const Names& names, std::uint64_t seed,
      const AfterEachStep& after_step = [](BatchTrainer<double>&, double) {}) {
    line_.emplace().show(fmt::format("model {} of {}", ++num_trained_, num_models));
    BatchTrainer<double> trainer = trained(recipe, names, lesson_.tokenizer, seed, after_step);
    line_.reset();
    return trainer;
  }

  /// Generates 500 names, and prints how many of them are copied from the list, and the first few.
  void print_names(TensorModel<double>& model, double temperature, const Names& list) const {
    const std::vector<std::vector<Token>> names = generated(model, 500, temperature);
    fmt::print("temperature {:.1f}: {} of 500 generated names are copies:", temperature,
               count_listed(names, list, lesson_.tokenizer));
    for (std::size_t i = 0; i < 6; i++) fmt::print(" {}", lesson_.tokenizer.decode(names[i]));
    fmt::print("\n");
  }

  /// The sum of -log p over each held-out name.
  std::vector<double> of_names(const Predictor& predictor) const {
    std::vector<double> sums;
    for (const Document& name : parts_.held_out) {
      double& sum = sums.emplace_back(0);
      for (const double p : predictor(lesson_.tokenizer.encode_document(name))) sum -= std::log(p);
    }
    return sums;
  }

  /// By how much the loss of one is above that of another, with the same seeds and the same names.
  Lead lead(const Candidates& above, const Candidates& below) const {
    double predictions = 0;
    for (const Document& name : parts_.held_out) predictions += static_cast<double>(name.size() + 1);
    const double per_name = static_cast<double>(parts_.held_out.size()) / predictions;
    PerSeed of_seeds{};
    std::vector<double> of_each(parts_.held_out.size());  // name: the mean over the seeds
    for (std::size_t i = 0; i < num_seeds; i++) {
      const std::vector<double> a = of_names(above.of_seed[i]), b = of_names(below.of_seed[i]);
      for (std::size_t n = 0; n < a.size(); n++) {
        of_seeds[i] += (a[n] - b[n]) / predictions;
        of_each[n] += (a[n] - b[n]) * per_name / num_seeds;
      }
    }
    const double seeds = difference(of_seeds, {}).margin, names = 2 * estimate(of_each).standard_error;
    return {estimate(of_each).mean, std::sqrt(seeds * seeds + names * names)};
  }

  void print_candidates(const Candidates& candidates, const Candidates& ours) const {
    fmt::print("{:19} |", candidates.name);
    for (const Predictor& predictor : candidates.of_seed) fmt::print(" {:.3f}", loss(predictor, parts_.held_out));
    const auto [mean, margin] = lead(candidates, ours);
    fmt::print(" | {:+.3f} +- {:.3f}\n", mean, margin);
  }

  Lesson& lesson_;
  const Parts& parts_;
  MeanLoss mean_loss_;
  int num_trained_ = 0;
  std::optional<TerminalLine> line_;
};

}  // namespace microgpt
