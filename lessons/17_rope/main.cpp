// Lesson 17: rotary positions (RoPE). A table with a row for each position ends somewhere, and what was learnt at one
// place must be learnt again at another. Instead, queries and keys are rotated by an angle that grows with the
// position: when they meet, only the difference of their positions counts.
#include <string_view>

#include "base/schedule.h"
#include "draw/plot.h"
#include "lesson/array.h"
#include "lesson/comparison.h"
#include "lesson/draft_gpt.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/tensor_gradient.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// Of the pairs of a head with D numbers, in radians a position: 1 for the first, and slower from pair to pair.
std::vector<double> speeds(std::size_t D) {
  std::vector<double> all;
  for (std::size_t i = 0; i < D / 2; i++) {
    all.push_back(std::pow(10000, -2.0 * static_cast<double>(i) / static_cast<double>(D)));
  }
  return all;
}

/// The cosine and the sine of every angle, (positions, pairs) each. They are computed once, and never learnt.
struct Angles {
  Angles(std::size_t positions, const std::vector<double>& speeds)
      : cos(positions, speeds.size()), sin(positions, speeds.size()) {
    for (std::size_t t = 0; t < positions; t++) {
      for (std::size_t i = 0; i < speeds.size(); i++) {
        const double angle = static_cast<double>(t) * speeds[i];  // in radians
        cos[t][i] = std::cos(angle);
        sin[t][i] = std::sin(angle);
      }
    }
  }

  Array cos, sin;
};

/// Rotates every pair of x: the numbers of a head, or those of all heads. The direction -1 is back.
template <class Numbers>
Numbers rotate(Numbers x, const Angles& angles, std::size_t position, double direction = 1) {
  for (std::size_t j = 0; j < x.size(); j += 2) {  // neighbours make a pair
    const std::size_t i = j / 2 % angles.cos.cols;
    const double cos = angles.cos[position][i], sin = angles.sin[position][i] * direction;
    const auto a = x[j], b = x[j + 1];
    x[j] = a * cos - b * sin;  // stop: pair
    x[j + 1] = a * sin + b * cos;
  }
  return x;
}

/// 30 degrees a position: scores of arrows, and the way back from one of them.
void on_paper() {
  const Scope scope;
  const Angles angles(5, {30 * 3.14159265358979323846 / 180});
  fmt::print("\n--- arrows on paper: 30 degrees a position ---\nposition           ");
  for (std::size_t t = 0; t < 5; t++) fmt::print(" {:6}", t);
  for (const std::size_t j : {0, 1}) {
    std::vector<double> line;
    for (std::size_t t = 0; t < 5; t++) line.push_back(rotate(Values{1, 0}, angles, t)[j].data());
    fmt::print("\n(1, 0): {}{}", j == 0 ? "to the right" : "up          ", numbers(line));
  }
  for (const Values& key : {Values{1, 0}, Values{0, 1}}) {
    fmt::print("\nquery (1, 0), key ({}, {})", key[0].data(), key[1].data());
    for (std::size_t t = 0; t < 5; t++) {
      std::vector<double> line;
      for (std::size_t s = 0; s <= t; s++) {
        line.push_back(dot(rotate(Values{1, 0}, angles, t), rotate(key, angles, s)).data());
      }
      fmt::print("\nquery at {}, keys:  {}", t, numbers(line));
    }
  }

  const Values query{1, 0}, q = rotate(query, angles, 1), k = rotate(Values{1, 0}, angles, 0);
  dot(q, k).backward();
  const std::vector<double> dq = k.data();  // a product changes with one factor as fast as the other is large
  const std::vector<double> by_hand = rotate(dq, angles, 1, -1);  // stop: back
  fmt::print("\n\n--- the way back: query (1, 0) at position 1, key (1, 0) at position 0 ---\n");
  fmt::print("slopes of the rotated query {}\n", numbers(std::vector{q[0].grad(), q[1].grad()}));
  fmt::print("slopes of the query         {}\n", numbers(std::vector{query[0].grad(), query[1].grad()}));
  fmt::print("rotated back by hand        {}\n", numbers(by_hand));
}

/// How a model learns where a letter stands.
enum class Positions { table, nothing, rotation };

/// The GPT of lesson 09. Where a letter stands, it learns from a table, from rotation, or not at all.
struct Draft {
  Positions how;
  Model model;  // without wpe, unless there is a table
  Angles angles = Angles(128, speeds(model.wte[0].size() / model.n_head));

  /// The logits (V) after each of these tokens. The first stands at position `shift`.
  Rows logits(std::span<const Token> tokens, std::size_t shift = 0) const {
    const Model::Layer& layer = model.layers[0];
    Rows keys, values, all;
    for (std::size_t t = 0; t < tokens.size(); t++) {
      const std::size_t position = shift + t;
      auto place = [&](const Values& x) { return how == Positions::rotation ? rotate(x, angles, position) : x; };
      Values x = model.wte[tokens[t]];
      if (how == Positions::table) x = add(x, model.wpe[position]);
      x = rmsnorm(x);
      const Values x_norm = rmsnorm(x);
      const Values q = place(linear(x_norm, layer.attn_wq));
      keys.push_back(place(linear(x_norm, layer.attn_wk)));
      values.push_back(linear(x_norm, layer.attn_wv));
      x = add(linear(all_heads(q, keys, values, model.n_head), layer.attn_wo), x);  // the heads of lesson 08
      x = add(linear(relu(linear(rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2), x);
      all.push_back(linear(x, model.lm_head));
    }
    return all;
  }

  /// The mean of -log p(next token) over a name that begins at position `shift`.
  Value loss(std::span<const Token> tokens, std::size_t shift = 0) const {
    const std::size_t n = std::min(model.block_size, tokens.size() - 1);
    const Rows all = logits(tokens.first(n), shift);
    return mean(Values(n, [&](std::size_t t) { return cross_entropy(all[t], tokens[t + 1]); }));
  }
};

/// The model of one layer with these parameters. It has no wpe if they have none.
Model model_of(StateDict p) {
  return {.wte = p["wte"],
          .wpe = p.matrices["wpe"],
          .lm_head = p["lm_head"],
          .layers = {{p["layer0.attn_wq"], p["layer0.attn_wk"], p["layer0.attn_wv"], p["layer0.attn_wo"],
                      p["layer0.mlp_fc1"], p["layer0.mlp_fc2"]}},
          .params = p.params};
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();

  const Angles angles(101, speeds(4));
  fmt::print("\n--- cosines and sines of a head of four numbers ---\nposition | fast pair     | slow pair\n");
  for (const std::size_t t : {0, 1, 2, 3, 50, 100}) {
    const double *cos = angles.cos[t], *sin = angles.sin[t];
    fmt::print("{:8} |{} |{}\n", t, numbers(std::vector{cos[0], sin[0]}), numbers(std::vector{cos[1], sin[1]}));
  }
  lesson.picture("17_arrows.svg", arrows_picture());
  lesson.picture("17_speeds.svg", speeds_picture());
  lesson.picture("17_model.svg",
                 model_picture("Rotation instead of a table: positions move from the beginning into attention",
                               {{"wte + wpe", "16 numbers", "wte"}, {"attention", "q, k, v: 16", "rotate q and k"}},
                               "new: no table of positions; each query and key is turned by its position"));

  // Three ways to learn positions, with three seeds each.
  constexpr const char* ways[] = {"a table (wpe)", "nothing", "rotation (RoPE)"};
  constexpr std::size_t num_names = 2000;
  std::vector<Draft> drafts[3];
  for (std::uint64_t seed = 1; seed <= num_seeds; seed++) {
    for (const Positions how : {Positions::table, Positions::nothing, Positions::rotation}) {
      PythonRandom random(seed);
      Parameters parameters(gpt_shapes({.vocab_size = lesson.tokenizer.vocab_size(), .rope = how != Positions::table}));
      draw_weights(parameters, 0.08, random);
      std::vector<Document> names = lesson.split().training;
      random.shuffle(names);
      const Draft draft{how, model_of(StateDict(parameters))};
      Adam adam = make_adam({}, parameters.size());
      for (std::size_t step = 0; step < num_names; step++) {
        const Scope scope;
        const Value loss = draft.loss(lesson.tokenizer.encode_document(names[step % names.size()]));
        loss.backward();
        adam.update(draft.model.params, learning_rate({.num_steps = num_names}, step), step);
      }
      drafts[static_cast<int>(how)].push_back(draft);
    }
  }

  // The same names, but the first token stands at another position.
  auto loss = [&](const Draft& draft, std::span<const Document> of, std::size_t shift = 0) {
    return mean_loss([&](auto tokens) { return draft.loss(tokens, shift); }, of, lesson.tokenizer).mean;
  };
  std::vector<Document> names = lesson.split().held_out;
  std::erase_if(names, [](const Document& name) { return name.size() > 7; });  // 8 tokens: position 8 to 15
  names.resize(std::min<std::size_t>(names.size(), 300));
  fmt::print("\n--- mean loss of {} held-out names, the first token at position ...; seed 1 ---\n", names.size());
  fmt::print("                | 0     | 1     | 2     | 4     | 8     | 100\n");
  fmt::print("an even guess   | {:.3f}\n", std::log(lesson.tokenizer.vocab_size()));
  for (std::size_t way = 0; way < 3; way++) {
    std::string row;
    for (const std::size_t shift : {0, 1, 2, 4, 8, 100}) {
      const bool has_row = drafts[way][0].how != Positions::table || shift <= 8;
      row += has_row ? fmt::format(" | {:.3f}", loss(drafts[way][0], names, shift)) : " | no row";
    }
    fmt::print("{:15}{}\n", ways[way], row);
  }

  // What comes after some letters: at the beginning, five positions later, and with the first three in another order.
  fmt::print("\n--- what comes next? ---\n");
  for (std::size_t way = 0; way < 3; way++) {
    fmt::print("{}\n", ways[way]);
    for (const std::string_view what : {".mari", ".mari, 5 positions later", ".rami"}) {
      const Scope scope;
      std::vector<Token> tokens = lesson.tokenizer.encode_document(what == ".rami" ? U"rami" : U"mari");
      tokens.pop_back();
      const Rows logits = drafts[way][0].logits(tokens, what.ends_with("later") ? 5 : 0);
      const Values probs = softmax(logits.back());
      fmt::print("  {:24} {}\n", what, likeliest(probs.data(), lesson.tokenizer, 4));
    }
  }

  fmt::print("\n--- {} names, three seeds; held-out loss, mean over names ---\n", num_names);
  PerSeed losses[3];
  for (std::size_t way = 0; way < 3; way++) {
    for (std::size_t i = 0; i < num_seeds; i++) {
      losses[way][i] = loss(drafts[way][i], lesson.split().held_out);
    }
    const Difference d = difference(losses[way], losses[0]);
    fmt::print("{:15} | {:5} parameters | loss {:.4f}{}\n", ways[way], drafts[way][0].model.params.size(),
               estimate(losses[way]).mean,
               way == 0 ? "" : fmt::format(" | against the table: {:+.4f} +- {:.4f}", d.mean, d.margin));
  }

  // Four heads of four numbers, rotated on the tape: are the slopes those that are rotated back by hand?
  const Scope scope;
  PythonRandom random(1);
  auto drawn = [&] { return Values(16, [&](std::size_t) { return Value(random.gauss(0, 1)); }); };
  const Values x = drawn(), dy = drawn();
  dot(rotate(x, angles, 11), dy).backward();
  std::vector<double> dx;
  for (const Value number : x) dx.push_back(number.grad());
  lesson.check("the slopes, rotated back by hand, are those of the tape",
               largest_difference(dx, rotate(dy.data(), angles, 11, -1)) < 1e-12);

  // Does the place of a name make no difference, and is the draft the model of src/tensor?
  const Draft& rope = drafts[2][0];
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const double here = rope.loss(tokens).data(), there = rope.loss(tokens, 5).data();
  lesson.check("five positions later, the loss is the same", std::abs(here - there) < 1e-12);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .rope = true};
  Parameters parameters(gpt_shapes(config));
  copy_data(rope.model.params, parameters);
  check_beside_tensor(
      lesson, "", [&](auto of) { return rope.loss(of); }, rope.model.params, config, parameters);
  return lesson.finish();
}
