// Lesson 10: tensors. All positions of a batch of names go through a layer together, as the rows of one matrix, and
// each layer brings its own backward: written by hand, and derived from what the tape would have done. The layers are
// in layers.h and put together here; compare.h asks the scalar path and src/tensor the same questions.
#include <fmt/core.h>

#include <numeric>

#include "compare.h"
#include "layers.h"
#include "lesson/lesson.h"
#include "scalar/gpt.h"
#include "train/optimizer.h"

using namespace microgpt;
using namespace lesson09;

/// The loss of a batch, the sum of its positions' losses times their weights; leaves the gradient in the parameters.
/// The forward is gpt() of src/microgpt.cpp with one layer; the backward takes its lines from the last to the first.
double draft_step(const Config& config, Parameters& p, const Batch& batch, std::span<const double> weights) {
  const Parameter &wq = p["layer0.attn_wq"], &wk = p["layer0.attn_wk"], &wv = p["layer0.attn_wv"];
  const Parameter &wo = p["layer0.attn_wo"], &fc1 = p["layer0.mlp_fc1"], &fc2 = p["layer0.mlp_fc2"];
  const Array embedded = embedding_forward(batch, p["wte"], p["wpe"]);
  const Array x = rmsnorm_forward(embedded);
  const Array x_norm1 = rmsnorm_forward(x);
  const Array q = linear_forward(x_norm1, wq), k = linear_forward(x_norm1, wk), v = linear_forward(x_norm1, wv);
  const Attention attention = attention_forward(batch, config, q, k, v);
  const Array x_mid = add(linear_forward(attention.out, wo), x);
  const Array x_norm2 = rmsnorm_forward(x_mid);
  const Array hidden = linear_forward(x_norm2, fc1);
  const Array active = relu_forward(hidden);
  const Array x_out = add(linear_forward(active, fc2), x_mid);
  const Array logits = linear_forward(x_out, p["lm_head"]);
  const std::vector<double> losses = cross_entropy_forward(logits, batch.targets());

  const Array dlogits = cross_entropy_backward(weights, logits, batch.targets());  // stop: backward
  const Array dx_out = linear_backward_input(dlogits, p["lm_head"]);
  const Array dhidden = relu_backward(linear_backward_input(dx_out, fc2), hidden);
  const Array dx_mid = add(rmsnorm_backward(linear_backward_input(dhidden, fc1), x_mid), dx_out);
  const auto [dq, dk, dv] =
      attention_backward(linear_backward_input(dx_mid, wo), batch, config, q, k, v, attention.weights);
  const Array dx_norm1 =
      add(add(linear_backward_input(dq, wq), linear_backward_input(dk, wk)), linear_backward_input(dv, wv));
  const Array dx = add(rmsnorm_backward(dx_norm1, x), dx_mid);
  const Array dembedded = rmsnorm_backward(dx, embedded);

  linear_backward_weight(p["lm_head"], dlogits, x_out);  // stop: weights
  linear_backward_weight(fc2, dx_out, active);
  linear_backward_weight(fc1, dhidden, x_norm2);
  linear_backward_weight(wo, dx_mid, attention.out);
  linear_backward_weight(wv, dv, x_norm1);
  linear_backward_weight(wk, dk, x_norm1);
  linear_backward_weight(wq, dq, x_norm1);
  embedding_backward(p["wpe"], dembedded, batch.positions());
  embedding_backward(p["wte"], dembedded, batch.tokens());
  return std::inner_product(losses.begin(), losses.end(), weights.begin(), 0.0);  // stop: done
}

/// The rows of a batch, a column each, and what a row of each document counts for.
void show(const Batch& batch, const Tokenizer& tokenizer) {
  std::string token = "token   ", target = "target  ", position = "position";
  for (std::size_t n = 0; n < batch.num_positions(); n++) {
    const char* const bar = n > 0 && batch.positions()[n] == 0 ? " |" : "";
    token += fmt::format("{} {}", bar, tokenizer.label(batch.tokens()[n]));
    target += fmt::format("{} {}", bar, tokenizer.label(batch.targets()[n]));
    position += fmt::format("{} {}", bar, batch.positions()[n]);
  }
  fmt::print("{}\n{}\n{}\n", token, target, position);
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    fmt::print("rows {:2} to {:2} count for {:.4f} each in a mean of documents, {:.4f} in a mean of tokens\n", first,
               first + n - 1, batch.weights(LossMean::documents)[first], batch.weights(LossMean::tokens)[first]);
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  broken = {lesson.broken("assign"), lesson.broken("one-way"), lesson.broken("transposed")};
  const LossMean loss_mean = lesson.broken("token-mean") ? LossMean::tokens : LossMean::documents;
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters p = initialize(config, {}, lesson.random);
  auto batch_of_step = [&](std::size_t step, std::size_t num_documents) {
    Batch batch(config.block_size);
    for (std::size_t i = 1; i <= num_documents; i++) batch.add(lesson.tokens_of_step((step - 1) * num_documents + i));
    return batch;
  };

  fmt::print("\n--- a batch of three names: a row for each prediction, none for padding ---\n");
  const Batch three = batch_of_step(1, 3);
  show(three, lesson.tokenizer);
  fmt::print("\n--- each layer alone: how far the draft is from ---\n");
  fmt::print("layer         |         | shape   | the scalar path | src/tensor\n");
  lesson.check("each layer, forward and backward, is that of both", check_layers(config, p, three, lesson.random));

  fmt::print("\n--- a step with 16 names: how far its gradient is from ---\n");
  fmt::print("matrix         | shape   | largest | the scalar path | src/tensor\n");
  const Batch batch = batch_of_step(1, 16);
  const double loss = draft_step(config, p, batch, batch.weights(loss_mean));
  const std::vector<double> gradient(p.grad().begin(), p.grad().end());
  std::fill(p.grad().begin(), p.grad().end(), 0.0);
  double scalar_loss = 0;
  std::vector<double> mean(p.size());
  const Model model(config, p);
  const Loss loss_of = [&](auto tokens) { return document_loss(model, tokens); };
  for (std::size_t step = 1; step <= 16; step++) {
    const LossAndGradient one = loss_and_gradient(loss_of, p, lesson.tokens_of_step(step));
    scalar_loss += one.loss / 16;
    for (std::size_t i = 0; i < mean.size(); i++) mean[i] += one.gradient[i] / 16;
  }
  const std::vector<double> src = src_gradient(config, p, batch, batch.weights(LossMean::documents));
  std::size_t first = 0;
  for (const Parameter& w : p.matrices()) {
    auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(first, w.size()); };
    const double size = largest_difference(part(gradient), std::vector<double>(w.size()));
    fmt::print("{:14} | {:7} | {:7.4f} | {:15.6f} | {:10.6f}\n", w.name, fmt::format("({},{})", w.rows, w.cols), size,
               largest_difference(part(gradient), part(mean)), largest_difference(part(gradient), part(src)));
    first += w.size();
  }
  fmt::print("loss of the batch {:.4f}, mean of 16 scalar losses {:.4f}; {} rows, with padding {}\n", loss, scalar_loss,
             batch.num_positions(), 16 * (1 + *std::max_element(batch.positions().begin(), batch.positions().end())));
  lesson.check("the loss of the batch is the mean of 16 scalar losses", std::abs(loss - scalar_loss) < tolerance);
  lesson.check("its gradient is the mean of 16 scalar gradients", largest_difference(gradient, mean) < tolerance);
  lesson.check("src/tensor's, too", largest_difference(src, mean) < tolerance);

  fmt::print("\n--- 200 steps of 16 names, with the draft ---\n");
  for (std::size_t step = 1; step <= 200; step++) {
    const Batch names = batch_of_step(step, 16);
    lesson.step(step, 200, draft_step(config, p, names, names.weights(loss_mean)));
    sgd_update(p, 0.1);
  }
  return lesson.finish();
}
