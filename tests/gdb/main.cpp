// A small program for the debugger to stop in. session.gdb beside it is what is typed, expected.txt what must appear.
#include <vector>

#include "base/python_random.h"
#include "microgpt.h"

using namespace microgpt;

namespace {

Value twice(Value x) {
  const Value y = x * x;  // stop: computed
  return y + exp(x);
}

/// Two layers with two heads each, for the tokens 0, 1 and BOS.
Model small_model() {
  PythonRandom random(42);
  Model model{.n_head = 2, .block_size = 4};
  auto matrix = [&](std::size_t nout, std::size_t nin) {
    Matrix rows(nout);
    for (List& row : rows) {
      while (row.size() < nin) row.emplace_back("parameter", random.gauss(0, 0.08));
    }
    return rows;
  };
  model.wte = matrix(3, 4);
  model.wpe = matrix(4, 4);
  model.lm_head = matrix(3, 4);
  for (int i = 0; i < 2; i++) {
    model.layers.push_back({matrix(4, 4), matrix(4, 4), matrix(4, 4), matrix(4, 4), matrix(16, 4), matrix(4, 16)});
  }
  return model;
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
  const List list{a, c};  // stop: library
  const Value same = list[1];
  same.backward();  // stop: after-backward

  const Model model = small_model();
  third_position(model);
  Value loss = c;
  {
    const Scope scope;
    loss = document_loss(model, std::vector<Token>{2, 0, 1, 0, 2});
    [[maybe_unused]] const List attn_weights = softmax(list);
    loss.backward();
    loss = loss * 1.0;  // stop: after-gpt
  }
  return 0;  // stop: scope-has-ended
}
