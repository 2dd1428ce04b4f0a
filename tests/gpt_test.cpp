#include "train/scalar_trainer.h"

#include "central_difference.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

using Tokens = std::vector<Token>;

// A few hundred roundings go into a loss, most of them of numbers below 1 and averaged away; as many as 2^6 of one unit
// in the last place below 4, 2^-51, lie on one way to it, and the slopes on the way are about 1. 2^-44 leaves room.
constexpr double rounding = 0x1p-44;

const Config configs[]{
    {.vocab_size = 5, .n_layer = 1, .n_embd = 4, .n_head = 1, .block_size = 4},
    {.vocab_size = 5, .n_layer = 1, .n_embd = 6, .n_head = 3, .block_size = 4},
    {.vocab_size = 5, .n_layer = 2, .n_embd = 4, .n_head = 2, .block_size = 4},
    {.vocab_size = 7, .n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 6},
    {.vocab_size = 5, .n_layer = 3, .n_embd = 4, .n_head = 2, .block_size = 4},
    {.vocab_size = 9, .n_layer = 1, .n_embd = 5, .n_head = 5, .block_size = 8},
    {.vocab_size = 2, .n_layer = 1, .n_embd = 1, .n_head = 1, .block_size = 1},  // the smallest
};

TEST_CASE("the gradients of a GPT of any shape are central differences") {
  for (Config config : configs) {
    for (std::uint64_t i = 0; i < 2 * all_activations.size(); i++) {
      const std::uint64_t seed = i % 2;
      config.activation = all_activations[i / 2].activation;
      CAPTURE(config.n_layer);
      CAPTURE(config.n_embd);
      CAPTURE(config.n_head);
      CAPTURE(seed);
      PythonRandom random(seed);
      const Parameters parameters = initialize(config, {.init_std = 0.5}, random);  // for every part to matter
      const Tokens tokens = random_document(config, random.below(config.block_size + 2), random);
      const Scope scope;
      const Model model = scalar_model(config, parameters);
      CHECK((config_of(model) == config));
      document_loss(model, tokens).backward();
      check_central_differences(model.params, rounding, [&] { return document_loss(model, tokens); });
    }
  }
}

}  // namespace
}  // namespace microgpt
