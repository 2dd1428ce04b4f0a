#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "program.h"
#include "tensor/threads.h"

namespace microgpt {
namespace {

TEST_CASE("bench prints a table for each kind of work, and how many times as fast as the plain loops it is") {
  const NamesFolder folder;
  const Words table = lines(output({"bench", "--data", folder.names, "--steps", "2", "--rounds", "3", "--n-embd", "4,6",
                                    "--batch", "1", "--threads", "1", "--what", "train,sample", "--context", "16,20"}));
  // An empty line, a title and a head each; scalar, naive, fast, double, for two widths; for two widths scalar, 5 forms
  // in two contexts, and in the short one 4 of them side by side.
  REQUIRE(table.size() == 2 * 3 + 2 * 4 + 2 * (1 + 2 * 5 + 4));
  CHECK(table[1] == "Training: a step is a batch");
  CHECK(table[2].find("x naive") != std::string::npos);
  for (std::size_t i = 3; i <= 10; i++) CHECK(table[i].starts_with(i < 7 ? "       4      1 " : "       6      1 "));
  CHECK(table[12] == "Sampling: a step is a token of a name as long as its context");
}

/// What bench --json prints.
nlohmann::json measured(const Words& how, const std::string& rounds = "1") {
  const NamesFolder folder;
  return nlohmann::json::parse(output(Words{"bench", "--data", folder.names, "--rounds", rounds, "--json"} + how));
}

TEST_CASE("bench --json prints what a program can read") {
  const nlohmann::json results =
      measured({"--steps", "2", "--n-embd", "4", "--batch", "1,3", "--threads", "2", "--what", "train"});
  constexpr std::size_t kinds = have_openmp ? 4 : 3;  // naive, fast, fast on two threads, double
  REQUIRE(results.size() == 1 + 2 * kinds);           // scalar; for each batch all kinds
  for (const nlohmann::json& result : results) {
    CHECK(result.at("what") == "train");
    CHECK(result.at("attention") == "mha");
    CHECK(result.at("n_embd") == 4);
    CHECK(result.at("num_params") == (2 * 21 + 16) * 4 + 12 * 4 * 4);
    const double microseconds = result.at("us_per_step");
    CHECK(microseconds > 0);
    CHECK(result.at("us_fastest") == microseconds);  // there is one round
    CHECK(result.at("names_per_second") == doctest::Approx(result.at("batch").get<double>() * 1e6 / microseconds));
    const double gflops = result.at("gflops");
    const double peak = result.at("peak_gflops");
    CHECK(gflops > 0);
    CHECK(result.at("percent_of_peak") == doctest::Approx(100 * gflops / peak));
    CHECK(result.at("peak_rss_mib") > 1);
  }
  const nlohmann::json of_three = measured({"--steps", "1", "--n-embd", "4", "--batch", "1", "--what", "train"}, "3");
  CHECK(std::any_of(of_three.begin(), of_three.end(),
                    [](const auto& result) { return result.at("us_per_step") > result.at("us_fastest"); }));
  CHECK(results[0].at("engine") == "scalar");
  CHECK(results[1].at("kernels") == "naive");
  CHECK(results[3].at("threads") == (have_openmp ? 2 : 1));
  CHECK(results.back().at("dtype") == "f64");
}

TEST_CASE("bench samples with every form of attention, and tells what its cache keeps of a token") {
  const nlohmann::json results =
      measured({"--steps", "2", "--n-embd", "16", "--what", "sample", "--context", "16,40,300"});
  REQUIRE(results.size() == 1 + (2 * 4 + 1) + (4 + 1) + 4);
  CHECK(results[0].at("engine") == "scalar");
  const std::vector<std::tuple<std::string, bool, std::size_t>> forms{
      {"mha", true, 2 * 16}, {"gqa", true, 2 * 8}, {"mqa", true, 2 * 4}, {"mla", true, 8}, {"mla", false, 8}};
  std::size_t at = 1;
  for (const std::size_t length : {16, 40, 300}) {
    for (const auto& [attention, absorbed, numbers] : forms) {
      if (length == 300 && !absorbed) continue;
      for (const std::size_t batch : {1, 32}) {
        if (batch > 1 && (length > 16 || !absorbed)) continue;
        CAPTURE(at);
        const nlohmann::json& result = results[at++];
        CHECK(result.at("attention") == attention);
        CHECK(result.at("absorbed") == absorbed);
        CHECK(result.at("length") == length);
        CHECK(result.at("batch") == batch);
        CHECK(result.at("cache_bytes_per_token") == numbers * sizeof(float));
        const double tokens = result.at("tokens_per_second"), microseconds = result.at("us_per_step");
        CHECK(tokens == doctest::Approx(1e6 / microseconds));
        CHECK(result.at("names_per_second") == doctest::Approx(tokens / static_cast<double>(length)));
        CHECK(result.at("gflops") > 0);
      }
    }
  }
}

TEST_CASE("bench measures sparse masks, and counts only the pairs that they keep") {
  const nlohmann::json results =
      measured({"--quick", "--steps", "1", "--threads", "1", "--what", "attention", "--mask", "local:128,block:64"});
  REQUIRE(results.size() == 2 + 2 + 1 + 2);  // three shapes, of which the largest is too slow for the naive kernels
  constexpr double causal = 1024 * 1025 / 2;
  constexpr double local = 1024 * 128 - 128 * 127 / 2;         // the first queries have less before them
  constexpr double block = 16 * (64 * 65 / 2) + 15 * 64 * 64;  // own blocks, and the first one for the others
  for (const auto& [i, mask, pairs] :
       {std::tuple(4, "full", causal), {5, "local:128", local}, {6, "block:64", block}}) {
    const nlohmann::json& result = results[i];
    CHECK(result.at("mask") == mask);
    CHECK(result.at("percent_kept") == doctest::Approx(100 * pairs / causal));
    const double microseconds = result.at("us_per_step");
    CHECK(result.at("gflops") == doctest::Approx(4 * 12 * 768 * pairs / microseconds / 1e3));
  }
}

/// The kernels (or the engine that has none), batch and threads of each result of this kind.
Words rungs(const nlohmann::json& results, const std::string& what) {
  Words found;
  for (const nlohmann::json& result : results) {
    const std::string kernels = result.at("kernels"), engine = result.at("engine");
    if (result.at("what") != what) continue;
    found.push_back(fmt::format("{} {} {}", kernels.empty() ? engine : kernels, result.at("batch").get<int>(),
                                result.at("threads").get<int>()));
  }
  return found;
}

TEST_CASE("bench --what ladder leads from microgpt.py, if there is one, to all threads") {
  const NamesFolder folder;
  const Words ladder{"--what", "ladder", "--steps", "2", "--threads", "2"};
  const Words more = have_openmp ? Words{"fast 16 2"} : Words{};
  const Words trained = Words{"scalar 1 1", "naive 1 1", "fast 1 1", "fast 16 1"} + more;
  const Words sampled{"scalar 1 1", "naive 1 1", "naive 32 1", "fast 1 1", "fast 32 1"};
  ::unsetenv("MICROGPT_PY");
  const nlohmann::json ours = measured(ladder);
  CHECK(rungs(ours, "train") == trained);
  CHECK(rungs(ours, "sample") == sampled);
  const Words table = lines(output(Words{"bench", "--data", folder.names, "--rounds", "1"} + ladder));
  REQUIRE(table.size() == 3 + 1 + trained.size());
  CHECK(table[3] == "microgpt.py double     1       1       -       -        -        -        -          -");
  for (std::size_t i = 0; i < trained.size(); i++) {
    std::istringstream cells(table[4 + i]);
    const Words words{std::istream_iterator<std::string>(cells), {}};
    REQUIRE(words.size() == 10);
    CHECK(words[0] + " " + words[2] + " " + words[3] == trained[i]);
    if (i == 0) CHECK(words[7] == "1");   // times as fast as the scalar path
    CHECK((words[8] == "-") == (i > 2));  // a batch is for training only
    CHECK((words[9] == "-") == (i == 0 || i > 2));
  }
}

TEST_CASE("bench runs the microgpt.py that it is given, with the names of the bench, for as long as it takes") {
  const NamesFolder folder;
  const std::string file = folder.file("a file's name.py");
  ::setenv("MICROGPT_PY", file.c_str(), 1);
  const Words ladder{"--what", "ladder", "--steps", "30", "--threads", "1"};
  CHECK(refusal(Words{"bench"} + ladder) == "1: python3 does not run the file that MICROGPT_PY names as microgpt.py");
  if (in_shell("command -v python3", {}).exit_code != 0) return;
  write_contents(file,
                 "import os\n"
                 "assert os.path.exists('input.txt')\n"
                 "docs = [line.strip() for line in open('input.txt')]\n"
                 "num_steps = 10 # number of training steps\n"
                 "for step in range(num_steps):\n"
                 "    print(f'step {step+1:4d} / {num_steps:4d}', end='\\r')\n"
                 "print('\\n--- inference ---')\n"
                 "for sample_idx in range(20):\n"
                 "    print(f'sample {sample_idx+1:2d}: {docs[0]}')\n");
  const nlohmann::json results = measured(ladder);
  ::unsetenv("MICROGPT_PY");
  CHECK(rungs(results, "train")[0] == "microgpt.py 1 1");
  CHECK(rungs(results, "sample")[0] == "microgpt.py 1 1");
  const double names = results[5].at("names_per_second"), tokens = results[5].at("tokens_per_second");
  CHECK(tokens == doctest::Approx(names * 5));  // a, n, n, a and the end
}

}  // namespace
}  // namespace microgpt
