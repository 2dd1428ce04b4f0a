// Lesson 11: backward. The forward pass of lesson 10 leaves no tape, so we go back ourselves: layer by layer, with many
// rows at once. backward.h has the simple layers. Here are attention, the whole way back, and a training with it.
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "backward.h"
#include "lesson/look.h"
#include "show.h"

using namespace microgpt;

/// Back through one look. dout is row t of the gradient of what attention returned. Adds to the gradients of the query,
/// and of all keys and values that it saw.
void look_backward(Qkv& d, const double* dout, const Qkv& a, const Look& at) {
  const std::vector<double> weights = weights_of(a.q, a.k, at);  // the forward pass did not keep them
  // out = weights v
  std::vector<double> dweights(weights.size());
  for (std::size_t s = at.first; s <= at.t; s++) {
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) {
      dweights[s - at.first] += dout[j] * a.v[s][j];
      d.v[s][j] += weights[s - at.first] * dout[j];
    }
  }
  // weights = softmax(scores)
  const std::vector<double> dscores = softmax_backward(weights, dweights);  // stop: softmax
  // scores = q k^T / sqrt(D)
  for (std::size_t s = at.first; s <= at.t; s++) {  // stop: scores
    const double dproduct = dscores[s - at.first] / std::sqrt(at.D);
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) {
      d.q[at.t][j] += dproduct * a.k[s][j];
      d.k[s][j] += dproduct * a.q[at.t][j];
    }
  }
}

/// Each name by itself, each of its rows, each head.
Qkv attention_backward(const Batch& batch, std::size_t H, const Array& dx_attn, const Qkv& a) {
  const std::size_t D = a.q.cols / H;
  Qkv d{{a.q.rows, a.q.cols}, {a.q.rows, a.q.cols}, {a.q.rows, a.q.cols}};
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    for (std::size_t t = first; t < first + n; t++) {
      for (std::size_t h = 0; h < H; h++) look_backward(d, dx_attn[t], a, {first, t, h * D, D});
    }
  }
  return d;
}

/// Adds the gradient of a batch's loss to that of the parameters: the lines of the forward pass, the last one first.
/// `a` is what the forward pass computed; row n counts for row_weights[n] in the loss.
void draft_backward(const Config& config, const Parameters& p, const Batch& batch, const Activations<double>& a,
                    std::span<const double> row_weights) {
  const Activations<double>::Layer& l = a.layers[0];
  // logits = x_out lm_head^T
  const Array dlogits = cross_entropy_backward(a.probs, batch.targets(), row_weights);
  const Array dx_out = linear_backward(p["lm_head"], l.x_out, dlogits);

  // x_out = x_mid + active mlp_fc2^T,  active = relu(hidden),  hidden = rmsnorm(x_mid) mlp_fc1^T
  const Array dactive = linear_backward(p["layer0.mlp_fc2"], l.active, dx_out);
  const Array dx_norm2 = linear_backward(p["layer0.mlp_fc1"], l.x_norm2, relu_backward(l.hidden, dactive));
  const Array dx_mid = add(dx_out, rmsnorm_backward(l.x_mid, dx_norm2));

  // x_mid = x + x_attn attn_wo^T,  x_attn = attention(q, k, v),  q = rmsnorm(x) attn_wq^T, and so are k and v
  const Array dx_attn = linear_backward(p["layer0.attn_wo"], l.attention.x_attn, dx_mid);
  const Qkv d = attention_backward(batch, config.n_head, dx_attn, {l.attention.q, l.attention.k, l.attention.v});
  const Array through_q = linear_backward(p["layer0.attn_wq"], l.x_norm1, d.q);
  const Array through_k = linear_backward(p["layer0.attn_wk"], l.x_norm1, d.k);
  const Array through_v = linear_backward(p["layer0.attn_wv"], l.x_norm1, d.v);
  const Array dx = add(dx_mid, rmsnorm_backward(a.x, add(add(through_q, through_k), through_v)));

  // x = rmsnorm(embedded),  embedded = wte[token] + wpe[position]
  const Array dembedded = rmsnorm_backward(a.embedded, dx);
  embedding_backward(p["wte"], batch.tokens(), dembedded);
  embedding_backward(p["wpe"], batch.positions(), dembedded);
}

/// Forward and backward for a batch. Returns its loss; the gradient is added to that of the parameters.
double draft_step(const Config& config, Parameters& p, const Batch& batch) {
  const TensorModel<double> model(config, p);
  Activations<double> a;
  a.resize(model, batch.num_positions());
  gpt_forward(model, naive<double>(), batch, {0, batch.num_documents()}, a);
  const std::vector<double> row_weights = batch.weights(LossMean::documents);
  draft_backward(config, p, batch, a, row_weights);
  return std::inner_product(row_weights.begin(), row_weights.end(), a.losses.view().data, 0.0);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const TrainConfig how;
  const PythonRandom start = lesson.random;
  Parameters p = initialize(config, how, lesson.random);
  const Paper paper(p.size());
  for (std::size_t n = 0; n < 2; n++) {
    const Array dx = linear_backward(paper.w, paper.rows[n], paper.drows[n]);  // stop: row
    paper.show_row(n, dx);
  }
  show_rmsnorm();
  show_attention(lesson, look_backward);
  check_gradients(lesson, config, p, draft_step);

  Adam adam = make_adam(how, p.size());
  Batch batch(config.block_size);
  for (std::size_t step = 0; step < how.num_steps; step++) {
    batch.clear();
    batch.add(lesson.tokens_of_step(step + 1));
    lesson.step(step + 1, how.num_steps, draft_step(config, p, batch));
    update(p, adam, learning_rate(how, step), step);
  }
  show_names(lesson, config, p);
  check_training(lesson, config, how, start);
  return lesson.finish();
}
