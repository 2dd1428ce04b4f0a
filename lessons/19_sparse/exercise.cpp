// Exercise 15: few keys that lead everywhere. A window of 3 needs 32 layers to carry a letter across 64 positions,
// since with each layer it comes 2 positions further. A stride gets further, but the number of keys grows with the
// length. There is a pattern in which a position sees about as many keys as its number has binary digits, and which
// takes no more layers than that to hear of everything (Li et al., "LogSparse", 2019).
//
//   make exercise-19    fails until sees() is right, and hints at what is missing
//   make solution-19    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <bit>
#include <bitset>
#include <vector>

#include "base/python_random.h"
#include "tensor/gpt.h"

using namespace microgpt;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Whether position t sees position s.
bool sees(std::size_t t, std::size_t s) {
  // TODO: this is a window of 2, local:2. Which distances t - s are needed so that every other distance is the sum of
  // a few of them?
  return s <= t && t - s < 2;
}
#endif

namespace {

constexpr std::size_t T = 64;

/// How many layers it takes until every position has heard of all before it; T if that never happens.
std::size_t layers_until_all() {
  std::vector<std::bitset<T>> heard(T);
  for (std::size_t t = 0; t < T; t++) heard[t].set(t);
  for (std::size_t n = 0; n < T; n++) {
    std::size_t pairs = 0;
    for (const std::bitset<T>& positions : heard) pairs += positions.count();
    if (pairs == T * (T + 1) / 2) return n;
    std::vector<std::bitset<T>> next(T);
    for (std::size_t t = 0; t < T; t++) {
      for (std::size_t s = 0; s <= t; s++) {
        if (sees(t, s)) next[t] |= heard[s];
      }
    }
    heard = next;
  }
  return T;
}

/// The last logits of a model of 4 layers that reads 16 tokens: all 0, but the first is given.
std::vector<double> last_logits(Token first) {
  const Config config{.vocab_size = 3, .n_layer = 4};
  PythonRandom random;
  TensorModel<double> model(config, initialize(config, {.init_std = 0.3}, random));
  model.mask = Mask::table(16, 16, sees);
  std::vector<Token> tokens(17);
  tokens[0] = first;
  Batch batch(16);
  batch.add(tokens);
  Activations<double> activations;
  activations.resize(model, 16);
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  const double* row = activations.logits.view().row(15);
  return {row, row + config.vocab_size};
}

}  // namespace

TEST_CASE("a position sees itself and nothing after it") {
  for (std::size_t t = 0; t < T; t++) {
    INFO("position " << t << "; hint: t - s of two std::size_t is huge, not negative, where s is larger");
    CHECK(sees(t, t));
    for (std::size_t s = t + 1; s < T; s++) CHECK_FALSE(sees(t, s));
  }
}

TEST_CASE("a position sees itself and one key for each binary digit of its number, at most") {
  for (std::size_t t = 0; t < T; t++) {
    std::size_t keys = 0;
    for (std::size_t s = 0; s < T; s++) keys += sees(t, s) ? 1 : 0;
    INFO("position " << t << "; hint: 63 is 111111 in binary, so position 63 may see 1 + 6 keys: not all of a window");
    CHECK(keys <= 1 + static_cast<std::size_t>(std::bit_width(t)));
  }
}

TEST_CASE("after 6 layers every one of 64 positions has heard of all before it") {
  INFO("hint: every number up to 63 is a sum of some of 1, 2, 4, 8, 16 and 32; each layer can walk one such distance");
  CHECK(layers_until_all() <= 6);
}

TEST_CASE("in a model of 4 layers, the first of 16 letters matters to the last") {
  INFO("hint: 15 is 8 + 4 + 2 + 1. With a window of 2, four layers hear of four positions before");
  CHECK(last_logits(1) != last_logits(2));
}
