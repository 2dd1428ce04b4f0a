// Lesson 11: backward. The forward pass of lesson 10 leaves no tape, so we go back ourselves: layer by layer, with many
// rows at once. backward.h has the simple layers. Here are attention, the whole way back, and a training with it.
#include "backward.h"
#include "base/schedule.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/nudge.h"
#include "microgpt.h"
#include "pictures.h"
#include "tensor/gpt.h"
#include "train/gradient.h"

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
  PythonRandom start = lesson.random;
  Parameters p = initialize(config, how, lesson.random);
  fmt::print("\n{} parameters: by nudging, one gradient takes {} forward passes\n", p.size(), 2 * p.size());

  // Lesson 02's linear layer on paper, and a second row.
  Parameters on_paper({{"w", 2, 2}});
  const Parameter& w = on_paper["w"];
  std::iota(w.data, w.data + 4, 1.0);
  const Array rows[]{row_of({5, 6}), row_of({1, -1})}, drows[]{row_of({0.1, -0.2}), row_of({0.3, 0.1})};
  fmt::print("\n--- a linear layer, w = (1 2; 3 4), and two rows ---\n");
  for (std::size_t n = 0; n < 2; n++) {
    const Array dx = linear_backward(w, rows[n], drows[n]);  // stop: row
    fmt::print("row {}: x{}, dy{}: dx{}, and dw so far{}\n", n, numbers(rows[n].data), numbers(drows[n].data),
               numbers(dx.data), numbers({w.grad, 4}));
  }

  // A row of two numbers through rmsnorm, when the loss is the first of the two that come out.
  Array x = row_of({1, 7});
  auto first_out = [&] { return x[0][0] / std::sqrt((x[0][0] * x[0][0] + x[0][1] * x[0][1]) / 2 + 1e-5); };
  fmt::print("\n--- rmsnorm of x = (1 7); the loss is the first number that comes out: {:.3f} ---\n", first_out());
  const Array dx = rmsnorm_backward(x, row_of({1, 0}));
  const double scale = first_out() / x[0][0];
  fmt::print("through its own output{}\n", numbers(std::vector{scale, 0.0}));
  fmt::print("through the scale     {}\n", numbers(std::vector{dx[0][0] - scale, dx[0][1]}));
  fmt::print("dx, both together     {}\n", numbers(dx.data));
  fmt::print("dx by nudging         {}\n", numbers(nudged(x.data, first_out)));

  // Lesson 07's three positions, seen from the third. The loss is the first number that attention returns there.
  Qkv a{{3, 2}, {3, 2}, {3, 2}}, d = a;
  a.q.data = {0, 0, 0, 0, 1, 2};
  a.k.data = {1, 0, 0, 1, 1, 1};
  a.v.data = {4, 0, 0, 2, 2, 2};
  const Look at{0, 2, 0, 2};
  const Array dout = row_of({1, 0});
  look_backward(d, dout[0], a, at);
  auto answer = [&] {
    const std::vector<double> by = weights_of(a.q, a.k, at);
    return by[0] * a.v[0][0] + by[1] * a.v[1][0] + by[2] * a.v[2][0];
  };
  const std::vector<double> weights = weights_of(a.q, a.k, at), dweights{4, 0, 2};  // the first numbers of the values
  const std::vector<double> dscores = softmax_backward(weights, dweights);
  fmt::print("\n--- three positions of attention; the loss is the first number of the answer: {:.3f} ---\n", answer());
  fmt::print("weights{}, dweights{}, dscores{}\n", numbers(weights), numbers(dweights), numbers(dscores));
  lesson.picture("11_way_back.svg", way_back_picture({a.q, a.k, a.v}, {d.q, d.k, d.v}, weights, dscores, answer()));

  fmt::print("number          | slope by hand  | by nudging\n");
  auto print = [&](const char* name, std::size_t s, Array& of, const Array& by_hand) {
    fmt::print("{} of position {} |{} |{}\n", name, s, numbers({by_hand[s], 2}), numbers(nudged({of[s], 2}, answer)));
  };
  print("q", 2, a.q, d.q);
  for (std::size_t s = 0; s < 3; s++) print("k", s, a.k, d.k);
  for (std::size_t s = 0; s < 3; s++) print("v", s, a.v, d.v);

  // The gradient of 16 names: by hand for all at once, and from a tape with 16 graphs.
  Batch batch(config.block_size);
  for (std::size_t step = 1; step <= 16; step++) batch.add(lesson.tokens_of_step(step));
  const double loss = draft_step(config, p, batch);
  const std::vector<double> by_hand(p.grad().begin(), p.grad().end());
  std::fill(p.grad().begin(), p.grad().end(), 0.0);
  const Model model = scalar_model(config, p);
  const Loss of_all = [&](auto) {
    return mean(Values(16, [&](std::size_t i) { return document_loss(model, lesson.tokens_of_step(i + 1)); }));
  };
  const std::vector<double> with_values = loss_and_gradient(of_all, model.params, {}).gradient;
  fmt::print("\n--- 16 names, {} rows, loss {:.4f}: a parameter of each matrix, on the way back ---\n",
             batch.num_positions(), loss);
  fmt::print("parameter            |  by hand | with Values\n");
  for (const char* name : {"lm_head", "layer0.mlp_fc2", "layer0.mlp_fc1", "layer0.attn_wo", "layer0.attn_wv",
                           "layer0.attn_wk", "layer0.attn_wq", "wpe", "wte"}) {
    const auto i = static_cast<std::size_t>(p[name].grad - p.grad().data());
    fmt::print("{:20} | {:8.5f} | {:8.5f}\n", name + std::string("[0][0]"), by_hand[i], with_values[i]);
  }
  lesson.check("the gradient of 16 names is the one that the tape finds, to 1e-12",
               largest_difference(by_hand, with_values) < 1e-12);

  fmt::print("\n--- the training of lesson 09, with the draft ---\n");
  Adam adam = make_adam(how, p.size());
  for (std::size_t step = 0; step < how.num_steps; step++) {
    batch.clear();
    batch.add(lesson.tokens_of_step(step + 1));
    lesson.step(step + 1, how.num_steps, draft_step(config, p, batch));

    // Adam of src moves Values: some get the numbers and their gradients, and the numbers come back from them.
    const Scope scope;
    const List params = StateDict(p).params;
    for (std::size_t i = 0; i < params.size(); i++) params[i].node->grad = std::exchange(p.grad()[i], 0);
    adam.update(params, learning_rate(how, step), step);
    copy_data(params, p);
  }
  const Model trained = scalar_model(config, p);
  for (std::size_t i = 0; i < 5; i++) lesson.name(lesson.tokenizer.decode(sample(trained, 0.5, lesson.random)));

  // The same training, by src with a tape, from the same random numbers.
  const Model src = scalar_model(config, initialize(config, how, start));
  std::vector<double> losses;
  train([&](auto tokens) { return document_loss(src, tokens); }, src.params, adam_optimizer(how, src.params.size()),
        lesson.documents, lesson.tokenizer, how, [&](std::size_t, double of_step) { losses.push_back(of_step); });
  lesson.check("every loss of the training is that of lesson 09, to 1e-9",
               largest_difference(lesson.losses(), losses) < 1e-9);
  return lesson.finish();
}
