// Exercise 25: be the detective. Somebody gives you a model that trains, and its loss falls. You may call its functions
// and nothing else. Write five checks; each must see its bug and accuse no other model.
//
//   make exercise-25    fails until all five are right, and says which suspect went free or was accused for nothing
//   make solution-25    the same with the answer of solution.cpp
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "suspects.h"

using namespace lesson25;

#ifdef SOLUTION
#include "solution.cpp"
#else
// TODO: each of these finds nothing. What could you do to a model that changes the answer of a broken one only?

/// Whether the prediction after a token depends on tokens that come later.
bool sees_the_future(Suspect&) { return false; }

/// Whether an answer depends on which documents the model was asked about before.
bool remembers_other_documents(Suspect&) { return false; }

/// Whether the model cannot tell in which order the earlier tokens came.
bool is_blind_to_order(Suspect&) { return false; }

/// Whether the gradient is not that of the loss.
bool has_a_wrong_gradient(Suspect&) { return false; }

/// Whether the loss is not the mean of -log of the probabilities that the model itself gives.
bool reports_another_loss(Suspect&) { return false; }
#endif

namespace {

struct Case {
  Kind kind;
  std::string bug;
};

const std::vector<Case> cases{
    {Kind::right, "the right model"},
    {Kind::future, "the one whose mask is thrown away"},
    {Kind::detached, "the one whose keys and values are copies"},
    {Kind::no_positions, "the one without positions"},
    {Kind::full_cache, "the one whose cache is never emptied"},
    {Kind::gradients_kept, "the one that adds each gradient to the last"},
    {Kind::softmax_twice_in_loss, "the one that trains on a softmax of a softmax"},
};

void expect(bool (*detector)(Suspect&), const std::vector<Kind>& guilty, const std::string& hint) {
  for (const auto& [kind, bug] : cases) {
    Suspect suspect(kind);
    const std::vector<double> before(suspect.parameters().begin(), suspect.parameters().end());
    const bool is_guilty = std::find(guilty.begin(), guilty.end(), kind) != guilty.end();
    const bool accused = detector(suspect);
    INFO("hint: " << hint);
    const std::string verdict = (is_guilty ? "went free: " : "accused for nothing: ") + bug;
    INFO(verdict);
    CHECK(accused == is_guilty);
    INFO("hint: put every parameter back to the very number it was");
    CHECK(std::equal(before.begin(), before.end(), suspect.parameters().begin()));
  }
}

}  // namespace

TEST_CASE("who sees the future") {
  expect(sees_the_future, {Kind::future},
         "change the last token: no prediction before it may move. Ask a fresh question first, so that what a model "
         "remembers is the same both times");
}

TEST_CASE("who remembers other documents") {
  expect(remembers_other_documents, {Kind::full_cache}, "ask the same question twice, with another one in between");
}

TEST_CASE("who is blind to the order") {
  expect(is_blind_to_order, {Kind::no_positions},
         "swap two earlier tokens and look at the prediction after the last one. A sum in another order differs in its "
         "last bits, so ask whether it differs by more than 1e-9");
}

TEST_CASE("whose gradient is wrong") {
  expect(has_a_wrong_gradient, {Kind::detached, Kind::gradients_kept},
         "nudge every parameter up and down by 1e-5, as in lesson 02; and take the gradient more than once, of more "
         "than one document, as training does");
}

TEST_CASE("who reports another loss") {
  expect(reports_another_loss, {Kind::softmax_twice_in_loss},
         "compute the loss yourself, from probabilities(). Mind what the full cache remembers: compare like with like");
}
