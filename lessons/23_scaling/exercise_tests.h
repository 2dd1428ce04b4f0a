// The tests of exercise 23: one score on paper, then a model that learns to copy, then what the root is needed for.
#pragma once

#include <fmt/format.h>

#include "base/task.h"
#include "lesson/recipe.h"
#include "lesson/teach.h"
#include "train/scalar_trainer.h"

using teach::calling;
using teach::Numbers;
using teach::should_be;
using teach::usual;

/// A query of nine numbers, x = 1 and a key of ones: the twin's score, before and after a step of 0.1 down its slope.
/// Without the root, all of W_Q would be 0.5.
inline Numbers scores(OptimizerName optimizer, const Twin& twin) {
  const double before = 0.5 * twin.start, slope = optimizer == OptimizerName::sgd ? 1 / std::sqrt(9) : 1;
  return {9 * before / std::sqrt(9), 9 * (before - 0.1 * twin.rate * slope) / std::sqrt(9)};
}

inline void test_on_paper() {
  for (const auto optimizer : {OptimizerName::sgd, OptimizerName::adam}) {
    const bool is_sgd = optimizer == OptimizerName::sgd;
    const Twin twin = twin_of(optimizer, 9);
    calling("D = 9, x = 1, a key of ones: without the root W_Q is all 0.5, and the score 4.5. The score of its twin",
            "The twin's score is divided by the root of 9. How large must W_Q be to make up for that?");
    usual({1.5}, "Its W_Q is all 0.5, too, and its score is divided by the root. W_Q must start larger.");
    usual({13.5}, "Its W_Q is 9 times as large, and its score is divided by the root of 9.");
    should_be(scores(optimizer, twin)[0], {4.5});
    calling(std::string("After one step of ") + (is_sgd ? "SGD" : "Adam") +
                " with a learning rate of 0.1, the score without the root is 3.6. The score of its twin",
            "W_Q must go as many times further as it is larger. How far does it go by itself?");
    usual({scores(optimizer, {3, 1})[1]}, "It learns as fast as without the root. Its W_Q is larger: further to go.");
    usual({scores(optimizer, {3, is_sgd ? 3.0 : 9.0})[1]},
          is_sgd ? "The twin's slopes are divided by the root, too, and SGD's step is proportional to them."
                 : "Adam divides by the size of the slopes. That they are smaller makes its step no shorter.");
    should_be(scores(optimizer, twin)[1], {3.6});
  }
}

/// QK-norm for a model with one head: queries and keys pass through RMSNorm before they meet.
inline Kernels<double> qk_norm() {
  struct Normed {
    Tensor<double> y;
    Numbers scale;
    explicit Normed(const View<const double>& x) : y(x.rows, x.cols), scale(x.rows) {
      fast<double>().rmsnorm_forward(y.view(), scale.data(), x);
    }
  };
  Kernels<double> kernels = fast<double>();
  kernels.attention_forward = [](auto& out, auto& log_sum, auto& call) {
    Normed q(call.q), k(call.k);
    fast<double>().attention_forward(out, log_sum, {q.y.view(), k.y.view(), call.v, 1, 1, call.scale, call.mask});
  };
  kernels.attention_backward = [](auto& d, auto& dout, auto& out, auto& log_sum, auto& call) {
    Normed q(call.q), k(call.k);
    fast<double>().attention_backward(d, dout, out, log_sum,
                                      {q.y.view(), k.y.view(), call.v, 1, 1, call.scale, call.mask});
    fast<double>().rmsnorm_backward(d.dq, d.dq, call.q, q.scale.data(), {});
    fast<double>().rmsnorm_backward(d.dk, d.dk, call.k, k.scale.data(), {});
  };
  return kernels;
}

/// A model learns to copy, with one head as wide as the model. Its loss at each step, and then on words not seen.
inline Numbers losses(std::size_t width, const TrainConfig& how, bool root, const Twin& twin,
                      const Kernels<double>& kernels = fast<double>(), std::uint64_t seed = 1, bool rounded = false) {
  PythonRandom words(1), random(seed);
  std::vector<Document> documents = draw_documents({}, Part::training, 2000, words);
  const Tokenizer tokenizer(documents);
  documents.resize(how.num_steps * how.batch_size);
  for (const Document& word : draw_documents({}, Part::held_out, 100, words)) documents.push_back(word);
  const Config config{.vocab_size = tokenizer.vocab_size(), .n_embd = width, .n_head = 1};
  BatchTrainer<double> trainer(config, how, initialize(config, how, random), documents, tokenizer,
                               {.loss_mean = LossMean::tokens}, kernels);
  AttentionLayer<double>& layer = trainer.model().layers[0].attention;
  if (!root) layer.shape.score_scale = 1;
  const View<double> rows = layer.attn_wq.data.view();
  const std::span<double> wq(rows.data, rows.rows * rows.stride);
  for (double& number : wq) number *= twin.start;
  layer.attn_wq.transpose_rows({0, width});
  Numbers all;
  while (all.size() < how.num_steps) {
    const Numbers before(wq.begin(), wq.end());
    all.push_back(trainer.step());
    for (std::size_t i = 0; i < wq.size(); i++) wq[i] = before[i] + twin.rate * (wq[i] - before[i]);
    layer.attn_wq.transpose_rows({0, width});
    if (rounded) round_weights(trainer.model());
  }
  all.push_back(0);
  for (int i = 0; i < 25; i++) all.back() += trainer.step(1) / 25;  // the learning rate is 0
  return all;
}

inline void test_model() {
  for (const auto optimizer : {OptimizerName::sgd, OptimizerName::adam}) {
    const double rate = optimizer == OptimizerName::sgd ? 0.1 : 0.01;
    const TrainConfig how{
        .num_steps = 20, .batch_size = 4, .learning_rate = rate, .optimizer = optimizer, .eps_adam = 1e-20};
    calling("The twin's losses in 20 steps of a real model with one head of 16 numbers",
            "On paper, with D = 9, it was right. Does the same hold for every D?");
    should_be(losses(16, how, true, twin_of(optimizer, 16)), losses(16, how, false, {1, 1}), 1e-6);
  }
}

/// Which does a head of 64 numbers need: that W_Q starts smaller, that it learns slower, or QK-norm?
inline void show() {
  const auto [start, rate] = twin_of(OptimizerName::adam, 64);
  const Kernels<double> plain = fast<double>(), norm = qk_norm();
  for (const auto& [name, root, twin, kernels] : {std::tuple("as with the root          ", true, Twin{1, 1}, plain),
                                                  {"starts as without the root", true, Twin{start, 1}, plain},
                                                  {"learns as without the root", true, Twin{1, rate}, plain},
                                                  {"both, so no root          ", true, Twin{start, rate}, plain},
                                                  {"learns so, but QK-norm    ", true, Twin{1, rate}, norm},
                                                  {"no root, but QK-norm      ", false, Twin{1, 1}, norm}}) {
    fmt::print("{}:", name);
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 6; seed++) {
      const double loss = losses(64, {.num_steps = 200, .batch_size = 4}, root, twin, kernels, seed, true).back();
      const double letters = 12 - 14 * loss / std::log(8.0);  // letters_copied() of main.cpp
      fmt::print(" {:.1f}", letters);
      sum += letters;
    }
    fmt::print(" letters copied, in all {:.0f} of 36\n", sum);
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_on_paper, test_model, show}); }
