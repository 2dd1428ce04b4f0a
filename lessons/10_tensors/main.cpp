// Lesson 10: tensors. Every letter of every name goes through the same matrices, and until now they went one by one,
// with a node for every number. Here all letters of a batch of names go together, as the rows of one matrix. This is
// the forward pass; the way back is lesson 11.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "lesson/look.h"
#include "show.h"

using namespace microgpt;

/// y (N,n_out) = x w^T: y[n][i] is row n of x times row i of w, number by number, added up.
Array linear_forward(const Array& x, const Parameter& w) {
  Array y(x.rows, w.rows);
  for (std::size_t n = 0; n < y.rows; n++) {
    for (std::size_t i = 0; i < y.cols; i++) {
      for (std::size_t j = 0; j < x.cols; j++) {
        y[n][i] += x[n][j] * w.data[i * w.cols + j];  // stop: product
      }
    }
  }
  return y;
}

/// Row t mixes the values of the rows that it sees, as in lesson 08.
void attend(Array& x_attn, const Array& q, const Array& k, const Array& v, const Look& at) {
  const std::vector<double> weights = weights_of(q, k, at);
  for (std::size_t s = at.first; s <= at.t; s++) {
    const double weight = weights[s - at.first];  // stop: mix
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) x_attn[at.t][j] += weight * v[s][j];
  }
}

/// x_attn (N,C): each name by itself, which is some of the rows; each head by itself, which is some of the columns.
Array attention_forward(const Array& q, const Array& k, const Array& v, std::span<const Name> names, std::size_t H) {
  const std::size_t D = q.cols / H;
  Array x_attn(q.rows, q.cols);
  for (const auto& [first, n] : names) {
    for (std::size_t t = first; t < first + n; t++) {
      for (std::size_t h = 0; h < H; h++) attend(x_attn, q, k, v, {first, t, h * D, D});
    }
  }
  return x_attn;
}

/// x (N,C): row n is what its token is, plus where in its name it stands.
Array embedding_forward(const Batch& batch, const Parameter& wte, const Parameter& wpe) {
  Array x(batch.num_positions(), wte.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    const std::span<double> token = wte.row(batch.tokens()[n]), position = wpe.row(batch.positions()[n]);
    for (std::size_t c = 0; c < x.cols; c++) x[n][c] = token[c] + position[c];
  }
  return x;
}

double mean_square(const double* numbers, std::size_t n) {
  return std::inner_product(numbers, numbers + n, numbers, 0.0) / static_cast<double>(n);
}

/// Every row by itself is scaled to a mean square of 1.
Array rmsnorm_forward(const Array& x) {
  Array y = x;
  for (std::size_t n = 0; n < y.rows; n++) {
    const double scale = 1 / std::sqrt(mean_square(x[n], x.cols) + 1e-5);
    for (std::size_t c = 0; c < y.cols; c++) y[n][c] *= scale;
  }
  return y;
}

Array relu_forward(Array x) {
  for (double& number : x.data) number = std::max(0.0, number);
  return x;
}

/// gpt() of src/microgpt.cpp, line for line, for all rows of a batch. `names` says which rows belong together.
Forward draft_forward(const Config& config, const Parameters& p, const Batch& batch, std::span<const Name> names) {
  const Array x = rmsnorm_forward(embedding_forward(batch, p["wte"], p["wpe"]));

  const Array x_norm1 = rmsnorm_forward(x);
  const Array q = linear_forward(x_norm1, p["layer0.attn_wq"]);
  const Array k = linear_forward(x_norm1, p["layer0.attn_wk"]);
  const Array v = linear_forward(x_norm1, p["layer0.attn_wv"]);
  const Array x_attn = attention_forward(q, k, v, names, config.n_head);
  const Array x_mid = add(linear_forward(x_attn, p["layer0.attn_wo"]), x);

  const Array hidden = relu_forward(linear_forward(rmsnorm_forward(x_mid), p["layer0.mlp_fc1"]));
  const Array x_out = add(linear_forward(hidden, p["layer0.mlp_fc2"]), x_mid);
  return {k, v, linear_forward(x_out, p["lm_head"])};
}

/// The loss of one name: the mean of -log of the probabilities of what came. A name is some rows.
double name_loss(const Array& logits, const Batch& batch, const Name& name) {
  double total = 0;
  for (std::size_t n = name.first; n < name.first + name.n; n++) {
    total += -std::log(probabilities(logits, n)[batch.targets()[n]]);
  }
  return total / static_cast<double>(name.n);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  Parameters p = initialize(config, TrainConfig{}, lesson.random);
  const Model model = scalar_model(config, p);
  train_as_lesson_09(lesson, model, p);
  show_nodes(lesson, model);
  show_product(lesson, linear_forward);

  const Draft draft{model, p, draft_forward, name_loss};
  const Batch three = batch_of(lesson, 0, 3);
  show_names(lesson, draft, three, {{0, three.num_positions()}}, "three names, one pile of 22 rows");
  show_names(lesson, draft, three, names_of(three), "the same rows, with borders between the names");
  show_row_13(lesson, draft, three);
  check_16_names(lesson, draft);
  if (Lesson::timed()) show_times(lesson, draft);
  return lesson.finish();
}
