// Exercise 08: what does one head contribute, and what does it say? W_O reads the heads' outputs side by side, so some
// of its columns belong to head 0, the next ones to head 1, and so on. Taken apart by these columns, attention is a sum
// with one term for each head. So one can take a head out without touching the others, and ask what it alone would say.
//
//   make exercise-08    fails until all three functions are written, and hints at what is missing
//   make solution-08    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/optimizer.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What head h adds to W_O x_attn, (C): the columns of wo, (C, C), that read this head, times head_out, (head_dim).
Values contribution(const Matrix& wo, [[maybe_unused]] std::size_t h, [[maybe_unused]] const List& head_out) {
  // TODO: in which column does head h begin? y[i] is a sum over head_out, each number times one weight of row i.
  return Values(wo.size(), [&](std::size_t) { return 0.0; });
}

/// Makes head h of n_head heads contribute nothing, whatever it computes. No other head notices.
void silence([[maybe_unused]] const Matrix& wo, [[maybe_unused]] std::size_t h, [[maybe_unused]] std::size_t n_head) {
  // TODO: set the weights to zero that contribution() uses: their node->data.
}

/// Suppose that head h of the first layer gives all its attention to one position, whose normed numbers are x, (C). How
/// much does that add to the logit of each token that could come next, (V)? Only this head counts here: no other, no
/// MLP.
Values says(const Model& model, [[maybe_unused]] std::size_t h, [[maybe_unused]] const List& x) {
  // TODO: with a weight of 1, head_out is that position's v_h: some rows of attn_wv times x. contribution() takes it
  // on, and lm_head, (V, C), turns what it adds into logits.
  return Values(model.lm_head.size(), [&](std::size_t) { return 0.0; });
}
#endif

namespace {

constexpr std::size_t C = 16;
constexpr std::size_t n_head = 4;
constexpr std::size_t head_dim = C / n_head;

void set(const Matrix& matrix, const std::function<double()>& number) {
  for (const List& row : matrix) {
    for (const Value x : row) x.node->data = number();
  }
}

/// A GPT and a name for it: tokens 0 to 4 are letters, 5 is BOS.
struct Fixture {
  Config config{.vocab_size = 6};
  PythonRandom random{1};
  Model model = scalar_model(config, initialize(config, {}, random));
  const Model::Layer& layer = model.layers[0];
  std::vector<Token> name{5, 0, 1, 1, 4, 2, 5};

  double loss() {
    const Scope scope;
    return document_loss(model, name).data();
  }
};

/// By how much a head raises the logits of vowels above those of consonants, after a look at a vowel, and at a
/// consonant: means over these letters, without their positions.
std::pair<double, double> vowel_push(const Model& model, const Tokenizer& tokenizer, std::size_t h) {
  const Scope scope;
  auto is_vowel = [&](Token token) { return std::string("aeiouy").find(tokenizer.label(token)) != std::string::npos; };
  double push[2] = {0, 0}, count[2] = {0, 0};
  for (Token seen = 0; seen < tokenizer.bos(); seen++) {
    const Values logits = says(model, h, rmsnorm(rmsnorm(model.wte[seen])));
    const bool vowel = is_vowel(seen);
    for (Token next = 0; next < tokenizer.bos(); next++)
      push[vowel] += is_vowel(next) ? logits[next].data() / 6 : -logits[next].data() / 20;
    count[vowel]++;
  }
  return {push[1] / count[1], push[0] / count[0]};
}

}  // namespace

TEST_CASE("the contributions of all heads sum to W_O x_attn") {
  const Scope scope;
  Fixture gpt;
  const Matrix& wo = gpt.layer.attn_wo;
  const Values x_attn(C, [&](std::size_t) { return gpt.random.gauss(0, 1); });
  std::vector<double> total(C);
  for (std::size_t h = 0; h < n_head; h++) {
    const Values part = contribution(wo, h, x_attn.slice(h * head_dim, head_dim));
    REQUIRE(part.size() == C);
    for (std::size_t i = 0; i < C; i++) total[i] += part[i].data();
  }
  const Values whole = linear(x_attn, wo);
  for (std::size_t i = 0; i < C; i++) {
    // Both are sums of 16 products in another order: 32 roundings at most, each of a number not above `size`.
    double size = 0;
    for (std::size_t j = 0; j < C; j++) size += std::abs(wo[i][j].data() * x_attn[j].data());
    INFO("output " << i << "; hint: head h reads columns h * head_dim to h * head_dim + head_dim - 1 of W_O, the same "
                   << "places where its output stands in x_attn");
    REQUIRE(std::abs(total[i] - whole[i].data()) <= 32 * size * std::numeric_limits<double>::epsilon());
  }
}

TEST_CASE("a silenced head gets no gradient, the others do") {
  const Scope scope;
  Fixture gpt;
  silence(gpt.layer.attn_wo, 2, n_head);
  document_loss(gpt.model, gpt.name).backward();
  for (std::size_t row = 0; row < C; row++) {
    INFO("row " << row << " of W_V makes number " << row << " of every value, which is read by head " << row / head_dim
                << "; head 2 is silenced; hint: set columns of W_O to zero, not rows");
    REQUIRE((gpt.layer.attn_wv[row][0].grad() == 0) == (row / head_dim == 2));
  }
}

TEST_CASE("with all heads silenced, attention adds nothing") {
  Fixture gpt;
  for (std::size_t h = 0; h < n_head; h++) silence(gpt.layer.attn_wo, h, n_head);
  const double silent = gpt.loss();
  for (const Matrix& matrix : {gpt.layer.attn_wq, gpt.layer.attn_wk, gpt.layer.attn_wv}) {
    set(matrix, [&] { return gpt.random.gauss(0, 1); });
  }
  INFO("hint: after silencing every head W_O should hold zeros only, and no query, key or value can matter");
  CHECK(gpt.loss() == silent);
}

TEST_CASE("at the first position, which sees only itself, a silenced head takes away just what it says") {
  const Scope scope;
  Fixture gpt;
  for (const Matrix& matrix : {gpt.model.wpe, gpt.layer.mlp_fc2}) {  // then nothing else adds to the logits
    set(matrix, [] { return 0; });
  }
  const Token token = 3;
  auto logits = [&] {
    Cache keys(1), values(1);
    return Values(microgpt::gpt(gpt.model, token, 0, keys, values)).data();
  };
  const std::vector<double> before = logits();
  const Values told = says(gpt.model, 1, rmsnorm(rmsnorm(gpt.model.wte[token])));
  for (const List& row : gpt.layer.attn_wo) {
    for (std::size_t j = 0; j < head_dim; j++) row[head_dim + j].node->data = 0;  // head 1
  }
  const std::vector<double> after = logits();
  REQUIRE(told.size() == before.size());
  for (std::size_t i = 0; i < told.size(); i++) {
    INFO("token " << i << "; hint: rows h * head_dim to h * head_dim + head_dim - 1 of W_V make v_h");
    REQUIRE(told[i].data() == doctest::Approx(before[i] - after[i]).epsilon(1e-9));
  }
}

TEST_CASE("what each head of a trained model is worth, and what it says") {
  std::vector<Document> documents = read_documents("data/names.txt");
  PythonRandom random(42);
  random.shuffle(documents);
  const Tokenizer tokenizer(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  const Model model = scalar_model(config, initialize(config, {}, random));
  const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
  train(loss, model.params, adam_optimizer({}, model.params.size()), documents, tokenizer,
        {.num_steps = 3000});  // the optimizer of the next lesson
  const std::vector<double> trained = Values(model.params).data();
  const auto others = std::span(documents).subspan(4000, 400);
  const double with_all = mean_loss(loss, others, tokenizer).mean;
  std::string report = fmt::format("400 other names: loss {:.4f} with all heads\n", with_all);
  for (std::size_t h = 0; h < n_head; h++) {
    const auto [after_vowel, after_consonant] = vowel_push(model, tokenizer, h);
    silence(model.layers[0].attn_wo, h, n_head);
    const double cost = mean_loss(loss, others, tokenizer).mean - with_all;
    for (std::size_t i = 0; i < trained.size(); i++) model.params[i].node->data = trained[i];
    report += fmt::format(
        "head {}: {:+.4f} without it {:16} | says of vowels: {:+.2f} if it looks at a vowel, {:+.2f} "
        "at a consonant\n",
        h, cost, std::string(cost > 0 ? std::lround(cost * 1000) : 0, '#'), after_vowel, after_consonant);
    INFO("hint: silence() changed nothing that matters");
    CHECK(cost != 0);
  }
  MESSAGE(report);
}
