// Lesson 05: the first training loop. Take a name, compute its loss, let backward() find the gradient, take one small
// step downhill; then the next name. The model is the MLP of lesson 02, and nobody derives its gradient by hand any
// more. Afterwards: how good is it, on names that it never saw?
#include <fmt/core.h>

#include <algorithm>

#include "base/bigram.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

constexpr std::size_t n_embd = 16;
constexpr std::size_t num_steps = 1000;
constexpr std::size_t max_steps = 5 * num_steps;  // of the longest training here
constexpr double learning_rate = 1.0;

/// The example for paper: a model that is one number w, and two names that pull it in turn, one to 1 and one to 3. The
/// loss of a name is (w - where it pulls)^2. With one learning rate for all steps, and with one that shrinks.
void print_two_names() {
  fmt::print("\nstep | pulls to | loss at rate 0.25 | then w is | loss, shrinking rate | then w is\n");
  double steady = 0, settling = 0;
  for (int step = 1; step <= 8; step++) {
    const double target = step % 2 == 1 ? 1 : 3;
    const double steady_loss = (steady - target) * (steady - target);
    const double settling_loss = (settling - target) * (settling - target);
    steady -= 0.25 * 2 * (steady - target);  // stop: pull
    settling -= 0.25 * (1 - (step - 1) / 8.0) * 2 * (settling - target);
    fmt::print("{:4} | {:8} | {:17.4f} | {:9.4f} | {:20.4f} | {:9.4f}\n", step, target, steady_loss, steady,
               settling_loss, settling);
  }
  fmt::print("\n");
}

/// One token in, the logits of the next one out: (C) -> (4C) -> (V).
Values draft_mlp(const Mlp& model, Token token_id) {
  const Values x = model.wte[token_id];
  const Values hidden = relu(linear(x, model.mlp_fc1));
  return linear(hidden, model.mlp_fc2);
}

/// The mean of -log p(next token) over a name.
Value draft_loss(const Mlp& model, std::span<const Token> tokens) {
  const std::size_t n = tokens.size() - 1;
  Value total = 0.0;
  for (std::size_t i = 0; i < n; i++) {
    const Values probs = softmax(draft_mlp(model, tokens[i]));
    total = total + -log(probs[tokens[i + 1]]);
  }
  return 1.0 / static_cast<double>(n) * total;
}

/// The training loop.
void draft_train(Lesson& lesson, const Mlp& model, Parameters& parameters, std::span<const Document> names) {
  for (std::size_t step = 1; step <= num_steps; step++) {
    const Scope scope;  // at the end of the step the tape is rewound to here
    const Document& name = names[(step - 1) % names.size()];

    const Value loss = draft_loss(model, lesson.tokenizer.encode_document(name));  // stop: forward
    loss.backward();                                                               // stop: backward
    const double lr = learning_rate * (1 - static_cast<double>(step - 1) / num_steps);
    for (std::size_t i = 0; i < parameters.size(); i++) {  // stop: update
      parameters.data()[i] -= lr * parameters.grad()[i];
      parameters.grad()[i] = 0;
    }
    lesson.step(step, num_steps, loss.data());
  }
}

/// An MLP made by the training loop of src/, and how it did on held-out names.
struct Run {
  Parameters parameters;
  std::vector<double> losses;           // of each step
  std::vector<double> held_out_losses;  // of each held-out name, afterwards
};

Run train_in_src(const Lesson& lesson, PythonRandom random, std::size_t steps) {
  Run run{Parameters(mlp_shapes(lesson.tokenizer.vocab_size(), n_embd)), {}, {}};
  draw_weights(run.parameters, 0.08, random);
  const Mlp model(run.parameters);
  const Loss loss = [&](std::span<const Token> tokens) { return draft_loss(model, tokens); };
  Sgd sgd;
  train(loss, run.parameters, sgd, lesson.documents, lesson.tokenizer,
        {.num_steps = steps, .learning_rate = learning_rate},
        [&](std::size_t, double value) { run.losses.push_back(value); });
  run.held_out_losses = document_losses(loss, lesson.held_out(max_steps), lesson.tokenizer);
  return run;
}

/// The held-out losses of the counts of the first n names.
std::vector<double> losses_of_counts(const Lesson& lesson, std::size_t n) {
  Bigram bigram(lesson.tokenizer.vocab_size());
  for (const Document& name : std::span(lesson.documents).first(std::min(n, lesson.documents.size())))
    bigram.count(lesson.tokenizer.encode_document(name));
  const Loss loss = [&](std::span<const Token> tokens) { return bigram.loss(tokens); };
  return document_losses(loss, lesson.held_out(max_steps), lesson.tokenizer);
}

/// The MLP's held-out losses beside those of the counts of the same names.
void compare_with_counts(const Lesson& lesson, std::span<const double> mlp_losses, std::size_t steps) {
  const std::size_t n = std::min(steps, lesson.documents.size());
  const std::vector<double> count_losses = losses_of_counts(lesson, steps);
  std::vector<double> differences;
  for (std::size_t i = 0; i < count_losses.size(); i++) differences.push_back(mlp_losses[i] - count_losses[i]);
  auto print = [&](const char* what, const std::vector<double>& losses) {
    const Estimate e = estimate(losses);
    fmt::print("{:5} names | {:<32} {:7.4f} +- {:.4f}\n", n, what, e.mean, e.standard_error);
  };
  print("counts", count_losses);
  print("MLP", {mlp_losses.begin(), mlp_losses.end()});
  print("MLP minus counts, name by name", differences);
}

/// Names drawn from the trained model.
void print_names(Lesson& lesson, const Mlp& model) {
  const Next next = [&](Token token_id, std::size_t) {
    const Scope scope;
    return draw_token(draft_mlp(model, token_id), 0.5, lesson.random);
  };
  for (int i = 0; i < 20; i++) {
    const std::vector<Token> name = generate(next, lesson.tokenizer.bos(), 16);
    lesson.name(lesson.tokenizer.decode(name));  // stop: sample
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());
}

/// The trained model stands still, and every name has another loss. Returns the losses of the held-out names.
std::vector<double> print_at_rest(const Lesson& lesson, const Mlp& model) {
  fmt::print("\n--- why the loss jumps around ---\n");
  const std::vector<Document> held_out = lesson.held_out(max_steps);
  const Loss loss = [&](std::span<const Token> tokens) { return draft_loss(model, tokens); };
  const std::vector<double> losses = document_losses(loss, held_out, lesson.tokenizer);
  const Estimate last = estimate(std::span(lesson.losses()).last(100));
  const Estimate at_rest = estimate(losses);
  fmt::print("the last 100 steps:            mean {:.4f}, standard deviation {:.4f}\n", last.mean, last.stddev);
  fmt::print("held-out names, model at rest: mean {:.4f}, standard deviation {:.4f}\n", at_rest.mean, at_rest.stddev);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, losses.size()); i++)
    fmt::print("  {:<12} {:.4f}\n", encode_utf8(held_out[i]), losses[i]);
  return losses;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_two_names();
  const PythonRandom before_drawing = lesson.random;
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), n_embd));
  draw_weights(parameters, 0.08, lesson.random);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  fmt::print("held out: {} names\n\n", lesson.held_out(max_steps).size());

  const Mlp model(parameters);
  draft_train(lesson, model, parameters, lesson.documents);
  const Baseline counting{"counting, on held-out names", estimate(losses_of_counts(lesson, num_steps)).mean};
  Svg curve = loss_curve("The MLP learns what counting knows, and no more", lesson.losses(), counting);
  curve.text(616, 70, "mean of the last 50 steps", "end", 12, 0, "rgb(8,48,107)");
  curve.text(616, 88, "each step", "end", 12, 0, "#666");
  lesson.picture("05_loss.svg", curve);
  print_names(lesson, model);
  const std::vector<double> losses = print_at_rest(lesson, model);

  fmt::print("\n--- does it beat counting? held-out names, mean +- standard error ---\n");
  compare_with_counts(lesson, losses, num_steps);
  compare_with_counts(lesson, train_in_src(lesson, before_drawing, max_steps).held_out_losses, max_steps);
  fmt::print("after {} steps from other weights:", num_steps);
  for (std::uint64_t seed = 1; seed <= 3; seed++)
    fmt::print(" {:.4f}", estimate(train_in_src(lesson, PythonRandom(seed), num_steps).held_out_losses).mean);

  fmt::print("\n\n");
  const Run src = train_in_src(lesson, before_drawing, num_steps);
  lesson.check("train() of src/ has the same losses, bit for bit", src.losses == lesson.losses());
  const std::span<const double> ours = parameters.data(), theirs = src.parameters.data();
  lesson.check("train() of src/ ends with the same parameters", std::equal(ours.begin(), ours.end(), theirs.begin()));
  return lesson.finish();
}
