// Lesson 02: the gradient, or which way is down. It says for every number in a model how fast the loss changes with it.
// First it is found by trying: nudge a number, compute the loss again. Then by hand: back through a small network, step
// by step, which finds the slopes of all its numbers at once.
#include <cmath>
#include <functional>

#include "forward.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "show.h"

using namespace microgpt;

/// Three letters have these scores, and b comes: -log of its probability.
double three_letter_loss(const Numbers& scores) { return -std::log(softmax(scores)[1]); }

/// How fast the loss changes with each of these numbers, by trying: a little up, a little down, and back.
Numbers slopes_by_trying(std::span<double> numbers, const std::function<double()>& loss, double nudge) {
  Numbers slopes;
  for (double& x : numbers) {
    const double old = x;
    x = old + nudge;
    const double above = loss();
    x = old - nudge;
    const double below = loss();
    x = old;
    slopes.push_back((above - below) / (2 * nudge));
  }
  return slopes;
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

/// A name's loss. Its gradient, by hand, is added to that of the parameters: the lines of forward(), last one first.
double document_backward(const Parameters& parameters, std::span<const Token> tokens) {
  const auto n = static_cast<double>(tokens.size() - 1);
  double total = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    const Forward f = forward(parameters, tokens[i]);
    total += -std::log(f.probs[tokens[i + 1]]);
    Numbers dlogits;  // of the mean of -log(softmax(logits)[the token that came])
    for (double p : f.probs) dlogits.push_back(p / n);
    dlogits[tokens[i + 1]] -= 1.0 / n;                                        // stop: logits
    const Numbers dh = linear_backward(parameters["mlp_fc2"], f.h, dlogits);  // logits = mlp_fc2 h
    Numbers dh_pre;                                                           // h = relu(h_pre)
    for (std::size_t j = 0; j < dh.size(); j++) dh_pre.push_back(f.h_pre[j] > 0 ? dh[j] : 0.0);
    const Numbers dx = linear_backward(parameters["mlp_fc1"], f.x, dh_pre);  // h_pre = mlp_fc1 x
    const std::span<double> dwte = parameters["wte"].grad_row(tokens[i]);    // x = wte[token]
    for (std::size_t j = 0; j < dx.size(); j++) dwte[j] += dx[j];            // stop: embedding
  }
  return 1.0 / n * total;
}

/// Downhill: each parameter moves against its slope, and forgets it.
void step_downhill(Parameters& parameters, double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    parameters.data()[i] -= learning_rate * parameters.grad()[i];
    parameters.grad()[i] = 0;
  }
}

/// For each of 1000 names a step, and smaller and smaller ones. Returns the losses.
Numbers train(const Lesson& lesson, Parameters& parameters) {
  Numbers losses;
  for (std::size_t step = 1; step <= 1000; step++) {
    losses.push_back(document_backward(parameters, lesson.tokens_of_step(step)));
    step_downhill(parameters, 1.0 - static_cast<double>(step - 1) / 1000);
  }
  return losses;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  Numbers scores{1, 0, -1};
  const Numbers slopes = slopes_by_trying(
      scores, [&] { return three_letter_loss(scores); }, 0.01);
  show_three_letters(lesson, scores, slopes, three_letter_loss);
  show_linear_layer(linear_backward);

  const PythonRandom start = lesson.random;
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  auto by_trying = [&](std::span<const Token> tokens) {
    return slopes_by_trying(
        parameters.data(), [&] { return document_loss(parameters, tokens); }, 1e-5);
  };
  check_gradients(lesson, parameters, document_backward, by_trying);

  show_untrained_names(parameters, lesson.tokenizer, lesson.random);

  const Numbers losses = train(lesson, parameters);
  for (std::size_t i = 0; i < losses.size(); i++) lesson.step(i + 1, losses.size(), losses[i]);
  for (int i = 0; i < 20; i++) lesson.name(draw_name(parameters, lesson.tokenizer, lesson.random));

  fmt::print("\nweights begin at | first loss | mean of the last 100\n");
  for (const double size : {0.0, 0.001, 0.08, 0.3, 0.8}) {
    PythonRandom random = start;
    draw_weights(parameters, size, random);
    show_losses(size, train(lesson, parameters));
  }
  fmt::print("\n");
  return lesson.finish(1000);
}
