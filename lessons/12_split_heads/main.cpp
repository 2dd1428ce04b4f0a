// Lesson 12: splitting heads. How a tensor (B,N,C) becomes (B,H,N,D) and back, what goes wrong on the way without any
// error, and how a mask of two dimensions meets scores of four. The draft is compared with PyTorch's own attention.
#include <fmt/core.h>

#include <cmath>

#include "array.h"
#include "base/error.h"
#include "compare.h"
#include "heads.h"
#include "lesson/lesson.h"

using namespace microgpt;
using namespace lesson10;

/// The i-th run along the last dimension, as text.
std::string text(const Array<double>& x, std::size_t i) {
  const std::size_t n = x.shape.back();
  std::string numbers;
  for (std::size_t j = 0; j < n; j++) numbers += fmt::format(" {:02}", x.numbers[i * n + j]);
  return numbers;
}

void show_split(Lesson& lesson) {
  const Array<double> x{{1, 3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}};
  const Array<double> split = split_heads(x, 2), cut = reshape(x, {1, 2, 3, 2});
  fmt::print("position             |    0  |    1  |    2\n");
  for (std::size_t h = 0; h < 2; h++) {
    for (const auto& [how, heads] : {std::pair("split_heads ", &split), {"reshape only", &cut}}) {
      fmt::print("head {}, {} |{} |{} |{}\n", h, how, text(*heads, 3 * h), text(*heads, 3 * h + 1),
                 text(*heads, 3 * h + 2));
    }
  }
  lesson.check("merge_heads undoes split_heads", merge_heads(split).numbers == x.numbers);  // stop: split
  lesson.check("a reshape back undoes the reshape, too", reshape(cut, x.shape).numbers == x.numbers);
}

void show_masks(const Lesson& lesson) {
  const Array<double> real{{4, 4}, {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0}};  // (B,N): 1 is no padding
  for (const Shape& shape : {Shape{4, 1, 1, 4}, {4, 4}, {4, 1, 4, 1}}) {
    fmt::print("mask {:9} | as (B,H,N,M) it is {:9} | {:.6f}\n", shown(shape),
               shown(shape.size() == 2 ? Shape{1, 1, 4, 4} : shape),
               padding_error(reshape(real, shape), lesson.random));
  }
  try {
    broadcast<double>({{3, 7}, std::vector<double>(21)}, {3, 4, 7, 7});
  } catch (const std::invalid_argument& error) {
    fmt::print("mask (3,7)     | {}\n", error.what());
  }
}

/// A query that may see nobody.
void show_blind() {
  auto show = [](const char* how, const std::vector<double>& weights) {
    fmt::print("{:24}", how);
    for (const double weight : weights)
      fmt::print(" | {:>5}", std::isnan(weight) ? "nan" : fmt::format("{:.3f}", weight));
    fmt::print("\n");
  };
  const Scope scope;
  const std::vector<float> scores{0.3F, -1.2F, 2.1F};
  show("scores replaced by -inf", softmax(Values(3, [](std::size_t) { return -INFINITY; })).data());
  show("-1e9 added, in float", softmax(Values(3, [&](std::size_t i) { return scores[i] - 1e9F; })).data());
  show("-1e9 added, in double", softmax(Values(3, [&](std::size_t i) { return scores[i] - 1e9; })).data());
  show("no mask at all", softmax(Values(3, [&](std::size_t i) { return scores[i]; })).data());
  const Array<Value> one = leaves({1, 1, 1, 1}, {1}), three = leaves({1, 1, 3, 1}, {0.3, -1.2, 2.1});
  show("the draft", data_of(attend(one, three, three, {{1}, {0}}).weights));
}

/// Which numbers are not zero: "16 to 23".
std::string written(const std::vector<double>& numbers) {
  auto is_written = [](double number) { return number != 0; };
  const auto first = std::find_if(numbers.begin(), numbers.end(), is_written) - numbers.begin();
  return fmt::format("{} to {}", first, first + std::count_if(numbers.begin(), numbers.end(), is_written) - 1);
}

/// What head 2 alone writes into one position, without and with W_O; and that W_O x_attn is the sum over the heads.
void show_contributions(Lesson& lesson, const Golden& g) {
  const Scope scope;
  const std::size_t D = g.C / g.H;
  const Parameter& w_o = g.weights["w_o"];
  const std::span<const double> numbers = std::span(g.of("x")).first(g.C);  // any will do
  const std::vector<double> x_attn(numbers.begin(), numbers.end());
  std::vector<double> sum(g.C);
  for (std::size_t h = 0; h < g.H; h++) {
    std::vector<double> alone(g.C);
    std::copy_n(&x_attn[h * D], D, &alone[h * D]);
    const std::vector<double> mixed = data_of(project(leaves({1, 1, g.C}, alone), w_o));
    for (std::size_t i = 0; i < g.C; i++) sum[i] += mixed[i];
    if (h == 2) fmt::print("without W_O: {}; with W_O: {}\n", written(alone), written(mixed));
  }
  lesson.check("W_O x_attn is the sum over the heads, each through its own columns of W_O",
               largest_difference(sum, data_of(project(leaves({1, 1, g.C}, x_attn), w_o))) < tolerance);
}

int main(int argc, char** argv) try {
  Lesson lesson(argc, argv);
  broken = {lesson.broken("only-reshape"), lesson.broken("no-wo"), lesson.broken("by-width"),
            lesson.broken("no-causal"), lesson.broken("hide-queries")};

  fmt::print("\n--- x (1,3,4) in two heads, (1,2,3,2); the number 21 stands at position 2, place 1 ---\n");
  show_split(lesson);
  const Golden plain("mha_2x5x64_h8");
  const auto [same, in_place] = one_product_is_three(plain);
  lesson.check("in src/tensor q, k and v of one product with (3C,C) are those of three, bit for bit", same);
  lesson.check("and a head of them is a View into that one matrix: nothing is copied", in_place);

  fmt::print("\n--- the numbers of a position of 64 that head 2 of 8 can write ---\n");
  show_contributions(lesson, plain);
  fmt::print("\n--- a padded batch: how far from each document alone ---\n");
  show_masks(lesson);
  fmt::print("\n--- attention weights of a query that may see none of three keys ---\n");
  show_blind();

  fmt::print("\n--- largest difference from PyTorch's nn.MultiheadAttention ---\n");
  fmt::print("file                   |  B  N  M  C H | out      | weights  | dx       | dw       | src/tensor\n");
  bool draft_agrees = true, src_agrees = true;
  for (const char* name : {"mha_2x5x64_h8", "mha_4x10x32_h4", "mha_2x5x64_h8_causal", "mha_4x10x32_h4_causal",
                           "mha_16x16x16_h4_causal", "mha_3x7x16_h4_padding", "mha_cross_2x4x6x16_h2"}) {
    const Golden g(name);
    const Distance draft = distance(draft_answer(g), g);  // stop: pytorch
    const Distance src = distance(src_answer(g), g);
    fmt::print("{:22} | {:2} {:2} {:2} {:2} {} | {:.6f} | {:.6f} | {:.6f} | {:.6f} | {:.6f}\n", name, g.B, g.N, g.M,
               g.C, g.H, draft.out, draft.attn, draft.dx, draft.dw, src.largest());
    draft_agrees &= draft.largest() < tolerance;
    src_agrees &= src.largest() < tolerance;
  }
  lesson.check("with the causal mask no position sees a later one",
               last_position_is_hidden(Golden("mha_2x5x64_h8_causal")));
  lesson.check("a query that sees nobody gets zeros in src/tensor, too", src_blind() == std::vector<double>{0});
  lesson.check("the draft's output, weights and gradients are PyTorch's", draft_agrees);
  lesson.check("src/tensor's, too", src_agrees);
  return lesson.finish();
} catch (const Error& error) {
  fmt::print(stderr, "lesson: {}\n", error.what());
  return 1;
}
