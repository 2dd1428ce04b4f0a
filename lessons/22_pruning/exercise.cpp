// Exercise 22: what is a head worth? Alone, each head of the copier costs a hundredth or two. Together they cost more
// than 2. So the numbers of one ranking do not add up to anything. There is one way to share the whole among the heads
// that is fair: let them leave in a row, and write down what the loss grows by when each one goes. Who goes late pays
// more. So do it in every possible order, and take the mean for each head (Lloyd Shapley, 1953; he shared the gains of
// a game among its players).
//
//   make exercise-22    fails until both functions are right, and hints at what is missing
//   make solution-22    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "base/task.h"
#include "lesson/trained.h"

using namespace microgpt;

/// The loss of a model of n heads without some of them: 2^n numbers. Those heads are out whose bit is set in the index.
/// losses[0] is the loss with all heads, losses[5] that without the heads 0 and 2.
using Losses = std::vector<double>;

#ifdef SOLUTION
#include "solution.cpp"
#else
/// What each of the n heads is worth: by how much the loss grows when it goes, on average over all orders in which the
/// n heads can go.
std::vector<double> worth(const Losses& losses) {
  // TODO: this is what each costs alone. In how many orders does it go first?
  std::vector<double> heads;
  for (std::size_t bit = 1; bit < losses.size(); bit *= 2) heads.push_back(losses[bit] - losses[0]);
  return heads;
}

/// The other way round: all heads are out. The one comes in first with which the loss is smallest, then the next. The
/// order in which they come in.
std::vector<std::size_t> put_in([[maybe_unused]] const Losses& losses) {
  // TODO
  return {};
}
#endif

namespace {

/// A loss for every set of n heads.
template <class LossOf>
Losses table(std::size_t n, LossOf loss) {
  Losses losses;
  for (std::size_t out = 0; out < std::size_t{1} << n; out++) losses.push_back(loss(out));
  return losses;
}

void check_worth(const Losses& losses, const std::vector<double>& expected) {
  const std::vector<double> found = worth(losses);
  REQUIRE(found.size() == expected.size());
  for (std::size_t h = 0; h < expected.size(); h++) {
    INFO("head " << h);
    REQUIRE(found[h] == doctest::Approx(expected[h]));
  }
}

std::string text(const std::vector<std::size_t>& order) {
  std::string numbers;
  for (const std::size_t h : order) numbers += fmt::format(" {}", h);
  return numbers;
}

/// The copier of the lesson, without each set of heads.
Losses copier_losses() {
  PythonRandom random(1);
  const std::vector<Document> words = draw_documents({}, Part::training, 9600, random);
  const Trained copier = train({.model = {}, .train = {.num_steps = 300, .batch_size = 32}}, words,
                               draw_documents({}, Part::held_out, 300, random), 87);
  Probe probe(copier.config, copier.parameters, copier.held_out);
  return table(4, [&](std::size_t out) {
    std::vector<HeadId> heads = all_heads(copier.config);
    std::erase_if(heads, [&](HeadId id) { return (out >> id.head & 1) == 0; });
    const std::vector<double> losses = probe.scores(silenced(heads, copier.config)).losses;
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  });
}

}  // namespace

TEST_CASE("two heads of which one is enough are worth half of it each") {
  INFO(
      "hint: without either the loss is 0, without both it is 1. Who goes first costs nothing, who goes second costs "
      "1");
  check_worth({0, 0, 0, 1}, {0.5, 0.5});
}

TEST_CASE("a head that costs the same in any company is worth that, and one that does nothing is worth nothing") {
  INFO("hint: head 0 costs 1, head 1 costs 2, head 2 nothing. Do the weights of all sets before a head add up to 1?");
  check_worth(table(3, [](std::size_t out) { return (out & 1 ? 1.0 : 0) + (out & 2 ? 2.0 : 0); }), {1, 2, 0});
  INFO("hint: now any one of three heads is enough");
  check_worth(table(3, [](std::size_t out) { return out == 7 ? 6.0 : 0; }), {2, 2, 2});
  INFO("hint: now head 0 can do what heads 1 and 2 do together. Write down all six orders, and who pays in each");
  check_worth(table(3, [](std::size_t out) { return (out & 1) && (out & 6) ? 6.0 : 0; }), {4, 1, 1});
}

TEST_CASE("what all heads are worth is what the model loses without any") {
  PythonRandom random(1);
  const Losses losses = table(5, [&](std::size_t) { return random.random(); });
  const std::vector<double> heads = worth(losses);
  INFO("hint: in every single order, the steps lead from the loss with all heads to the loss with none");
  CHECK(std::accumulate(heads.begin(), heads.end(), 0.0) == doctest::Approx(losses[31] - losses[0]));
}

TEST_CASE("sixteen heads have 20,922,789,888,000 orders") {
  INFO(
      "hint: what a head costs depends on who went before it, not on their order. In how many orders did the same k go "
      "before it, and the other 15 - k go after?");
  check_worth(table(16, [](std::size_t out) { return std::popcount(out) * std::popcount(out); }),
              std::vector<double>(16, 16.0));
}

TEST_CASE("the first to come in is the best alone") {
  INFO("hint: with head 1 alone the loss is 2, with head 0 alone 3, with head 2 alone 4; then head 2 helps more");
  CHECK(text(put_in({0, 1, 1.5, 4, 1.2, 2, 3, 9})) == " 1 2 0");
}

TEST_CASE("the heads of the copier") {
  const Losses losses = copier_losses();
  const std::vector<double> heads = worth(losses);
  const std::vector<std::size_t> order = put_in(losses);
  INFO("hint: put_in() lists all heads");
  REQUIRE(order.size() == 4);
  double alone = 0, together = 0;
  for (std::size_t h = 0; h < 4; h++) {
    const double cost = losses[std::size_t{1} << h] - losses[0];
    fmt::print("head {}: goes alone {:+.3f} | is worth {:.3f} {}\n", h, cost, heads[h],
               std::string(static_cast<std::size_t>(20 * std::max(0.0, heads[h])), '#'));
    alone += cost;
    together += heads[h];
  }
  fmt::print("sum   :            {:+.3f} |          {:.3f}\n", alone, together);
  fmt::print("come in:{}\n", text(order));
  CHECK(together == doctest::Approx(losses[15] - losses[0]));
  CHECK(order[0] == 0);
}
