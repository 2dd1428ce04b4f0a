// Exercise 19: few keys that lead everywhere. A window of 3 needs 32 layers to carry a letter across 64 positions,
// since it comes 2 positions further in each layer. A stride gets further, but its number of keys grows with the text.
// There is a pattern in which position t sees about as many keys as t has binary digits, and in which as many layers
// are enough to hear of everything (Li and others, 2019). Find it; and then find out what it does not save.
//
//   make exercise-19    fails until both functions are right, and hints at what is missing
//   make solution-19    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <bitset>
#include <functional>
#include <vector>

#include "base/python_random.h"
#include "tensor/gpt.h"

using namespace microgpt;

/// A pattern: whether position t sees position s.
using Pattern = std::function<bool(std::size_t t, std::size_t s)>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Whether position t sees position s.
bool sees(std::size_t t, std::size_t s) {
  // TODO: this is a window of 2, local:2. A layer walks one distance t - s, six layers walk six. Which few distances
  // make up all the others?
  return s <= t && t - s < 2;
}

/// A text of T positions has been read up to and including position t. Which of the keys so far must the cache go on
/// keeping, because a later position of the text will see them? In increasing order.
std::vector<std::size_t> still_needed([[maybe_unused]] const Pattern& pattern, [[maybe_unused]] std::size_t t,
                                      [[maybe_unused]] std::size_t T) {
  // TODO
  return {};
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
  INFO(
      "hint: 63 is six ones in binary, and six layers are allowed. How would you walk 63 steps in six strides, and 40 "
      "in "
      "two?");
  CHECK(layers_until_all() <= 6);
}

TEST_CASE("in a model of 4 layers, the first of 16 letters matters to the last") {
  INFO(
      "hint: four strides must be enough for a distance of 15. With a window of 2, four layers reach 4 positions back");
  CHECK(last_logits(1) != last_logits(2));
}

TEST_CASE("a window forgets") {
  const Pattern window = [](std::size_t t, std::size_t s) { return s <= t && t - s < 3; };
  INFO("hint: position 31 was just read. Position 32 sees 30 and 31 and itself; position 33 sees 31");
  CHECK(still_needed(window, 31, T) == std::vector<std::size_t>{30, 31});
  INFO("hint: after the last position nobody comes");
  CHECK(still_needed(window, T - 1, T).empty());
}

TEST_CASE("does the other pattern?") {
  const std::size_t kept = still_needed(sees, 31, T).size(), seen_by_last = [] {
    std::size_t keys = 0;
    for (std::size_t s = 0; s < T; s++) keys += sees(T - 1, s) ? 1 : 0;
    return keys;
  }();
  MESSAGE(fmt::format("the last of 64 positions sees {} keys; after 32 positions the cache must keep {}", seen_by_last,
                      kept));
  INFO("hint: a key that is 32 back is seen, too");
  CHECK(kept == 32);
}
