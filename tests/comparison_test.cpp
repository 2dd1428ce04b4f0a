#include "lesson/comparison.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"

namespace microgpt {
namespace {

/// A few hundred names, so that training on them is quick.
struct Task {
  std::vector<Document> documents = read_documents("data/names.txt");
  Tokenizer tokenizer = Tokenizer(documents);

  Task() { documents.resize(400); }
};

}  // namespace

TEST_CASE("a difference is clear if it is more than Student's t allows for three seeds") {
  // Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3). The 97.5th percentile with two degrees of freedom has a
  // closed form: p sqrt(2 / (1 - p^2)), where p is 0.95.
  const PerSeed zero{};
  const Difference apart = difference(PerSeed{1, 2, 3}, zero);
  CHECK(apart.mean == 2);
  CHECK(apart.margin == doctest::Approx(0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)) / std::sqrt(3)).epsilon(1e-6));
  CHECK(!apart.is_clear());  // though 2 is more than three standard errors
  CHECK(difference(PerSeed{2, 3, 4}, zero).is_clear());
  CHECK(difference(zero, PerSeed{2, 3, 4}).mean == -3);
  CHECK(difference(zero, PerSeed{2, 3, 4}).is_clear());
}

TEST_CASE("a difference is taken seed by seed, so what a seed does to both does not count") {
  CHECK(difference(PerSeed{11, 22.25, 33}, PerSeed{10, 21, 32}).is_clear());
  CHECK(!difference(PerSeed{11, 22, 33}, PerSeed{32, 21, 10}).is_clear());
}

TEST_CASE("the same form twice has the same outcome, and no difference") {
  const Task task;
  const auto outcomes =
      compare(task.documents, task.tokenizer, {{"a", {}}, {"b", {}}}, {.num_steps = 5, .batch_size = 4}).outcomes;
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].held_out == outcomes[1].held_out);
  CHECK(outcomes[0].training == outcomes[1].training);
  CHECK(outcomes[0].held_out[0] != outcomes[0].held_out[1]);  // but each seed has its own
  CHECK(!difference(outcomes[0].held_out, outcomes[1].held_out).is_clear());
}

TEST_CASE("an outcome counts parameters and what is kept of a token") {
  const Task task;
  const auto outcomes = compare(task.documents, task.tokenizer, {{"mha", {}}, {"mqa", {.n_kv_head = 1}}},
                                {.num_steps = 1, .batch_size = 4})
                            .outcomes;
  CHECK(outcomes[0].parameters - outcomes[1].parameters == 2 * 12 * 16);  // W_K and W_V lose 12 rows of 16 each
  CHECK(outcomes[0].cache_bytes == 2 * 16 * sizeof(float));
  CHECK(outcomes[1].cache_bytes == 2 * 4 * sizeof(float));
}

TEST_CASE("too few names to hold some out are an error") {
  Task task;
  task.documents.resize(3);
  CHECK_THROWS_AS(compare(task.documents, task.tokenizer, {{"mha", {}}}), Error);
}

}  // namespace microgpt
