// Lesson 17: rotary positions (RoPE). A table with a row for each position ends somewhere, and what was learnt at one
// place must be learnt again at another. Instead, queries and keys are rotated by an angle that grows with the
// position: when they meet, only the difference of their positions counts.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "show.h"

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
  show_scores([&](const Values& x, std::size_t position) { return rotate(x, angles, position); });
  const Values query = arrow(1, 0), q = rotate(query, angles, 1), k = rotate(arrow(1, 0), angles, 0);
  dot(q, k).backward();
  const std::vector<double> dq = k.data();         // a product changes with one factor as fast as the other is large
  show_back(query, q, rotate(dq, angles, 1, -1));  // stop: back
}

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

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  const Angles angles(101, speeds(4));
  show_angles(lesson, angles.cos, angles.sin);
  const Models<Draft> models = train_all<Draft>(lesson);
  show_shifts(lesson, models);
  show_next(lesson, models);
  show_losses(lesson, models);
  check_back(
      lesson, [&](const Values& x) { return rotate(x, angles, 11); },
      [&](const std::vector<double>& dy) { return rotate(dy, angles, 11, -1); });
  check_model(lesson, models);
  return lesson.finish();
}
