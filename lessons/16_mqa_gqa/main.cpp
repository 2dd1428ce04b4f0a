// Lesson 16: heads that share keys and values. In multi-query attention all query heads share one head of them, in
// grouped-query attention each group has its own. A model that generates has so much less to remember.
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "compare.h"
#include "layer.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"

using namespace microgpt;
using namespace lesson13;

bool interleave, by_width, lost_mask;  // what --break does wrong

/// The head of keys and values that query head h reads.
std::size_t kv_head(std::size_t h, std::size_t H, std::size_t G) { return interleave ? h % G : h / (H / G); }

/// W_K and W_V are (this, C).
std::size_t kv_rows(const Config& c) { return by_width ? c.n_embd / c.kv_heads() : c.kv_heads() * c.head_dim(); }

/// The scores of query t, without those that it must not see.
std::vector<double> masked(std::vector<double> scores, std::size_t t) {
  for (std::size_t s = t + 1; s < scores.size(); s++) scores[s] = -std::numeric_limits<double>::infinity();
  return scores;
}

/// q (T,H*D), k and v (T,G*D) to x_attn (T,H*D).
void draft_forward(Pass& a) {
  const std::size_t T = a.x.size(), H = a.config.n_head, G = a.config.kv_heads(), D = a.config.head_dim();
  a.x_attn = zeros(T, H * D);
  a.weights.assign(H, {});
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    for (std::size_t t = 0; t < T; t++) {
      std::vector<double> scores(T);
      for (std::size_t s = 0; s < T; s++) {
        scores[s] = dot(of_head(a.q[t], h, D), of_head(a.k[s], g, D)) / std::sqrt(D);  // stop: score
      }
      if (lost_mask) {
        masked(scores, t);  // gives back the right scores, and nobody takes them
      } else {
        scores = masked(scores, t);
      }
      a.weights[h].push_back(softmax(scores));
      for (std::size_t s = 0; s < T; s++) add(of_head(a.x_attn[t], h, D), a.weights[h][t][s], of_head(a.v[s], g, D));
    }
  }
}

/// dx_attn (T,H*D) to dq (T,H*D), dk and dv (T,G*D).
void draft_backward(Pass& a) {
  const std::size_t T = a.x.size(), H = a.config.n_head, G = a.config.kv_heads(), D = a.config.head_dim();
  a.dq = zeros(T, H * D);
  a.dk = a.dv = zeros(T, a.k[0].size());
  for (std::size_t h = 0; h < H; h++) {
    const std::size_t g = kv_head(h, H, G);
    for (std::size_t t = 0; t < T; t++) {
      const Numbers dout = of_head(a.dx_attn[t], h, D);
      std::vector<double> dweights(T);
      for (std::size_t s = 0; s < T; s++) dweights[s] = dot(dout, of_head(a.v[s], g, D));
      const double mean = dot(a.weights[h][t], dweights);
      for (std::size_t s = 0; s < T; s++) {
        const double weight = a.weights[h][t][s], dscore = weight * (dweights[s] - mean) / std::sqrt(D);
        add(of_head(a.dq[t], h, D), dscore, of_head(a.k[s], g, D));
        add(of_head(a.dk[s], g, D), dscore, of_head(a.q[t], h, D));  // stop: shared
        add(of_head(a.dv[s], g, D), weight, dout);                   // each head of a group adds to the same numbers
      }
    }
  }
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  interleave = lesson.broken("interleave");
  by_width = lesson.broken("by-width");
  lost_mask = lesson.broken("lost-mask");
  const Config mha, gqa{.n_kv_head = 2}, mqa{.n_kv_head = 1};

  fmt::print("\n--- which head of keys and values a query head reads ---\nquery head  | 0 1 2 3 4 5 6 7\n");
  for (const std::size_t G : {8, 4, 2, 1}) {
    fmt::print("{} to read   |", G);
    for (std::size_t h = 0; h < 8; h++) fmt::print(" {}", kv_head(h, 8, G));
    fmt::print("\n");
  }

  fmt::print("\n--- largest difference between the draft and src/tensor/attention_layer.h ---\n");
  fmt::print("form | parameters | in src/ | out      | dx       | dW\n");
  for (const Config& config : {mha, gqa, mqa}) {
    Pass src(config, config.kv_heads() * config.head_dim(), lesson.random);
    Pass draft(config, kv_rows(config), lesson.random);
    draft.take(src);
    run_src(src);
    const bool same = is_same(draft, src, [&] { run(draft, draft_forward, draft_backward); });
    lesson.check(fmt::format("the draft of {} is that of src/", config.attention()), same);
  }
  Pass shared(gqa, 2 * gqa.head_dim(), lesson.random);
  Pass repeated = with_repeated_heads(shared);
  run(shared, draft_forward, draft_backward);
  run(repeated, draft_forward, draft_backward);
  lesson.check("grouped queries are multi-head attention with repeated keys and values",
               largest_difference(flat(shared.out), flat(repeated.out)) < tolerance);
  lesson.check("the gradient of a shared head is the sum of those of its copies",
               difference_of_sums(shared, repeated) < tolerance);

  fmt::print("\n--- a trained model, grouped queries with 2 of 4 heads: loss of names not seen ---\n");
  const auto [right, wrong] = read_in_two_ways(gqa, lesson.documents, lesson.tokenizer);
  fmt::print("query head h reads h / 2, as it did in training: {:.4f}; h % 2: {:.4f}\n", right, wrong);

  fmt::print("\n--- cache of 4096 tokens: 32 layers, 32 query heads of 128 numbers, 2 bytes a number ---\n");
  for (const std::size_t G : {32, 8, 1}) {
    const std::size_t bytes = std::size_t{4096} * 32 * 2 * G * 128 * 2;  // keys and values
    fmt::print("keys and values of {:2} heads: {:4} MiB\n", G, bytes >> 20);
  }

  fmt::print("\n--- trained ---\n");
  compare(lesson.documents, lesson.tokenizer,
          {{"mha", mha, lost_mask}, {"gqa, 2 of 4", gqa, lost_mask}, {"mqa", mqa, lost_mask}})
      .print();
  return lesson.finish();
} catch (const Error& error) {
  fmt::print(stderr, "lesson: {}\n", error.what());
  return 1;
}
