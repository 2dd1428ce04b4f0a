// What lesson 05 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/bigram.h"
#include "base/utf8.h"
#include "draw/chart.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"

namespace microgpt {

/// What training goes through: a name a step, with a learning rate that shrinks to zero.
struct Plan {
  std::span<const Document> names;
  std::size_t num_steps;
  double learning_rate;
};

/// The example for paper: two names that pull one number in turn, one to 1 and one to 3. With one learning rate for all
/// steps, and with one that shrinks.
inline void show_two_names(double (*pull)(double w, double target, double rate)) {
  fmt::print("\nstep | pulls to | loss at rate 0.25 | then w is | loss, shrinking rate | then w is\n");
  double steady = 0, settling = 0;
  for (int step = 1; step <= 8; step++) {
    const double target = step % 2 == 1 ? 1 : 3;
    const double steady_loss = (steady - target) * (steady - target);
    const double settling_loss = (settling - target) * (settling - target);
    steady = pull(steady, target, 0.25);
    settling = pull(settling, target, 0.25 * (1 - (step - 1) / 8.0));
    fmt::print("{:4} | {:8} | {:17.4f} | {:9.4f} | {:20.4f} | {:9.4f}\n", step, target, steady_loss, steady,
               settling_loss, settling);
  }
  fmt::print("\n");
}

/// A linear layer in plain Values beside that of src/microgpt.cpp.
inline void show_linear(const Mlp& model, List (*draft_linear)(const List&, const Matrix&)) {
  const Scope scope;
  const std::size_t before = nodes_on_tape();
  const Values ours = draft_linear(model.wte[0], model.mlp_fc1);
  const std::size_t between = nodes_on_tape();
  const Values theirs = linear(model.wte[0], model.mlp_fc1);
  fmt::print("a linear layer, 16 numbers to 64: {} nodes in plain Values, {} in linear(); {}\n\n", between - before,
             nodes_on_tape() - between, ours.data() == theirs.data() ? "the same numbers" : "OTHER NUMBERS");
}

inline void show_names(Lesson& lesson, const Mlp& model, List (*logits)(const Mlp&, Token)) {
  const Next next = [&](Token token_id, std::size_t) {
    const Scope scope;
    return draw_token(logits(model, token_id), 0.5, lesson.random);
  };
  for (int i = 0; i < 20; i++) lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16)));
  fmt::print("copied from the data: {} of 20\n", lesson.copied());
}

/// The counts of these names, as lesson 01 made them.
inline Bigram counts_of(std::span<const Document> names, const Tokenizer& tokenizer) {
  Bigram bigram(tokenizer.vocab_size());
  for (const Document& name : names) bigram.count(tokenizer.encode_document(name));
  return bigram;
}

inline Loss loss_of(const Bigram& bigram) {
  return [&bigram](std::span<const Token> tokens) { return bigram.loss(tokens); };
}

/// Draws n numbers around 0 again and again, and looks how far off their mean is, in standard errors of these n.
inline void show_standard_errors() {
  constexpr std::size_t num_draws = 20000;
  PythonRandom random(1);
  fmt::print("\nnumbers | mean within 2 standard errors | 19 of 20 means are within\n");
  for (const std::size_t n : {3, 5, 10, 100}) {
    std::vector<double> off;
    for (std::size_t draw = 0; draw < num_draws; draw++) {
      std::vector<double> numbers(n);
      std::generate(numbers.begin(), numbers.end(), [&] { return random.gauss(0, 1); });
      const Estimate e = estimate(numbers);
      off.push_back(std::abs(e.mean) / e.standard_error);
    }
    std::sort(off.begin(), off.end());
    const auto within = std::lower_bound(off.begin(), off.end(), 2.0) - off.begin();
    fmt::print("{:7} | {:27.0f} % | {:5.1f} standard errors\n", n, 100.0 * static_cast<double>(within) / num_draws,
               off[num_draws * 19 / 20]);
  }
}

/// The trained model stands still, and every name has another loss. Then the counts of the same 1000 names beside it.
inline void show_at_rest(const Lesson& lesson, const Loss& loss) {
  const std::vector<Document> held_out = lesson.held_out(1000);
  const std::vector<double> losses = document_losses(loss, held_out, lesson.tokenizer);
  const Estimate last = estimate(std::span(lesson.losses()).last(100)), at_rest = estimate(losses);
  fmt::print("\n--- why the loss jumps around ---\n");
  fmt::print("the last 100 steps:            mean {:.4f}, standard deviation {:.4f}\n", last.mean, last.stddev);
  fmt::print("held-out names, model at rest: mean {:.4f}, standard deviation {:.4f}\n", at_rest.mean, at_rest.stddev);

  const std::size_t n = std::min<std::size_t>(1000, lesson.documents.size());
  const Bigram counts = counts_of(std::span(lesson.documents).first(n), lesson.tokenizer);
  const std::vector<double> of_counts = document_losses(loss_of(counts), held_out, lesson.tokenizer);
  std::vector<double> differences;
  for (std::size_t i = 0; i < losses.size(); i++) differences.push_back(losses[i] - of_counts[i]);
  fmt::print("\n--- does it beat counting? ---\nname         | counts | MLP    | MLP minus counts\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(5, held_out.size()); i++) {
    fmt::print("{} | {:.4f} | {:.4f} | {:16.4f}\n", pad_right(encode_utf8(held_out[i]), 12), of_counts[i], losses[i],
               differences[i]);
  }
  fmt::print("\n{} held-out names, mean +- standard error\n", held_out.size());
  auto print = [](const char* what, const Estimate& e) {
    fmt::print("{:<30} {:7.4f} +- {:.4f}\n", what, e.mean, e.standard_error);
  };
  print("counts", estimate(of_counts));
  print("MLP", at_rest);
  print("MLP minus counts, name by name", estimate(differences));
  show_standard_errors();

  Svg curve = loss_curve("The MLP learns what counting knows", lesson.losses(),
                         Baseline{"counting, on held-out names", estimate(of_counts).mean});
  curve.text(616, 70, "mean of the last 50 steps", "end", 12, 0, "rgb(8,48,107)");
  curve.text(616, 88, "each step", "end", 12, 0, "#666");
  lesson.picture("05_loss.svg", curve);
}

/// A training that reads a few names again and again, and what it knows meanwhile of these and of new ones.
class FewNames {
 public:
  FewNames(const Lesson& lesson, const Plan& plan, Loss loss)
      : lesson_(lesson),
        names_(plan.names),
        new_names_(lesson.held_out(1000)),
        counts_(counts_of(names_, lesson.tokenizer)),
        loss_(std::move(loss)) {
    new_names_.resize(std::min<std::size_t>(600, new_names_.size()));
    fmt::print("\n--- {} names, read again and again; then {} new ones ---\n", names_.size(), new_names_.size());
    fmt::print("            | loss of these | of new ones\n");
    fmt::print("counting    | {:13.3f} | {:11.3f}\n", mean(loss_of(counts_), names_),
               mean(loss_of(counts_), new_names_));
  }

  /// After some of the steps. After six times through, also what it expects behind letters that it hardly saw.
  void measure(std::size_t step, const Mlp& model) {
    const std::vector<std::size_t> steps{100, 300, 600, 1000, 1500, 2000, 2500, 3000};
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) return;
    const double of_these = mean(loss_, names_), of_new = mean(loss_, new_names_);
    fmt::print("read {:2} times | {:12.3f} | {:11.3f}\n", step / names_.size(), of_these, of_new);
    const double times = static_cast<double>(step) / static_cast<double>(names_.size());
    these_.emplace_back(times, of_these);
    new_.emplace_back(times, of_new);
    if (step == 600) expects_ = expectations(model);
  }

  void show() const {
    fmt::print("\nafter it was read 6 times: how likely is a vowel next?\n");
    fmt::print("letter | seen | counting | MLP   | in all names\n{}\n", expects_);
    const double level = mean(loss_of(counts_), new_names_);
    lesson_.picture(
        "05_few.svg",
        chart("100 names: first it learns what names are like, then these names",
              {"how often the 100 names were read", {0, 10, 20, 30}}, {"loss", {2.2, 2.4, 2.6, 2.8, 3.0, 3.2}},
              {{"the 100 names", these_}, {"new names", new_}, {"counting, on new names", {{0, level}, {30, level}}}},
              false));
  }

 private:
  double mean(const Loss& loss, std::span<const Document> names) const {
    return mean_loss(loss, names, lesson_.tokenizer).mean;
  }

  /// How likely the counts, the model, and all names make a vowel behind rare letters.
  std::string expectations(const Mlp& model) const {
    const Scope scope;
    const Bigram all = counts_of(lesson_.documents, lesson_.tokenizer);
    auto vowels = [&](const std::vector<double>& probabilities) {
      double total = 0;
      for (Token next = 0; next < lesson_.tokenizer.bos(); next++) {
        if (std::string("aeiou").find(lesson_.tokenizer.label(next)) != std::string::npos) total += probabilities[next];
      }
      return total;
    };
    std::string table;
    for (Token token = 0; token < lesson_.tokenizer.bos(); token++) {
      if (std::string("bfpwz").find(lesson_.tokenizer.label(token)) == std::string::npos) continue;
      const std::vector<std::uint64_t> counts = counts_.counts(token);
      const Values probabilities = softmax(mlp(model, token));
      table += fmt::format("{:6} | {:4} | {:8.2f} | {:5.2f} | {:12.2f}\n", lesson_.tokenizer.label(token),
                           std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}),
                           vowels(counts_.probabilities(token)), vowels(probabilities.data()),
                           vowels(all.probabilities(token)));
    }
    return table;
  }

  const Lesson& lesson_;
  std::span<const Document> names_;
  std::vector<Document> new_names_;
  Bigram counts_;
  Loss loss_;
  std::vector<std::pair<double, double>> these_, new_;
  std::string expects_;
};

/// The same training by src/, of a model that begins as the lesson's did.
inline void check_training(Lesson& lesson, const Mlp& ours, const Mlp& src) {
  std::vector<double> losses;
  train([&](std::span<const Token> tokens) { return document_loss(src, tokens); }, src.params, sgd_update,
        lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 1.0},
        [&](std::size_t, double loss) { losses.push_back(loss); });
  lesson.check("train() of src/ has the same losses, bit for bit", losses == lesson.losses());
  lesson.check("train() of src/ ends with the same parameters",
               Values(ours.params).data() == Values(src.params).data());
}

}  // namespace microgpt
