// What the draft is compared with: src/tensor, and attention whose heads share nothing; and what a trained model makes
// of another grouping.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "layer.h"
#include "lesson/comparison.h"
#include "tensor/gpt.h"
#include "train/batch_trainer.h"
#include "train/gradient.h"
#include "train/held_out.h"

namespace lesson13 {

/// The same by src/tensor: sets out, dx and the gradients of the weights.
inline void run_src(Pass& a) {
  const std::size_t T = a.x.size(), C = a.config.n_embd;
  Parameters gpt(gpt_shapes(a.config));
  for (const Parameter& matrix : a.w.matrices()) {
    std::copy_n(matrix.data, matrix.size(), gpt["layer0." + matrix.name].data);
  }
  TensorModel<double> model(a.config, gpt);
  AttentionLayer<double>& layer = model.layers[0].attention;
  AttentionActivations<double> activations;
  activations.resize(layer.shape, T, T);

  Tensor<double> x(T, C), out(T, C), dx(T, C), dout(T, C);
  for (std::size_t t = 0; t < T; t++) {
    std::copy(a.x[t].begin(), a.x[t].end(), x.view().row(t));
    std::copy(a.dout[t].begin(), a.dout[t].end(), dout.view().row(t));
  }
  std::vector<std::size_t> positions(T);
  std::iota(positions.begin(), positions.end(), 0);
  const std::vector<Sequence> document{{{0, T}, {0, T}, &model.mask}};
  const AttentionInput<double> input{x.view(), x.view(), positions, positions, document};
  layer.forward(out.view(), {}, fast<double>(), input, activations);
  layer.backward(dx.view(), dx.view(), dout.view(), fast<double>(), input, activations);
  layer.backward_weights(dout.view(), fast<double>(), input, activations, 0, 1);

  a.out = a.dx = zeros(T, C);
  for (std::size_t t = 0; t < T; t++) {
    std::copy_n(out.view().row(t), C, a.out[t].begin());
    std::copy_n(dx.view().row(t), C, a.dx[t].begin());
  }
  model.copy_grad_to(gpt);
  for (const Parameter& matrix : a.w.matrices()) {
    std::copy_n(gpt["layer0." + matrix.name].grad, matrix.size(), matrix.grad);
  }
}

/// The numbers here are around 1, the longest sums have some dozens of terms, and each rounding is 1.1e-16 of what is
/// summed: two ways to add up the same differ by less than this.
constexpr double tolerance = 1e-12;

/// Runs the draft and prints how far it is from src. True if that is nothing but rounding.
template <class Run>
bool is_same(const Pass& draft, const Pass& src, Run run_draft) {
  fmt::print("{:4} | {:10} | {:7} | ", src.config.attention(), draft.w.size(), src.w.size());
  try {
    run_draft();
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    return false;
  }
  const double out = largest_difference(flat(draft.out), flat(src.out));
  const double dx = largest_difference(flat(draft.dx), flat(src.dx));
  const double dw = largest_difference(draft.w.grad(), src.w.grad());
  fmt::print("{:.6f} | {:.6f} | {:.6f}\n", out, dx, dw);
  return out < tolerance && dx < tolerance && dw < tolerance;
}

// --- Repeated heads --------------------------------------------------------------------------------------------------

/// Calls visit(i, j) for every row i of W_K, or W_V, of multi-head attention, and the row j that it repeats.
template <class Visit>
void each_repeated_row(const Config& grouped, Visit visit) {
  const std::size_t D = grouped.head_dim(), group = grouped.n_head / grouped.kv_heads();
  for (std::size_t i = 0; i < grouped.n_embd; i++) visit(i, i / D / group * D + i % D);
}

/// Multi-head attention whose heads repeat the keys and values of their group.
inline Pass with_repeated_heads(const Pass& grouped) {
  Config config = grouped.config;
  config.n_kv_head = config.n_head;
  Pass many(config, config.n_embd, PythonRandom(0));
  many.take(grouped);
  for (const char* name : {"attn_wk", "attn_wv"}) {
    each_repeated_row(grouped.config, [&](std::size_t i, std::size_t j) {
      const std::span<const double> row = grouped.w[name].row(j);
      std::copy(row.begin(), row.end(), many.w[name].row(i).begin());
    });
  }
  return many;
}

/// How far the gradient of shared heads is from the sum of those of their copies.
inline double difference_of_sums(const Pass& grouped, const Pass& many) {
  double most = 0;
  for (const char* name : {"attn_wk", "attn_wv"}) {
    const Parameter& shared = grouped.w[name];
    Rows sum = zeros(shared.rows, shared.cols);
    each_repeated_row(grouped.config, [&](std::size_t i, std::size_t j) { add(sum[j], 1, many.w[name].grad_row(i)); });
    most = std::max(most, largest_difference(flat(sum), {shared.grad, shared.size()}));
  }
  return most;
}

// --- Another grouping ------------------------------------------------------------------------------------------------

/// A model of one layer is trained; then its loss of names not seen, and that if query head h read head h % G.
inline std::pair<double, double> read_in_two_ways(Config config, const std::vector<Document>& documents,
                                                  const Tokenizer& tokenizer) {
  config.vocab_size = tokenizer.vocab_size();
  const Split names = split(documents);
  PythonRandom random(1);
  Parameters trained = initialize(config, comparison_budget, random);
  BatchTrainer<double> trainer(config, comparison_budget, trained, names.training, tokenizer, {});
  for (std::size_t step = 0; step < comparison_budget.num_steps; step++) trainer.step();
  trainer.model().copy_to(trained);

  // The same as query heads in another order: first those that would read head 0, then those that would read head 1.
  Parameters reordered(gpt_shapes(config));
  std::copy(trained.data().begin(), trained.data().end(), reordered.data().begin());
  const std::size_t H = config.n_head, G = config.kv_heads(), D = config.head_dim(), C = config.n_embd;
  for (std::size_t i = 0; i < C; i++) {
    const std::size_t place = i / D, h = place % (H / G) * G + place / (H / G), from = h * D + i % D;
    for (std::size_t c = 0; c < C; c++) {
      reordered["layer0.attn_wq"].row(i)[c] = trained["layer0.attn_wq"].row(from)[c];
      reordered["layer0.attn_wo"].row(c)[i] = trained["layer0.attn_wo"].row(c)[from];
    }
  }
  TensorModel<double> other(config, reordered);
  return {token_loss(trainer.model(), names.held_out, tokenizer, 1), token_loss(other, names.held_out, tokenizer, 1)};
}

}  // namespace lesson13
