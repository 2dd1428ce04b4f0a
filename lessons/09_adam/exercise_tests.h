// The tests of exercise 09: a few numbers by hand, then names.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"
#include "train/evaluation.h"

using namespace teach;

/// One step of parameters that are 0. Then m and the gradients are what the step made of them.
inline std::vector<double> moved(std::vector<double>& m, std::vector<double>& gradients, double learning_rate) {
  const Scope scope;
  const Values params(m.size(), [](std::size_t) { return 0.0; });
  for (std::size_t i = 0; i < m.size(); i++) params[i].node->grad = gradients[i];
  sign_update(params, m, learning_rate, 0.75, 0.5);
  for (std::size_t i = 0; i < m.size(); i++) gradients[i] = params[i].grad();
  return params.data();
}

inline void test_sizes() {
  std::vector<double> m(3), gradients{1000, -0.001, 0};
  calling("sign_update() of three zeros, with gradients 1000, -0.001 and 0 and a rate of 0.25: the parameters",
          "m is 0 at first, so the sign is that of the gradient. Each moves by 0.25 or not at all.");
  usual({-250, 0.00025, 0}, "That is SGD: they move by the rate times the gradient. Only the sign should count.");
  usual({-62.5, 0.0000625, 0}, "They move by the rate times the mix. Only its sign should count.");
  usual({0.25, -0.25, 0}, "They go uphill. A parameter moves against the sign.");
  usual({-0.25, 0.25, -0.25}, "The third never had a gradient. 0 has no sign, and it must not move.");
  should_be(moved(m, gradients, 0.25), {-0.25, 0.25, 0});
  calling("The gradients after that", "The next backward() adds to what is in grad. The update ends with zeros there.");
  should_be(gradients, {0, 0, 0});
}

inline void test_contradiction() {
  std::vector<double> m{1, 1}, gradients{-1, -0.5};
  calling("Two zeros, m is 1 and 1, gradients -1 and -0.5, beta1 0.75, beta2 0.5, a rate of 1: the parameters",
          "0.75 * 1 - 0.25 * 1 is positive, and so is 0.75 * 1 - 0.25 * 0.5. Both move by -1.");
  usual({1, 1}, "They follow the sign of the gradient alone. Take that of beta1 * m + (1 - beta1) * gradient.");
  usual({1, -1}, "m was brought up to date before the move. Move first, with the old m.");
  should_be(moved(m, gradients, 1), {-1, -1});
  calling("m after that", "Now 0.5 * 1 - 0.5 * 1, and 0.5 * 1 - 0.5 * 0.5.");
  usual({1, 1}, "m stayed as it was. After the move: m = beta2 * m + (1 - beta2) * gradient.");
  usual({0.5, 0.625}, "That is the mix of beta1, which says where to move. The mean is kept with beta2.");
  should_be(m, {0, 0.25});
}

/// Three GPTs, the same but for their optimizers, learn the same 1000 names.
inline void show() {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Tokenizer tokenizer(documents);
  const Split names = split(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  std::vector<double> m(Parameters(gpt_shapes(config)).size());
  const Optimizer sign = [&](const List& params, double learning_rate, std::size_t) {
    sign_update(params, m, learning_rate, 0.9, 0.99);
  };
  fmt::print("trained on 1000 names, asked about {} others\n", names.held_out.size());
  for (const auto& [name, optimizer, learning_rate] : {std::tuple("SGD", Optimizer(sgd_update), 0.3),
                                                       {"Adam", adam_optimizer({}, m.size()), 0.01},
                                                       {"sign", sign, 0.001}}) {
    PythonRandom random(42);
    std::vector<Document> training = names.training;
    random.shuffle(training);
    const Model model = scalar_model(config, initialize(config, {}, random));
    const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
    train(loss, model.params, optimizer, training, tokenizer, {.learning_rate = learning_rate});
    fmt::print("{:4} {:5} | loss {:.4f} |", name, learning_rate, mean_loss(loss, names.held_out, tokenizer).mean);
    for (int i = 0; i < 4; i++) fmt::print(" {}", tokenizer.decode(sample(model, 0.5, random)));
    fmt::print("\n");
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_sizes, test_contradiction, show}); }
