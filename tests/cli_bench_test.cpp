#include <nlohmann/json.hpp>

#include "program.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

/// What bench --json prints.
nlohmann::json measured(const Words& how) {
  const NamesFolder folder;
  return nlohmann::json::parse(output(Words{"bench", "--data", folder.names, "--quick", "--json"} + how));
}

TEST_CASE("bench --json prints what a program can read") {
  const nlohmann::json results = measured({"--n-embd", "4", "--batch", "1,3", "--threads", "2", "--what", "train"});
  constexpr std::size_t kinds = have_openmp ? 3 : 2;  // naive, fast, fast on two threads
  REQUIRE(results.size() == 1 + 2 * kinds);           // scalar; for each batch all kinds
  for (const nlohmann::json& result : results) {
    CHECK(result.at("processor").get<std::string>().find(" bits, ") != std::string::npos);
    CHECK(result.at("what") == "train");
    CHECK(result.at("n_embd") == 4);
    CHECK(result.at("dtype") == (result.at("kernels") == "scalar" ? "f64" : "f32"));
    const double microseconds = result.at("us_per_step");
    CHECK(microseconds > 0);
    CHECK(result.at("names_per_second") == doctest::Approx(result.at("batch").get<double>() * 1e6 / microseconds));
    const double gflops = result.at("gflops");
    CHECK(gflops > 0);
    CHECK(result.at("percent_of_peak") == doctest::Approx(100 * gflops / result.at("peak_gflops").get<double>()));
  }
  CHECK(results[0].at("kernels") == "scalar");
  CHECK(results[1].at("kernels") == "naive");
  CHECK(results[3].at("threads") == (have_openmp ? 2 : 1));
}

TEST_CASE("bench counts the operations of attention over all pairs, and samples with every form of it") {
  const nlohmann::json alone = measured({"--threads", "1", "--what", "attention"});
  REQUIRE(alone.size() == 2 + 2);  // naive and fast; the largest shape is too slow for --quick
  CHECK(alone[3].at("gflops").get<double>() ==
        doctest::Approx(8 * 12 * 384 * (256.0 * 257 / 2) / alone[3].at("us_per_step").get<double>() / 1e3));

  Words forms;
  for (const nlohmann::json& result : measured({"--n-embd", "16", "--what", "sample"})) {
    forms.push_back(fmt::format("{} {} {}", result.at("attention").get<std::string>(), result.at("length").get<int>(),
                                result.at("batch").get<int>()));
    CHECK(result.at("tokens_per_second") == doctest::Approx(1e6 / result.at("us_per_step").get<double>()));
  }
  CHECK(forms == Words{"mha 0 1", "mha 16 1", "mha 16 32", "gqa 16 1", "gqa 16 32", "mqa 16 1", "mqa 16 32", "mla 16 1",
                       "mla 16 32", "mha 256 1", "gqa 256 1", "mqa 256 1", "mla 256 1"});
}

}  // namespace
}  // namespace microgpt
