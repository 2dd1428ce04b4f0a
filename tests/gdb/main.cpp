// A small program for the debugger to stop in. session.gdb beside it is what is typed, expected.txt what must appear.
#include <vector>

#include "base/parameters.h"
#include "base/python_random.h"
#include "base/tokenizer.h"
#include "microgpt.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

namespace {

Value twice(Value x) {
  const Value y = x * x;  // stop: computed
  return y + exp(x);
}

/// The third position of a GPT, whose keys and values of the first two are there.
void third_position(const Model& model) {
  const Scope scope;
  Cache keys(model.layers.size()), values(model.layers.size());
  gpt(model, 2, 0, keys, values);
  gpt(model, 0, 1, keys, values);
  gpt(model, 1, 2, keys, values);  // stop: before-heads
}

}  // namespace

int main() {
  const Value a = 2.0;
  const Value c = twice(a);
  c.backward();
  const std::vector<Value> list{a, c};  // stop: library
  const Values logits(list);
  c.backward();  // stop: after-backward

  const Config config{.vocab_size = 3, .n_layer = 2, .n_embd = 4, .n_head = 2, .block_size = 4};
  PythonRandom random(42);
  const Parameters parameters = initialize(config, TrainConfig{}, random);
  const Model model = scalar_model(config, parameters);
  const Tokenizer tokenizer(U"ab");
  third_position(model);
  Value loss = c;
  Value gone = c;
  {
    const Scope scope;
    gone = 2.0 * c;
    loss = document_loss(model, std::vector<Token>{2, 0, 1, 0, 2});
    [[maybe_unused]] const Values attn_weights = softmax(logits);
    loss.backward();
    loss = loss * 1.0;  // stop: after-gpt
  }
  const Value in_place_of_gone = 1.0;
  return in_place_of_gone.node == gone.node ? 0 : 1;  // stop: scope-has-ended
}
