// Lesson 05: the training loop. Take a name, compute its loss, let backward() find the gradient, take one small step
// downhill; then the next name. The model is the MLP of lesson 02, and its gradient is no longer derived by hand.
// Afterwards: is it better than counting, on names that it never saw?
#include "base/bigram.h"
#include "base/utf8.h"
#include "draw/chart.h"
#include "lesson/lesson.h"
#include "lesson/mlp.h"
#include "microgpt.h"
#include "train/evaluation.h"

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

/// The counts of lesson 01.
Bigram counts_of(std::span<const Document> names, const Tokenizer& tokenizer) {
  Bigram counts(tokenizer.vocab_size());
  for (const Document& name : names) counts.count(tokenizer.encode_document(name));
  return counts;
}

/// How likely these probabilities of the next token make a vowel.
double vowels(const std::vector<double>& probs, const Tokenizer& tokenizer) {
  double total = 0;
  for (Token next = 0; next < tokenizer.bos(); next++) {
    if (std::string("aeiou").find(tokenizer.label(next)) != std::string::npos) total += probs[next];
  }
  return total;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const std::span<const Document> names = lesson.documents;
  const Tokenizer& tokenizer = lesson.tokenizer;

  // On paper: two names pull one number in turn, to 1 and to 3. Once the rate stays, once it shrinks.
  fmt::print("\nstep | pulls to | loss at rate 0.25 | then w is | loss, shrinking rate | then w is\n");
  double steady = 0, settling = 0;
  for (int step = 1; step <= 8; step++) {
    const double target = step % 2 == 1 ? 1 : 3;
    const double steady_loss = (steady - target) * (steady - target);
    const double settling_loss = (settling - target) * (settling - target);
    steady = pull(steady, target, 0.25);
    settling = pull(settling, target, 0.25 * (1 - (step - 1) / 8.0));
    fmt::print("{:4} | {:8} | {:17.4f} | {:9.4f} | {:20.4f} | {:9.4f}\n", step, target, steady_loss, steady,
               settling_loss, settling);
  }

  const std::vector<Parameters::Shape> shapes = mlp_shapes(tokenizer.vocab_size(), 16);
  PythonRandom same_start = lesson.random;  // for the check at the end: the same training by src/
  const Mlp model(StateDict(shapes, 0.08, lesson.random));
  fmt::print("\nnum params: {}\n", model.params.size());

  // A linear layer in plain Values, and that of src/microgpt.cpp.
  {
    const Scope scope;
    const std::size_t before = nodes_on_tape();
    const Values ours = draft_linear(model.wte[0], model.mlp_fc1);
    const std::size_t between = nodes_on_tape();
    const Values theirs = linear(model.wte[0], model.mlp_fc1);
    fmt::print("a linear layer, 16 numbers to 64: {} nodes in plain Values, {} in linear(); {}\n\n", between - before,
               nodes_on_tape() - between, ours.data() == theirs.data() ? "the same numbers" : "OTHER NUMBERS");
  }

  // The training loop: a step for each name.
  constexpr std::size_t num_steps = 1000;
  constexpr double learning_rate = 1.0;  // of the first step; then it shrinks to zero
  for (std::size_t step = 1; step <= num_steps; step++) {
    const Scope scope;  // at the end of the step the tape is rewound to here
    const Document& name = names[(step - 1) % names.size()];

    const Value loss = draft_loss(model, tokenizer.encode_document(name));  // stop: forward
    loss.backward();                                                        // stop: backward
    const double lr = learning_rate * (1 - static_cast<double>(step - 1) / num_steps);
    for (const Value p : model.params) {  // stop: update
      p.node->data -= lr * p.grad();
      p.node->grad = 0;
    }
    lesson.step(step, num_steps, loss.data());  // keeps the loss, and prints some
  }

  // New names: a token is drawn, then the one after it, until BOS comes or there are 16.
  constexpr double temperature = 0.5;
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    auto next = [&](Token token_id, std::size_t) {
      return draw_token(draft_mlp(model, token_id), temperature, lesson.random);
    };
    lesson.name(tokenizer.decode(generate(next, tokenizer.bos(), 16)));
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());

  // The trained model stands still, and every name has another loss. Held out: names not among the thousand.
  const std::vector<Document> held_out = lesson.held_out(num_steps);
  auto by_model = [&](auto tokens) { return draft_loss(model, tokens); };
  const std::vector<double> of_mlp = document_losses(by_model, held_out, tokenizer);
  const Estimate last = estimate(std::span(lesson.losses()).last(100)), at_rest = estimate(of_mlp);
  fmt::print("\n--- why the loss jumps around ---\n");
  fmt::print("the last 100 steps:            mean {:.4f}, standard deviation {:.4f}\n", last.mean, last.stddev);
  fmt::print("held-out names, model at rest: mean {:.4f}, standard deviation {:.4f}\n", at_rest.mean, at_rest.stddev);

  // The counts of the same thousand names beside it.
  const Bigram counts = counts_of(names.first(std::min(num_steps, names.size())), tokenizer);
  const std::vector<double> of_counts =
      document_losses([&](auto tokens) { return counts.loss(tokens); }, held_out, tokenizer);
  fmt::print("\n--- does it beat counting? ---\n");
  std::vector<double> differences;
  for (std::size_t i = 0; i < held_out.size(); i++) differences.push_back(of_mlp[i] - of_counts[i]);
  fmt::print("name         | counts | MLP    | MLP minus counts\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(5, held_out.size()); i++) {
    fmt::print("{} | {:.4f} | {:.4f} | {:16.4f}\n", pad_right(encode_utf8(held_out[i]), 12), of_counts[i], of_mlp[i],
               differences[i]);
  }
  const Estimate by_counts = estimate(of_counts), difference = estimate(differences);
  fmt::print("\n{} held-out names, mean +- standard error\n", held_out.size());
  fmt::print("counts                         {:7.4f} +- {:.4f}\n", by_counts.mean, by_counts.standard_error);
  fmt::print("MLP                            {:7.4f} +- {:.4f}\n", at_rest.mean, at_rest.standard_error);
  fmt::print("MLP minus counts, name by name {:7.4f} +- {:.4f}\n", difference.mean, difference.standard_error);
  lesson.picture("05_loss.svg",
                 loss_curve("The MLP learns what counting knows", lesson.losses(), 1,
                            {{"counting, on held-out names",
                              {{1, by_counts.mean}, {static_cast<double>(num_steps), by_counts.mean}}}}));

  // How far to trust the mean of a few numbers: n of them around 0 are drawn again and again. How far off is their
  // mean, in standard errors of these n?
  constexpr std::size_t num_draws = 20000;
  PythonRandom normal(1);
  fmt::print("\nnumbers | mean within 2 standard errors | 19 of 20 means are within\n");
  for (const std::size_t n : {3, 5, 10, 100}) {
    std::vector<double> off;
    for (std::size_t draw = 0; draw < num_draws; draw++) {
      std::vector<double> numbers(n);
      for (double& number : numbers) number = normal.gauss(0, 1);
      const Estimate e = estimate(numbers);
      off.push_back(std::abs(e.mean) / e.standard_error);
    }
    std::sort(off.begin(), off.end());
    const auto within = std::lower_bound(off.begin(), off.end(), 2.0) - off.begin();
    fmt::print("{:7} | {:27.0f} % | {:5.1f} standard errors\n", n, 100.0 * static_cast<double>(within) / num_draws,
               off[num_draws * 19 / 20]);
  }

  // A hundred names, again and again, and what the model knows meanwhile of these and of new ones.
  const std::span<const Document> few = names.first(std::min<std::size_t>(100, names.size()));
  const std::span<const Document> fresh = std::span(held_out).first(std::min<std::size_t>(600, held_out.size()));
  const Bigram few_counts = counts_of(few, tokenizer);
  auto by_few_counts = [&](auto tokens) { return few_counts.loss(tokens); };
  const double counting_fresh = mean_loss(by_few_counts, fresh, tokenizer).mean;
  fmt::print("\n--- {} names, read again and again; then {} new ones ---\n", few.size(), fresh.size());
  fmt::print("            | loss of these | of new ones\n");
  fmt::print("counting    | {:13.3f} | {:11.3f}\n", mean_loss(by_few_counts, few, tokenizer).mean, counting_fresh);

  constexpr std::size_t few_steps = 3000;  // each name thirty times
  constexpr double few_rate = 0.5;
  PythonRandom random(1);
  const Mlp reader(StateDict(shapes, 0.08, random));
  auto by_reader = [&](auto tokens) { return draft_loss(reader, tokens); };
  const std::vector<std::size_t> measured{100, 300, 600, 1000, 1500, 2000, 2500, 3000};
  std::vector<std::pair<double, double>> few_losses, fresh_losses;  // (how often they were read, loss)
  std::vector<double> vowels_after(tokenizer.bos());
  for (std::size_t step = 1; step <= few_steps; step++) {
    const Scope scope;
    const Document& name = few[(step - 1) % few.size()];

    const Value loss = draft_loss(reader, tokenizer.encode_document(name));
    loss.backward();
    const double lr = few_rate * (1 - static_cast<double>(step - 1) / few_steps);
    sgd_update(reader.params, lr);  // the update above: it sets gradients back to zero, too

    if (std::find(measured.begin(), measured.end(), step) != measured.end()) {
      const double times = static_cast<double>(step) / static_cast<double>(few.size());
      few_losses.emplace_back(times, mean_loss(by_reader, few, tokenizer).mean);
      fresh_losses.emplace_back(times, mean_loss(by_reader, fresh, tokenizer).mean);
      fmt::print("read {:2} times | {:12.3f} | {:11.3f}\n", step / few.size(), few_losses.back().second,
                 fresh_losses.back().second);
    }
    if (step == 600) {  // after six times: how likely it makes a vowel after each letter
      for (Token token = 0; token < tokenizer.bos(); token++) {
        vowels_after[token] = vowels(Values(softmax(draft_mlp(reader, token))).data(), tokenizer);
      }
    }
  }

  const Bigram all_counts = counts_of(names, tokenizer);
  fmt::print("\nafter it was read 6 times: how likely is a vowel next?\n");
  fmt::print("letter | seen | counting | MLP   | in all names\n");
  for (Token token = 0; token < tokenizer.bos(); token++) {
    if (std::string("bfpwz").find(tokenizer.label(token)) == std::string::npos) continue;
    const std::vector<std::uint64_t> seen = few_counts.counts(token);
    fmt::print("{:6} | {:4} | {:8.2f} | {:5.2f} | {:12.2f}\n", tokenizer.label(token),
               std::accumulate(seen.begin(), seen.end(), std::uint64_t{0}),
               vowels(few_counts.probabilities(token), tokenizer), vowels_after[token],
               vowels(all_counts.probabilities(token), tokenizer));
  }
  fmt::print("\n");
  lesson.picture("05_few.svg",
                 chart("100 names: first it learns what names are like, then these names",
                       {"how often the 100 names were read", {0, 10, 20, 30}}, {"loss", {2.2, 2.4, 2.6, 2.8, 3.0, 3.2}},
                       {{"the 100 names", few_losses},
                        {"new names", fresh_losses},
                        {"counting, on new names", {{0, counting_fresh}, {30, counting_fresh}}}},
                       false));

  // The first training again by src/, of a model that begins as the lesson's did.
  const Mlp again(StateDict(shapes, 0.08, same_start));
  std::vector<double> losses;
  train([&](std::span<const Token> tokens) { return document_loss(again, tokens); }, again.params, sgd_update, names,
        tokenizer, {.num_steps = num_steps, .learning_rate = learning_rate},
        [&](std::size_t, double loss) { losses.push_back(loss); });
  lesson.check("train() of src/ has the same losses, bit for bit", losses == lesson.losses());
  lesson.check("train() of src/ ends with the same parameters",
               Values(model.params).data() == Values(again.params).data());
  return lesson.finish();
}
