// The published programs from the first random number to the last invented name, to the last bit where the C library is
// theirs.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "first_difference.h"
#include "golden_run.h"
#include "scalar/gpt.h"

namespace microgpt {
namespace {

void check_training(const std::string& name, const std::string& data, const std::filesystem::path& path) {
  const GoldenRun golden = read_golden_run(name + "_" + data);
  Preset chosen = preset(name);
  REQUIRE(golden.losses.size() == chosen.train.num_steps);

  PythonRandom random(42);
  const auto [documents, tokenizer] = prepare(path, false, chosen.model, random);
  Parameters parameters = initialize(chosen.model, chosen.train, random);
  const Model model(chosen.model, parameters);
  Adam adam(chosen.train, parameters.size());
  std::vector<double> losses;
  train([&](std::span<const Token> tokens) { return document_loss(model, tokens); }, parameters, adam, documents,
        tokenizer, chosen.train, [&](std::size_t, double loss) { losses.push_back(loss); });
  CHECK(golden_difference(losses, golden.losses) == "");

  const auto shapes = gpt_shapes(chosen.model);
  auto same = [](const auto& a, const auto& b) { return a.name == b.name && a.rows == b.rows && a.cols == b.cols; };
  CHECK(std::equal(shapes.begin(), shapes.end(), golden.shapes.begin(), golden.shapes.end(), same));
  CHECK(golden_difference(parameters.data(), golden.parameters) == "");

  std::vector<std::string> names;
  while (names.size() < 20) names.push_back(tokenizer.decode(sample(model, 0.5, random)));
  CHECK(names == golden.names);
}

TEST_CASE("gist prints the published losses, parameters and names on the names that come with the project") {
  check_training("gist", "builtin", "data/names.txt");
}

TEST_CASE("walkthrough prints the published losses, parameters and names on the names that come with the project") {
  check_training("walkthrough", "builtin", "data/names.txt");
}

/// The 32,033 names of makemore, if they are there.
std::filesystem::path makemore() {
  const std::filesystem::path downloaded = "data/makemore.txt";
  return std::filesystem::exists(downloaded) ? downloaded : "../shared/data/names.txt";
}

const bool absent = !std::filesystem::exists(makemore());
const char* const why = "data/makemore.txt is not there; make names downloads it";

TEST_CASE("gist prints the published losses, parameters and names on the 32,033 names" * doctest::description(why) *
          doctest::skip(absent)) {
  check_training("gist", "makemore", makemore());
}

TEST_CASE("walkthrough prints the published losses, parameters and names on the 32,033 names" *
          doctest::description(why) * doctest::skip(absent)) {
  check_training("walkthrough", "makemore", makemore());
}

}  // namespace
}  // namespace microgpt
