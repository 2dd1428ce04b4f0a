// Lesson 04: a tape. The draft is tape.h beside this file: used like the Value of lesson 03, but its nodes lie one
// after the other in memory that each step writes over again, and its backward does not call itself.
#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "../03_value/mlp.h"
#include "../03_value/value.h"
#include "lesson/lesson.h"
#include "scalar/mlp.h"
#include "tape.h"
#include "train/optimizer.h"

using namespace microgpt;
using Pointers = lesson03::Value;
using Draft = lesson04::Value;

double learning_rate(std::size_t step) { return 1 - static_cast<double>(step - 1) / 1000; }

/// The MLP of lesson 02 trained by the draft, with src beside it; and what the tape holds after some of the steps.
void train_beside_src(Lesson& lesson, const Parameters& initial) {
  lesson03::Mlp<Draft> mlp(initial, lesson04::dot);
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  std::copy(initial.data().begin(), initial.data().end(), parameters.data().begin());
  const Mlp model(parameters);
  std::optional<Draft> kept;
  std::size_t made = 0;
  std::string table;
  std::size_t same = 0;
  for (std::size_t step = 1; step <= 1000; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    {
      const std::size_t mark = lesson04::tape.nodes.used;
      const lesson04::Scope scope;
      const Draft loss = mlp.document_loss(tokens);
      loss.backward();  // stop: loss
      made += lesson04::tape.nodes.used - mark;
      if (step == 1) kept = loss;
      lesson.step(step, 1000, loss.data());
    }
    const Scope scope;  // stop: rewound
    const Value loss_in_src = document_loss(model, tokens);
    loss_in_src.backward();
    same += lesson.losses().back() == loss_in_src.data() && mlp.same_gradients(parameters) ? 1 : 0;
    mlp.sgd_update(learning_rate(step));
    sgd_update(parameters, learning_rate(step));
    if (step == 1 || step == 10 || step == 100 || step == 1000) {
      table += fmt::format("{:10} | {:10} | {:12} | {:8}\n", step, made, lesson04::tape.nodes.used,
                           lesson04::tape.nodes.room());
    }
  }
  fmt::print("steps in which the loss and all gradients are those of src, to the last bit: {}\n", same);
  lesson.check("that is every step", same == 1000);
  fmt::print("\nafter step | nodes made | still in use | room for\n{}", table);
  lesson.check("nothing stays on the tape but the parameters", lesson04::tape.nodes.used == parameters.size());
  fmt::print("\nthe loss of step 1 was {:.4f}; its Value, kept, says {:.4f}\n", lesson.losses()[0], kept->data());
}

/// The same mistake with src. A debug build looks, and says on standard error what it found.
bool src_notices() {
  std::optional<Value> kept;
  {
    const Scope scope;
    kept = Value(2.0);
  }
  try {
    kept->data();
  } catch (const std::logic_error& error) {
    fmt::print(stderr, "src: {}\n", error.what());
    return true;
  }
  return false;
}

/// How many nodes backward goes through for one name, the parameters that it meets among them.
void count_nodes(const Lesson& lesson, const Parameters& parameters) {
  const std::vector<Token> tokens = lesson.tokens_of_step(1);
  const Pointers loss = lesson03::Mlp<Pointers>(parameters).document_loss(tokens);
  fmt::print("\nthe first name's loss                   |  nodes | depth\n");
  fmt::print("lesson 03                               | {:6} |\n", loss.topological_order().size());
  const lesson04::Scope scope;
  lesson03::Mlp<Draft>(parameters).document_loss(tokens).backward();
  fmt::print("tape: no nodes for constants            | {:6} | {:5}\n", lesson04::tape.reached, lesson04::tape.depth);
  lesson03::Mlp<Draft>(parameters, lesson04::dot).document_loss(tokens).backward();
  fmt::print("tape: and one node for each dot product | {:6} | {:5}\n", lesson04::tape.reached, lesson04::tape.depth);
}

/// ((x + 1) + 1) + ..., n times: as deep as a graph can be.
template <class V>
V chain(V x, int n) {
  for (int i = 0; i < n; i++) x = x + 1.0;
  return x;
}

void show_deep_chain(Lesson& lesson) {
  constexpr int n = 1'000'000;
  if (lesson.broken("recursion")) {
    fmt::print("\n{} additions with the backward of lesson 03:\n", n);
    std::fflush(stdout);
    chain<Pointers>(0.0, n).backward();
  }
  const lesson04::Scope scope;
  const Draft x = 0.0;
  const Draft end = chain(x, n);
  end.backward();  // stop: chain
  fmt::print("\n{} additions: data {}, depth {}, gradient of x {}\n", n, end.data(), lesson04::tape.depth, x.grad());
}

/// Trains for 20 steps; says on standard error how long a step took. Returns the last loss.
template <class V>
double race(const Lesson& lesson, const char* name, lesson03::Mlp<V> mlp) {
  const auto start = std::chrono::steady_clock::now();
  double last_loss = 0;
  for (std::size_t step = 1; step <= 20; step++) {
    const lesson04::Scope scope;
    const V loss = mlp.document_loss(lesson.tokens_of_step(step));
    loss.backward();
    mlp.sgd_update(learning_rate(step));
    last_loss = loss.data();
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "{:7.0f} microseconds a step: {}\n", time.count() / 20, name);
  return last_loss;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  lesson04::broken = {lesson.broken("mark"), lesson.broken("rewind"), lesson.broken("creation")};
  Parameters parameters(mlp_shapes(lesson.tokenizer.vocab_size(), 16));
  draw_weights(parameters, 0.08, lesson.random);
  lesson.line(fmt::format("num params: {}", parameters.size()));
  train_beside_src(lesson, parameters);
  if (checked && !src_notices()) lesson.check("src notices a Value that is used after its Scope", false);
  count_nodes(lesson, parameters);
  show_deep_chain(lesson);

  const std::vector<double> losses{
      race(lesson, "lesson 03", lesson03::Mlp<Pointers>(parameters)),
      race(lesson, "tape", lesson03::Mlp<Draft>(parameters)),
      race(lesson, "tape, a dot product as one node", lesson03::Mlp<Draft>(parameters, lesson04::dot)),
  };
  lesson.check("after 20 steps all three racers have the same loss",
               losses == std::vector<double>(3, lesson.losses()[19]));
  return lesson.finish(1000);
}
