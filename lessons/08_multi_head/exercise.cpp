// Exercise 07: what does one head contribute? W_O reads the heads' outputs side by side, so some of its columns belong
// to head 0, the next ones to head 1, and so on. Taken apart by these columns, attention is a sum with one term a head,
// and a head can be silenced without touching the others.
//
//   make exercise-08    fails until both functions are written, and hints at what is missing
//   make solution-08    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/python_random.h"
#include "scalar/ops.h"
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
  // TODO: set the weights to zero that contribution() uses. wo.row(i) is row i.
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
  Model model{config, parameters};
  std::vector<Token> name{5, 0, 1, 1, 4, 2, 5};
  const Parameter& wo = parameters["layer0.attn_wo"];

  double loss() {
    const Scope scope;
    return document_loss(model, name).data();
  }
};

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
  const Values whole = linear(Values(x_attn), Matrix(gpt.wo));
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

TEST_CASE("one head less, another loss") {
  std::vector<Document> documents = read_documents("data/names.txt");
  PythonRandom random(42);
  random.shuffle(documents);
  const Tokenizer tokenizer(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  Parameters parameters = initialize(config, {}, random);
  const Model model(config, parameters);
  Adam adam({}, parameters.size());  // the optimizer of the next lesson
  const Loss loss = [&](auto tokens) { return document_loss(model, tokens); };
  train(loss, parameters, adam, documents, tokenizer, {.num_steps = 300});
  const std::vector<double> trained(parameters.data().begin(), parameters.data().end());
  auto mean_loss = [&] {
    double total = 0;
    for (std::size_t i = 1000; i < 1200; i++) {
      const Scope scope;
      total += document_loss(model, tokenizer.encode_document(documents[i])).data();
    }
    return total / 200;
  };
  const double with_all = mean_loss();
  for (std::size_t h = 0; h < n_head; h++) {
    silence(parameters["layer0.attn_wo"], h, n_head);
    const double without = mean_loss();
    std::copy(trained.begin(), trained.end(), parameters.data().begin());
    MESSAGE(fmt::format("200 names it has not seen: loss {:.4f}, without head {}: {:.4f}", with_all, h, without));
    INFO("hint: silence() changed nothing that matters");
    CHECK(without != with_all);
  }
}
