// Lesson 09: Adam, which gives every parameter a pace of its own, beside the SGD of lesson 08; and temperature, which
// makes a trained model bolder or more careful when it invents. With these two, this is microgpt, complete.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/libm.h"
#include "base/schedule.h"
#include "inspect/likeliest.h"
#include "inspect/plot.h"
#include "lesson/lesson.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

bool no_correction, keep_gradients, temperature_late;  // what --break does wrong

struct DraftAdam {
  TrainConfig train;
  std::vector<double> m, v;  // for each parameter, running means of its gradient and of the gradient's square

  void update(Parameters& parameters, std::size_t step) {
    const double lr = learning_rate(train, step);
    const double m_correction = no_correction ? 1 : 1 - libm_pow(train.beta1, static_cast<double>(step + 1));
    const double v_correction = no_correction ? 1 : 1 - libm_pow(train.beta2, static_cast<double>(step + 1));
    for (std::size_t i = 0; i < parameters.size(); i++) {
      const double grad = parameters.grad()[i];
      m[i] = train.beta1 * m[i] + (1 - train.beta1) * grad;
      v[i] = train.beta2 * v[i] + (1 - train.beta2) * libm_pow(grad, 2);
      const double m_hat = m[i] / m_correction;
      const double v_hat = v[i] / v_correction;
      parameters.data()[i] -= lr * m_hat / (libm_pow(v_hat, 0.5) + train.eps_adam);  // stop: move
      if (!keep_gradients) parameters.grad()[i] = 0;
    }
  }
};

/// How likely each token is to come next.
std::vector<double> probabilities(Values logits, double temperature) {
  auto scaled = [&](Values x) { return Values(x.size(), [&](std::size_t i) { return x[i] / temperature; }); };
  return temperature_late ? scaled(softmax(logits)).data() : softmax(scaled(logits)).data();  // stop: temperature
}

std::vector<Token> draft_sample(const Model& model, double temperature, PythonRandom& random) {
  const Scope scope;
  Cache keys(model.config.n_layer), values(model.config.n_layer);
  const Token bos = model.config.vocab_size - 1;
  std::vector<Token> tokens;
  for (Token token_id = bos; tokens.size() < model.config.block_size; tokens.push_back(token_id)) {
    const Values logits = gpt(model, token_id, tokens.size(), keys, values);
    token_id = random.choice(probabilities(logits, temperature));  // stop: draw
    if (token_id == bos) break;
  }
  return tokens;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  no_correction = lesson.broken("no-correction");
  keep_gradients = lesson.broken("keep-gradients");
  temperature_late = lesson.broken("temperature-late");
  const Tokenizer& tokenizer = lesson.tokenizer;
  const Config config{.vocab_size = tokenizer.vocab_size()};
  const TrainConfig train;
  fmt::print("\na weight's gradients, and how far each makes Adam move it\n");
  const std::vector<std::vector<double>> examples{{1, 1, 1, 1}, {1e-3, 1e-3, 1e-3, 1e-3}, {1, -1, 1, -1}, {1, 0, 0, 0}};
  for (const std::vector<double>& gradients : examples) {
    Parameters weight({{"weight", 1, 1}});
    DraftAdam adam{train, {0}, {0}};
    for (std::size_t step = 0; step < gradients.size(); step++) {
      const double before = weight.data()[0];
      weight.grad()[0] = gradients[step];
      adam.update(weight, step);
      fmt::print("{:5}: {:7.4f}{}", gradients[step], weight.data()[0] - before, step < 3 ? " | " : "\n");
    }
  }

  // The same first weights three times: for SGD, for the Adam of src/, and for the draft.
  auto first_weights = [&](PythonRandom random) { return initialize(config, train, random); };
  Parameters for_sgd = first_weights(lesson.random), for_src = first_weights(lesson.random);
  Parameters parameters = initialize(config, train, lesson.random);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  const Model sgd_model(config, for_sgd), model(config, parameters);
  const Loss sgd_loss = [&](auto tokens) { return document_loss(sgd_model, tokens); };
  const Loss adam_loss = [&](auto tokens) { return document_loss(model, tokens); };
  std::vector<double> sgd_losses;
  Sgd sgd;
  microgpt::train(sgd_loss, for_sgd, sgd, lesson.documents, tokenizer, {.num_steps = 1000, .learning_rate = 0.1},
                  [&](std::size_t, double loss) { sgd_losses.push_back(loss); });
  Adam src_adam(train, for_src.size());
  const Model src_model(config, for_src);
  const Loss src_loss = [&](auto tokens) { return document_loss(src_model, tokens); };
  microgpt::train(src_loss, for_src, src_adam, lesson.documents, tokenizer, train);
  DraftAdam adam{train, std::vector<double>(parameters.size()), std::vector<double>(parameters.size())};
  for (std::size_t step = 0; step < 1000; step++) {
    const Scope scope;
    const Value loss = adam_loss(lesson.tokens_of_step(step + 1));
    loss.backward();
    adam.update(parameters, step);  // stop: update
    if (const std::span<const double> grad = parameters.grad(); step == 0)
      lesson.check("an update resets all gradients", std::none_of(grad.begin(), grad.end(), std::identity()));
    lesson.step(step + 1, 1000, loss.data());
  }
  for (int i = 0; i < 20; i++) lesson.name(tokenizer.decode(draft_sample(model, 0.5, lesson.random)));

  // SGD and Adam: while training, and then on names that neither has seen.
  const std::vector<double> by_sgd = running_mean(sgd_losses, 100), by_adam = running_mean(lesson.losses(), 100);
  fmt::print("\nmean loss of | SGD    | Adam\n");
  for (std::size_t i = 99; i < 1000; i += 100)
    fmt::print("{:4} to {:4} | {:.4f} | {:.4f}\n", i - 98, i + 1, by_sgd[i], by_adam[i]);
  lesson.picture("09_loss.svg", loss_curves("SGD and Adam", {{"SGD", sgd_losses}, {"Adam", lesson.losses()}}));
  const std::vector<Document> held_out = lesson.held_out(1000);
  const std::vector<double> with_sgd = document_losses(sgd_loss, held_out, tokenizer);
  const std::vector<double> with_adam = document_losses(adam_loss, held_out, tokenizer);
  std::vector<double> gain;
  for (std::size_t i = 0; i < held_out.size(); i++) gain.push_back(with_sgd[i] - with_adam[i]);
  fmt::print("\n{} names not seen | mean loss | +-     | standard deviation\n", held_out.size());
  for (const auto& [what, losses] : {std::pair("SGD", &with_sgd), {"Adam", &with_adam}, {"SGD - Adam", &gain}}) {
    const Estimate e = estimate(*losses);
    fmt::print("{:19} | {:9.4f} | {:.4f} | {:.4f}\n", what, e.mean, e.standard_error, e.stddev);
  }
  for (double loss : {std::log(config.vocab_size), 2.37, estimate(with_adam).mean})
    fmt::print("a loss of {:.2f} is as unsure as {:.1f} equally likely tokens\n", loss, std::exp(loss));

  // Temperature: what it does to the first letter, and to 500 names.
  fmt::print("\ntemperature | likeliest first letters  | different | in the list | trained on | the first names\n");
  const auto learnt = std::span(lesson.documents).first(std::min<std::size_t>(1000, lesson.documents.size()));
  bool same_names = true;
  for (double temperature : {0.25, 0.5, 1.0, 2.0}) {
    const Scope scope;
    Cache keys(1), values(1);
    const std::vector<double> p = probabilities(gpt(model, tokenizer.bos(), 0, keys, values), temperature);
    PythonRandom random = lesson.random, src_random = lesson.random;
    std::vector<std::vector<Token>> names;
    std::string some;
    while (names.size() < 500) {
      names.push_back(draft_sample(model, temperature, random));
      same_names = same_names && names.back() == sample(model, temperature, src_random);
      if (names.size() <= 3) some += ' ' + tokenizer.decode(names.back());
    }
    fmt::print("{:11} | {} | {:9} | {:11} | {:10} |{}\n", temperature, likeliest(p, tokenizer, 3),
               std::set(names.begin(), names.end()).size(), count_listed(names, lesson.documents, tokenizer),
               count_listed(names, learnt, tokenizer), some);
  }
  const std::span<const double> ours = parameters.data(), theirs = for_src.data();
  lesson.check("the weights are those of Adam in src/microgpt.cpp",
               std::equal(ours.begin(), ours.end(), theirs.begin()));
  lesson.check("at every temperature the names are those of sample() in src/microgpt.cpp", same_names);
  return lesson.finish();
}
