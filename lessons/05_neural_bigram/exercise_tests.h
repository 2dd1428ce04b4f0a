// The tests of exercise 05: one step with three names of different lengths. Then the same names in larger batches.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace teach;

inline void test_step() {
  const Scope scope;
  PythonRandom random(42);
  const Mlp model(StateDict(mlp_shapes(27, 16), 0.5, random));
  const std::vector<Name> names{{26, 1, 14, 26}, {26, 0, 13, 0, 26}, {26, 2, 11, 4, 14, 26}};
  std::vector<LossAndGradient> of;  // each name
  for (const Name& name : names) {
    of.push_back(loss_and_gradient([&](auto tokens) { return document_loss(model, tokens); }, model.params, name));
  }
  const std::size_t nodes = nodes_on_tape();
  const Numbers before = Values(model.params).data();
  auto moved = [&](double share) {  // if each name's gradient has this share
    Numbers by;
    for (std::size_t i = 0; i < before.size(); i++) {
      by.push_back(-0.5 * share * (of[0].gradient[i] + of[1].gradient[i] + of[2].gradient[i]));
    }
    return by;
  };
  calling("train_step() with bo, ana and cleo at the rate 0.5: the loss", "It is the mean of the three names' losses.");
  usual({of[0].loss + of[1].loss + of[2].loss}, "That is their sum. Divide it by the number of names.");
  usual({(3 * of[0].loss + 4 * of[1].loss + 5 * of[2].loss) / 12},
        "Long names count more here. Each name counts the same: divide by the number of names, not of tokens.");
  should_be(train_step(model, names, 0.5), {(of[0].loss + of[1].loss + of[2].loss) / 3});
  calling("The same: by how much each parameter moves", "It should be -0.5 * the mean of its three gradients.");
  usual(moved(0), "Nothing moves. Is the loss a Value? data() is a number that forgot where it came from.");
  usual(moved(-1.0 / 3), "They move uphill. Downhill is against the gradient: -= .");
  usual(moved(1), "They follow the sum of the names' gradients. Call backward() of the mean.");
  Numbers by = Values(model.params).data();
  for (std::size_t i = 0; i < by.size(); i++) by[i] -= before[i];
  should_be(by, moved(1.0 / 3));
  calling("The same: the gradients afterwards", "backward() adds to what is there. Set each gradient back to 0.");
  for (std::size_t i = 0; i < by.size(); i++) by[i] = model.params[i].grad();
  should_be(by, Numbers(by.size()));
  calling("The same: how many nodes it leaves on the tape", "A step needs a Scope, which takes its nodes back.");
  should_be(double(nodes_on_tape() - nodes), {0});
}

inline void show() {
  const std::vector<Document> documents = read_documents("data/names.txt");
  const Split parts = split(documents);
  const Tokenizer tokenizer(documents);
  std::vector<Name> names;
  for (const Document& document : parts.training) names.push_back(tokenizer.encode_document(document));
  PythonRandom(1).shuffle(names);
  calling("train_step() with one name after the other, and with batches", "With three names it was right.");
  fmt::print("batch | steps | rate | noise of a step | held-out loss\n");
  for (const auto& [batch, rate] : {std::pair{1, 1.0}, {4, 1.0}, {16, 1.0}, {16, 8.0}}) {
    PythonRandom random(42);
    const Mlp model(StateDict(mlp_shapes(27, 16), 0.08, random));
    Numbers losses;
    for (int first = 0; first < 4000; first += batch) {
      losses.push_back(train_step(model, std::span(names).subspan(first, batch), rate * (1 - first / 4000.0)));
    }
    fmt::print("{:5} | {:5} | {:4} | {:15.4f} | {:13.4f}\n", batch, losses.size(), rate,
               estimate(std::span(losses).last(losses.size() / 4)).stddev,
               mean_loss([&](auto tokens) { return document_loss(model, tokens); }, parts.held_out, tokenizer).mean);
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_step, show}); }
