// Exercise 08: what does one head contribute, and what does it say? W_O reads the heads' outputs side by side, so some
// of its columns belong to head 0, the next ones to head 1, and so on. Taken apart by these columns, attention is a sum
// with one term for each head. So one can take a head out without touching the others, and ask what it alone would say.
//
//   make exercise-08    fails until all three functions are written, and hints at what is missing
//   make solution-08    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "microgpt.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What head h adds to W_O x_attn, (C): the columns of wo, (C, C), that read this head, times head_out, (head_dim).
std::vector<double> contribution(const Parameter& wo, [[maybe_unused]] std::size_t h,
                                 [[maybe_unused]] const std::vector<double>& head_out) {
  std::vector<double> y(wo.rows);
  // TODO: in which column does head h begin? y[i] is a sum over head_out, each number times one weight of row i.
  return y;
}

/// Makes head h of n_head heads contribute nothing, whatever it computes. No other head notices.
void silence([[maybe_unused]] const Parameter& wo, [[maybe_unused]] std::size_t h,
             [[maybe_unused]] std::size_t n_head) {
  // TODO: set the weights to zero that contribution() uses. wo.row(i) is row i, and you may write to it: a Parameter
  // only points at its weights, so const protects the pointer and not the weights.
}

/// Suppose that head h gives all its attention to one position, whose normed numbers are x, (C). How much does that add
/// to the logit of each token that could come next, (V)? Only this head counts here: no other, no MLP.
std::vector<double> says(const Parameters& parameters, [[maybe_unused]] std::size_t h,
                         [[maybe_unused]] std::size_t n_head, [[maybe_unused]] const std::vector<double>& x) {
  const Parameter& lm_head = parameters["lm_head"];
  std::vector<double> logits(lm_head.rows);
  // TODO: with a weight of 1, head_out is that position's v_h: some rows of "layer0.attn_wv" times x. contribution()
  // takes it on, and lm_head, (V, C), turns what it adds into logits.
  return logits;
}
#endif

namespace {

constexpr std::size_t C = 16;
constexpr std::size_t n_head = 4;
constexpr std::size_t head_dim = C / n_head;

std::vector<double> random_numbers(std::size_t n, PythonRandom& random) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < n; i++) numbers.push_back(random.gauss(0, 1));
  return numbers;
}

/// A GPT and a name for it: tokens 0 to 4 are letters, 5 is BOS.
struct Fixture {
  Config config{.vocab_size = 6};
  PythonRandom random{1};
  Parameters parameters = initialize(config, {}, random);
  Model model = scalar_model(config, parameters);
  std::vector<Token> name{5, 0, 1, 1, 4, 2, 5};
  const Parameter& wo = parameters["layer0.attn_wo"];

  double loss() {
    const Scope scope;
    return document_loss(model, name).data();
  }
};

std::vector<double> gpt_logits(const Fixture& fixture, Token token, Cache& keys, Cache& values) {
  return Values(gpt(fixture.model, token, 0, keys, values)).data();
}

/// By how much a head raises the logits of vowels above those of consonants, after a look at a vowel, and at a
/// consonant: means over these letters, without their positions.
std::pair<double, double> vowel_push(const Parameters& parameters, const Tokenizer& tokenizer, std::size_t h) {
  const Scope scope;
  const Matrix wte = matrix(parameters["wte"]);
  auto is_vowel = [&](Token token) { return std::string("aeiouy").find(tokenizer.label(token)) != std::string::npos; };
  double push[2] = {0, 0}, count[2] = {0, 0};
  for (Token seen = 0; seen < tokenizer.bos(); seen++) {
    const std::vector<double> logits = says(parameters, h, n_head, Values(rmsnorm(rmsnorm(wte[seen]))).data());
    const bool vowel = is_vowel(seen);
    for (Token next = 0; next < tokenizer.bos(); next++)
      push[vowel] += is_vowel(next) ? logits[next] / 6 : -logits[next] / 20;
    count[vowel]++;
  }
  return {push[1] / count[1], push[0] / count[0]};
}

}  // namespace

TEST_CASE("the contributions of all heads sum to W_O x_attn") {
  const Scope scope;
  Fixture gpt;
  std::vector<Value> x_attn;
  std::vector<double> total(C);
  for (std::size_t h = 0; h < n_head; h++) {
    const std::vector<double> head_out = random_numbers(head_dim, gpt.random);
    for (double x : head_out) x_attn.emplace_back(x);
    const std::vector<double> part = contribution(gpt.wo, h, head_out);
    REQUIRE(part.size() == C);
    for (std::size_t i = 0; i < C; i++) total[i] += part[i];
  }
  const Values whole = linear(Values(x_attn), matrix(gpt.wo));
  for (std::size_t i = 0; i < C; i++) {
    // Both are sums of 16 products in another order: 32 roundings at most, each of a number not above `size`.
    double size = 0;
    for (std::size_t j = 0; j < C; j++) size += std::abs(gpt.wo.row(i)[j] * x_attn[j].data());
    INFO("output " << i << "; hint: head h reads columns h * head_dim to h * head_dim + head_dim - 1 of W_O, the same "
                   << "places where its output stands in x_attn");
    REQUIRE(std::abs(total[i] - whole[i].data()) <= 32 * size * std::numeric_limits<double>::epsilon());
  }
}

TEST_CASE("a silenced head gets no gradient, the others do") {
  Fixture gpt;
  silence(gpt.wo, 2, n_head);
  const Loss loss = [&](auto tokens) { return document_loss(gpt.model, tokens); };
  const std::vector<double> gradient = loss_and_gradient(loss, gpt.parameters, gpt.name).gradient;
  const Parameter& wv = gpt.parameters["layer0.attn_wv"];
  const auto first = static_cast<std::size_t>(wv.data - gpt.parameters.data().data());
  for (std::size_t row = 0; row < C; row++) {
    INFO("row " << row << " of W_V makes number " << row << " of every value, which is read by head " << row / head_dim
                << "; head 2 is silenced; hint: set columns of W_O to zero, not rows");
    REQUIRE((gradient[first + row * C] == 0) == (row / head_dim == 2));
  }
}

TEST_CASE("with all heads silenced, attention adds nothing") {
  Fixture gpt;
  for (std::size_t h = 0; h < n_head; h++) silence(gpt.wo, h, n_head);
  const double silent = gpt.loss();
  for (const char* name : {"layer0.attn_wq", "layer0.attn_wk", "layer0.attn_wv"}) {
    const Parameter& matrix = gpt.parameters[name];
    for (std::size_t i = 0; i < matrix.size(); i++) matrix.data[i] = gpt.random.gauss(0, 1);
  }
  INFO("hint: after silencing every head W_O should hold zeros only, and no query, key or value can matter");
  CHECK(gpt.loss() == silent);
}

TEST_CASE("at the first position, which sees only itself, a silenced head takes away just what it says") {
  const Scope scope;
  Fixture gpt;
  for (const char* name : {"wpe", "layer0.mlp_fc2"}) {  // without positions and MLP nothing else adds to the logits
    const Parameter& matrix = gpt.parameters[name];
    std::fill_n(matrix.data, matrix.size(), 0.0);
  }
  const Token token = 3;
  auto logits = [&] {
    Cache keys(1), values(1);
    return gpt_logits(gpt, token, keys, values);
  };
  const std::vector<double> x = Values(rmsnorm(rmsnorm(gpt.model.wte[token]))).data(), before = logits();
  const std::vector<double> told = says(gpt.parameters, 1, n_head, x);
  const Parameter& wo = gpt.wo;
  for (std::size_t i = 0; i < C; i++) std::fill_n(wo.data + i * C + head_dim, head_dim, 0.0);  // head 1
  const std::vector<double> after = logits();
  REQUIRE(told.size() == before.size());
  for (std::size_t i = 0; i < told.size(); i++) {
    INFO("token " << i << "; hint: rows h * head_dim to h * head_dim + head_dim - 1 of W_V make v_h");
    REQUIRE(told[i] == doctest::Approx(before[i] - after[i]).epsilon(1e-9));
  }
}

TEST_CASE("what each head of a trained model is worth, and what it says") {
  std::vector<Document> documents = read_documents("data/names.txt");
  PythonRandom random(42);
  random.shuffle(documents);
  const Tokenizer tokenizer(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  Parameters parameters = initialize(config, {}, random);
  const Model model = scalar_model(config, parameters);
  AdamOptimizer adam({}, parameters.size());  // the optimizer of the next lesson
  const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
  train(loss, parameters, adam, documents, tokenizer, {.num_steps = 3000});
  const std::vector<double> trained(parameters.data().begin(), parameters.data().end());
  const auto others = std::span(documents).subspan(4000, 400);
  const double with_all = mean_loss(loss, others, tokenizer).mean;
  std::string report = fmt::format("400 other names: loss {:.4f} with all heads\n", with_all);
  for (std::size_t h = 0; h < n_head; h++) {
    const auto [after_vowel, after_consonant] = vowel_push(parameters, tokenizer, h);
    silence(parameters["layer0.attn_wo"], h, n_head);
    const double cost = mean_loss(loss, others, tokenizer).mean - with_all;
    std::copy(trained.begin(), trained.end(), parameters.data().begin());
    report += fmt::format(
        "head {}: {:+.4f} without it {:16} | says of vowels: {:+.2f} if it looks at a vowel, {:+.2f} "
        "at a consonant\n",
        h, cost, std::string(cost > 0 ? std::lround(cost * 1000) : 0, '#'), after_vowel, after_consonant);
    INFO("hint: silence() changed nothing that matters");
    CHECK(cost != 0);
  }
  MESSAGE(report);
}
