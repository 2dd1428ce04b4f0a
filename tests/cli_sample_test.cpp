// microgpt sample: what names must be like, how they are drawn, and how they are printed.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "program.h"
#include "train/constraints.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

/// A folder with a model of the tensor engine.
struct TensorFolder : NamesFolder {
  std::string model = trained({"--data", "data/names.txt", "--engine", "tensor", "--batch", "8", "--steps", "100"});

  /// The names that sample prints, a line for each.
  Words plain(const Words& how) const { return lines(output(Words{"sample", model, "--layout", "plain"} + how)); }
};

TEST_CASE("a * is any text, a ? any character, and the rest itself") {
  for (const char32_t* pattern : {U"", U"*a", U"?b*", U"a*b*c", U"**", U"a?c", U"abc"}) {
    const std::u32string_view p = pattern;
    CHECK(matches(p, U"abc") == (p != U"" && p != U"*a"));
    CHECK(matches(p, U"") == (p == U"" || p == U"**"));
    CHECK(matches(p, U"abcbc") == (p == U"?b*" || p == U"a*b*c" || p == U"**"));
    CHECK(matches(p, U"ba") == (p == U"*a" || p == U"**"));
  }
  CHECK(literal_prefix(U"ma?i*") == U"ma");
  CHECK(literal_prefix(U"*") == U"");
}

TEST_CASE("top-k and top-p keep the likeliest tokens and no other") {
  const std::vector<double> logits{std::log(0.1), std::log(0.5), std::log(0.15), std::log(0.25)};
  auto kept = [&](const Sampling& sampling) {
    std::vector<double> some = logits;
    keep_likeliest<double>(some, sampling);
    std::set<std::size_t> left;
    for (std::size_t i = 0; i < some.size(); i++) {
      if (some[i] == logits[i]) left.insert(i);
    }
    return left;
  };
  CHECK(kept({1}) == std::set<std::size_t>{0, 1, 2, 3});
  CHECK(kept({1, 2}) == std::set<std::size_t>{1, 3});
  CHECK(kept({1, 9}) == std::set<std::size_t>{0, 1, 2, 3});
  CHECK(kept({1, 0, 0.7}) == std::set<std::size_t>{1, 3});
  CHECK(kept({1, 0, 0.8}) == std::set<std::size_t>{1, 2, 3});
  CHECK(kept({1, 1, 0.8}) == std::set<std::size_t>{1});
  CHECK(kept({1, 0, 1e-9}) == std::set<std::size_t>{1});
  CHECK(kept({0, 0, 0.99}) == std::set<std::size_t>{1});  // at a temperature of 0 the likeliest has all
}

TEST_CASE_FIXTURE(TensorFolder, "names are what they must be like, and those that are drop out of the same stream") {
  const Words all = plain({"--num", "3000"});
  auto among_all = [&](auto fits) {
    Words some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), fits);
    some.resize(std::min<std::size_t>(some.size(), 10));
    return some;
  };
  auto check = [&](const Words& how, auto fits) {
    CAPTURE(how.front());
    const Words expected = among_all(fits);
    REQUIRE(expected.size() == 10);
    CHECK(plain(how + Words{"--num", "10"}) == expected);
  };
  using Name = const std::string&;
  check({"--suffix", "a"}, [](Name name) { return name.ends_with("a"); });
  check({"--contains", "an"}, [](Name name) { return name.find("an") != std::string::npos; });
  check({"--pattern", "?a*"}, [](Name name) { return name.size() > 1 && name[1] == 'a'; });
  check({"--min-length", "7"}, [](Name name) { return name.size() >= 7; });
  check({"--max-length", "3"}, [](Name name) { return name.size() <= 3; });
}

TEST_CASE_FIXTURE(TensorFolder, "a pattern that begins with letters draws from the names that do, as they are likely") {
  // The letters are a prompt here, which rejects nothing. So compare with names that were drawn without.
  auto ends_with_a = [](const Words& drawn) {
    const auto n = std::count_if(drawn.begin(), drawn.end(), [](const std::string& s) { return s.ends_with("a"); });
    return static_cast<double>(n) / static_cast<double>(drawn.size());
  };
  const Words by_pattern = plain({"--pattern", "ma*", "--num", "4000"});
  Words by_chance = plain({"--num", "60000"});
  std::erase_if(by_chance, [](const std::string& name) { return !name.starts_with("ma"); });
  REQUIRE(by_chance.size() > 300);
  const double p = ends_with_a(by_chance);
  const double error = std::sqrt(p * (1 - p) * (1.0 / 4000 + 1.0 / static_cast<double>(by_chance.size())));
  CHECK(std::abs(ends_with_a(by_pattern) - p) < 4 * error);
}

TEST_CASE_FIXTURE(TensorFolder, "new names are in no list, and none comes twice") {
  const Words often = plain({"--num", "200", "--temperature", "0.3"});
  write_contents(file("avoid"), often[0] + "\n" + often[1] + "\n");
  const Words unique = plain({"--num", "50", "--temperature", "0.3", "--unique"});
  CHECK(std::set(often.begin(), often.end()).size() < often.size());
  CHECK(std::set(unique.begin(), unique.end()).size() == 50);
  const Words avoiding = plain({"--num", "200", "--temperature", "0.3", "--avoid", file("avoid")});
  for (const std::string& name : {often[0], often[1]}) {
    CHECK(std::count(avoiding.begin(), avoiding.end(), name) == 0);
  }
  const Words known = lines(contents(names));
  const Words fresh = plain({"--num", "100", "--new", "--data", names});
  CHECK(std::set(fresh.begin(), fresh.end()).size() == 100);
  for (const std::string& name : fresh) CHECK(std::count(known.begin(), known.end(), name) == 0);
}

TEST_CASE_FIXTURE(TensorFolder, "names of the data are marked, scored names have the model's loss, and JSON has both") {
  write_contents(file("all"), output({"sample", model, "--layout", "plain", "--num", "1"}) + "zz\n");
  const std::string first = plain({"--num", "1"})[0];
  CHECK(output({"sample", model, "--num", "1", "--data", file("all")}) == "sample  1: " + first + "  (in the data)\n");
  const nlohmann::json record = nlohmann::json::parse(
      output({"sample", model, "--num", "1", "--layout", "json", "--score", "--data", file("all")}))[0];
  CHECK(record["name"] == first);
  CHECK(record["in_data"] == true);
  const double loss = record["nats_per_token"];
  CHECK(plain({"--num", "1", "--score"})[0] == fmt::format("{}  {:.3f}", first, loss));
  CHECK(plain({"--num", "1", "--top-k", "1"}) == plain({"--num", "1", "--temperature", "0"}));
}

TEST_CASE_FIXTURE(TensorFolder, "what cannot be had is said in one line, and what there is of it is printed") {
  const Run run = microgpt({"sample", model, "--num", "1000", "--max-length", "1", "--unique", "--layout", "plain"});
  CHECK(run.exit_code == 1);
  const std::size_t found = lines(run.out).size();
  CHECK(found >= 2);
  CHECK(run.err.starts_with(fmt::format("microgpt: found {} of 1000 names, and no more in 100000 tries: ", found)));
  CHECK(refusal({"sample", model, "--min-length", "5", "--max-length", "4"}) ==
        "2: --min-length is 5, and --max-length 4");
  CHECK(refusal({"sample", model, "--pattern", "Ä*"}).starts_with("2: the character 'Ä' is unknown"));
  CHECK(refusal({"sample", model, "--temperature", "-1"}) ==
        "2: --temperature is '-1'; it must be a number from 0 to 1000000");
}

TEST_CASE("a capital that the model does not know is read as its small letter, which is told") {
  const NamesFolder folder("Zoë\nanna\nbella\nmaë\n");
  const std::string model = folder.trained({"--steps", "30"});
  auto same = [&](const Words& command, const std::string& option, const std::string& typed, const std::string& read) {
    const Run r = microgpt(command + Words{option, typed});
    CHECK(r.exit_code == 0);
    CHECK(r.out == output(command + Words{option, read}));
    CHECK(r.err ==
          "microgpt: note: " + option + " is read as '" + read + "': the model does not know these capitals\n");
  };
  const Words sample{"sample", model, "--temperature", "2", "--num", "3"};
  same(sample, "--prompt", "ZMaË", "Zmaë");
  same(sample, "--suffix", "A", "a");
  same(sample, "--contains", "N", "n");
  same(sample, "--pattern", "B*", "b*");
  same({"inspect", model}, "--text", "Anna", "anna");
  same({"heads", model, "--data", folder.names}, "--text", "MAË", "maë");
  CHECK(refusal({"sample", model, "--prompt", "Q"}).starts_with("2: the character 'Q' is unknown"));
}

}  // namespace
}  // namespace microgpt
