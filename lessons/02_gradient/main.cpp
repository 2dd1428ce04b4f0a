// Lesson 02: the gradient, or which way is down. It says for every parameter how fast the loss changes when the
// parameter does. First it is measured, for three scores: nudge a number, compute again. Then it is worked out step by
// step, back through a small neural network.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/plot.h"
#include "forward.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "train/gradient.h"

using namespace microgpt;

/// The loss of three letters with scores a, b and c when b came: -log of its probability.
double three_letter_loss(const Numbers& scores) { return -std::log(softmax(scores)[1]); }

/// Nudges each score, and shows how the loss answers, beside the letter's probability.
void print_three_letters(Lesson& lesson) {
  const Numbers scores{1, 0, -1};
  const Numbers probs = softmax(scores);
  const double loss = three_letter_loss(scores);
  Numbers slopes;
  fmt::print("\nThree letters, and b came: the loss is {:.6f}.\n\n", loss);
  fmt::print("letter | score | exp(score) | probability | loss with a score 0.001 higher |  slope\n");
  for (std::size_t i = 0; i < scores.size(); i++) {
    Numbers nudged = scores;
    nudged[i] += 0.001;
    const double slope = (three_letter_loss(nudged) - loss) / 0.001;  // stop: slope
    slopes.push_back(slope);
    fmt::print("{:6} | {:5} | {:10.5f} | {:11.5f} | {:30.6f} | {:6.3f}\n", "abc"[i], scores[i], std::exp(scores[i]),
               probs[i], three_letter_loss(nudged), slope);
  }
  const double sum = std::exp(1.0) + std::exp(0.0) + std::exp(-1.0);
  const double growth = std::exp(-1.0 + 0.001) - std::exp(-1.0);
  fmt::print("c 0.001 higher: the sum {:.3f} grows by {:.6f}, and its log by {:.5f}\n", sum, growth,
             std::log(sum + growth) - std::log(sum));
  Numbers pushes;
  for (double slope : slopes) pushes.push_back(-slope);
  lesson.picture("02_slopes.svg",
                 bar_chart("Wrong letters go down by their probability, the right one up by the rest",
                           "probability, and push", {"a", "b (came)", "c"},
                           {{"probability", probs}, {"push on the score: minus the slope of the loss", pushes}}));
}

/// A chain of two steps, and two paths that meet: how far the loss moves when x does.
void print_chains() {
  auto one_path = [](double x) { return (3 * x - 5) * (3 * x - 5); };
  auto two_paths = [](double x) { return 3 * x * (x + 1); };
  fmt::print("\ny = 3x, loss = (y - 5)^2:       {:7.4f} at x = 2, {:7.4f} at x = 2.01, so it grew by {:.2f}\n",
             one_path(2), one_path(2.01), one_path(2.01) - one_path(2));
  fmt::print("y = 3x, z = x + 1, loss = y z:  {:7.4f} at x = 2, {:7.4f} at x = 2.01, so it grew by {:.2f}\n",
             two_paths(2), two_paths(2.01), two_paths(2.01) - two_paths(2));
}

/// How exact a measured slope is: that of x^3 at 2, which is 12.
void print_nudges() {
  auto f = [](double x) { return x * x * x; };
  fmt::print("\nnudge | slope of x^3, one side |   error | both sides |   error\n");
  for (const double h : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}) {
    const double one_side = (f(2 + h) - f(2)) / h;
    const double both_sides = (f(2 + h) - f(2 - h)) / (2 * h);
    fmt::print("{:.0e} | {:22.8f} | {:7.0e} | {:10.6f} | {:7.0e}\n", h, one_side, std::abs(one_side - 12), both_sides,
               std::abs(both_sides - 12));
  }
  fmt::print("\n");
}

/// The gradient of document_loss by trying: each parameter in turn a little up, a little down, and the loss with it.
Numbers numerical_gradient(Parameters& parameters, std::span<const Token> tokens, double up, double down) {
  Numbers gradient;
  for (double& p : parameters.data()) {
    const double old = p;
    p = old + up;
    const double above = document_loss(parameters, tokens);
    p = old - down;
    const double below = document_loss(parameters, tokens);
    p = old;
    gradient.push_back((above - below) / (up + down));
  }
  return gradient;
}

/// Back through y = w x, given dy, how fast the loss changes with each y. Adds to w's gradient and returns x's.
Numbers linear_backward(const Parameter& w, std::span<const double> x, const Numbers& dy) {
  Numbers dx(w.cols);
  for (std::size_t i = 0; i < w.rows; i++) {
    for (std::size_t j = 0; j < w.cols; j++) {
      w.grad_row(i)[j] += dy[i] * x[j];
      dx[j] += w.row(i)[j] * dy[i];
    }
  }
  return dx;
}

/// A linear layer small enough for paper: two inputs, two outputs.
void print_linear_layer() {
  Parameters parameters({{"w", 2, 2}});
  const Parameter& w = parameters["w"];
  std::iota(w.data, w.data + 4, 1.0);
  const Numbers x{5, 6}, y = linear(w, x), dy{0.1, -0.2};
  const Numbers dx = linear_backward(w, x, dy);  // stop: layer
  fmt::print("\ny = w x: w = ({} {}; {} {}), x = ({} {}), so y = ({} {})\n", w.data[0], w.data[1], w.data[2], w.data[3],
             x[0], x[1], y[0], y[1]);
  fmt::print("the loss changes with y by ({:.1f} {:.1f})\n", dy[0], dy[1]);
  fmt::print("so with w by ({:.1f} {:.1f}; {:.1f} {:.1f}), and with x by ({:.1f} {:.1f})\n", w.grad[0], w.grad[1],
             w.grad[2], w.grad[3], dx[0], dx[1]);
}

/// The gradient of document_loss by hand, added to that of the parameters: the lines of forward, the last one first.
void document_backward(const Parameters& parameters, std::span<const Token> tokens) {
  const auto n = static_cast<double>(tokens.size() - 1);
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    const Forward f = forward(parameters, tokens[i]);
    // loss = -log(softmax(logits)[target]) / n: a logit moves it by its probability, minus 1 if it is the target's
    Numbers dlogits;
    for (double p : f.probs) dlogits.push_back(p / n);
    dlogits[tokens[i + 1]] -= 1.0 / n;  // stop: logits
    // logits = mlp_fc2 h
    const Numbers dh = linear_backward(parameters["mlp_fc2"], f.h, dlogits);
    // h = relu(h_pre): what was cut off at 0 does not move the loss
    Numbers dh_pre;
    for (std::size_t j = 0; j < dh.size(); j++) dh_pre.push_back(f.h_pre[j] > 0 ? dh[j] : 0.0);
    // h_pre = mlp_fc1 x
    const Numbers dx = linear_backward(parameters["mlp_fc1"], f.x, dh_pre);
    // x = wte[token]: a token that comes twice moves the loss twice, so its gradients add up
    const std::span<double> dwte = parameters["wte"].grad_row(tokens[i]);
    for (std::size_t j = 0; j < dx.size(); j++) dwte[j] += dx[j];  // stop: embedding
  }
}

/// The gradient that document_backward finds, taken out of the parameters.
Numbers gradient_by_hand(Parameters& parameters, std::span<const Token> tokens) {
  document_backward(parameters, tokens);
  const Numbers gradient(parameters.grad().begin(), parameters.grad().end());
  std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
  return gradient;
}

/// Three names' gradients, each found three times: by hand, by trying, and by the autograd of the lessons to come.
void check_gradients(Lesson& lesson, Parameters& parameters) {
  const Mlp model(parameters);
  auto loss = [&](std::span<const Token> name) { return document_loss(model, name); };
  std::vector<Token> tokens = lesson.tokens_of_step(1);
  fmt::print("predictions to find one name's gradient: {} by trying, {} and their way back by hand\n",
             2 * parameters.size() * (tokens.size() - 1), tokens.size() - 1);
  const Numbers by_nudging_up = numerical_gradient(parameters, tokens, 1e-5, 0);
  lesson.line(fmt::format("gradient check | loss_n {0:.6f} | loss_a {0:.6f} | max diff {1:.8f}",
                          document_loss(parameters, tokens),
                          largest_difference(gradient_by_hand(parameters, tokens), by_nudging_up)));
  const std::size_t k = lesson.tokenizer.bos() * 16;  // wte[BOS][0]
  bool near_trying = true, near_autograd = true;
  fmt::print("\nwte[BOS][0] by hand | by trying | all {}: from trying | from autograd\n", parameters.size());
  for (std::size_t step = 1; step <= 3; step++) {
    tokens = lesson.tokens_of_step(step);
    const Numbers by_hand = gradient_by_hand(parameters, tokens);
    const Numbers by_trying = numerical_gradient(parameters, tokens, 1e-5, 1e-5);
    const double from_trying = largest_difference(by_hand, by_trying);
    const double from_autograd = largest_difference(by_hand, loss_and_gradient(loss, parameters, tokens).gradient);
    fmt::print("{:19.6f} | {:9.6f} | {:22.8f} | {:13.8f} | {}\n", by_hand[k], by_trying[k], from_trying, from_autograd,
               lesson.tokenizer.decode({tokens.begin() + 1, tokens.end() - 1}));
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

/// Downhill: each parameter moves against its slope, and forgets it.
void step_downhill(Parameters& parameters, double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    parameters.data()[i] -= learning_rate * parameters.grad()[i];
    parameters.grad()[i] = 0;
  }
}

/// For each name a small step, and smaller and smaller ones.
void train(Lesson& lesson, Parameters& parameters) {
  constexpr std::size_t num_steps = 1000;
  for (std::size_t step = 1; step <= num_steps; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    const double loss = document_loss(parameters, tokens);
    document_backward(parameters, tokens);
    step_downhill(parameters, 1.0 * (1 - static_cast<double>(step - 1) / num_steps));  // stop: update
    lesson.step(step, num_steps, loss);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_three_letters(lesson);
  print_chains();
  print_linear_layer();
  print_nudges();

  const Tokenizer& tokenizer = lesson.tokenizer;
  Parameters parameters(mlp_shapes(tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  check_gradients(lesson, parameters);
  fmt::print("\n");
  train(lesson, parameters);

  const Mlp model(parameters);
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    auto next = [&](Token token, std::size_t) { return draw_token(mlp(model, token), 0.5, lesson.random); };
    lesson.name(tokenizer.decode(generate(next, tokenizer.bos(), 16)));
  }
  fmt::print("\n");
  return lesson.finish();
}
