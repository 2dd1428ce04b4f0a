// Lesson 09: Adam, which gives every parameter steps of its own size, in three steps: a mean of the gradients, a mean
// of their squares, and a correction for the start. Then temperature, which makes a trained model bolder or more
// careful. With these two, this is microgpt, complete.
#include <set>

#include "base/power.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"

using namespace microgpt;

constexpr std::size_t num_steps = 1000;  // of each training, a name each

constexpr double beta1 = 0.85;  // how much of its old mean m keeps
constexpr double beta2 = 0.99;  // the same for v
constexpr double eps = 1e-8;    // against a division by zero

enum class Rule { sgd, momentum, rescaled, adam };

/// SGD, the two steps towards Adam, and Adam: each moves all parameters once, and sets their gradients to zero.
struct Draft {
  Rule rule;
  std::vector<double> m, v;  // for each parameter, the mean of its gradients, and of their squares; zeros at first
  double m_correction = 1, v_correction = 1;

  Draft(Rule which, std::size_t num_params) : rule(which), m(num_params), v(num_params) {}

  /// First step: each parameter moves by a running mean of its gradients.
  void momentum(const List& params, double learning_rate) {
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      m[i] = beta1 * m[i] + (1 - beta1) * p.grad;
      p.data -= learning_rate * m[i];
      p.grad = 0;
    }
  }

  /// Second step: by its gradient, compared with the usual size of its gradients.
  void rescaled(const List& params, double learning_rate) {
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      v[i] = beta2 * v[i] + (1 - beta2) * p.grad * p.grad;
      p.data -= learning_rate * p.grad / (std::sqrt(v[i]) + eps);
      p.grad = 0;
    }
  }

  /// Both, and the third step: m and v begin at 0, so at first they are too small, and that is corrected.
  void adam(const List& params, double learning_rate, std::size_t step) {
    m_correction = 1 - power(beta1, static_cast<double>(step + 1));
    v_correction = 1 - power(beta2, static_cast<double>(step + 1));
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      m[i] = beta1 * m[i] + (1 - beta1) * p.grad;
      v[i] = beta2 * v[i] + (1 - beta2) * power(p.grad, 2);
      const double m_hat = m[i] / m_correction;
      const double v_hat = v[i] / v_correction;
      p.data -= learning_rate * m_hat / (power(v_hat, 0.5) + eps);  // stop: move
      p.grad = 0;
    }
  }

  void update(const List& params, double learning_rate, std::size_t step) {
    switch (rule) {
      case Rule::sgd: return sgd_update(params, learning_rate);
      case Rule::momentum: return momentum(params, learning_rate);
      case Rule::rescaled: return rescaled(params, learning_rate);
      case Rule::adam: return adam(params, learning_rate, step);
    }
  }
};

/// 40 steps from (-10, 1) through a valley with two parameters, nearly flat along x and steep across. Prints the first
/// places, and the last.
Walk walk(const char* name, Rule rule, double learning_rate) {
  const Scope scope;
  const Value x = -10.0, y = 1.0;
  Draft optimizer(rule, 2);
  Walk path{{x.data(), y.data()}};
  for (std::size_t step = 0; step < 40; step++) {
    const Value height = x * x * 0.5 + y * y * 50.0;
    height.backward();
    optimizer.update({x, y}, learning_rate, step);
    path.emplace_back(x.data(), y.data());
  }
  fmt::print("{:8} {:5}:", name, learning_rate);
  for (const std::size_t step : {1, 2, 3, 40}) {
    auto rounded = [](double number) { return std::round(number * 100) / 100 + 0.0; };  // no -0.00
    const auto& [px, py] = path[step];
    fmt::print("{} ({:6.2f},{:6.2f})", step == 40 ? " ... step 40" : "", rounded(px), rounded(py));
    if (step == 40) fmt::print(", height {:.2f}\n", px * px / 2 + 50 * py * py);
  }
  return path;
}

/// How likely each token is to come next.
std::vector<double> probabilities(Values logits, double temperature) {
  const Values scaled(logits.size(), [&](std::size_t i) { return logits[i] / temperature; });
  const Values probs = softmax(scaled);
  return probs.data();  // stop: temperature
}

std::vector<Token> draft_sample(const Model& model, double temperature, PythonRandom& random) {
  const Scope scope;
  const Token bos = model.wte.size() - 1;
  Cache keys(model.layers.size()), values(model.layers.size());
  std::vector<Token> name;
  Token token_id = bos;
  while (name.size() < model.block_size) {
    const Values logits = gpt(model, token_id, name.size(), keys, values);
    token_id = random.choice(probabilities(logits, temperature));  // stop: draw
    if (token_id == bos) break;
    name.push_back(token_id);
  }
  return name;
}

/// A GPT trained with a rule. Fewer losses than steps: the next was not finite, which ended the training.
struct Run {
  const char* factor;  // what the rate is multiplied by
  Rule rule;
  double rate;
  Model model = {};
  std::vector<double> losses = {};
};

/// How far each number of a token's embedding went, root mean square.
double moved(const Model& model, const Parameters& first_weights, Token token) {
  const List& row = model.wte[token];
  double total = 0;
  for (std::size_t j = 0; j < row.size(); j++) {
    total += std::pow(row[j].data() - first_weights.data()[token * row.size() + j], 2);
  }
  return std::sqrt(total / static_cast<double>(row.size()));
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  fmt::print("\na valley: its height is x^2 / 2 + 50 y^2, and 50 + 50 at (-10, 1), where we begin\n");
  const Walk by_sgd = walk("SGD", Rule::sgd, 0.018);
  walk("SGD", Rule::sgd, 0.021);
  walk("momentum", Rule::momentum, 0.018);
  walk("momentum", Rule::momentum, 0.1);
  walk("rescaled", Rule::rescaled, 0.1);
  const Walk by_adam = walk("Adam", Rule::adam, 0.3);
  lesson.picture("09_model.svg",
                 model_picture("The model is as before; Adam moves every weight in it at a speed of its own",
                               {{"wte + wpe", "27 + 16 rows"},
                                {"attention", "each 16 x 16", "W_Q, W_K, W_V"},
                                {"W_O", "16 x 16"},
                                {"fc1", "64 x 16"},
                                {"fc2", "16 x 64"},
                                {"lm_head", "27 x 16"}},
                               "green: here are the weights, 4192 in all"));
  lesson.picture("09_valley.svg", valley_picture(by_sgd, by_adam));

  {  // Adam's first two steps there, with all numbers.
    fmt::print("\nAdam's first steps there\n");
    fmt::print("step |   slope |      m |       v | m / root | m_hat | root of v_hat | quotient | goes to\n");
    const Scope scope;
    Draft optimizer(Rule::adam, 2);
    const List place{-10.0, 1.0};
    for (std::size_t step = 0; step < 2; step++) {
      const double from[]{place[0].data(), place[1].data()}, slope[]{from[0], 100 * from[1]};
      (place[0] * place[0] * 0.5 + place[1] * place[1] * 50.0).backward();
      optimizer.adam(place, 0.3, step);
      for (std::size_t i = 0; i < 2; i++) {
        fmt::print("{:2} {} | {:7.2f} | {:6.2f} | {:7.2f} | {:8.3f} | {:5.1f} | {:13.1f} | {:8.3f} | {:.3f}\n",
                   step + 1, "xy"[i], slope[i], optimizer.m[i], optimizer.v[i],
                   optimizer.m[i] / std::sqrt(optimizer.v[i]), optimizer.m[i] / optimizer.m_correction,
                   std::sqrt(optimizer.v[i] / optimizer.v_correction), (from[i] - place[i].data()) / 0.3,
                   place[i].data());
      }
    }
  }
  fmt::print("\n");

  // The GPT of lesson 08, trained with Adam on a thousand names.
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const Parameters weights = initialize(config, {}, lesson.random);
  const std::size_t n = weights.size();
  fmt::print("num params: {}\n", n);
  const Model model = scalar_model(config, weights);
  Draft optimizer(Rule::adam, n);
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    const Value loss = document_loss(model, lesson.tokens_of_step(step + 1));
    if (!std::isfinite(loss.data())) break;
    loss.backward();
    const double learning_rate = 0.01 * (1 - static_cast<double>(step) / num_steps);  // it falls to 0
    optimizer.adam(model.params, learning_rate, step);
    lesson.step(step + 1, num_steps, loss.data());  // prints every hundredth loss, and keeps all
  }
  PythonRandom src_random = lesson.random;  // for the same names from src/microgpt.cpp
  bool same_names = true;
  for (int i = 0; i < 20; i++) {
    const std::vector<Token> name = draft_sample(model, 0.5, lesson.random);
    lesson.name(lesson.tokenizer.decode(name));
    same_names = same_names && name == sample(model, 0.5, src_random);
  }

  // SGD and the first two steps towards Adam. All models start from the same weights.
  std::vector<Run> runs{{"the gradient (SGD)", Rule::sgd, 0.1},
                        {"the gradient (SGD)", Rule::sgd, 0.3},
                        {"the gradient (SGD)", Rule::sgd, 0.6},
                        {"the gradient (SGD)", Rule::sgd, 1.0},
                        {"mean gradient (momentum)", Rule::momentum, 0.2},
                        {"mean gradient (momentum)", Rule::momentum, 0.3},
                        {"mean gradient (momentum)", Rule::momentum, 0.6},
                        {"gradient / its usual size", Rule::rescaled, 0.01}};
  for (Run& run : runs) {
    run.model = scalar_model(config, weights);
    Draft draft(run.rule, weights.size());
    for (std::size_t step = 0; step < num_steps; step++) {
      const Scope scope;
      const Value loss = document_loss(run.model, lesson.tokens_of_step(step + 1));
      if (!std::isfinite(loss.data())) break;
      loss.backward();
      const double learning_rate = run.rate * (1 - static_cast<double>(step) / num_steps);
      draft.update(run.model.params, learning_rate, step);
      run.losses.push_back(loss.data());
    }
  }
  runs.push_back({"mean / usual size, corrected (Adam)", Rule::adam, 0.01, model, lesson.losses()});

  // What each rule is worth, compared name by name with the best rate of SGD.
  auto held_out_losses = [&](const Run& run) {
    const Loss loss = [&](auto tokens) { return document_loss(run.model, tokens); };
    return document_losses(loss, lesson.held_out(num_steps), lesson.tokenizer);
  };
  fmt::print("\n{:35} | rate | first 100 | held-out | gain over SGD 0.3\n", "a step is the rate times ...");
  const std::vector<double> to_beat = held_out_losses(runs[1]);
  for (const Run& run : runs) {
    if (run.losses.size() < num_steps) {
      fmt::print("{:35} | {:4} | infinite at step {}\n", run.factor, run.rate, run.losses.size() + 1);
    } else {
      const std::vector<double> losses = held_out_losses(run);
      std::vector<double> gains;
      for (std::size_t i = 0; i < losses.size(); i++) gains.push_back(to_beat[i] - losses[i]);
      const Estimate gain = estimate(gains);
      fmt::print("{:35} | {:4} | {:9.4f} | {:.4f} | {:7.4f} +- {:.4f}\n", run.factor, run.rate,
                 estimate(std::span(run.losses).first(100)).mean, estimate(losses).mean, gain.mean,
                 gain.standard_error);
    }
  }

  // How far the embeddings of some letters went, from a frequent one to a rare one.
  std::vector<std::string> letters;
  Bars sgd_moves{"SGD 0.3", {}}, adam_moves{"Adam 0.01", {}};
  fmt::print("\nletter | comes | moved by SGD 0.1 | by SGD 0.3\n");
  for (const char letter : {'a', 'n', 'b', 'w', 'x', 'q'}) {
    const Token token = lesson.tokenizer.characters().find(static_cast<char32_t>(letter));
    if (token == std::u32string::npos) continue;
    std::ptrdiff_t comes = 0;
    for (std::size_t step = 1; step <= num_steps; step++) {
      const std::vector<Token> tokens = lesson.tokens_of_step(step);
      comes += std::count(tokens.begin(), tokens.end(), token);
    }
    letters.emplace_back(1, letter);
    sgd_moves.heights.push_back(moved(runs[1].model, weights, token));
    adam_moves.heights.push_back(moved(model, weights, token));
    fmt::print("{:6} | {:5} | {:16.3f} | {:10.3f}\n", letter, comes, moved(runs[0].model, weights, token),
               sgd_moves.heights.back());
  }
  lesson.picture("09_moved.svg",
                 bar_chart("From frequent letters to rare ones: SGD moves them less and less, Adam does not",
                           "how far its embedding went", letters, {sgd_moves, adam_moves}));

  // What temperature does to the first letter, and to 500 names.
  fmt::print("\ntemperature | different | real names | learnt from | the first names\n");
  const auto learnt = std::span(lesson.documents).first(std::min(num_steps, lesson.documents.size()));
  std::vector<Bars> bars;
  for (const double temperature : {0.25, 0.5, 1.0, 2.0}) {
    PythonRandom random = lesson.random;
    std::vector<std::vector<Token>> names;
    while (names.size() < 500) names.push_back(draft_sample(model, temperature, random));
    std::string first_names;
    for (std::size_t i = 0; i < 4; i++) first_names += fmt::format(" {}", lesson.tokenizer.decode(names[i]));
    fmt::print("{:11} | {:9} | {:10} | {:11} |{}\n", temperature, std::set(names.begin(), names.end()).size(),
               count_listed(names, lesson.documents, lesson.tokenizer), count_listed(names, learnt, lesson.tokenizer),
               first_names);
    const Scope scope;
    Cache keys(1), values(1);
    const Values logits = gpt(model, lesson.tokenizer.bos(), 0, keys, values);
    bars.push_back({fmt::format("temperature {}", temperature), probabilities(logits, temperature)});
  }
  std::vector<std::string> labels;
  for (Token token = 0; token < lesson.tokenizer.bos(); token++) labels.push_back(lesson.tokenizer.label(token));
  lesson.picture("09_temperature.svg", bar_chart("The colder, the more the likeliest first letters take all",
                                                 "probability as first letter", labels, bars));

  lesson.check("the names are those of sample() in src/microgpt.cpp", same_names);
  const Model in_src = scalar_model(config, weights);
  const Loss loss = [&](auto tokens) { return document_loss(in_src, tokens); };
  train(loss, in_src.params, adam_optimizer({}, n), lesson.documents, lesson.tokenizer, {});
  lesson.check("the weights are those of Adam in src/microgpt.cpp",
               Values(model.params).data() == Values(in_src.params).data());
  return lesson.finish();
}
