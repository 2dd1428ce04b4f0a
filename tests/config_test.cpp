// Shapes of models and their parameters.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/config.h"
#include "base/error.h"
#include "base/parameters.h"

namespace microgpt {
namespace {

// --- Config ----------------------------------------------------------------------------------------------------------

TEST_CASE("heads that do not divide the width are refused with both numbers, and a size of zero by name") {
  const Config three_heads{.vocab_size = 27, .n_embd = 16, .n_head = 3};
  CHECK_THROWS_WITH_AS(validate(three_heads), doctest::Contains("n_embd 16 is not divisible by n_head 3"), UsageError);
  for (const auto& [name, member] :
       std::vector<std::pair<std::string, std::size_t Config::*>>{{"vocab_size", &Config::vocab_size},
                                                                  {"n_layer", &Config::n_layer},
                                                                  {"n_embd", &Config::n_embd},
                                                                  {"n_head", &Config::n_head},
                                                                  {"block_size", &Config::block_size}}) {
    Config config{.vocab_size = 27};
    config.*member = 0;
    CHECK_THROWS_WITH_AS(validate(config), doctest::Contains((name + " is 0").c_str()), UsageError);
  }
}

TEST_CASE("the largest model has 2^26 parameters") {
  // (2 V + T) C + 12 C^2 = 2^26 with C = 1: V = 2, and T makes up the rest
  Config config{.vocab_size = 2, .n_layer = 1, .n_embd = 1, .n_head = 1, .block_size = (1U << 26) - 16};
  CHECK(num_parameters(config) == 1U << 26);
  CHECK_NOTHROW(validate(config));
  config.block_size++;
  CHECK_THROWS_AS(validate(config), UsageError);
}

TEST_CASE("a shape whose number of parameters overflows is refused, not wrapped around to a small one") {
  for (const std::size_t huge : {std::size_t{1} << 31, std::size_t{1} << 60, std::size_t{SIZE_MAX}}) {
    CAPTURE(huge);
    for (const Config& config :
         {Config{.vocab_size = huge}, Config{.vocab_size = 27, .n_layer = huge},
          Config{.vocab_size = 27, .n_embd = huge, .n_head = 1}, Config{.vocab_size = 27, .block_size = huge},
          Config{.vocab_size = huge, .n_layer = huge, .n_embd = huge, .n_head = huge, .block_size = huge}}) {
      CHECK_THROWS_AS(validate(config), UsageError);
    }
  }
}

// --- Parameters ------------------------------------------------------------------------------------------------------

const Config shape{.vocab_size = 5, .n_layer = 2, .n_embd = 4, .n_head = 2, .block_size = 3};

TEST_CASE("the matrices come in the reference's order, a row for each output") {
  std::string text;
  for (const auto& [name, rows, cols] : gpt_shapes(shape)) text += fmt::format("{} {}x{}\n", name, rows, cols);
  CHECK(text ==
        "wte 5x4\nwpe 3x4\nlm_head 5x4\n"
        "layer0.attn_wq 4x4\nlayer0.attn_wk 4x4\nlayer0.attn_wv 4x4\nlayer0.attn_wo 4x4\n"
        "layer0.mlp_fc1 16x4\nlayer0.mlp_fc2 4x16\n"
        "layer1.attn_wq 4x4\nlayer1.attn_wk 4x4\nlayer1.attn_wv 4x4\nlayer1.attn_wo 4x4\n"
        "layer1.mlp_fc1 16x4\nlayer1.mlp_fc2 4x16\n");
}

}  // namespace
}  // namespace microgpt
