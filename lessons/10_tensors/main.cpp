// Lesson 10: tensors. Every letter of every name goes through the same matrices, and until now they went one by one,
// with a node for every number. Here all letters of a batch of names go together, as the rows of one matrix. This is
// the forward pass; the way back is lesson 11.
#include "base/schedule.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "lesson/lesson.h"
#include "pictures.h"
#include "tensor/gpt.h"
#include "train/gradient.h"

using namespace microgpt;

using Name = Share;  // the rows of a name: its first, and how many

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

/// gpt() of src/microgpt.cpp, line for line, for all rows of a batch. `names` says which rows belong together. Returns
/// the logits.
Array draft_forward(const Config& config, const Parameters& p, const Batch& batch, std::span<const Name> names) {
  const Array x = rmsnorm_forward(embedding_forward(batch, p["wte"], p["wpe"]));

  const Array x_norm1 = rmsnorm_forward(x);
  const Array q = linear_forward(x_norm1, p["layer0.attn_wq"]);
  const Array k = linear_forward(x_norm1, p["layer0.attn_wk"]);
  const Array v = linear_forward(x_norm1, p["layer0.attn_wv"]);
  const Array x_attn = attention_forward(q, k, v, names, config.n_head);
  const Array x_mid = add(linear_forward(x_attn, p["layer0.attn_wo"]), x);

  const Array hidden = relu_forward(linear_forward(rmsnorm_forward(x_mid), p["layer0.mlp_fc1"]));
  const Array x_out = add(linear_forward(hidden, p["layer0.mlp_fc2"]), x_mid);
  return linear_forward(x_out, p["lm_head"]);
}

/// What the model believes of each next token after row n.
std::vector<double> probabilities(const Array& logits, std::size_t n) {
  return softmax(std::vector(logits[n], logits[n] + logits.cols));
}

/// The loss of one name: the mean of -log of the probabilities of what came. A name is some rows.
double name_loss(const Array& logits, const Batch& batch, const Name& name) {
  double total = 0;
  for (std::size_t n = name.first; n < name.first + name.n; n++) {
    total += -std::log(probabilities(logits, n)[batch.targets()[n]]);
  }
  return total / static_cast<double>(name.n);
}

/// n names of the lesson, from number `first` on.
Batch batch_of(const Lesson& lesson, std::size_t first, std::size_t n) {
  Batch batch(Config{}.block_size);
  for (std::size_t i = first; i < first + n; i++) batch.add(lesson.tokens_of_step(i + 1));
  return batch;
}

std::vector<Name> names_of(const Batch& batch) {
  std::vector<Name> names;
  for (std::size_t i = 0; i < batch.num_documents(); i++) names.push_back(batch.document(i));
  return names;
}

/// For each name of a batch: which letters it begins with, as the model believes, and its loss.
void print_names(const Lesson& lesson, const Model& model, const Batch& batch, const Array& logits) {
  fmt::print("name      | first row | likeliest first letters   | loss   | in lesson 09\n");
  const std::vector<Name> names = names_of(batch);
  for (std::size_t i = 0; i < names.size(); i++) {
    const Scope scope;
    fmt::print("{} | {:9} | {} | {:.4f} | {:12.4f}\n", pad_right(encode_utf8(lesson.documents[i]), 9), names[i].first,
               likeliest(probabilities(logits, names[i].first), lesson.tokenizer, 3),
               name_loss(logits, batch, names[i]), document_loss(model, lesson.tokens_of_step(i + 1)).data());
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const TrainConfig how;
  Parameters p = initialize(config, how, lesson.random);

  // The model of lesson 09, trained for a thousand steps.
  const Model model = scalar_model(config, p);
  Adam adam = make_adam(how, p.size());
  for (std::size_t step = 0; step < how.num_steps; step++) {
    const Scope scope;
    document_loss(model, lesson.tokens_of_step(step + 1)).backward();
    adam.update(model.params, learning_rate(how, step), step);
  }
  copy_data(model.params, p);

  // What it puts on the tape for 16 names: a node for every number.
  std::size_t nodes = 0;
  for (std::size_t step = 1; step <= 16; step++) {
    const Scope scope;
    const std::size_t before = nodes_on_tape();
    document_loss(model, lesson.tokens_of_step(step));
    nodes += nodes_on_tape() - before;
    if (step == 1) fmt::print("\nlesson 09: {} nodes for the loss of {}", nodes, encode_utf8(lesson.documents[0]));
  }
  fmt::print(", {} for 16 names; a node has {} bytes\n", nodes, sizeof(Node));

  // A linear layer small enough for paper: two rows of three numbers in, two rows of two numbers out.
  Parameters on_paper({{"w", 2, 3}});
  const Parameter& w = on_paper["w"];
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

  // Three names. First attention takes them for one, then it knows their borders.
  const Batch three = batch_of(lesson, 0, 3);
  lesson.picture("10_rows.svg", rows_picture(three, lesson.tokenizer));
  lesson.picture("10_model.svg", model_picture("All letters at once: every list becomes a matrix with n rows",
                                               {{"letter", "n", "letters"},
                                                {"wte + wpe", "n x 16"},
                                                {"norm", "n x 16"},
                                                {"W_O", "n x 16"},
                                                {"fc1", "n x 64"},
                                                {"relu", "n x 64"},
                                                {"fc2", "n x 16"},
                                                {"lm_head", "n x 27"},
                                                {"softmax", "n x 27"}},
                                               "new: n rows, one for each letter; only attention looks at other rows"));
  const std::vector<Name> pile{{0, three.num_positions()}};
  fmt::print("\n--- three names, one pile of 22 rows ---\n");
  print_names(lesson, model, three, draft_forward(config, p, three, pile));
  const Array borders = draft_forward(config, p, three, names_of(three));
  fmt::print("\n--- the same rows, with borders between the names ---\n");
  print_names(lesson, model, three, borders);

  // Row 13 of the logits, and what gpt() of lesson 09 has at the same letter: number 3 of the second name.
  {
    const Scope scope;
    Cache keys(1), values(1);
    Values scalar;
    for (std::size_t pos_id = 0; pos_id <= 3; pos_id++) {
      scalar = gpt(model, lesson.tokens_of_step(2)[pos_id], pos_id, keys, values);
    }
    fmt::print("\n--- row 13, the first four numbers: in the matrix, and in gpt() of lesson 09 ---\n");
    fmt::print("logits ({},{}) |{} |{}\n", borders.rows, borders.cols, numbers({borders[13], 4}),
               numbers(scalar.slice(0, 4).data()));
  }

  // 16 names at once, and one by one.
  const Batch batch = batch_of(lesson, 0, 16);
  const std::vector<Name> names = names_of(batch);
  const Array logits = draft_forward(config, p, batch, names);
  double mean = 0, scalar_mean = 0, farthest = 0;
  for (std::size_t i = 0; i < 16; i++) {
    const Scope scope;
    const double loss = name_loss(logits, batch, names[i]);
    const double scalar = document_loss(model, lesson.tokens_of_step(i + 1)).data();
    mean += loss / 16;
    scalar_mean += scalar / 16;
    farthest = std::max(farthest, std::abs(loss - scalar));
  }
  fmt::print("\n--- 16 names ---\n");
  fmt::print("one by one: {} products of a matrix and a list, mean loss {:.4f}\n", 7 * logits.rows, scalar_mean);
  fmt::print("together: 7 products of two matrices, {} rows, mean loss {:.4f}\n", logits.rows, mean);

  const TensorModel<double> src(config, p);
  Activations<double> a;
  a.resize(src, logits.rows);
  gpt_forward(src, naive<double>(), batch, {0, 16}, a);
  // Sums of at most 64 products, none larger than 100, through seven layers: roundings stay far below 1e-12 * 100.
  lesson.check("each of 16 losses is that of document_loss(), to 1e-10", farthest < 1e-10);
  lesson.check("the logits are those of src/tensor, to 1e-10",
               largest_difference(logits.data, Array(a.logits).data) < 1e-10);
  if (!Lesson::timed()) return lesson.finish();

  // With TIMES=1: the forward pass of 16 names, from nodes to fast kernels.
  std::vector<Batch> each;
  for (std::size_t i = 0; i < 16; i++) each.push_back(batch_of(lesson, i, 1));
  double first = 0;
  auto time = [&](const char* what, const std::function<void()>& work) {
    const double us = Lesson::microseconds(work);
    first = first == 0 ? us : first;
    fmt::print("{:42} | {:12.1f} | {:13.1f}\n", what, us, first / us);
  };
  auto losses = [&](const Batch& some) {
    const Array found = draft_forward(config, p, some, names_of(some));
    for (const Name& name : names_of(some)) name_loss(found, some, name);
  };
  fmt::print("\nlosses of 16 names                         | microseconds | times as fast\n");
  time("a letter at a time, a node for each number", [&] {
    for (std::size_t i = 0; i < 16; i++) {
      const Scope scope;
      document_loss(model, lesson.tokens_of_step(i + 1));
    }
  });
  time("a name at a time, its letters as rows", [&] {
    for (const Batch& name : each) losses(name);
  });
  time("all 16 names at once, 115 rows", [&] { losses(batch); });
  time("the same with the fast kernels", [&] { gpt_forward(src, fast<double>(), batch, {0, 16}, a); });

  const View<const double> rows = a.layers[0].x_norm2.view();
  const View<double> hidden = a.layers[0].hidden.view();
  first = 0;
  fmt::print("\nmlp_fc1 alone, {} rows, fast kernels       | microseconds | times as fast\n", rows.rows);
  time("row by row", [&] {
    for (std::size_t n = 0; n < rows.rows; n++) {
      fast<double>().linear_forward(hidden.slice_rows(n, 1), rows.slice_rows(n, 1), src.layers[0].mlp_fc1, {});
    }
  });
  time("all rows at once", [&] { fast<double>().linear_forward(hidden, rows, src.layers[0].mlp_fc1, {}); });
  fmt::print("\n");
  return lesson.finish();
}
