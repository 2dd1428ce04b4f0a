// Lesson 24: a better model, and how we know that it is better. Names are put aside, a table of counts is the opponent,
// and two cures keep a model from learning by heart. In the end the model and the table are asked together.
#include <array>
#include <map>

#include "draw/chart.h"
#include "draw/progress.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/recipe.h"
#include "train/batch_trainer.h"
#include "train/evaluation.h"
#include "train/held_out.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

using Names = std::vector<Document>;

/// Names to learn from, names to choose a recipe by, and names by which nothing is chosen.
struct Parts {
  Names training, validation, held_out;
};

/// Drops repeated names first: the 32033 lines of makemore's list are 29494 names.
Parts draft_split(Names names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  PythonRandom(42).shuffle(names);
  const auto tenth = static_cast<std::ptrdiff_t>(names.size() / 10);
  return {.training = {names.begin(), names.end() - 2 * tenth},
          .validation = {names.end() - 2 * tenth, names.end() - tenth},
          .held_out = {names.end() - tenth, names.end()}};
}

/// Of each name, p of every token but the first, BOS: what a model or a table expected.
using Probabilities = std::vector<std::vector<double>>;

/// The mean of -log p over all predictions. A long name has more of them than a short one.
double mean_loss(const Probabilities& names) {
  double total = 0, predictions = 0;
  for (const std::vector<double>& name : names) {
    for (const double p : name) {
      total -= std::log(p);
      predictions++;
    }
  }
  return total / predictions;
}

/// A table of what came after each context: after no token, after the last, and so on to the last four.
struct Ngram {
  std::size_t vocab_size;
  std::map<std::vector<Token>, std::vector<double>> sightings = {};

  /// The last n tokens before tokens[i].
  static std::vector<Token> context(std::span<const Token> tokens, std::size_t i, std::size_t n) {
    return {&tokens[i - n], &tokens[i]};
  }

  void count(std::span<const Token> tokens) {
    for (std::size_t i = 1; i < tokens.size(); i++) {
      for (std::size_t n = 0; n <= 4 && n <= i; n++) {
        std::vector<double>& seen = sightings[context(tokens, i, n)];
        seen.resize(vocab_size);
        seen[tokens[i]]++;
      }
    }
  }

  /// p(tokens[i]) from contexts of fewer than `order` tokens. What the shorter ones say counts like `trust` sightings.
  double probability(std::span<const Token> tokens, std::size_t i, std::size_t order, double trust) const {
    double p = 1.0 / static_cast<double>(vocab_size);
    for (std::size_t n = 0; n < order && n <= i; n++) {
      const auto found = sightings.find(context(tokens, i, n));
      if (found == sightings.end()) break;  // never seen, so no longer context was
      const std::vector<double>& seen = found->second;
      const double total = std::accumulate(seen.begin(), seen.end(), 0.0);
      p = (seen[tokens[i]] + trust * p) / (total + trust);  // stop: backoff
    }
    return p;
  }
};

/// What the table expects in these names.
Probabilities counted(const Ngram& table, const Names& names, const Tokenizer& tokenizer, std::size_t order,
                      double trust) {
  Probabilities all;
  for (const Document& name : names) {
    const std::vector<Token> tokens = tokenizer.encode_document(name);
    std::vector<double>& of_name = all.emplace_back();
    for (std::size_t i = 1; i < tokens.size(); i++) of_name.push_back(table.probability(tokens, i, order, trust));
  }
  return all;
}

/// What a GPT expects in them.
Probabilities asked(const TensorModel<double>& model, const Names& names, const Tokenizer& tokenizer) {
  Probabilities all;
  for (const Document& name : names) {
    Batch batch(model.config.block_size);
    batch.add(tokenizer.encode_document(name));
    Activations<double> activations;
    activations.dropout = {.rate = 0};  // dropout is for training only
    activations.resize(model, batch.num_positions());
    gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
    std::vector<double>& of_name = all.emplace_back();
    for (std::size_t i = 0; i < batch.num_positions(); i++) {
      of_name.push_back(std::exp(-activations.losses.view().data[i]));
    }
  }
  return all;
}

/// Dropout: each number becomes 0 with probability p. The others grow, so that the mean stays the same.
std::vector<double> dropped(std::vector<double> x, double p, PythonRandom& random) {
  for (double& number : x) number = random.random() < p ? 0 : number / (1 - p);
  return x;
}

/// Two together: each probability is the mean of theirs. (A GPT has no more of a name than fits into its block.)
Probabilities mixed(Probabilities a, const Probabilities& b) {
  for (std::size_t name = 0; name < a.size(); name++) {
    a[name].resize(std::min(a[name].size(), b[name].size()));
    for (std::size_t i = 0; i < a[name].size(); i++) a[name][i] = (a[name][i] + b[name][i]) / 2;
  }
  return a;
}

constexpr int num_models = 57;

/// A trained model. A terminal shows how many there are.
TensorModel<double> train(const Recipe& recipe, const Names& names, const Tokenizer& tokenizer, std::uint64_t seed) {
  static int num_trained = 4;  // those that learn by heart
  TerminalLine line;
  line.show(fmt::format("model {} of {}", ++num_trained, num_models));
  return trained(recipe, names, tokenizer, seed).model();
}

/// Generates 500 names, and prints how many of them are copied from the list, and the first few.
void print_names(TensorModel<double>& model, double temperature, const Names& list, const Tokenizer& tokenizer) {
  const std::vector<std::vector<Token>> names = generated(model, 500, temperature);
  fmt::print("temperature {:.1f}: {} of 500 generated names are copies:", temperature,
             count_listed(names, list, tokenizer));
  for (std::size_t i = 0; i < 6; i++) fmt::print(" {}", tokenizer.decode(names[i]));
  fmt::print("\n");
}

/// What each of three seeds expects in the held-out names.
using Seeds = std::array<Probabilities, num_seeds>;

/// The losses of three seeds. By how much is their mean above ours, with the same seeds and the same names, and how far
/// may that be off, because there are other seeds and other names?
void print_seeds(const std::string& who, const Seeds& seeds, const Seeds& ours, const Names& held_out) {
  double predictions = 0;
  for (const Document& name : held_out) predictions += static_cast<double>(name.size() + 1);
  const double per_name = static_cast<double>(held_out.size()) / predictions;
  PerSeed of_seeds{};
  std::vector<double> of_names(held_out.size());  // the mean over the seeds
  for (std::size_t i = 0; i < num_seeds; i++) {
    for (std::size_t n = 0; n < held_out.size(); n++) {
      double above = 0, our_own = 0;
      for (const double p : seeds[i][n]) above -= std::log(p);
      for (const double p : ours[i][n]) our_own -= std::log(p);
      of_seeds[i] += (above - our_own) / predictions;
      of_names[n] += (above - our_own) * per_name / num_seeds;
    }
  }
  const Estimate lead = estimate(of_names);
  const double margin = std::hypot(difference(of_seeds, {}).margin, 2 * lead.standard_error);
  fmt::print("{:19} | {:.3f} {:.3f} {:.3f} | {:+.3f} +- {:.3f}\n", who, mean_loss(seeds[0]), mean_loss(seeds[1]),
             mean_loss(seeds[2]), lead.mean, margin);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Tokenizer& tokenizer = lesson.tokenizer;
  const Parts parts = draft_split(lesson.documents);
  if (parts.validation.size() < 500) {
    fmt::print(stderr, "lesson: it takes a list of at least 5000 names\n");
    return 1;
  }
  fmt::print("\nnow {} small models are trained: about 20 seconds of processor time\n", num_models);

  // What a table of three names expects after .ann, with longer and longer contexts.
  const Tokenizer ahn(U"ahn");
  Ngram three_names{ahn.vocab_size()};
  for (const char32_t* const name : {U"ana", U"anna", U"hanna"}) three_names.count(ahn.encode_document(name));
  const std::vector<Token> anna = ahn.encode_document(U"anna");
  fmt::print("\nana, anna, hanna: what comes after .ann?\ncontext | probability of a\n");
  for (std::size_t order = 1; order <= 5; order++) {
    const double p = three_names.probability(anna, 4, order, 2);
    fmt::print("{:>7} | {:.4f}\n", std::string(".ann").substr(5 - order), p);
  }

  // Three numbers with dropout, three times, and the mean of many times.
  PythonRandom random(1);
  std::vector<double> mean(3);
  fmt::print("\n0.6, 0.3 and 0.1 with dropout 0.5\n");
  for (int draw = 1; draw <= 10000; draw++) {
    const std::vector<double> x = dropped({0.6, 0.3, 0.1}, 0.5, random);
    if (draw <= 3) fmt::print("draw {}               | {:.1f} {:.1f} {:.1f}\n", draw, x[0], x[1], x[2]);
    for (std::size_t i = 0; i < 3; i++) mean[i] += x[i] / 10000;
  }
  fmt::print("mean of 10000 draws  | {:.1f} {:.1f} {:.1f}\n", mean[0], mean[1], mean[2]);

  // 500 names again and again: without a cure, with dropout, with weight decay, with both.
  const Names few(parts.training.begin(), parts.training.begin() + 500);
  const Names others(parts.validation.begin(), parts.validation.begin() + 500);
  std::vector<Series> of_few, of_others;  // for each cure; rounded, so that all processors draw the same
  for (const auto& [dropout, decay] : {std::pair(0.0, 0.0), {0.3, 0.0}, {0.0, 2.0}, {0.3, 2.0}}) {
    const std::string cure = fmt::format("dropout {}, weight decay {}", dropout, decay);
    fmt::print("\n--- 500 names, again and again; {} ---\nstep | these 500 names | 500 it never sees\n", cure);
    of_few.push_back({"the 500 names it is trained on", {}});
    of_others.push_back({cure, {}});
    const Recipe wide{.model = {.n_embd = 64},
                      .train = {.batch_size = 16, .learning_rate = 0.005, .weight_decay = decay, .dropout = dropout}};
    BatchTrainer<double> trainer = trained(wide, few, tokenizer, 1, [&](BatchTrainer<double>& now, double) {
      const std::size_t step = now.steps_done();
      if (step % 100 != 0 && step != 10 && step != 50) return;
      const double low = mean_loss(asked(now.model(), few, tokenizer)),
                   honest = mean_loss(asked(now.model(), others, tokenizer));
      of_few.back().points.emplace_back(step, std::round(100 * low) / 100);
      of_others.back().points.emplace_back(step, std::round(100 * honest) / 100);
      if (step <= 50 || step % 200 == 0) fmt::print("{:4} | {:15.2f} | {:.2f}\n", step, low, honest);
    });
    print_names(trainer.model(), 0.5, few, tokenizer);
  }
  const Axis steps{"step", {0, 200, 400, 600, 800, 1000}};
  lesson.picture("24_cures.svg", chart("Dropout and weight decay keep the model from learning by heart", steps,
                                       {"loss of names not seen", {2.5, 2.6, 2.7, 2.8, 2.9, 3}}, of_others));
  lesson.picture("24_by_heart.svg", chart("Learning 500 names by heart makes it worse at all others", steps,
                                          {"loss (nats per token)", {0, 1, 2, 3, 4, 5}},
                                          {of_few[0], {"500 names that it never sees", of_others[0].points}}));

  // Tables of 2 to 5 tokens, and how far to trust shorter contexts.
  Ngram table{tokenizer.vocab_size()};
  for (const Document& name : parts.training) table.count(tokenizer.encode_document(name));
  fmt::print("\n--- counting: validation loss ---\ntrust | 2-gram | 3-gram | 4-gram | 5-gram\n");
  double lowest = INFINITY, best_trust = 0;  // of the 5-gram
  for (const double trust : {1, 3, 10, 30, 100}) {
    fmt::print("{:5}", trust);
    double loss = 0;
    for (std::size_t order = 2; order <= 5; order++) {
      loss = mean_loss(counted(table, parts.validation, tokenizer, order, trust));
      fmt::print(" | {:6.3f}", loss);
    }
    fmt::print("\n");
    if (loss < lowest) best_trust = trust;
    lowest = std::min(lowest, loss);
  }

  // Recipes that read 16,000 names and differ from the first in one thing, each at up to six learning rates. Above its
  // largest, the last bit of a sum decides where the training goes, so that processors do not agree.
  struct Row {
    std::string name;
    double max_rate;
    std::size_t n_embd, batch_size;
    bool constant_rate = false;
    std::size_t n_layer = 1;
  };
  const std::vector<double> rates{0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
  fmt::print("\n--- 16000 names read, at up to six learning rates: validation loss ---\n");
  fmt::print("what differs       | 0.002 0.005  0.01  0.02  0.05   0.1\n");
  std::vector<Series> lines;
  for (const Row& row :
       {Row{"width 16", 0.1, 16, 32}, Row{"1 name a step", 0.01, 16, 1}, Row{"128 names a step", 0.1, 16, 128},
        Row{"width 32", 0.02, 32, 32}, Row{"width 32, 2 layers", 0.01, 32, 32, false, 2},
        Row{"width 16, constant", 0.02, 16, 32, true}}) {
    fmt::print("{:18} |", row.name);
    Series line{row.name, {}};
    for (const double rate : rates) {
      if (rate > row.max_rate) break;
      const Recipe recipe{{.n_layer = row.n_layer, .n_embd = row.n_embd},
                          {.num_steps = 16000 / row.batch_size, .batch_size = row.batch_size, .learning_rate = rate},
                          row.constant_rate};
      const double loss = mean_loss(asked(train(recipe, parts.training, tokenizer, 1), parts.validation, tokenizer));
      fmt::print(" {:.3f}", loss);
      line.points.emplace_back(rate, std::round(1000 * loss) / 1000);
    }
    fmt::print("\n");
    if (!row.constant_rate) lines.push_back(line);
  }
  lesson.picture("24_rates.svg",
                 chart("The learning rate has a valley, and each recipe has its own", {"learning rate", rates, true},
                       {"validation loss (nats per token)", {2.38, 2.42, 2.46, 2.5, 2.54}}, lines));

  // Twenty models that differ in nothing but luck. Is the best of them a better model?
  const Names exam(parts.validation.begin(), parts.validation.begin() + 100);
  const Names the_rest(parts.validation.begin() + 100, parts.validation.end());
  std::vector<double> on_exam, on_rest;
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    const TensorModel<double> lucky =
        train({{}, {.num_steps = 300, .batch_size = 16}}, parts.training, tokenizer, seed);
    on_exam.push_back(mean_loss(asked(lucky, exam, tokenizer)));
    on_rest.push_back(mean_loss(asked(lucky, the_rest, tokenizer)));
  }
  const auto best = static_cast<std::size_t>(std::min_element(on_exam.begin(), on_exam.end()) - on_exam.begin());
  fmt::print("\n--- twenty models that differ only in their seed; the best on 100 names has seed {} ---\n", best + 1);
  fmt::print("names           | mean of the 20 | seed {}\n", best + 1);
  fmt::print("the 100         | {:14.3f} | {:.3f}\n", estimate(on_exam).mean, on_exam[best]);
  fmt::print("the {} others | {:14.3f} | {:.3f}\n", the_rest.size(), estimate(on_rest).mean, on_rest[best]);

  // The held-out names, asked about once: our recipe, which reads 64000 names, lesson 09's, the table, ours together
  // with the table, and with itself after another training.
  const Recipe chosen{.model = {.n_layer = 2, .n_embd = 32},
                      .train = {.num_steps = 2000, .batch_size = 32, .learning_rate = 0.008}};
  fmt::print("\n--- the envelope: names by which nothing was chosen ---\n");
  const Probabilities by_table = counted(table, parts.held_out, tokenizer, 5, best_trust);
  Seeds ours, plain, together, twice;
  for (std::size_t i = 0; i < num_seeds; i++) {
    TensorModel<double> model = train(chosen, parts.training, tokenizer, i + 1);
    ours[i] = asked(model, parts.held_out, tokenizer);
    together[i] = mixed(ours[i], by_table);
    plain[i] = asked(train({}, parts.training, tokenizer, i + 1), parts.held_out, tokenizer);
    if (i == 0) {
      for (const double temperature : {0.5, 1.0}) print_names(model, temperature, parts.training, tokenizer);
    }
  }
  for (std::size_t i = 0; i < num_seeds; i++) twice[i] = mixed(ours[i], ours[(i + 1) % num_seeds]);
  fmt::print("the loss of three seeds, and how far it is above ours\n");
  print_seeds("our recipe", ours, ours, parts.held_out);
  print_seeds("lesson 09's recipe", plain, ours, parts.held_out);
  print_seeds("the 5-gram", {by_table, by_table, by_table}, ours, parts.held_out);
  print_seeds("ours and the 5-gram", together, ours, parts.held_out);
  print_seeds("two seeds of ours", twice, ours, parts.held_out);

  // The drafts beside src/.
  Names known = parts.training, sorted = lesson.documents;
  known.insert(known.end(), parts.validation.begin(), parts.validation.end());
  lesson.check("no held-out name is among those to train on or to choose by",
               std::find_first_of(parts.held_out.begin(), parts.held_out.end(), known.begin(), known.end()) ==
                   parts.held_out.end());
  std::sort(sorted.begin(), sorted.end());
  lesson.check("the held-out names are those of src/base/split.h", parts.held_out == split(sorted).held_out);
  const Recipe short_training{{.n_embd = 64},
                              {.num_steps = 100, .batch_size = 16, .learning_rate = 0.005, .dropout = 0.3}};
  TensorModel<double> model = train(short_training, {known.begin(), known.begin() + 500}, tokenizer, 1);
  const double in_src = token_loss(model, parts.validation, tokenizer, 1);
  lesson.check("the loss of a model trained with dropout is that of src/train/held_out.h",
               std::abs(mean_loss(asked(model, parts.validation, tokenizer)) - in_src) < 1e-9);
  return lesson.finish();
}
