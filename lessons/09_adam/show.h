// What lesson 09 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "microgpt.h"
#include "picture.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

namespace microgpt {

/// A valley with two parameters, nearly flat along x and steep across: its height is x^2 / 2 + 50 y^2, so its slope is
/// (x, 100 y). Walks from (-10, 1) with a fixed learning rate.
inline Path walk(const Optimizer& optimizer, double learning_rate, std::size_t steps) {
  const Scope scope;
  const Value x = -10.0, y = 1.0;
  Path path{{x.data(), y.data()}};
  for (std::size_t step = 0; step < steps; step++) {
    (x * x * 0.5 + y * y * 50.0).backward();
    optimizer({x, y}, learning_rate, step);
    path.emplace_back(x.data(), y.data());
  }
  return path;
}

/// How four optimizers walk through the valley.
template <class Momentum, class Rescaled, class Adam>
void show_valley(const Lesson& lesson) {
  fmt::print("\na valley: its height is x^2 / 2 + 50 y^2, and 50 + 50 at (-10, 1), where we begin\n");
  std::vector<Path> drawn;
  const std::vector<double> zeros(2);
  auto show = [&](const char* name, const Optimizer& optimizer, double learning_rate) {
    const Path path = walk(optimizer, learning_rate, 40);
    auto place = [&](std::size_t i) {
      auto rounded = [](double x) { return std::round(x * 100) / 100 + 0.0; };  // no -0.00
      return fmt::format("({:6.2f},{:6.2f})", rounded(path[i].first), rounded(path[i].second));
    };
    const auto [x, y] = path.back();
    fmt::print("{:8} {:5}: {} {} {} ... step 40 {}, height {:.2f}\n", name, learning_rate, place(1), place(2), place(3),
               place(40), x * x / 2 + 50 * y * y);
    drawn.push_back(path);
  };
  show("SGD", sgd_update, 0.018);
  show("SGD", sgd_update, 0.021);
  show("momentum", Momentum{zeros}, 0.018);
  show("momentum", Momentum{zeros}, 0.1);
  show("rescaled", Rescaled{zeros}, 0.1);
  show("Adam", Adam{zeros, zeros}, 0.3);
  lesson.picture("09_model.svg",
                 model_picture("The model is as before; Adam moves every weight in it at a speed of its own",
                               {{"wte + wpe", "27 + 16 rows"},
                                {"attention", "each 16 x 16", "W_Q, W_K, W_V"},
                                {"W_O", "16 x 16"},
                                {"fc1", "64 x 16"},
                                {"fc2", "16 x 64"},
                                {"lm_head", "27 x 16"}},
                               "green: here are the weights, 4192 in all"));
  lesson.picture("09_valley.svg", valley_picture(drawn.front(), drawn.back()));

  fmt::print("\nAdam's first steps there\n");
  fmt::print("step |   slope |      m |       v | m / root | m_hat | root of v_hat | quotient | goes to\n");
  for (const std::size_t t : {1, 2}) {
    Adam adam{zeros, zeros};
    const Path path = walk(std::ref(adam), 0.3, t);
    const double slope[]{path[t - 1].first, 100 * path[t - 1].second}, goes_to[]{path[t].first, path[t].second};
    const double moved[]{path[t - 1].first - path[t].first, path[t - 1].second - path[t].second};
    for (std::size_t i = 0; i < 2; i++) {
      const double m_hat = adam.m[i] / adam.m_correction, root = std::sqrt(adam.v[i] / adam.v_correction);
      fmt::print("{:2} {} | {:7.2f} | {:6.2f} | {:7.2f} | {:8.3f} | {:5.1f} | {:13.1f} | {:8.3f} | {:.3f}\n", t,
                 "xy"[i], slope[i], adam.m[i], adam.v[i], adam.m[i] / std::sqrt(adam.v[i]), m_hat, root, moved[i] / 0.3,
                 goes_to[i]);
    }
  }
  fmt::print("\n");
}

/// A GPT with random weights.
inline Model draw_gpt(const Lesson& lesson, PythonRandom& random) {
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  return scalar_model(config, initialize(config, {}, random));
}

/// A GPT, and its training with one optimizer.
struct Run {
  Run(const Lesson& lesson, PythonRandom random, const Optimizer& optimizer, double learning_rate)
      : model(draw_gpt(lesson, random)), first_weights(weights()) {
    auto on_step = [&](std::size_t, double value) { losses.push_back(value); };
    try {
      train(loss(), model.params, optimizer, lesson.documents, lesson.tokenizer, {.learning_rate = learning_rate},
            on_step);
    } catch (const Diverged&) {  // the loss is not finite any more: that is all there is to this run
    }
  }

  Loss loss() const {
    return [this](std::span<const Token> tokens) { return document_loss(model, tokens); };
  }

  std::vector<double> weights() const { return Values(model.params).data(); }

  /// How far each number of a token's embedding went, root mean square.
  double moved(Token token) const {
    const List& row = model.wte[token];
    double total = 0;
    for (std::size_t j = 0; j < row.size(); j++)
      total += std::pow(row[j].data() - first_weights[token * row.size() + j], 2);
    return std::sqrt(total / static_cast<double>(row.size()));
  }

  Model model;
  std::vector<double> first_weights, losses;
};

/// How far the embeddings of some letters went, from a frequent one to a rare one.
inline void show_letters(const Lesson& lesson, const Run& sgd, const Run& faster, const Run& adam) {
  std::vector<std::string> labels;
  Bars by_sgd{"SGD 0.3", {}}, by_adam{"Adam 0.01", {}};
  fmt::print("\nletter | comes | moved by SGD 0.1 | by SGD 0.3\n");
  for (const char letter : {'a', 'n', 'b', 'w', 'x', 'q'}) {
    const Token token = lesson.tokenizer.characters().find(static_cast<char32_t>(letter));
    if (token == std::u32string::npos) continue;
    std::ptrdiff_t comes = 0;
    for (std::size_t step = 1; step <= 1000; step++) {
      const std::vector<Token> tokens = lesson.tokens_of_step(step);
      comes += std::count(tokens.begin(), tokens.end(), token);
    }
    labels.emplace_back(1, letter);
    by_sgd.heights.push_back(faster.moved(token));
    by_adam.heights.push_back(adam.moved(token));
    fmt::print("{:6} | {:5} | {:16.3f} | {:10.3f}\n", letter, comes, sgd.moved(token), faster.moved(token));
  }
  lesson.picture("09_moved.svg",
                 bar_chart("From frequent letters to rare ones: SGD moves them less and less, Adam does not",
                           "how far its embedding went", labels, {by_sgd, by_adam}));
}

/// What each step towards Adam is worth. All start from the same weights.
template <class Momentum, class Rescaled>
void show_comparison(const Lesson& lesson, const PythonRandom& random, const Run& adam) {
  const std::vector<Document> names = lesson.held_out(1000);
  const std::vector<double> zeros(adam.model.params.size());
  const Run sgd(lesson, random, sgd_update, 0.1), faster(lesson, random, sgd_update, 0.3);
  const std::vector<double> best_sgd = document_losses(faster.loss(), names, lesson.tokenizer);
  auto show = [&](const char* factor, double learning_rate, const Run& run) {
    fmt::print("{:35} | {:4} | ", factor, learning_rate);
    if (run.losses.size() < 1000) return fmt::print("infinite at step {}\n", run.losses.size() + 1);
    const std::vector<double> losses = document_losses(run.loss(), names, lesson.tokenizer);
    std::vector<double> gains;
    for (std::size_t i = 0; i < names.size(); i++) gains.push_back(best_sgd[i] - losses[i]);
    const Estimate gain = estimate(gains);
    fmt::print("{:9.4f} | {:.4f} | {:7.4f} +- {:.4f}\n", estimate(std::span(run.losses).first(100)).mean,
               estimate(losses).mean, gain.mean, gain.standard_error);
  };
  fmt::print("\n{:35} | rate | first 100 | held-out | gain over SGD 0.3\n", "a step is the rate times ...");
  show("the gradient (SGD)", 0.1, sgd);
  show("the gradient (SGD)", 0.3, faster);
  for (const double rate : {0.6, 1.0}) show("the gradient (SGD)", rate, Run(lesson, random, sgd_update, rate));
  for (const double rate : {0.2, 0.3, 0.6}) {
    show("mean gradient (momentum)", rate, Run(lesson, random, Momentum{zeros}, rate));
  }
  show("gradient / its usual size", 0.01, Run(lesson, random, Rescaled{zeros}, 0.01));
  show("mean / usual size, corrected (Adam)", 0.01, adam);
  show_letters(lesson, sgd, faster, adam);
}

using Sample = std::vector<Token> (*)(const Model&, double temperature, PythonRandom&);

/// Twenty names, and the same from src/microgpt.cpp.
inline void show_names(Lesson& lesson, const Model& model, Sample draft_sample) {
  PythonRandom src_random = lesson.random;
  bool same_names = true;
  for (int i = 0; i < 20; i++) {
    const std::vector<Token> name = draft_sample(model, 0.5, lesson.random);
    lesson.name(lesson.tokenizer.decode(name));
    same_names = same_names && name == sample(model, 0.5, src_random);
  }
  lesson.check("the names are those of sample() in src/microgpt.cpp", same_names);
}

inline void check_weights(Lesson& lesson, const PythonRandom& random, const Run& adam) {
  const Run in_src(lesson, random, adam_optimizer({}, adam.model.params.size()), 0.01);
  lesson.check("the weights are those of Adam in src/microgpt.cpp", adam.weights() == in_src.weights());
}

/// What temperature does to the first letter, and to 500 names.
inline void show_temperatures(const Lesson& lesson, const Model& model, Sample draft_sample,
                              std::vector<double> (*probabilities)(Values logits, double temperature)) {
  const auto learnt = std::span(lesson.documents).first(std::min<std::size_t>(1000, lesson.documents.size()));
  std::vector<std::string> labels;
  std::vector<Bars> bars;
  for (Token token = 0; token < lesson.tokenizer.bos(); token++) labels.push_back(lesson.tokenizer.label(token));
  fmt::print("\ntemperature | different | real names | learnt from | the first names\n");
  for (const double temperature : {0.25, 0.5, 1.0, 2.0}) {
    PythonRandom random = lesson.random;
    std::vector<std::vector<Token>> names;
    while (names.size() < 500) names.push_back(draft_sample(model, temperature, random));
    fmt::print("{:11} | {:9} | {:10} | {:11} |", temperature, std::set(names.begin(), names.end()).size(),
               count_listed(names, lesson.documents, lesson.tokenizer), count_listed(names, learnt, lesson.tokenizer));
    for (std::size_t i = 0; i < 4; i++) fmt::print(" {}", lesson.tokenizer.decode(names[i]));
    fmt::print("\n");
    const Scope scope;
    Cache keys(1), values(1);
    const Values logits = gpt(model, lesson.tokenizer.bos(), 0, keys, values);
    bars.push_back({fmt::format("temperature {}", temperature), probabilities(logits, temperature)});
  }
  lesson.picture("09_temperature.svg", bar_chart("The colder, the more the likeliest first letters take all",
                                                 "probability as first letter", labels, bars));
}

}  // namespace microgpt
