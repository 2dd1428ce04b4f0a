// Lesson 10: tensors. Every letter of every name goes through the same matrices, and until now they went one by one,
// with a node for every number. Here all letters of a batch of names go together, as the rows of one matrix. This is
// the forward pass; the way back is lesson 11.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/utf8.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/likeliest.h"
#include "lesson/look.h"
#include "picture.h"
#include "tensor/gpt.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

// --- The layers of gpt(), for N rows at once -------------------------------------------------------------------------

/// x (N,C): row n is what its token is, plus where in its name it stands.
Array embedding_forward(const Batch& batch, const Parameter& wte, const Parameter& wpe) {
  Array x(batch.num_positions(), wte.cols);
  for (std::size_t n = 0; n < x.rows; n++) {
    const std::span<double> token = wte.row(batch.tokens()[n]), position = wpe.row(batch.positions()[n]);
    for (std::size_t c = 0; c < x.cols; c++) x[n][c] = token[c] + position[c];
  }
  return x;
}

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

/// Row t mixes the values of the rows that it sees, as in lesson 08.
void attend(Array& x_attn, const Array& q, const Array& k, const Array& v, const Look& at) {
  const std::vector<double> weights = weights_of(q, k, at);
  for (std::size_t s = at.first; s <= at.t; s++) {
    const double weight = weights[s - at.first];  // stop: mix
    for (std::size_t j = at.hs; j < at.hs + at.D; j++) x_attn[at.t][j] += weight * v[s][j];
  }
}

/// x_attn (N,C): each name by itself, which is some of the rows; each head by itself, which is some of the columns.
Array attention_forward(const Array& q, const Array& k, const Array& v, std::span<const Share> names, std::size_t H) {
  const std::size_t D = q.cols / H;
  Array x_attn(q.rows, q.cols);
  for (const auto& [first, n] : names) {
    for (std::size_t t = first; t < first + n; t++) {
      for (std::size_t h = 0; h < H; h++) attend(x_attn, q, k, v, {first, t, h * D, D});
    }
  }
  return x_attn;
}

std::vector<Share> names_of(const Batch& batch) {
  std::vector<Share> names;
  for (std::size_t i = 0; i < batch.num_documents(); i++) names.push_back(batch.document(i));
  return names;
}

struct Forward {
  Array k, v, logits;
};

/// gpt() of src/microgpt.cpp, line for line, for all rows of a batch. Attention looks back no further than the start of
/// a row's name: `names` says which rows belong together.
Forward draft_forward(const Config& config, const Parameters& p, const Batch& batch, std::span<const Share> names) {
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

/// What the model believes of each next token after row n.
std::vector<double> probabilities(const Array& logits, std::size_t n) {
  return softmax(std::vector(logits[n], logits[n] + logits.cols));
}

/// The loss of one name: the mean of -log of the probabilities of what came. A name is some rows.
double name_loss(const Array& logits, const Batch& batch, const Share& name) {
  double total = 0;
  for (std::size_t n = name.first; n < name.first + name.n; n++) {
    total += -std::log(probabilities(logits, n)[batch.targets()[n]]);
  }
  return total / static_cast<double>(name.n);
}

// --- The lesson ------------------------------------------------------------------------------------------------------

std::string name_of(const Lesson& lesson, std::size_t step) { return encode_utf8(lesson.documents[step - 1]); }

/// What lesson 09 puts on the tape for 16 names: a node for every number.
void print_nodes(const Lesson& lesson, const Model& model) {
  std::size_t all = 0;
  for (std::size_t step = 1; step <= 16; step++) {
    const Scope scope;
    document_loss(model, lesson.tokens_of_step(step));
    all += nodes_on_tape();
    if (step == 1) fmt::print("\nlesson 09: {} nodes for the loss of {}", all, name_of(lesson, step));
  }
  fmt::print(", {} for 16 names; a node has {} bytes\n", all, sizeof(Node));
}

/// A linear layer small enough for paper: two rows of three numbers in, two rows of two numbers out.
void print_product(const Lesson& lesson) {
  Parameters parameters({{"w", 2, 3}});
  const Parameter& w = parameters["w"];
  Array x(2, 3), w_t(3, 2);
  x.data = {1, 2, 3, 4, 5, 6};
  w_t.data = {1, 0, 0, 2, 1, -1};
  for (std::size_t k = 0; k < w_t.data.size(); k++) w.row(k % 2)[k / 2] = w_t.data[k];
  const Array y = linear_forward(x, w);
  fmt::print("\n--- on paper: y = x w^T ---\n");
  for (std::size_t n = 0; n < 2; n++) {
    fmt::print("row {} of x: {} {} {}   row {} of w: {:2} {:2} {:2}   row {} of y: {:2} {:2}\n", n, x[n][0], x[n][1],
               x[n][2], n, w.row(n)[0], w.row(n)[1], w.row(n)[2], n, y[n][0], y[n][1]);
  }
  lesson.picture("10_product.svg", product_picture(x, w_t, y));
}

/// Row n of some matrices, and what gpt() of lesson 09 has at the same letter, which is number t of its name.
void print_row(const Forward& f, std::size_t n, const Model& model, std::span<const Token> name, std::size_t t) {
  const Scope scope;
  Cache keys(1), values(1);
  Values logits;
  for (std::size_t pos_id = 0; pos_id <= t; pos_id++) logits = gpt(model, name[pos_id], pos_id, keys, values);
  fmt::print("\n--- row {}, the first four numbers: in the matrices, and in gpt() of lesson 09 ---\n", n);
  auto print = [&](const char* label, const Array& x, Values scalar) {
    fmt::print("{:6} ({},{}) | {:6.3f} {:6.3f} {:6.3f} {:6.3f} |{}\n", label, x.rows, x.cols, x[n][0], x[n][1], x[n][2],
               x[n][3], numbers(scalar.slice(0, 4)));
  };
  print("k", f.k, keys[0][t]);
  print("v", f.v, values[0][t]);
  print("logits", f.logits, logits);
}

/// For each name of a batch: which letters it begins with, as the model believes, and its loss. `together` says which
/// rows attention takes for one name.
void print_names(const Lesson& lesson, const Model& model, const Parameters& p, const Batch& batch,
                 std::span<const Share> together) {
  const Array logits = draft_forward(config_of(model), p, batch, together).logits;
  fmt::print("name      | first row | likeliest first letters   | loss   | in lesson 09\n");
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const Scope scope;
    const Share name = batch.document(i);
    fmt::print("{:9} | {:9} | {} | {:.4f} | {:12.4f}\n", name_of(lesson, i + 1), name.first,
               likeliest(probabilities(logits, name.first), lesson.tokenizer, 3), name_loss(logits, batch, name),
               document_loss(model, lesson.tokens_of_step(i + 1)).data());
  }
}

/// 16 names at once: the same losses as one name at a time.
void compare(Lesson& lesson, const Model& model, const Parameters& p, const Batch& batch) {
  auto one_by_one = [&](std::size_t i) {
    const Scope scope;
    return document_loss(model, lesson.tokens_of_step(i + 1)).data();
  };
  auto together = [&] { return draft_forward(config_of(model), p, batch, names_of(batch)).logits; };
  const Array logits = together();
  double mean = 0, scalar_mean = 0, farthest = 0;
  for (std::size_t i = 0; i < 16; i++) {
    const double loss = name_loss(logits, batch, batch.document(i));
    mean += loss / 16;
    scalar_mean += one_by_one(i) / 16;
    farthest = std::max(farthest, std::abs(loss - one_by_one(i)));
  }
  fmt::print("\n--- 16 names ---\n");
  fmt::print("one by one: {} products of a matrix and a list, mean loss {:.4f}\n", 7 * logits.rows, scalar_mean);
  fmt::print("together: 7 products of two matrices, {} rows, mean loss {:.4f}\n", logits.rows, mean);

  const TensorModel<double> src(config_of(model), p);
  Activations<double> a;
  a.resize(src, logits.rows);
  auto forward = [&](const Kernels<double>& kernels) { gpt_forward(src, kernels, batch, {0, 16}, a); };
  forward(naive<double>());
  if (Lesson::timed()) {
    fmt::print("{:.0f} microseconds one by one, ", Lesson::microseconds([&] {
                 for (std::size_t i = 0; i < 16; i++) one_by_one(i);
               }));
    fmt::print("{:.0f} together, {:.0f} with the fast kernels\n", Lesson::microseconds(together),
               Lesson::microseconds([&] { forward(fast<double>()); }));
  }
  // Sums of at most 64 products, none larger than 100, through seven layers: roundings stay far below 1e-12 * 100.
  lesson.check("each of 16 losses is that of document_loss(), to 1e-10", farthest < 1e-10);
  lesson.check("the logits are those of src/tensor, to 1e-10",
               largest_difference(logits.data, Array(a.logits).data) < 1e-10);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const TrainConfig how;
  Parameters p = initialize(config, how, lesson.random);
  const Model model = scalar_model(config, p);
  const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
  AdamOptimizer adam(how, p.size());
  train(loss, p, adam, lesson.documents, lesson.tokenizer, how);  // the model that lesson 09 ended with
  print_nodes(lesson, model);
  print_product(lesson);

  Batch three(config.block_size), sixteen(config.block_size);
  for (std::size_t step = 1; step <= 3; step++) three.add(lesson.tokens_of_step(step));
  for (std::size_t step = 1; step <= 16; step++) sixteen.add(lesson.tokens_of_step(step));
  lesson.picture("10_rows.svg", rows_picture(three, lesson.tokenizer));
  fmt::print("\n--- three names, one pile of {} rows ---\n", three.num_positions());
  const std::vector<Share> pile{{0, three.num_positions()}};
  print_names(lesson, model, p, three, pile);
  fmt::print("\n--- the same rows, with borders between the names ---\n");
  print_names(lesson, model, p, three, names_of(three));
  print_row(draft_forward(config, p, three, names_of(three)), 13, model, lesson.tokens_of_step(2), 3);
  compare(lesson, model, p, sixteen);
  return lesson.finish();
}
