// Around the idea: what is printed, drawn and checked.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/utf8.h"
#include "copying.h"
#include "lesson/comparison.h"
#include "lesson/lesson.h"
#include "lesson/work.h"
#include "picture.h"
#include "train/scalar_trainer.h"

namespace microgpt {

using Shapes = std::vector<Parameters::Shape>;  // name, rows, columns
using AttentionShapes = Shapes (*)(std::size_t C, std::size_t H);
using WorkOf = Work (*)(std::size_t C, std::size_t H, std::size_t T);
using Learn = Copier (*)(const Words& words, std::size_t n_head, double times, std::size_t num_steps,
                         std::uint64_t seed);

/// How many numbers the matrices hold whose names contain `part`.
inline std::size_t numbers_in(const Shapes& shapes, const std::string& part = "") {
  std::size_t n = 0;
  for (const auto& [name, rows, cols] : shapes) n += name.find(part) == std::string::npos ? 0 : rows * cols;
  return n;
}

/// A layer of 2017: attention, or two, and a feed-forward part; after each a norm with a gain and a bias.
inline Shapes layer_of_2017(std::size_t C, int attentions, AttentionShapes attention) {
  Shapes all{{"mlp_fc1", 4 * C, C}, {"mlp_fc1", 4 * C, 1}, {"mlp_fc2", C, 4 * C}, {"mlp_fc2", C, 1}, {"norm", 2, C}};
  for (int i = 0; i < attentions; i++) {
    for (const Parameters::Shape& shape : attention(C, 8)) all.push_back(shape);
    all.push_back({"attn_biases", 4, C});
    all.push_back({"norm", 2, C});
  }
  return all;
}

/// The base model of 2017: 6 layers read English, 6 write German, and these also look back at the English.
inline Shapes transformer_of_2017(std::size_t C, std::size_t V, AttentionShapes attention) {
  Shapes all{{"embedding", V, C}};  // one table for both languages, and for the logits
  for (int layer = 0; layer < 6; layer++) {
    for (const Parameters::Shape& shape : layer_of_2017(C, 1, attention)) all.push_back(shape);
    for (const Parameters::Shape& shape : layer_of_2017(C, 2, attention)) all.push_back(shape);
  }
  return all;
}

/// A layer of LLaMA 2, whose MLP has three matrices.
inline Shapes layer_of(const PublishedModel& model) {
  Shapes all = attention_matrices(model.attention);
  for (int i = 0; i < 3; i++) all.push_back({"mlp", model.mlp_dim, model.attention.n_embd});
  for (int i = 0; i < 2; i++) all.push_back({"norm", 1, model.attention.n_embd});
  return all;
}

inline void show_costs(AttentionShapes attention, WorkOf work_of) {
  fmt::print("\n--- attention in a layer of 512 numbers; products and exponentials for 256 positions ---\n");
  fmt::print("heads | of width | parameters | products: projections | attention | exponentials\n");
  for (const std::size_t H : {1, 8, 64, 512}) {
    const Work work = work_of(512, H, 256);
    fmt::print("{:5} | {:8} | {:10} | {:21} | {:9} | {:12}\n", H, 512 / H, numbers_in(attention(512, H)), work.linear,
               work.dot, work.exp);
  }
}

/// A model's parameters, and their shares in percent for the picture.
inline void print_shares(const std::string& model, const Shapes& shapes, std::vector<Bars>& shares) {
  const std::size_t n = numbers_in(shapes), heads = numbers_in(shapes, "attn"), mlp = numbers_in(shapes, "mlp");
  fmt::print("{:19} | {:10}", model, n);
  for (std::size_t i = 0; i < 3; i++) {
    const std::size_t part = i == 0 ? heads : i == 1 ? mlp : n - heads - mlp;
    shares[i].heights.push_back(100 * static_cast<double>(part) / static_cast<double>(n));
    fmt::print(" | {:9} {:4.1f} %", part, shares[i].heights.back());
  }
  fmt::print("\n");
}

inline void show_shares(const Lesson& lesson, AttentionShapes attention) {
  fmt::print("\n--- who owns the parameters ---\n");
  fmt::print("model               | parameters | attention        | feed-forward     | rest\n");
  std::vector<Bars> shares{{"attention", {}}, {"feed-forward", {}}, {"rest", {}}};
  print_shares("2017: a layer", layer_of_2017(512, 1, attention), shares);
  print_shares("2017: base model", transformer_of_2017(512, 37000, attention), shares);
  print_shares("llama2-70b: a layer", layer_of(published_model("llama2-70b")), shares);
  print_shares("our model", gpt_shapes({.vocab_size = lesson.tokenizer.vocab_size()}), shares);
  lesson.picture("20_shares.svg",
                 bar_chart("A third of a plain layer is attention; elsewhere it is less", "share of the parameters, %",
                           {"2017: a layer", "2017: base model", "llama2-70b: a layer", "our model"}, shares));
}

/// A step of learning on paper: what all heads find, and each head's slope for the right letter.
inline void show_step(const char* heads, int step, const Value& found, const std::vector<Values>& scores) {
  fmt::print("{:22} | {:4} | {:.5f} |", heads, step, found.data());
  for (const Values& of_head : scores) fmt::print(" {:7.4f}", of_head[0].grad());
  fmt::print("\n");
}

using Study = std::vector<std::vector<Copier>>;  // for each number of heads, a model for each of the seeds 1, 2, 3, ...

/// Prints how many percent of the answers' letters each model has right; then the mean loss and its standard error.
inline Study study(Learn learn, const Words& words, double times, std::size_t num_steps, std::size_t seeds,
                   const std::vector<std::size_t>& heads) {
  Study all;
  for (const std::size_t H : heads) {
    fmt::print("{:11} | {:5} | {:5} |", times, num_steps, H);
    std::vector<double> losses;
    for (std::vector<Copier>& copiers = all.emplace_back(); copiers.size() < seeds;) {
      copiers.push_back(learn(words, H, times, num_steps, copiers.size() + 1));
      losses.push_back(copiers.back().loss);
      fmt::print(" {:3.0f}", 100 * copiers.back().right);
      std::fflush(stdout);
    }
    fmt::print(" | {:.3f} {:.3f}\n", estimate(losses).mean, estimate(losses).standard_error);
  }
  return all;
}

inline void show_looks(const Lesson& lesson, const Words& words, const Study& study) {
  fmt::print("\n--- seed 1: where a head looks when letter 1, 2, ... is to be written ---\n");
  const auto one = looks(study[0][0], words, "one head"), four = looks(study[2][0], words, "four: head ");
  fmt::print("{}{}", shades(one), shades(four));
  lesson.picture("20_looks.svg",
                 heat_maps("One head has missed letter 2 for good; of four heads, head 3 found it", {one, four},
                           "Row: the letter that is to be written; column: where a head looks (\".\" is BOS). Darkest: "
                           "all of its weight."));
}

inline void show_copying(const Lesson& lesson, Learn learn) {
  const Words words;
  fmt::print("\n--- copying words like {}; the lowest possible loss is {:.3f} ---\n", encode_utf8(words.training[0]),
             6 * std::log(8) / 14);
  const char* const heading = "W_Q and W_K | steps | heads | right answers of each seed, % | loss, standard error";
  fmt::print("{}\n", heading);
  study(learn, words, 1, 300, 3, {1, 4, 16});
  const Study sure = study(learn, words, 5, 300, 5, {1, 2, 4, 8, 16});
  lesson.picture("20_curves.svg", curves_picture(sure));
  if (std::getenv("LONG") != nullptr) {
    fmt::print("\n--- 20 seeds; then 5 seeds and more time ---\n{}\n", heading);
    for (const double times : {1, 5}) study(learn, words, times, 300, 20, {1, 2, 4, 8, 16});
    study(learn, words, 5, 500, 5, {1, 4, 16});
  }
  show_looks(lesson, words, sure);
}

inline void show_names(const Lesson& lesson) {
  fmt::print("\n--- names ---\n");
  compare(lesson.documents, lesson.tokenizer,
          {{"4 heads", {}}, {"1 head", {.n_head = 1}}, {"16 heads", {.n_head = 16}}},
          {.num_steps = 300, .batch_size = 16})
      .print();
}

/// The counts are those of src.
inline void check_counts(Lesson& lesson, AttentionShapes attention, WorkOf work_of) {
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};
  const std::size_t heads_of_gpt2 = attention_parameters(published_model("gpt2"));
  lesson.check("12 layers of gpt2's attention", 12 * (numbers_in(attention(768, 12)) + 4 * 768) == heads_of_gpt2);
  const Scope scope;
  const Parameters parameters(gpt_shapes(config));
  const std::vector<Token> name = lesson.tokens_of_step(1);
  document_loss(scalar_model(config, parameters), name);
  const Work counted = work_of(config.n_embd, config.n_head, name.size() - 1), on_tape = work_on_tape();
  const std::size_t T = name.size() - 1, of_norms = 3 * T * config.n_embd, of_loss = T * config.vocab_size;
  lesson.check("products of attention in src/microgpt.cpp", on_tape.dot == counted.dot + of_norms);
  lesson.check("exponentials in src/microgpt.cpp", on_tape.exp == counted.exp + of_loss);
}

}  // namespace microgpt
