// What lesson 02 prints, draws and checks around its idea.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "draw/plot.h"
#include "forward.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "train/gradient.h"

namespace microgpt {

/// Each letter's score, probability and slope, and a picture of the last two.
inline void show_three_letters(const Lesson& lesson, const Numbers& scores, const Numbers& slopes,
                               double (*loss)(const Numbers&)) {
  const Numbers probs = softmax(scores);
  fmt::print("\nThree letters, and b came: the loss is {:.4f}.\n\n", loss(scores));
  fmt::print("letter | score | exp(score) | probability | loss: 0.01 higher | 0.01 lower |  slope\n");
  Numbers pushes;
  for (std::size_t i = 0; i < scores.size(); i++) {
    Numbers higher = scores, lower = scores;
    higher[i] += 0.01;
    lower[i] -= 0.01;
    fmt::print("{:6} | {:5} | {:10.4f} | {:11.4f} | {:17.4f} | {:10.4f} | {:6.3f}\n", "abc"[i], scores[i],
               std::exp(scores[i]), probs[i], loss(higher), loss(lower), slopes[i]);
    pushes.push_back(-slopes[i]);
  }
  lesson.picture("02_slopes.svg",
                 bar_chart("Wrong letters go down by their probability, the right one up by the rest",
                           "probability, and push", {"a", "b (came)", "c"},
                           {{"probability", probs}, {"push on the score: minus the slope of the loss", pushes}}));
}

/// A linear layer small enough for paper, two inputs and two outputs, and its way back.
inline void show_linear_layer(Numbers (*backward)(const Parameter&, std::span<const double>, const Numbers&)) {
  Parameters parameters({{"w", 2, 2}});
  const Parameter& w = parameters["w"];
  std::iota(w.data, w.data + 4, 1.0);
  const Numbers x{5, 6}, y = linear(w, x), dy{0.1, -0.2};
  const Numbers dx = backward(w, x, dy);
  fmt::print("\ny = w x: w = ({} {}; {} {}), x = ({} {}), so y = ({} {})\n", w.data[0], w.data[1], w.data[2], w.data[3],
             x[0], x[1], y[0], y[1]);
  fmt::print("the loss changes with y by ({:.1f} {:.1f})\n", dy[0], dy[1]);
  fmt::print("so with w by ({:.1f} {:.1f}; {:.1f} {:.1f}), and with x by ({:.1f} {:.1f})\n\n", w.grad[0], w.grad[1],
             w.grad[2], w.grad[3], dx[0], dx[1]);
}

/// The loss of a name. Adds its gradient to that of the parameters.
using Backward = std::function<double(const Parameters&, std::span<const Token> name)>;

/// Three names' gradients, each found three times: by hand, by trying, and by the autograd of the lessons to come.
inline void check_gradients(Lesson& lesson, Parameters& parameters, const Backward& backward,
                            const std::function<Numbers(std::span<const Token> name)>& slopes_by_trying) {
  const Mlp model(parameters);
  auto loss = [&](std::span<const Token> name) { return document_loss(model, name); };
  const std::size_t n = lesson.tokens_of_step(1).size() - 1, k = lesson.tokenizer.bos() * 16;  // k: of wte[BOS][0]
  lesson.line(fmt::format("num params: {}", parameters.size()));
  fmt::print("predictions to find one name's gradient: {} by trying, {} and their way back by hand\n\n",
             2 * parameters.size() * n, n);
  fmt::print("gradient check, wte[BOS][0]: by hand | by trying | largest difference among all {}\n", parameters.size());
  bool near_trying = true, near_autograd = true;
  for (std::size_t step = 1; step <= 3; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    backward(parameters, tokens);
    const Numbers by_hand(parameters.grad().begin(), parameters.grad().end());
    std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
    const Numbers by_trying = slopes_by_trying(tokens);
    const double from_trying = largest_difference(by_hand, by_trying);
    const double from_autograd = largest_difference(by_hand, loss_and_gradient(loss, model.params, tokens).gradient);
    fmt::print("{:36.6f} | {:9.6f} | {:33.8f} | {}\n", by_hand[k], by_trying[k], from_trying,
               lesson.tokenizer.decode(std::span(tokens).subspan(1, tokens.size() - 2)));
    near_trying = near_trying && from_trying < 1e-6;
    near_autograd = near_autograd && from_autograd < 2e-12;
  }
  // No weight is beyond 1/2, six standard deviations: so |h_pre| < 4, |logit| < 128, a loss is off by no more than
  // 200 * 128 * 2^-53 < 3e-12, and two of them divided by 2e-5 by 3e-7. The rest is for the curvature. (Where an h_pre
  // is so close to 0 that the nudge takes it across, there is a corner, and the two gradients may differ.)
  lesson.check("the gradient by hand is that of central differences, to 1e-6", near_trying);
  // Both add up the same products, no more than 64 * (1/2) * (1/2) * 2 = 32 in size, each with fewer than 200 roundings
  // on either side: 32 * 2 * 200 * 2^-53 < 2e-12.
  lesson.check("the gradient by hand is that of src/lesson/mlp.h, to 2e-12", near_autograd);
}

/// What the network makes up before it has learnt, with random numbers of its own.
inline void show_untrained_names(const Parameters& parameters, const Tokenizer& tokenizer, PythonRandom random) {
  fmt::print("\nfive names before it has learnt:");
  for (int i = 0; i < 5; i++) fmt::print(" {}", draw_name(parameters, tokenizer, random));
  fmt::print("\n\n");
}

/// What 1000 steps come to that begin with weights of this size.
inline void show_losses(double size, const Numbers& losses) {
  const double mean = std::accumulate(losses.end() - 100, losses.end(), 0.0) / 100;
  fmt::print("{:16} | {:10.4f} | {:20.4f}\n", size, losses.front(), mean);
}

}  // namespace microgpt
