// Lesson 17: rotary positions (RoPE). A table with a row for each position ends somewhere, and what was learnt at one
// place must be learnt again at another. Instead, queries and keys are rotated by an angle that grows with the
// position: when they meet, only the difference of their positions counts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/likeliest.h"
#include "lesson/tensor_gradient.h"
#include "picture.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

constexpr std::size_t H = 4, D = 4;  // heads, and numbers in each
constexpr double base = 10000;       // of the speeds
constexpr std::size_t num_names = 2000;

/// The arrow from (0, 0) to (a, b), rotated counter-clockwise. The angle is in radians.
std::pair<Value, Value> rotated(Value a, Value b, double angle) {
  return {a * std::cos(angle) - b * std::sin(angle), a * std::sin(angle) + b * std::cos(angle)};
}

/// Rotates the pairs of every head. Pair 0 is the fastest: 1 radian a position.
Values rotate(Values x, std::size_t position) {
  std::vector<Value> y;
  for (std::size_t j = 0; j < x.size(); j += 2) {  // neighbours make a pair
    const auto i = static_cast<double>(j % D / 2);
    const double speed = std::pow(base, -2 * i / D);
    const auto [a, b] = rotated(x[j], x[j + 1], static_cast<double>(position) * speed);  // stop: pair
    y.push_back(a);
    y.push_back(b);
  }
  return Values(y);
}

/// How a model learns where a letter stands.
enum class Positions { table, nothing, rotation };

/// A GPT with one layer.
struct Draft {
  Draft(Positions how_, const Parameters& p)
      : how(how_),
        wte(matrix(p["wte"])),
        lm_head(matrix(p["lm_head"])),
        wq(matrix(p["layer0.attn_wq"])),
        wk(matrix(p["layer0.attn_wk"])),
        wv(matrix(p["layer0.attn_wv"])),
        wo(matrix(p["layer0.attn_wo"])),
        fc1(matrix(p["layer0.mlp_fc1"])),
        fc2(matrix(p["layer0.mlp_fc2"])) {
    if (how == Positions::table) wpe = matrix(p["wpe"]);
  }

  /// The logits (V) after each of these tokens. The first stands at position `shift`.
  Rows logits(std::span<const Token> tokens, std::size_t shift = 0) const {
    Rows keys, values, all;
    for (std::size_t t = 0; t < tokens.size(); t++) {
      const std::size_t position = shift + t;
      auto place = [&](Values arrows) { return how == Positions::rotation ? rotate(arrows, position) : arrows; };
      Values x = wte[tokens[t]];
      if (how == Positions::table) x = add(x, (*wpe)[position]);
      x = rmsnorm(x);
      const Values x_norm = rmsnorm(x);
      const Values q = place(linear(x_norm, wq));
      keys.push_back(place(linear(x_norm, wk)));
      values.push_back(linear(x_norm, wv));
      x = add(linear(all_heads(q, keys, values, H), wo), x);  // the heads of lesson 08
      x = add(linear(relu(linear(rmsnorm(x), fc1)), fc2), x);
      all.push_back(linear(x, lm_head));
    }
    return all;
  }

  /// The mean of -log p(next token) over a name that begins at position `shift`.
  Value loss(std::span<const Token> tokens, std::size_t shift = 0) const {
    const std::size_t n = std::min<std::size_t>(16, tokens.size() - 1);
    const Rows all = logits(tokens.first(n), shift);
    return mean(Values(n, [&](std::size_t t) { return cross_entropy(all[t], tokens[t + 1]); }));
  }

  Positions how;
  std::optional<Matrix> wpe;
  Matrix wte, lm_head, wq, wk, wv, wo, fc1, fc2;
};

void print(double x) { fmt::print(" {:6.3f}", std::abs(x) < 5e-4 ? 0 : x); }  // never -0.000

/// 30 degrees a position: the scores of equal letters, and of a key that points up.
void show_arrows() {
  constexpr double step = 30 * 3.14159265358979323846 / 180;
  const Scope scope;
  auto at = [&](double a, double b, std::size_t position) {
    const auto [x, y] = rotated(a, b, static_cast<double>(position) * step);
    return Values(std::vector<Value>{x, y});  // stop: arrow
  };
  fmt::print("\n--- arrows on paper: 30 degrees a position ---\nposition           ");
  for (std::size_t t = 0; t < 5; t++) fmt::print(" {:6}", t);
  for (const std::size_t j : {0, 1}) {
    fmt::print("\n(1, 0): {}", j == 0 ? "to the right" : "up          ");
    for (std::size_t t = 0; t < 5; t++) print(at(1, 0, t)[j].data());
  }
  for (const bool up : {false, true}) {
    fmt::print("\nquery (1, 0), key {}", up ? "(0, 1)" : "(1, 0)");
    for (std::size_t t = 0; t < 5; t++) {
      fmt::print("\nquery at {}, keys:  ", t);
      for (std::size_t s = 0; s <= t; s++) print(dot(at(1, 0, t), up ? at(0, 1, s) : at(1, 0, s)).data());
    }
  }
  fmt::print("\n\n--- a head of four numbers, (1, 0, 1, 0) ---\nposition | fast pair     | slow pair\n");
  for (const std::size_t position : {0, 1, 2, 3, 50, 100}) {
    const Values head = rotate(Values(D, [](std::size_t j) { return j % 2 == 0 ? 1.0 : 0.0; }), position);
    fmt::print("{:8} |", position);
    for (std::size_t j = 0; j < D; j++) {
      print(head[j].data());
      if (j == 1) fmt::print(" |");
    }
    fmt::print("\n");
  }
}

/// A trained model: its weights must stay where they are.
struct Trained {
  Trained(Positions how, std::uint64_t seed, const Lesson& lesson)
      : parameters(gpt_shapes({.vocab_size = lesson.tokenizer.vocab_size(), .rope = how != Positions::table})) {
    PythonRandom random(seed);
    draw_weights(parameters, 0.08, random);
    std::vector<Document> names = lesson.split().training;
    random.shuffle(names);
    draft.emplace(how, parameters);
    AdamOptimizer adam({}, parameters.size());
    train([&](auto tokens) { return draft->loss(tokens); }, parameters, adam, names, lesson.tokenizer,
          {.num_steps = num_names});
  }

  Parameters parameters;
  std::optional<Draft> draft;
};

using Models = std::vector<std::pair<const char*, std::vector<std::unique_ptr<Trained>>>>;

/// Three ways to learn positions, three seeds each.
Models train_all(const Lesson& lesson) {
  Models models;
  for (const auto& [name, how] : {std::pair("a table (wpe)", Positions::table),
                                  {"nothing", Positions::nothing},
                                  {"rotation (RoPE)", Positions::rotation}}) {
    models.emplace_back(name, std::vector<std::unique_ptr<Trained>>());
    for (std::uint64_t seed = 1; seed <= 3; seed++) {
      models.back().second.push_back(std::make_unique<Trained>(how, seed, lesson));
    }
  }
  return models;
}

/// Held-out loss of all models, and how it differs from that of the first.
void show_losses(const Lesson& lesson, const Models& models) {
  fmt::print("\n--- {} names, three seeds; held-out loss, mean over names ---\n", num_names);
  std::vector<PerSeed> held_out;
  for (const auto& [name, trained] : models) {
    PerSeed& losses = held_out.emplace_back();
    for (std::size_t i = 0; i < trained.size(); i++) {
      const Draft& draft = *trained[i]->draft;
      const Loss loss = [&](std::span<const Token> tokens) { return draft.loss(tokens); };
      losses[i] = mean_loss(loss, lesson.split().held_out, lesson.tokenizer).mean;
    }
    const Difference from_first = difference(losses, held_out[0]);
    fmt::print("{:15} | {:5} parameters | loss {:.4f}", name, trained[0]->parameters.size(), estimate(losses).mean);
    if (held_out.size() > 1) fmt::print(" | against the table: {:+.4f} +- {:.4f}", from_first.mean, from_first.margin);
    fmt::print("\n");
  }
}

/// The same names, but the first token stands at another position.
void show_shifts(const Lesson& lesson, const Models& models) {
  std::vector<Document> names = lesson.split().held_out;
  std::erase_if(names, [](const Document& name) { return name.size() > 7; });  // 8 tokens: position 8 to 15
  names.resize(std::min<std::size_t>(names.size(), 300));
  fmt::print("\n--- mean loss of {} held-out names, the first token at position ...; seed 1 ---\n", names.size());
  fmt::print("                | 0     | 1     | 2     | 4     | 8     | 100\n");
  fmt::print("an even guess   | {:.3f}\n", std::log(lesson.tokenizer.vocab_size()));
  for (const auto& [name, trained] : models) {
    const Draft& draft = *trained[0]->draft;
    fmt::print("{:15}", name);
    for (const std::size_t shift : {0, 1, 2, 4, 8, 100}) {
      if (draft.how == Positions::table && shift > 8) {
        fmt::print(" | no row");
        continue;
      }
      const Loss loss = [&](std::span<const Token> tokens) { return draft.loss(tokens, shift); };
      fmt::print(" | {:.3f}", mean_loss(loss, names, lesson.tokenizer).mean);
    }
    fmt::print("\n");
  }
}

/// What comes after some letters: at the beginning, five positions later, and with the first three in another order.
void show_next(const Lesson& lesson, const Models& models) {
  fmt::print("\n--- what comes next? ---\n");
  for (const auto& [name, trained] : models) {
    fmt::print("{}\n", name);
    auto show = [&, &by = trained](const char* what, const char32_t* letters, std::size_t shift) {
      const Scope scope;
      std::vector<Token> tokens = lesson.tokenizer.encode_document(letters);
      tokens.pop_back();
      const Values probs = softmax(by[0]->draft->logits(tokens, shift).back());
      fmt::print("  {:24} {}\n", what, likeliest(probs.data(), lesson.tokenizer, 4));
    };
    show(".mari", U"mari", 0);
    show(".mari, 5 positions later", U"mari", 5);
    show(".rami", U"rami", 0);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lesson.picture("17_arrows.svg", arrows_picture());
  lesson.picture("17_speeds.svg", speeds_picture());
  show_arrows();
  const Models models = train_all(lesson);
  show_shifts(lesson, models);
  show_next(lesson, models);
  show_losses(lesson, models);

  Trained& rope = *models[2].second[0];
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const Scope scope;
  const double here = rope.draft->loss(tokens).data(), there = rope.draft->loss(tokens, 5).data();
  lesson.check("five positions later, the loss is the same", std::abs(here - there) < 1e-12);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .rope = true};
  check_beside_tensor(
      lesson, "", [&](auto name) { return rope.draft->loss(name); }, config, rope.parameters);
  return lesson.finish();
}
