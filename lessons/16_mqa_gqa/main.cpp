// Lesson 16: heads that share keys and values. The cache of lesson 15 is large because every head keeps keys and values
// of its own. Must it? In multi-query attention all query heads read the same ones, in grouped-query attention each
// group has its own.
#include <cmath>

#include "base/error.h"
#include "by_hand.h"
#include "microgpt.h"
#include "show.h"

using namespace microgpt;

/// Which head of keys and values query head h reads: see below.
std::size_t kv_head(std::size_t h, std::size_t H, std::size_t G);

/// The D numbers of head i. Throws Error if there are not that many.
Values of_head(Values x, std::size_t i, std::size_t D) {
  if ((i + 1) * D > x.size()) {
    throw Error(fmt::format("head {} needs numbers {} to {}, and there are {}", i, i * D, (i + 1) * D - 1, x.size()));
  }
  return x.slice(i * D, D);
}

/// Attention of one position: the H heads of its query (H*D) look back over keys and values (G*D) of G heads.
Values attend(Values q, const Rows& keys, const Rows& values, std::size_t H, std::size_t G) {
  const std::size_t D = q.size() / H;
  std::vector<Value> x_attn;
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    const Values q_h = of_head(q, h, D);
    auto k_g = [&](std::size_t t) { return of_head(keys[t], g, D); };
    const Values scores(keys.size(), [&](std::size_t t) { return dot(q_h, k_g(t)) / std::sqrt(D); });
    const Values weights = softmax(scores);
    auto v_g = [&](std::size_t t) { return of_head(values[t], g, D); };
    for (std::size_t j = 0; j < D; j++) {  // stop: weights
      x_attn.push_back(dot(weights, Values(keys.size(), [&](std::size_t t) { return v_g(t)[j]; })));
    }
  }
  return Values(x_attn);
}

/// The head of keys and values, of G, that query head h of H reads.
std::size_t kv_head(std::size_t h, std::size_t H, std::size_t G) { return h / (H / G); }

/// How many numbers all G heads of keys have together. A key is as wide as the query that it meets.
std::size_t kv_width(std::size_t C, std::size_t H, std::size_t G) { return G * (C / H); }

/// The way back by hand: from dx (1,H*D), the slope of each number that attend() returns. Adds to `slopes`.
void attend_back(const Array& dx, const Heads& of, std::size_t H, std::size_t G, Heads& slopes) {
  const std::size_t D = of.q.cols / H;
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    const auto [weights, dscores] = back_to_scores(&dx[0][h * D], of, h, g, D);  // lesson 11
    for (std::size_t t = 0; t < of.k.rows; t++) {
      for (std::size_t j = 0; j < D; j++) {
        slopes.v[t][g * D + j] += weights[t] * dx[0][h * D + j];
        slopes.k[t][g * D + j] += dscores[t] * of.q[0][h * D + j];
        slopes.q[0][h * D + j] += dscores[t] * of.k[t][g * D + j];
      }
    }
  }
}

/// Two query heads, on the tape and by hand. The loss is the sum of all that they find.
void on_paper(const char* what, const Heads& heads, std::size_t G) {
  const Scope scope;
  const Rows keys = values_of(heads.k), values = values_of(heads.v);
  const Values found = attend(values_of(heads.q)[0], keys, values, 2, G);
  sum(found).backward();
  Heads slopes = zeros_like(heads);
  attend_back(row_of({1, 1, 1, 1}), heads, 2, G, slopes);
  show_found(what, found, keys[0], slopes.k);  // stop: slopes
}

/// The matrices of a GPT with one layer. Only W_K and W_V are new: (G*D, C).
std::vector<Parameters::Shape> shapes(const Config& config) {
  const std::size_t C = config.n_embd, kv = kv_width(C, config.n_head, config.kv_heads());
  return draft_shapes(config, {{"attn_wq", C, C}, {"attn_wk", kv, C}, {"attn_wv", kv, C}, {"attn_wo", C, C}});
}

/// Its attention: what each position of a name finds. The GPT around it is that of src/lesson/draft_gpt.h.
Attention grouped(const Config& config, const StateDict& p) {
  return [config, wq = p["layer0.attn_wq"], wk = p["layer0.attn_wk"], wv = p["layer0.attn_wv"],
          wo = p["layer0.attn_wo"]](const Rows& x) {
    Rows keys, values, out;  // keys and values are the cache of this name
    for (const Values& row : x) {
      keys.push_back(linear(row, wk));
      values.push_back(linear(row, wv));
      const Values x_attn = attend(linear(row, wq), keys, values, config.n_head, config.kv_heads());
      out.push_back(linear(x_attn, wo));
    }
    return out;
  };
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  show_groups(lesson, kv_head);
  on_paper("shared", {row_of({2, 0, 0, 2}), rows_of({{1, 0}, {0, 1}}), rows_of({{4, 0}, {0, 2}})}, 1);
  on_paper("copies",
           {row_of({2, 0, 0, 2}), rows_of({{1, 0, 1, 0}, {0, 1, 0, 1}}), rows_of({{4, 0, 4, 0}, {0, 2, 0, 2}})}, 2);
  for (const std::size_t G : {1, 2, 3, 6}) check_by_hand(lesson, G, attend, attend_back);
  show_widths();
  show_published();
  show_drafts(lesson, shapes, grouped);
  show_comparison(lesson);
  if (Lesson::timed()) show_throughput();
  return lesson.finish();
} catch (const Error& error) {
  fmt::print("the lesson stops: {}\n", error.what());
  return 1;
}
