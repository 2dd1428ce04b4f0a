#include "train/sampling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/python_random.h"
#include "leaves.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

/// A small untrained model.
struct SamplingFixture {
  const Config config{.vocab_size = 6, .n_layer = 1, .n_embd = 4, .n_head = 2, .block_size = 5};
  PythonRandom random{42};
  Parameters parameters = initialize(config, {.init_std = 0.5}, random);
  Model model{config, parameters};
};

TEST_CASE_FIXTURE(SamplingFixture, "a sample has at most block_size tokens, and BOS is not among them") {
  std::size_t longest = 0;
  for (int i = 0; i < 200; i++) {
    const Tokens tokens = sample(model, 1.0, random);
    longest = std::max(longest, tokens.size());
    CHECK(std::count(tokens.begin(), tokens.end(), config.vocab_size - 1) == 0);
  }
  CHECK(longest == config.block_size);
}

TEST_CASE_FIXTURE(SamplingFixture, "a prompt draws no random numbers") {
  PythonRandom same = random;
  const Tokens prompt{3, 0, 3, 1, 2};  // fills the block
  CHECK(sample(model, 1.0, random, prompt) == prompt);
  CHECK(random.bits32() == same.bits32());
}

TEST_CASE_FIXTURE(SamplingFixture, "almost without temperature the likeliest token is always drawn") {
  const Scope scope;
  Cache keys(1);
  Cache values(1);
  const Token bos = config.vocab_size - 1;
  Tokens likeliest;
  for (Token token_id = bos; likeliest.size() < config.block_size;) {
    const Values logits = gpt(model, token_id, likeliest.size(), keys, values);
    token_id = 0;
    for (Token t = 1; t <= bos; t++) {
      if (logits[t].data() > logits[token_id].data()) token_id = t;
    }
    if (token_id == bos) break;
    likeliest.push_back(token_id);
  }
  for (int i = 0; i < 20; i++) CHECK(sample(model, 1e-6, random) == likeliest);
}

TEST_CASE("generate() goes on from each token to the next, until BOS or max_tokens") {
  std::vector<std::size_t> positions;
  auto successor = [&](Token token_id, std::size_t pos_id) {
    positions.push_back(pos_id);
    return (token_id + 1) % 10;
  };
  CHECK(generate(successor, 9, 5) == Tokens{0, 1, 2, 3, 4});
  CHECK(positions == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(generate(successor, 9, 50) == Tokens{0, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("predictions that are no numbers are not drawn from") {
  const Scope scope;
  PythonRandom random(1);
  for (double broken : {std::nan(""), HUGE_VAL}) {
    CHECK_THROWS_AS(draw_token(leaves(std::vector{0.0, broken}), 1.0, random), Error);
  }
}

TEST_CASE_FIXTURE(SamplingFixture, "sampling leaves nothing on the tape") {
  const std::size_t before = tape.nodes().size();
  sample(model, 1.0, random);
  CHECK(tape.nodes().size() == before);
}

}  // namespace
}  // namespace microgpt
