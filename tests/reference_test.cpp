// src against the slow reference, to the last bit.
#include <doctest/doctest.h>

#include <vector>

#include "first_difference.h"
#include "random_numbers.h"
#include "reference_gpt.h"
#include "reference_value.h"
#include "scalar/gpt.h"

namespace microgpt {
namespace {

using Activation::squared_relu;

using Numbers = std::vector<double>;

/// Every operator, with a double on either side, and values used again and again. Returns the last of the chain.
template <class V>
V every_operator(V a, V b) {
  V c = a * b + pow(b, 3.0);
  c = c + (c + 1.0) * 2.0 - a;
  c = 3.0 - c / 2.0 + 1.5 * relu(b + a) - 7.0;
  V d = relu(b - a) + exp(-a / b);
  d = 5.0 / d + log(d * d + c * c) + (0.5 + d);
  return (c - d) / (d * d + 1.0) + 10.0 / (c * c + 2.0);
}

TEST_CASE("any formula has the reference's result and gradients to the last bit") {
  PythonRandom random(42);
  for (int point = 0; point < 1000; point++) {
    const Scope scope;
    const double x = uniform(random, -3, 3);
    const double y = uniform(random, -3, 3);
    const Value a = x;
    const Value b = y;
    const Value c = every_operator(a, b);
    const reference::Value ra = x;
    const reference::Value rb = y;
    const reference::Value rc = every_operator(ra, rb);
    c.backward();
    rc.backward();
    const Numbers ours{c.data(), a.grad(), b.grad()};
    CHECK(first_difference(ours, Numbers{rc.data(), ra.grad(), rb.grad()}) == "");
  }
}

/// BOS, n random characters, BOS.
std::vector<Token> random_document(const Config& config, std::size_t n, PythonRandom& random) {
  const Token bos = config.vocab_size - 1;
  std::vector<Token> tokens{bos};
  for (std::size_t i = 0; i < n; i++) tokens.push_back(random.below(bos));
  tokens.push_back(bos);
  return tokens;
}

TEST_CASE("a GPT of any shape has the reference's loss and all its gradients to the last bit") {
  const Config shapes[]{
      {.vocab_size = 4, .n_layer = 1, .n_embd = 4, .n_head = 1, .block_size = 5},
      {.vocab_size = 7, .n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 6},
      {.vocab_size = 7, .n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 6, .activation = squared_relu},
      {.vocab_size = 5, .n_layer = 3, .n_embd = 8, .n_head = 2, .block_size = 4},
      {.vocab_size = 9, .n_layer = 1, .n_embd = 5, .n_head = 5, .block_size = 8, .activation = squared_relu},
      {.vocab_size = 27, .n_layer = 1, .n_embd = 16, .n_head = 4, .block_size = 16},  // the gist
      {.vocab_size = 2, .n_layer = 1, .n_embd = 1, .n_head = 1, .block_size = 1},     // the smallest
  };
  for (const Config& config : shapes) {
    for (std::uint64_t seed = 0; seed < 5; seed++) {
      CAPTURE(config.n_layer);
      CAPTURE(config.n_embd);
      CAPTURE(config.n_head);
      CAPTURE(seed);
      PythonRandom random(seed);
      const double init_std = seed % 2 == 0 ? 0.08 : 0.5;
      Parameters parameters = initialize(config, {.init_std = init_std}, random);
      const std::vector<Token> tokens = random_document(config, random.below(config.block_size + 2), random);

      const Scope scope;
      const Value loss = document_loss(Model(config, parameters), tokens);
      loss.backward();
      const reference::StateDict state = reference::state_dict(parameters);
      const reference::Value reference_loss = reference::document_loss(config, state, tokens);
      reference_loss.backward();
      CHECK(first_difference(Numbers{loss.data()}, Numbers{reference_loss.data()}) == "");
      CHECK(first_difference(parameters.grad(), reference::grads(state, parameters)) == "");
    }
  }
}

}  // namespace
}  // namespace microgpt
