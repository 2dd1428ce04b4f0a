// Lesson 02: the gradient, or which way is down. It says for every number in a model how fast the loss changes with it.
// First it is found by trying: nudge a number, compute the loss again. Then by hand: back through a small network, step
// by step, which finds the slopes of all its numbers at once.
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "lesson/softmax.h"
#include "train/gradient.h"

using namespace microgpt;

using Numbers = std::vector<double>;

/// Three letters have these scores, and b comes: -log of its probability.
double three_letter_loss(const Numbers& scores) { return -std::log(softmax(scores)[1]); }

/// y = w x: each output is a sum over the inputs, each times a weight of its own. w is (n_out, n_in).
Numbers linear(const Parameter& w, std::span<const double> x) {
  Numbers y;
  for (std::size_t i = 0; i < w.rows; i++) {
    double total = 0;
    for (std::size_t j = 0; j < w.cols; j++) total += w.row(i)[j] * x[j];
    y.push_back(total);
  }
  return y;
}

/// Each number where it is positive, else 0.
Numbers relu(Numbers x) {
  for (double& x_i : x) x_i = std::max(0.0, x_i);
  return x;
}

/// A prediction, with what was computed on the way: the backward pass needs it again.
struct Forward {
  std::span<const double> x;  // the token's embedding, its row of wte, (C)
  Numbers h_pre;              // the hidden layer, mlp_fc1 x, (4C)
  Numbers h;                  // the same after ReLU, (4C)
  Numbers probs;              // softmax of the logits, mlp_fc2 h: of each next token, (V)
};

/// One token in, the probabilities of the next token out.
Forward forward(const Parameters& parameters, Token token) {
  Forward f;
  f.x = parameters["wte"].row(token);
  f.h_pre = linear(parameters["mlp_fc1"], f.x);
  f.h = relu(f.h_pre);
  const Numbers logits = linear(parameters["mlp_fc2"], f.h);
  f.probs = softmax(logits);
  return f;
}

/// The mean over a name of -log p(next token).
double draft_loss(const Parameters& parameters, std::span<const Token> tokens) {
  const std::size_t n = tokens.size() - 1;
  double total = 0;
  for (std::size_t i = 0; i < n; i++) total += -std::log(forward(parameters, tokens[i]).probs[tokens[i + 1]]);
  return 1.0 / static_cast<double>(n) * total;
}

/// How fast a name's loss changes with each parameter, by trying.
Numbers slopes_by_trying(Parameters& parameters, std::span<const Token> tokens) {
  constexpr double nudge = 1e-5;
  Numbers slopes;
  for (double& x : parameters.data()) {
    const double old = x;
    x = old + nudge;
    const double above = draft_loss(parameters, tokens);
    x = old - nudge;
    const double below = draft_loss(parameters, tokens);
    x = old;
    slopes.push_back((above - below) / (2 * nudge));
  }
  return slopes;
}

/// Back through y = w x, given dy, how fast the loss changes with each y. Adds to w's gradient and returns x's.
/// (A Parameter points to its numbers and slopes, as a span does: const does not protect them.)
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

/// A new name, as in lesson 01: begin at BOS, draw the next token with its probability, until BOS comes.
std::string draw_name(const Parameters& parameters, const Tokenizer& tokenizer, PythonRandom& random) {
  auto next = [&](Token token, std::size_t) { return random.choice(forward(parameters, token).probs); };
  return tokenizer.decode(generate(next, tokenizer.bos(), 16));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // How fast that loss changes with each score, by trying: a little up, a little down.
  constexpr double nudge = 0.01;
  const Numbers scores{1, 0, -1}, probs = softmax(scores);
  fmt::print("\nThree letters, and b came: the loss is {:.4f}.\n\n", three_letter_loss(scores));
  fmt::print("letter | score | exp(score) | probability | loss: 0.01 higher | 0.01 lower |  slope\n");
  Numbers pushes;
  for (std::size_t i = 0; i < scores.size(); i++) {
    Numbers higher = scores, lower = scores;
    higher[i] += nudge;
    lower[i] -= nudge;
    const double above = three_letter_loss(higher), below = three_letter_loss(lower);
    const double slope = (above - below) / (2 * nudge);
    fmt::print("{:6} | {:5} | {:10.4f} | {:11.4f} | {:17.4f} | {:10.4f} | {:6.3f}\n", "abc"[i], scores[i],
               std::exp(scores[i]), probs[i], above, below, slope);
    pushes.push_back(-slope);
  }
  lesson.picture("02_slopes.svg",
                 bar_chart("Wrong letters go down by their probability, the right one up by the rest",
                           "probability, and push", {"a", "b (came)", "c"},
                           {{"probability", probs}, {"push on the score: minus the slope of the loss", pushes}}));

  // A linear layer small enough for paper, two inputs and two outputs, and its way back.
  Parameters on_paper({{"w", 2, 2}});
  const Parameter& w = on_paper["w"];
  std::iota(w.data, w.data + 4, 1.0);
  const Numbers x{5, 6}, y = linear(w, x), dy{0.1, -0.2};
  const Numbers dx = linear_backward(w, x, dy);
  fmt::print("\ny = w x: w = ({} {}; {} {}), x = ({} {}), so y = ({} {})\n", w.data[0], w.data[1], w.data[2], w.data[3],
             x[0], x[1], y[0], y[1]);
  fmt::print("the loss changes with y by ({:.1f} {:.1f})\n", dy[0], dy[1]);
  fmt::print("so with w by ({:.1f} {:.1f}; {:.1f} {:.1f}), and with x by ({:.1f} {:.1f})\n\n", w.grad[0], w.grad[1],
             w.grad[2], w.grad[3], dx[0], dx[1]);

  const PythonRandom start = lesson.random;  // for weights of other sizes, below
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  fmt::print("num params: {}\n", parameters.size());

  // Three names' gradients, each found twice: by hand, and by trying.
  const std::size_t n = lesson.tokens_of_step(1).size() - 1, k = lesson.tokenizer.bos() * 16;  // k: of wte[BOS][0]
  fmt::print("predictions to find one name's gradient: {} by trying, {} and their way back by hand\n\n",
             2 * parameters.size() * n, n);
  fmt::print("gradient check, wte[BOS][0]: by hand | by trying | largest difference among all {}\n", parameters.size());
  for (std::size_t step = 1; step <= 3; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    document_backward(parameters, tokens);
    const Numbers by_hand(parameters.grad().begin(), parameters.grad().end());
    std::fill(parameters.grad().begin(), parameters.grad().end(), 0.0);
    const Numbers by_trying = slopes_by_trying(parameters, tokens);
    fmt::print("{:36.6f} | {:9.6f} | {:33.8f} | {}\n", by_hand[k], by_trying[k], largest_difference(by_hand, by_trying),
               lesson.tokenizer.decode(std::span(tokens).subspan(1, tokens.size() - 2)));
    // No weight is beyond 1/2, six standard deviations: so |h_pre| < 4, |logit| < 128, a loss is off by no more than
    // 200 * 128 * 2^-53 < 3e-12, and two of them divided by 2e-5 by 3e-7. The rest is for the curvature. (Where an
    // h_pre is so close to 0 that the nudge takes it across, there is a corner, and the two gradients may differ.)
    lesson.check("the gradient by hand is that of central differences, to 1e-6",
                 largest_difference(by_hand, by_trying) < 1e-6);
  }

  fmt::print("\nfive names before it has learnt:");
  PythonRandom chance = lesson.random;  // a copy: these names change no later ones
  for (int i = 0; i < 5; i++) fmt::print(" {}", draw_name(parameters, lesson.tokenizer, chance));
  fmt::print("\n\n");

  // For each of 1000 names a step, and smaller and smaller ones.
  constexpr std::size_t num_steps = 1000;
  for (std::size_t step = 0; step < num_steps; step++) {
    const double loss = document_backward(parameters, lesson.tokens_of_step(step + 1));
    const double learning_rate = 1 - static_cast<double>(step) / num_steps;
    step_downhill(parameters, learning_rate);
    lesson.step(step + 1, num_steps, loss);  // prints every hundredth loss, and keeps all
  }
  for (int i = 0; i < 20; i++) lesson.name(draw_name(parameters, lesson.tokenizer, lesson.random));

  fmt::print("\nweights begin at | first loss | mean of the last 100\n");
  for (const double size : {0.0, 0.001, 0.08, 0.3, 0.8}) {
    PythonRandom random = start;
    draw_weights(parameters, size, random);
    Numbers losses;
    for (std::size_t step = 0; step < num_steps; step++) {
      losses.push_back(document_backward(parameters, lesson.tokens_of_step(step + 1)));
      const double learning_rate = 1 - static_cast<double>(step) / num_steps;
      step_downhill(parameters, learning_rate);
    }
    fmt::print("{:16} | {:10.4f} | {:20.4f}\n", size, losses.front(), mean_of_last_hundred(losses));
  }
  fmt::print("\n");

  return lesson.finish();
}
