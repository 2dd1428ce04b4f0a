#include "train/scalar_trainer.h"

#include "central_difference.h"
#include "first_difference.h"
#include "random_numbers.h"
#include "reference.h"

namespace microgpt {
namespace {

using Activation::squared_relu;

using Numbers = std::vector<double>;
using Tokens = std::vector<Token>;

// A few hundred roundings go into a loss, most of them of numbers below 1 and averaged away; as many as 2^6 of one unit
// in the last place below 4, 2^-51, lie on one way to it, and the slopes on the way are about 1. 2^-44 leaves room.
constexpr double rounding = 0x1p-44;

const Config shapes[]{
    {.vocab_size = 5, .n_layer = 1, .n_embd = 4, .n_head = 1, .block_size = 4},
    {.vocab_size = 5, .n_layer = 1, .n_embd = 6, .n_head = 3, .block_size = 4},
    {.vocab_size = 5, .n_layer = 2, .n_embd = 4, .n_head = 2, .block_size = 4, .activation = squared_relu},
    {.vocab_size = 7, .n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 6},
    {.vocab_size = 5, .n_layer = 3, .n_embd = 8, .n_head = 2, .block_size = 4},
    {.vocab_size = 9, .n_layer = 1, .n_embd = 5, .n_head = 5, .block_size = 8, .activation = squared_relu},
    {.vocab_size = 27, .n_layer = 1, .n_embd = 16, .n_head = 4, .block_size = 16},  // the gist
    {.vocab_size = 2, .n_layer = 1, .n_embd = 1, .n_head = 1, .block_size = 1},     // the smallest
};

TEST_CASE("a GPT of any shape has the reference's loss and gradients to the last bit; they are central differences") {
  for (const Config& config : shapes) {
    for (std::uint64_t seed = 0; seed < 5; seed++) {
      CAPTURE(config.n_layer);
      CAPTURE(config.n_embd);
      CAPTURE(config.n_head);
      CAPTURE(seed);
      PythonRandom random(seed);
      const double init_std = seed % 2 == 0 ? 0.08 : 0.5;  // 0.5 is large enough for every part to matter
      Parameters parameters = initialize(config, {.init_std = init_std}, random);
      const Tokens tokens = random_document(config, random.below(config.block_size + 2), random);

      const Scope scope;
      const Model model = scalar_model(config, parameters);
      const Value loss = document_loss(model, tokens);
      loss.backward();
      const reference::StateDict state = reference::state_dict(parameters);
      const reference::Value reference_loss = reference::document_loss(config, state, tokens);
      reference_loss.backward();
      CHECK(first_difference(Numbers{loss.data()}, Numbers{reference_loss.data()}) == "");
      copy_grad(model.params, parameters);
      CHECK(first_difference(parameters.grad(), reference::grads(state, parameters)) == "");
      if (init_std == 0.5 && parameters.size() < 500) {
        check_central_differences(model.params, rounding, [&] { return document_loss(model, tokens); });
      }
    }
  }
}

TEST_CASE("a cache that was not cleared is looked at, too, as in the reference") {
  const Config config{.vocab_size = 7, .n_layer = 2, .n_embd = 6, .n_head = 3, .block_size = 6};
  PythonRandom random(1);
  const Parameters parameters = initialize(config, {.init_std = 0.5}, random);
  const Scope scope;
  const Model model = scalar_model(config, parameters);
  const reference::StateDict state = reference::state_dict(parameters);
  Cache keys(2), values(2), no_keys(2), no_values(2);
  std::vector<reference::Rows> reference_keys(2), reference_values(2);
  auto data = [](const auto& logits) {
    Numbers numbers;
    for (const auto& logit : logits) numbers.push_back(logit.data());
    return numbers;
  };
  for (const Tokens& name : {Tokens{6, 1, 3, 1}, Tokens{6, 2, 0}}) {
    for (std::size_t pos_id = 0; pos_id < name.size(); pos_id++) {
      const Numbers logits = data(gpt(model, name[pos_id], pos_id, keys, values));
      CHECK(first_difference(logits, data(reference::gpt(config, state, name[pos_id], pos_id, reference_keys,
                                                         reference_values))) == "");
      if (name.size() == 3) CHECK(logits != data(gpt(model, name[pos_id], pos_id, no_keys, no_values)));
    }
  }
}

}  // namespace
}  // namespace microgpt
