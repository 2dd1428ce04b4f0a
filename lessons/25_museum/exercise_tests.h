// The tests of exercise 25: each check is shown every model.
#pragma once

#include "lesson/teach.h"

inline void expect(const std::string& name, bool (*check)(Suspect&), const std::vector<Kind>& guilty,
                   const char* went_free, const char* accused) {
  for (const auto& [kind, model] : {std::pair(Kind::right, "right model"),
                                    {Kind::future, "one whose mask is thrown away"},
                                    {Kind::detached, "one whose keys and values are copies"},
                                    {Kind::full_cache, "one whose cache is never emptied"},
                                    {Kind::gradients_kept, "one that adds each gradient to the last"}}) {
    const bool is_guilty = std::count(guilty.begin(), guilty.end(), kind) > 0;
    Suspect suspect(kind);
    const std::vector<double> before(suspect.parameters().begin(), suspect.parameters().end());
    teach::calling(name + "() of the " + model, is_guilty ? went_free : accused);
    teach::should_read(check(suspect) ? "true" : "false", is_guilty ? "true" : "false");
    teach::calling(name + "(): parameters of the " + model, "A parameter that is moved is put back before any return.");
    teach::should_be(std::vector<double>(suspect.parameters().begin(), suspect.parameters().end()), before, 0);
  }
}

inline void test_future() {
  expect("sees_the_future", sees_the_future, {Kind::future},
         "Change the last token, or leave it out: no prediction before it may move.",
         "It went by something else. Change a later token only. A model with a memory must remember the same at both "
         "questions. And what is predicted after the last token may depend on it.");
}

inline void test_memory() {
  expect("remembers_other_documents", remembers_other_documents, {Kind::full_cache},
         "Ask the same question twice, with another document in between, of another beginning.",
         "Only the question before may be different. The last bits of a sum may differ, too.");
}

inline void test_gradient() {
  expect("has_a_wrong_gradient", has_a_wrong_gradient, {Kind::detached, Kind::gradients_kept},
         "Compare every slope closely with nudged(), and take the gradient twice, of two documents, as training does.",
         "Its gradient is that of its loss. Was the loss asked for with the same memory each time? Is the tolerance "
         "as large as the error of a slope by nudging?");
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_future, test_memory, test_gradient}); }
