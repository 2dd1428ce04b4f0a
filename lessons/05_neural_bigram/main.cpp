// Lesson 05: the training loop. Take a name, compute its loss, let backward() find the gradient, take one small step
// downhill; then the next name. The model is the MLP of lesson 02, and its gradient is no longer derived by hand.
// Afterwards: is it better than counting, on names that it never saw?
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "microgpt.h"
#include "show.h"

using namespace microgpt;

/// The smallest model: one number w. Its loss is (w - target)^2, and it takes a step downhill.
double pull(double w, double target, double rate) {
  const double slope = 2 * (w - target);
  return w - rate * slope;  // stop: pull
}

/// A linear layer: for each row of w a sum over x, each number times a weight of that row.
List draft_linear(const List& x, const Matrix& w) {
  List y;
  for (const List& row : w) {
    Value total = 0.0;
    for (std::size_t j = 0; j < x.size(); j++) total = total + row[j] * x[j];
    y.push_back(total);
  }
  return y;
}

/// One token in, the logits of the next one out: (C) -> (4C) -> (V).
List draft_mlp(const Mlp& model, Token token_id) {
  const List& x = model.wte[token_id];
  const List hidden = relu(linear(x, model.mlp_fc1));
  return linear(hidden, model.mlp_fc2);
}

/// The mean of -log p(next token) over a name.
Value draft_loss(const Mlp& model, std::span<const Token> tokens) {
  const std::size_t n = tokens.size() - 1;
  Value total = 0.0;
  for (std::size_t i = 0; i < n; i++) {
    const List probs = softmax(draft_mlp(model, tokens[i]));
    total = total + -log(probs[tokens[i + 1]]);
  }
  return 1.0 / static_cast<double>(n) * total;
}

/// The training loop: a step for each name. After the last name comes the first again.
void draft_train(const Mlp& model, const Tokenizer& tokenizer, const Plan& plan, const OnStep& on_step) {
  for (std::size_t step = 1; step <= plan.num_steps; step++) {
    const Scope scope;  // at the end of the step the tape is rewound to here
    const Document& name = plan.names[(step - 1) % plan.names.size()];

    const Value loss = draft_loss(model, tokenizer.encode_document(name));  // stop: forward
    loss.backward();                                                        // stop: backward
    const double lr = plan.learning_rate * (1 - static_cast<double>(step - 1) / static_cast<double>(plan.num_steps));
    for (const Value p : model.params) {  // stop: update
      p.node->data -= lr * p.grad();
      p.node->grad = 0;
    }
    on_step(step, loss.data());
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  show_two_names(pull);

  const std::span<const Document> names = lesson.documents;
  const std::vector<Parameters::Shape> shapes = mlp_shapes(lesson.tokenizer.vocab_size(), 16);
  PythonRandom start = lesson.random;
  const Mlp model(StateDict(shapes, 0.08, lesson.random));
  lesson.line(fmt::format("num params: {}", model.params.size()));
  show_linear(model, draft_linear);
  const Plan once{names, 1000, 1.0};
  draft_train(model, lesson.tokenizer, once,
              [&](std::size_t step, double loss) { lesson.step(step, once.num_steps, loss); });
  show_names(lesson, model, draft_mlp);
  show_at_rest(lesson, [&](std::span<const Token> tokens) { return draft_loss(model, tokens); });

  PythonRandom random(1);
  const Mlp reader(StateDict(shapes, 0.08, random));
  const Plan again{names.first(std::min<std::size_t>(100, names.size())), 3000, 0.5};
  FewNames few(lesson, again, [&](std::span<const Token> tokens) { return draft_loss(reader, tokens); });
  draft_train(reader, lesson.tokenizer, again, [&](std::size_t step, double) { few.measure(step, reader); });
  few.show();
  check_training(lesson, model, Mlp(StateDict(shapes, 0.08, start)));
  return lesson.finish();
}
