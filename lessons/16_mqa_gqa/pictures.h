// The picture of lesson 16, and its tables.
#pragma once

#include <array>

#include "base/published.h"
#include "lesson/lesson.h"
#include "tensor/kernels.h"

namespace microgpt {

/// Four query heads above the heads of keys and values that they read: 4, 2 or 1.
inline Svg heads_picture(std::size_t (*kv_head)(std::size_t h, std::size_t H, std::size_t G)) {
  constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
  constexpr double box = 34, gap = 10, top = 92, below = 190;
  constexpr std::size_t H = 4;
  Svg svg(640, 300);
  svg.text(20, 26, "Every head keeps its question; fewer heads keep keys and values", "start", 15);
  double left = 30;
  for (const std::size_t G : {4, 2, 1}) {
    const double width = H * box + (H - 1) * gap;
    auto x_of = [&](std::size_t i, std::size_t n) {  // the left edge of box i of n, in the middle of its group
      const double group = static_cast<double>(H) / static_cast<double>(n);
      return left + ((static_cast<double>(i) + 0.5) * group - 0.5) * (box + gap);
    };
    svg.text(left + width / 2, 62, G == H ? "MHA: 4" : G == 1 ? "MQA: 1" : "GQA: 2", "middle", 15);
    for (std::size_t h = 0; h < H; h++) {
      const std::size_t g = kv_head(h, H, G);
      svg.line(x_of(h, H) + box / 2, top + box, x_of(g, G) + box / 2, below, colours[g], 2.5);
      svg.rect(x_of(h, H), top, box, box, colours[g]);
      svg.text(x_of(h, H) + box / 2, top + 22, fmt::format("q{}", h), "middle", 14, 0, "white");
    }
    for (std::size_t g = 0; g < G; g++) {
      svg.rect(x_of(g, G), below, box, box, colours[g]);
      svg.text(x_of(g, G) + box / 2, below + 22, fmt::format("kv{}", g), "middle", 14, 0, "white");
    }
    svg.text(left + width / 2, below + 60, "kept of a position:", "middle", 13);
    svg.text(left + width / 2, below + 78, fmt::format("{0} key{1}, {0} value{1}", G, G == 1 ? "" : "s"), "middle", 13);
    left += width + 38;
  }
  return svg;
}

/// Published models: what they keep of 4096 tokens, and what they would keep without sharing. Two bytes a number.
inline void print_published() {
  fmt::print("\n--- 4096 tokens in published models ---\n");
  fmt::print("model       | layers | width | query heads | heads of keys and values | cache, MiB | without sharing\n");
  for (const std::string name : {"llama2-7b", "llama2-13b", "llama2-70b", "llama3-8b", "falcon-7b"}) {
    const PublishedModel& model = published_model(name);
    auto mebi = [](const PublishedModel& of) { return cache_bytes(of.attention, of.n_layer, 4096, 2) / (1 << 20); };
    fmt::print("{:11} | {:6} | {:5} | {:11} | {:24} | {:10.0f} | {:15.0f}\n", name, model.n_layer,
               model.attention.n_embd, model.attention.n_head, model.attention.n_kv_head, mebi(model),
               mebi(with_attention(model, "mha")));
  }
}

/// With TIMES=1: how many times a second the attention of one layer, 32 query heads of 64 numbers, answers a query.
inline void print_throughput() {
  constexpr std::size_t H = 32, D = 64;
  fmt::print("\ntokens per second in one layer, 32 query heads, by heads of keys and values\n");
  fmt::print(" cached |     32 |      8 |      1 | cache of 32, MB\n");
  for (const std::size_t n : {128, 1024, 8192}) {
    fmt::print("{:7}", n);
    for (const std::size_t G : {32, 8, 1}) {
      Tensor<float> q(1, H * D), k(n, G * D), v(n, G * D), out(1, H * D), log_sum(H, 1);
      const Mask mask = Mask::causal();
      const AttentionCall<float> call{q.view(), k.view(), v.view(), H, G, 1 / std::sqrt(double(D)), mask, n - 1};
      const double us =
          Lesson::microseconds([&] { fast<float>().attention_forward(out.view(), log_sum.view(), call); });
      fmt::print(" | {:6.0f}", 1e6 / us);
    }
    fmt::print(" | {:15.1f}\n", static_cast<double>(2 * n * H * D * sizeof(float)) / 1e6);
  }
}

}  // namespace microgpt
