// What lesson 10 prints, draws, checks and measures around its idea.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "draw/plot.h"
#include "lesson/array.h"
#include "lesson/lesson.h"
#include "lesson/likeliest.h"
#include "lesson/model_picture.h"
#include "lesson/softmax.h"
#include "picture.h"
#include "tensor/gpt.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

namespace microgpt {

/// The rows of a name: its first, and how many.
struct Name {
  std::size_t first, n;
};

inline std::vector<Name> names_of(const Batch& batch) {
  std::vector<Name> names;
  for (std::size_t i = 0; i < batch.num_documents(); i++) {
    const auto [first, n] = batch.document(i);
    names.push_back({first, n});
  }
  return names;
}

struct Forward {
  Array k, v, logits;
};

/// A trained model, and the functions of main.cpp.
struct Draft {
  const Model& model;
  const Parameters& p;
  Forward (*forward)(const Config& config, const Parameters& p, const Batch& batch, std::span<const Name> names);
  double (*name_loss)(const Array& logits, const Batch& batch, const Name& name);

  Array logits(const Batch& batch, std::span<const Name> names) const {
    return forward(config_of(model), p, batch, names).logits;
  }
};

/// n names of the lesson, from number `first` on.
inline Batch batch_of(const Lesson& lesson, std::size_t first, std::size_t n) {
  Batch batch(Config{}.block_size);
  for (std::size_t i = first; i < first + n; i++) batch.add(lesson.tokens_of_step(i + 1));
  return batch;
}

/// What the model believes of each next token after row n.
inline std::vector<double> probabilities(const Array& logits, std::size_t n) {
  return softmax(std::vector(logits[n], logits[n] + logits.cols));
}

/// A thousand steps.
inline void train_as_lesson_09(const Lesson& lesson, const Model& model, Parameters& p) {
  const TrainConfig how;
  train([&](auto tokens) { return document_loss(model, tokens); }, model.params, adam_optimizer(how, p.size()),
        lesson.documents, lesson.tokenizer, how);
  copy_data(model.params, p);
}

inline std::string name_of(const Lesson& lesson, std::size_t step) { return encode_utf8(lesson.documents[step - 1]); }

/// What lesson 09 puts on the tape for 16 names: a node for every number.
inline void show_nodes(const Lesson& lesson, const Model& model) {
  std::size_t all = 0;
  const std::size_t parameters = nodes_on_tape();
  for (std::size_t step = 1; step <= 16; step++) {
    const Scope scope;
    document_loss(model, lesson.tokens_of_step(step));
    all += nodes_on_tape() - parameters;
    if (step == 1) fmt::print("\nlesson 09: {} nodes for the loss of {}", all, name_of(lesson, step));
  }
  fmt::print(", {} for 16 names; a node has {} bytes\n", all, sizeof(Node));
}

/// A linear layer small enough for paper: two rows of three numbers in, two rows of two numbers out.
inline void show_product(const Lesson& lesson, Array (*linear_forward)(const Array& x, const Parameter& w)) {
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

/// For each name of a batch: which letters it begins with, as the model believes, and its loss. `together` says which
/// rows attention takes for one name.
inline void show_names(const Lesson& lesson, const Draft& draft, const Batch& batch, const std::vector<Name>& together,
                       const char* heading) {
  lesson.picture("10_rows.svg", rows_picture(batch, lesson.tokenizer));
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
  const Array logits = draft.logits(batch, together);
  fmt::print("\n--- {} ---\n", heading);
  fmt::print("name      | first row | likeliest first letters   | loss   | in lesson 09\n");
  const std::vector<Name> names = names_of(batch);
  for (std::size_t i = 0; i < names.size(); i++) {
    const Scope scope;
    fmt::print("{:9} | {:9} | {} | {:.4f} | {:12.4f}\n", name_of(lesson, i + 1), names[i].first,
               likeliest(probabilities(logits, names[i].first), lesson.tokenizer, 3),
               draft.name_loss(logits, batch, names[i]),
               document_loss(draft.model, lesson.tokens_of_step(i + 1)).data());
  }
}

/// Row 13 of some matrices, and what gpt() of lesson 09 has at the same letter: number 3 of the second name.
inline void show_row_13(const Lesson& lesson, const Draft& draft, const Batch& three) {
  const Forward f = draft.forward(config_of(draft.model), draft.p, three, names_of(three));
  const std::vector<Token> name = lesson.tokens_of_step(2);
  const std::size_t n = 13, t = 3;
  const Scope scope;
  Cache keys(1), values(1);
  Values logits;
  for (std::size_t pos_id = 0; pos_id <= t; pos_id++) logits = gpt(draft.model, name[pos_id], pos_id, keys, values);
  fmt::print("\n--- row {}, the first four numbers: in the matrices, and in gpt() of lesson 09 ---\n", n);
  auto print = [&](const char* label, const Array& x, Values scalar) {
    fmt::print("{:6} ({},{}) | {:6.3f} {:6.3f} {:6.3f} {:6.3f} |{}\n", label, x.rows, x.cols, x[n][0], x[n][1], x[n][2],
               x[n][3], numbers(scalar.slice(0, 4)));
  };
  print("k", f.k, keys[0][t]);
  print("v", f.v, values[0][t]);
  print("logits", f.logits, logits);
}

/// 16 names at once: the same losses as one name at a time, and the logits of src/tensor.
inline void check_16_names(Lesson& lesson, const Draft& draft) {
  const Batch batch = batch_of(lesson, 0, 16);
  const std::vector<Name> names = names_of(batch);
  const Array logits = draft.logits(batch, names);
  double mean = 0, scalar_mean = 0, farthest = 0;
  for (std::size_t i = 0; i < 16; i++) {
    const Scope scope;
    const double loss = draft.name_loss(logits, batch, names[i]);
    const double scalar = document_loss(draft.model, lesson.tokens_of_step(i + 1)).data();
    mean += loss / 16;
    scalar_mean += scalar / 16;
    farthest = std::max(farthest, std::abs(loss - scalar));
  }
  fmt::print("\n--- 16 names ---\n");
  fmt::print("one by one: {} products of a matrix and a list, mean loss {:.4f}\n", 7 * logits.rows, scalar_mean);
  fmt::print("together: 7 products of two matrices, {} rows, mean loss {:.4f}\n", logits.rows, mean);
  const TensorModel<double> src(config_of(draft.model), draft.p);
  Activations<double> a;
  a.resize(src, logits.rows);
  gpt_forward(src, naive<double>(), batch, {0, 16}, a);
  // Sums of at most 64 products, none larger than 100, through seven layers: roundings stay far below 1e-12 * 100.
  lesson.check("each of 16 losses is that of document_loss(), to 1e-10", farthest < 1e-10);
  lesson.check("the logits are those of src/tensor, to 1e-10",
               largest_difference(logits.data, Array(a.logits).data) < 1e-10);
}

/// With TIMES=1: the forward pass of 16 names, from nodes to fast kernels.
inline void show_times(const Lesson& lesson, const Draft& draft) {
  const Batch all = batch_of(lesson, 0, 16);
  std::vector<Batch> each;
  for (std::size_t i = 0; i < 16; i++) each.push_back(batch_of(lesson, i, 1));
  const TensorModel<double> src(config_of(draft.model), draft.p);
  Activations<double> a;
  a.resize(src, all.num_positions());
  double first = 0;
  fmt::print("\nlosses of 16 names                         | microseconds | times as fast\n");
  auto time = [&](const char* what, const std::function<void()>& work) {
    const double us = Lesson::microseconds(work);
    first = first == 0 ? us : first;
    fmt::print("{:42} | {:12.1f} | {:13.1f}\n", what, us, first / us);
  };
  time("a letter at a time, a node for each number", [&] {
    for (std::size_t i = 0; i < 16; i++) {
      const Scope scope;
      document_loss(draft.model, lesson.tokens_of_step(i + 1));
    }
  });
  auto losses = [&](const Batch& batch) {
    const std::vector<Name> names = names_of(batch);
    const Array logits = draft.logits(batch, names);
    for (const Name& name : names) draft.name_loss(logits, batch, name);
  };
  time("a name at a time, its letters as rows", [&] {
    for (const Batch& name : each) losses(name);
  });
  time("all 16 names at once, 115 rows", [&] { losses(all); });
  time("the same with the fast kernels", [&] { gpt_forward(src, fast<double>(), all, {0, 16}, a); });

  const View<const double> x = a.layers[0].x_norm2.view();
  const View<double> y = a.layers[0].hidden.view();
  first = 0;
  fmt::print("\nmlp_fc1 alone, {} rows, fast kernels       | microseconds | times as fast\n", x.rows);
  time("row by row", [&] {
    for (std::size_t n = 0; n < x.rows; n++) {
      fast<double>().linear_forward(y.slice_rows(n, 1), x.slice_rows(n, 1), src.layers[0].mlp_fc1, {});
    }
  });
  time("all rows at once", [&] { fast<double>().linear_forward(y, x, src.layers[0].mlp_fc1, {}); });
  fmt::print("\n");
}

}  // namespace microgpt
