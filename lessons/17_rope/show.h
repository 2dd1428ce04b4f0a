// Around the idea: what is trained, printed and checked.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lesson/array.h"
#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/likeliest.h"
#include "lesson/model_picture.h"
#include "lesson/nudge.h"
#include "lesson/tensor_gradient.h"
#include "picture.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// How a model learns where a letter stands.
enum class Positions { table, nothing, rotation };

constexpr std::size_t num_names = 2000;

/// The arrow from (0, 0) to (a, b).
inline Values arrow(double a, double b) {
  return Values(2, [&](std::size_t j) { return j == 0 ? a : b; });
}

/// Scores of arrows at the positions 0 to 4, which `rotate` rotates by 30 degrees a position.
inline void show_scores(const std::function<Values(const Values& x, std::size_t position)>& rotate) {
  fmt::print("\n--- arrows on paper: 30 degrees a position ---\nposition           ");
  for (std::size_t t = 0; t < 5; t++) fmt::print(" {:6}", t);
  for (const std::size_t j : {0, 1}) {
    std::vector<double> line;
    for (std::size_t t = 0; t < 5; t++) line.push_back(rotate(arrow(1, 0), t)[j].data());
    fmt::print("\n(1, 0): {}{}", j == 0 ? "to the right" : "up          ", listed(line));
  }
  for (const bool up : {false, true}) {
    fmt::print("\nquery (1, 0), key {}", up ? "(0, 1)" : "(1, 0)");
    for (std::size_t t = 0; t < 5; t++) {
      std::vector<double> line;
      const Values key = up ? arrow(0, 1) : arrow(1, 0);
      for (std::size_t s = 0; s <= t; s++) line.push_back(dot(rotate(arrow(1, 0), t), rotate(key, s)).data());
      fmt::print("\nquery at {}, keys:  {}", t, listed(line));
    }
  }
  fmt::print("\n");
}

/// The slopes of a score: those of the query that was rotated, and of the query itself, on the tape and by hand.
inline void show_back(const Values& query, const Values& rotated, const std::vector<double>& by_hand) {
  auto slopes = [](const Values& x) { return listed(std::vector<double>{x[0].grad(), x[1].grad()}); };
  fmt::print("\n--- the way back: query (1, 0) at position 1, key (1, 0) at position 0 ---\n");
  fmt::print("slopes of the rotated query {}\n", slopes(rotated));
  fmt::print("slopes of the query         {}\n", slopes(query));
  fmt::print("rotated back by hand        {}\n", listed(by_hand));
}

/// Cosines and sines of a head of four numbers: (positions, 2) each.
inline void show_angles(const Lesson& lesson, const Array& cos, const Array& sin) {
  lesson.picture("17_arrows.svg", arrows_picture());
  lesson.picture("17_model.svg",
                 model_picture("Rotation instead of a table: positions move from the beginning into attention",
                               {{"wte + wpe", "16 numbers", "wte"}, {"attention", "q, k, v: 16", "rotate q and k"}},
                               "new: no table of positions; each query and key is turned by its position"));
  lesson.picture("17_speeds.svg", speeds_picture());
  fmt::print("\n--- cosines and sines of a head of four numbers ---\nposition | fast pair     | slow pair\n");
  for (const std::size_t t : {0, 1, 2, 3, 50, 100}) {
    const std::vector<double> fast{cos[t][0], sin[t][0]}, slow{cos[t][1], sin[t][1]};
    fmt::print("{:8} |{} |{}\n", t, listed(fast), listed(slow));
  }
}

/// The model of one layer with these parameters. It has no wpe if they have none.
inline Model model_of(StateDict p) {
  return {.wte = p["wte"],
          .wpe = p.matrices["wpe"],
          .lm_head = p["lm_head"],
          .layers = {{p["layer0.attn_wq"], p["layer0.attn_wk"], p["layer0.attn_wv"], p["layer0.attn_wo"],
                      p["layer0.mlp_fc1"], p["layer0.mlp_fc2"]}},
          .params = p.params};
}

inline Parameters drawn(Positions how, const Lesson& lesson, PythonRandom& random) {
  Parameters parameters(gpt_shapes({.vocab_size = lesson.tokenizer.vocab_size(), .rope = how != Positions::table}));
  draw_weights(parameters, 0.08, random);
  return parameters;
}

/// A trained draft.
template <class Draft>
struct Trained {
  Trained(Positions how, PythonRandom random, const Lesson& lesson)
      : parameters(drawn(how, lesson, random)), draft{how, model_of(StateDict(parameters))} {
    std::vector<Document> names = lesson.split().training;
    random.shuffle(names);
    const List& params = draft.model.params;
    train(loss(), params, adam_optimizer({}, params.size()), names, lesson.tokenizer, {.num_steps = num_names});
    copy_data(params, parameters);
  }
  Trained(const Trained&) = delete;

  Loss loss(std::size_t shift = 0) const {
    return [this, shift](std::span<const Token> tokens) { return draft.loss(tokens, shift); };
  }

  Parameters parameters;
  Draft draft;
};

/// A way to learn positions, and a model for each seed.
template <class Draft>
struct Way {
  std::string name;
  std::vector<std::unique_ptr<Trained<Draft>>> trained = {};
};

template <class Draft>
using Models = std::vector<Way<Draft>>;

/// Three ways, three seeds each.
template <class Draft>
Models<Draft> train_all(const Lesson& lesson) {
  Models<Draft> models;
  for (const Positions how : {Positions::table, Positions::nothing, Positions::rotation}) {
    Way<Draft>& way = models.emplace_back();
    way.name = how == Positions::table ? "a table (wpe)" : how == Positions::nothing ? "nothing" : "rotation (RoPE)";
    for (std::uint64_t seed = 1; seed <= num_seeds; seed++) {
      way.trained.push_back(std::make_unique<Trained<Draft>>(how, PythonRandom(seed), lesson));
    }
  }
  return models;
}

/// The same names, but the first token stands at another position.
template <class Draft>
void show_shifts(const Lesson& lesson, const Models<Draft>& models) {
  std::vector<Document> names = lesson.split().held_out;
  std::erase_if(names, [](const Document& name) { return name.size() > 7; });  // 8 tokens: position 8 to 15
  names.resize(std::min<std::size_t>(names.size(), 300));
  fmt::print("\n--- mean loss of {} held-out names, the first token at position ...; seed 1 ---\n", names.size());
  fmt::print("                | 0     | 1     | 2     | 4     | 8     | 100\n");
  fmt::print("an even guess   | {:.3f}\n", std::log(lesson.tokenizer.vocab_size()));
  for (const auto& [name, trained] : models) {
    fmt::print("{:15}", name);
    for (const std::size_t shift : {0, 1, 2, 4, 8, 100}) {
      if (trained[0]->draft.how == Positions::table && shift > 8) {
        fmt::print(" | no row");
        continue;
      }
      fmt::print(" | {:.3f}", mean_loss(trained[0]->loss(shift), names, lesson.tokenizer).mean);
    }
    fmt::print("\n");
  }
}

/// What comes after some letters: at the beginning, five positions later, and with the first three in another order.
template <class Draft>
void show_next(const Lesson& lesson, const Models<Draft>& models) {
  fmt::print("\n--- what comes next? ---\n");
  for (const auto& [name, trained] : models) {
    fmt::print("{}\n", name);
    auto show = [&, &by = trained](const char* what, const char32_t* letters, std::size_t shift) {
      const Scope scope;
      std::vector<Token> tokens = lesson.tokenizer.encode_document(letters);
      tokens.pop_back();
      const Values probs = softmax(by[0]->draft.logits(tokens, shift).back());
      fmt::print("  {:24} {}\n", what, likeliest(probs.data(), lesson.tokenizer, 4));
    };
    show(".mari", U"mari", 0);
    show(".mari, 5 positions later", U"mari", 5);
    show(".rami", U"rami", 0);
  }
}

/// Held-out loss of all models, and how it differs from that of the first.
template <class Draft>
void show_losses(const Lesson& lesson, const Models<Draft>& models) {
  fmt::print("\n--- {} names, three seeds; held-out loss, mean over names ---\n", num_names);
  std::vector<PerSeed> held_out;
  for (const auto& [name, trained] : models) {
    PerSeed& losses = held_out.emplace_back();
    for (std::size_t i = 0; i < num_seeds; i++) {
      losses[i] = mean_loss(trained[i]->loss(), lesson.split().held_out, lesson.tokenizer).mean;
    }
    const Difference from_first = difference(losses, held_out[0]);
    fmt::print("{:15} | {:5} parameters | loss {:.4f}", name, trained[0]->parameters.size(), estimate(losses).mean);
    if (held_out.size() > 1) fmt::print(" | against the table: {:+.4f} +- {:.4f}", from_first.mean, from_first.margin);
    fmt::print("\n");
  }
}

/// Four heads of four numbers, rotated on the tape: are the slopes those that are rotated back by hand?
inline void check_back(Lesson& lesson, const std::function<Values(const Values&)>& rotate,
                       const std::function<std::vector<double>(const std::vector<double>&)>& rotate_back) {
  const Scope scope;
  PythonRandom random(1);
  auto drawn = [&] { return Values(16, [&](std::size_t) { return Value(random.gauss(0, 1)); }); };
  const Values x = drawn(), dy = drawn();
  dot(rotate(x), dy).backward();
  std::vector<double> dx;
  for (const Value number : x) dx.push_back(number.grad());
  lesson.check("the slopes, rotated back by hand, are those of the tape",
               largest_difference(dx, rotate_back(dy.data())) < 1e-12);
}

/// Does the place of a name make no difference, and is the draft the model of src/tensor?
template <class Draft>
void check_model(Lesson& lesson, const Models<Draft>& models) {
  Trained<Draft>& rope = *models.back().trained[0];
  {
    const Scope scope;
    const std::vector<Token> tokens = lesson.tokens_of_step(1);
    const double here = rope.draft.loss(tokens).data(), there = rope.draft.loss(tokens, 5).data();
    lesson.check("five positions later, the loss is the same", std::abs(here - there) < 1e-12);
  }
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .rope = true};
  check_beside_tensor(lesson, "", rope.loss(), rope.draft.model.params, config, rope.parameters);
}

}  // namespace microgpt
