// What the program does for somebody who asks for something sensible. What it refuses: cli_bad_input_test.cpp.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "first_difference.h"
#include "run_program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

namespace fs = std::filesystem;

/// Standard output of a run that must succeed and leave standard error empty.
std::string output(const Words& arguments) {
  const Run r = microgpt(arguments);
  std::string command = "microgpt";
  for (const std::string& word : arguments) command += " " + word;
  INFO(command);
  CHECK(r.exit_code == 0);
  CHECK(r.err == "");
  return r.out;
}

Words lines_that_begin(const std::string& with, const std::string& text) {
  Words found;
  for (const std::string& line : lines(text)) {
    if (line.starts_with(with)) found.push_back(line);
  }
  return found;
}

/// What stands behind `label` on the one line that begins with it.
std::string behind(const std::string& label, const std::string& text) {
  const Words found = lines_that_begin(label, text);
  REQUIRE_MESSAGE(found.size() == 1, label);
  return found[0].substr(label.size());
}

/// The lines of `text` without the one that tells of threads.
Words without_threads(const std::string& text) {
  Words all = lines(text);
  std::erase_if(all, [](const std::string& line) { return line.starts_with("threads: "); });
  return all;
}

/// The names of the lines "sample  1: kamon".
Words names(const std::string& text) {
  Words found = lines_that_begin("sample", text);
  for (std::string& line : found) line.erase(0, line.find(": ") + 2);
  return found;
}

/// The losses of the lines "step    1 / 1000 | loss 3.3660".
std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  for (const std::string& line : lines_that_begin("step", text)) {
    found.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  return found;
}

double mean(const double* first, const double* last) {
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

/// A directory with names, where models are trained.
struct Folder : NamesFolder {
  using NamesFolder::NamesFolder;
  /// The path of a model that was trained so.
  std::string trained(const Words& how) const {
    output(train(how + Words{"--save", file("model")}));
    return file("model");
  }
};

/// What the published program printed. A line "step 1 / 500 | loss 3.3022 | 3.302216429676858" has both kinds of
/// digits.
Words golden_lines(const std::string& run, bool all_digits) {
  Words expected = lines(contents("tests/golden/microgpt/" + run + ".txt"));
  for (std::string& line : expected) {
    const std::size_t bar = line.rfind(" | ");
    if (!line.starts_with("step")) continue;
    if (all_digits) line.replace(line.find("loss ") + 5, bar + 3 - line.find("loss ") - 5, "");
    if (!all_digits) line.erase(bar);
  }
  return expected;
}

/// The parameters with which the published program ended.
std::vector<double> golden_parameters(const std::string& run) {
  std::istringstream text(contents("tests/golden/microgpt/" + run + ".params.txt"));
  std::vector<double> numbers;
  for (std::string word; text >> word;) {  // beside the numbers: the name of each matrix and its sizes
    if (word.find("0x") != std::string::npos) numbers.push_back(std::stod(word));
  }
  return numbers;
}

/// Empty if they are the same.
std::string first_different_line(const Words& a, const Words& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return "";
  return fmt::format("line {}: '{}' and '{}'", in_a - a.begin() + 1, in_a == a.end() ? "(none)" : *in_a,
                     in_b == b.end() ? "(none)" : *in_b);
}

TEST_CASE("train prints every line the published programs print, and no other, the tensor engine in double too") {
  const std::vector<std::pair<Words, std::string>> runs{
      {{}, "gist"},
      {{"--preset", "walkthrough", "--digits", "4"}, "walkthrough"},
      {{"--engine", "tensor", "--dtype", "f64"}, "gist"},
      {{"--engine", "tensor", "--dtype", "f64", "--preset", "walkthrough"}, "walkthrough"}};
  for (const auto& [options, name] : runs) {
    const std::string printed = output(Words{"train"} + options);
    CHECK(first_different_line(without_threads(printed), golden_lines(name + "_builtin", false)) == "");
    CHECK(printed.ends_with("\n"));
  }
}

/// Trains as both published programs do. Every line in all its digits, and all parameters in the end, must be theirs.
void check_training(const std::string& names, const std::string& path) {
  const Folder folder;
  const std::string model = folder.file("model");
  const bool same_bits = libm_unlike_published().empty();
  for (const std::string preset : {"gist", "walkthrough"}) {
    CAPTURE(preset);
    const std::string printed =
        output({"train", "--preset", preset, "--data", path, "--digits", same_bits ? "17" : "4", "--save", model});
    CHECK(first_different_line(lines(printed), golden_lines(preset + "_" + names, same_bits)) == "");
    const Checkpoint trained = load_checkpoint(model);
    CHECK(golden_difference(trained.parameters.data(), golden_parameters(preset + "_" + names)) == "");
  }
}

TEST_CASE("train ends with the published programs' parameters, on the names that come with the project") {
  check_training("builtin", "data/names.txt");
}

const std::string makemore = fs::exists("data/makemore.txt") ? "data/makemore.txt" : "../shared/data/names.txt";

TEST_CASE("train ends with the published programs' parameters, on the 32,033 names" *
          doctest::description("data/makemore.txt is not there; make names downloads it") *
          doctest::skip(!fs::exists(makemore))) {
  check_training("makemore", makemore);
}

TEST_CASE("--quiet leaves out the step lines and nothing else") {
  const Folder folder;
  Words expected = lines(output(folder.train({"--steps", "5"})));
  CHECK(std::erase_if(expected, [](const std::string& line) { return line.starts_with("step"); }) == 5);
  CHECK(lines(output(folder.train({"--steps", "5", "--quiet"}))) == expected);
}

TEST_CASE("of an option that is given twice the last counts") {
  const Folder folder;
  CHECK(losses(output(folder.train({"--steps", "5", "--steps", "3"}))).size() == 3);
}

TEST_CASE("an option that is left out has the value that --help says") {
  const Folder folder;
  const Words all{"--preset", "gist", "--n-layer", "1",  "--n-embd",  "16", "--n-head",      "4",  "--block-size", "16",
                  "--lr",     "0.01", "--seed",    "42", "--samples", "20", "--temperature", "0.5"};
  CHECK(output(folder.train({"--steps", "5"})) == output(folder.train(all + Words{"--steps", "5"})));
  const std::string model = folder.trained({"--steps", "5"});
  CHECK(output({"sample", model}) ==
        output({"sample", model, "--num", "20", "--temperature", "0.5", "--seed", "42", "--prompt", ""}));
}

TEST_CASE("other shapes train, and the loss falls") {
  const Folder folder;
  struct Shape {
    std::size_t n_layer, n_embd, n_head, block_size;
  };
  for (const std::string preset : {"gist", "walkthrough"}) {
    for (const Shape& s : {Shape{2, 16, 4, 16}, Shape{1, 16, 1, 16}, Shape{1, 6, 3, 8}, Shape{3, 8, 2, 5},
                           Shape{1, 1, 1, 1}, Shape{2, 20, 5, 32}}) {
      const std::string printed = output(folder.train(
          {"--preset", preset, "--n-layer", std::to_string(s.n_layer), "--n-embd", std::to_string(s.n_embd), "--n-head",
           std::to_string(s.n_head), "--block-size", std::to_string(s.block_size), "--steps", "200"}));
      const std::size_t V = 21;  // the letters a to u without q, and BOS
      const std::size_t num_params = (2 * V + s.block_size) * s.n_embd + 12 * s.n_layer * s.n_embd * s.n_embd;
      CHECK(behind("num params: ", printed) == std::to_string(num_params));
      const std::vector<double> loss = losses(printed);
      REQUIRE(loss.size() == 200);
      CHECK(mean(loss.data() + 180, loss.data() + 200) < mean(loss.data(), loss.data() + 20));
      for (const std::string& name : names(printed)) CHECK(name.size() <= s.block_size);
    }
  }
}

TEST_CASE("the same seed gives the same losses and names, another seed others") {
  const Folder folder;
  auto train = [&](const std::string& seed) { return output(folder.train({"--steps", "20", "--seed", seed})); };
  CHECK(train("7") == train("7"));
  CHECK(losses(train("7")) != losses(train("8")));
  CHECK(train("123456789012345678901234567890") != train("123456789012345678901234567891"));

  const std::string model = folder.trained({"--steps", "100"});
  auto sample = [&](const std::string& seed) { return names(output({"sample", model, "--seed", seed})); };
  CHECK(sample("7") == sample("7"));
  CHECK(sample("7") != sample("8"));
}

TEST_CASE("every name begins with the prompt") {
  const Folder folder;
  const std::string model = folder.trained({"--steps", "100", "--block-size", "8"});
  const Words begun = names(output({"sample", model, "--prompt", "ma", "--num", "30"}));
  CHECK(begun.size() == 30);
  for (const std::string& name : begun) CHECK(name.starts_with("ma"));
  CHECK(std::set<std::string>(begun.begin(), begun.end()).size() > 1);
  CHECK(names(output({"sample", model, "--prompt", "annaanna", "--num", "2"})) == Words{"annaanna", "annaanna"});
}

TEST_CASE("near temperature zero every name is the likeliest") {
  const Folder folder;
  const std::string model = folder.trained({"--steps", "100"});
  const Words cold = names(output({"sample", model, "--temperature", "1e-9"}));
  CHECK(std::set<std::string>(cold.begin(), cold.end()).size() == 1);
  CHECK(names(output({"sample", model, "--temperature", "1e3"})) != cold);
}

TEST_CASE("--save leaves one file, which inspect describes as it is") {
  const Folder folder;
  const std::string model = folder.trained({"--preset", "walkthrough", "--steps", "50"});
  CHECK(folder.count() == 2);

  const Words described = lines(output({"inspect", model}));
  auto has = [&](const std::string& line) { return std::count(described.begin(), described.end(), line) == 1; };
  CHECK(has("n_layer     1"));
  CHECK(has("n_embd      16"));
  CHECK(has("n_head      4  (head_dim 4)"));
  CHECK(has("block_size  8"));
  CHECK(has("vocab_size  21  (abcdefghijklmnoprstu and BOS)"));
  CHECK(has("activation  squared ReLU"));
  const Checkpoint checkpoint = load_checkpoint(model);
  for (const Parameter& p : checkpoint.parameters.matrices()) {
    const double n = static_cast<double>(p.size());
    const double average = mean(p.data, p.data + p.size());
    // The sum of squares loses about 1e-16 of itself, far from the four digits that are printed.
    const double squares = std::inner_product(p.data, p.data + p.size(), p.data, 0.0);
    const double stddev = std::sqrt(squares / n - average * average);
    const std::string begin = fmt::format("{:<18} {:>10} {:>8} {:>+9.4f} {:>9.4f} ", p.name,
                                          fmt::format("{} x {}", p.rows, p.cols), p.size(), average, stddev);
    INFO(begin);
    auto begins = [&](const std::string& line) { return line.starts_with(begin); };
    CHECK(std::count_if(described.begin(), described.end(), begins) == 1);
  }
  CHECK(described.back() == fmt::format("{:<18} {:>10} {:>8}", "all", "", checkpoint.parameters.size()));
}

TEST_CASE("letters with accents are letters, and lines may end as on Windows") {
  const std::string unix_lines = "Zoë\nÅse\n  Jörg\t\n\nÅsa\nZoé\nあや\n";
  std::string windows_lines = unix_lines;
  for (std::size_t i = 0; (i = windows_lines.find('\n', i)) != std::string::npos; i += 2) {
    windows_lines.replace(i, 1, "\r\n");
  }
  const Folder folder(unix_lines);
  const Folder windows(windows_lines);
  const std::string model = folder.file("model");
  const Words arguments{"--steps", "100", "--temperature", "1"};
  const std::string printed = output(folder.train(arguments + Words{"--save", model}));
  CHECK(printed == output(windows.train(arguments)));
  CHECK(printed.starts_with("num docs: 6\nvocab size: 15\n"));  // JZaegorsÅéëöあや and BOS
  for (const std::string& name : names(printed)) {
    const auto letters = decode_utf8(name);
    REQUIRE(letters);
    CHECK(letters->find_first_not_of(U"JZaegorsÅéëöあや") == std::u32string::npos);
  }
  for (const std::string& name : names(output({"sample", model, "--prompt", "Å"}))) CHECK(name.starts_with("Å"));
  CHECK(output({"inspect", model}).find("(JZaegorsÅéëöあや and BOS)") != std::string::npos);
}

TEST_CASE("bench prints a table for each kind of work, and how many times as fast as the plain loops it is") {
  const Folder folder;
  const Words table = lines(output({"bench", "--data", folder.names, "--steps", "2", "--rounds", "3", "--n-embd", "4,6",
                                    "--batch", "1", "--threads", "1", "--what", "train,sample"}));
  REQUIRE(table.size() ==
          2 * 3 + 2 * 4 +
              2 * 6);  // an empty line, a title and a head each; scalar, naive, fast, double; scalar, 5 forms
  CHECK(table[1] == "Training: a step is a batch");
  CHECK(table[2].find("x naive") != std::string::npos);
  for (const std::size_t i : {3, 4, 5, 6, 7, 8, 9, 10}) {
    std::istringstream line(table[i]);
    double n_embd = 0;
    double batch = 0;
    line >> n_embd >> batch;
    CHECK(n_embd == (i < 7 ? 4 : 6));
    CHECK(batch == 1);
  }
  CHECK(table[12] == "Sampling: a step is a token");
}

/// What bench --json prints of one round.
nlohmann::json measured(const Words& how) {
  const Folder folder;
  return nlohmann::json::parse(output(Words{"bench", "--data", folder.names, "--rounds", "1", "--json"} + how));
}

TEST_CASE("bench --json prints what a program can read") {
  const nlohmann::json results =
      measured({"--steps", "2", "--n-embd", "4", "--batch", "1,3", "--threads", "2", "--what", "train"});
  REQUIRE(results.size() == 1 + 2 * 4);  // scalar; for each batch naive, fast, fast on two threads, double
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
  CHECK(results[0].at("engine") == "scalar");
  CHECK(results[1].at("kernels") == "naive");
  CHECK(results[3].at("threads") == 2);
  CHECK(results[8].at("dtype") == "f64");
}

TEST_CASE("bench samples with every form of attention, and tells what its cache keeps of a token") {
  const nlohmann::json results = measured({"--steps", "2", "--n-embd", "16", "--what", "sample"});
  REQUIRE(results.size() == 6);
  CHECK(results[0].at("engine") == "scalar");
  const std::vector<std::tuple<std::string, bool, std::size_t>> forms{
      {"mha", true, 2 * 16}, {"mqa", true, 2 * 4}, {"gqa", true, 2 * 8}, {"mla", true, 8}, {"mla", false, 8}};
  for (std::size_t i = 0; i < forms.size(); i++) {
    const nlohmann::json& result = results[i + 1];
    CHECK(result.at("attention") == std::get<0>(forms[i]));
    CHECK(result.at("absorbed") == std::get<1>(forms[i]));
    CHECK(result.at("cache_bytes_per_token") == std::get<2>(forms[i]) * sizeof(float));
    CHECK(result.at("tokens_per_second") > 0);
    CHECK(result.at("gflops") > 0);
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

TEST_CASE("the tensor engine prints the same on any number of threads, and says why it takes so many") {
  const Folder folder;
  const Words batch = folder.train({"--engine", "tensor", "--batch", "5", "--steps", "20", "--digits", "17"});
  const std::string one = output(batch + Words{"--threads", "1"});
  CHECK(behind("threads: ", one) == "1 (as asked for); KV cache of the samples: 128 bytes per token");
  for (const char* threads : {"2", "3", "8"}) {
    CHECK(without_threads(output(batch + Words{"--threads", threads})) == without_threads(one));
  }
  CHECK(lines_that_begin("threads: ", output(batch)).size() == 1);
}

TEST_CASE("naive and fast kernels learn the same, and the means of the loss differ") {
  const Folder folder;
  const Words batch = folder.train({"--engine", "tensor", "--dtype", "f64", "--batch", "4", "--steps", "30"});
  const Words fast_lines = without_threads(output(batch));
  CHECK(without_threads(output(batch + Words{"--kernels", "naive"})) == fast_lines);
  CHECK(without_threads(output(batch + Words{"--loss", "token-mean"})) != fast_lines);
}

TEST_CASE("a model of the tensor engine is saved, and eval judges it by names that --hold-out kept from it") {
  const Folder folder;
  const std::string model = folder.file("model.safetensors");
  const std::string trained =
      output({"train", "--engine", "tensor", "--batch", "16", "--steps", "300", "--hold-out", "--save", model});
  const std::string judged = output({"eval", model});
  const std::string held_out = behind("held out: ", judged);
  const std::size_t kept = std::stoul(held_out);
  const std::size_t all = std::stoul(held_out.substr(held_out.find("of ") + 3));
  CHECK(std::stoul(behind("num docs: ", trained)) + kept == all);
  CHECK(kept == all / 10);
  auto number = [&](const std::string& label) { return std::stod(behind(label, judged)); };
  CHECK(number("held-out loss: ") < number("bigram baseline: "));
  CHECK(number("perplexity: ") == doctest::Approx(std::exp(number("held-out loss: "))).epsilon(0.001));
  CHECK(number("new names: ") > 0);
  CHECK(names(judged).size() == 20);
}

TEST_CASE("every form of attention learns, is saved, sampled, inspected and judged") {
  const Folder folder;
  const std::string model = folder.file("model.safetensors");
  const std::vector<std::pair<Words, std::string>> forms{
      {{"--attention", "mqa"}, "mqa  (n_kv_head 1)"},
      {{"--attention", "gqa"}, "gqa  (n_kv_head 2)"},
      {{"--attention", "gqa", "--n-kv-head", "4"}, "mha"},
      {{"--attention", "mla"}, "mla  (q_latent 12, kv_latent 8, rope_dim 0)"},
      {{"--attention", "mla", "--kv-latent", "6", "--rope-dim", "2", "--pos", "rope"},
       "mla  (q_latent 12, kv_latent 6, rope_dim 2)"},
      {{"--pos", "rope"}, "mha"},
      {{"--mask", "local:3"}, "mha"},
      {{"--attention", "mqa", "--mask", "bigbird:2:1:1"}, "mqa  (n_kv_head 1)"}};
  for (const auto& [options, name] : forms) {
    const Words train{"train", "--engine", "tensor", "--batch", "8", "--steps", "150", "--save", model};
    const std::vector<double> all = losses(output(train + options));
    REQUIRE(all.size() == 150);
    CHECK(mean(&all[100], &all[100] + 50) < mean(&all[0], &all[0] + 20) - 0.3);
    const std::string sampled = output({"sample", model, "--num", "3", "--prompt", "an"});
    CHECK(names(sampled).size() == 3);
    CHECK(lines_that_begin("KV cache: ", sampled).size() == (name == "mha" && options[0] == "--attention" ? 0 : 1));
    CHECK(behind("attention   ", output({"inspect", model})) == name);
    CHECK(std::stod(behind("held-out loss: ", output({"eval", model}))) > 0);
  }
}

/// The words of the line of a table that begins so.
Words columns(const std::string& with, const std::string& table) {
  std::istringstream line(with + behind(with, table));
  return {std::istream_iterator<std::string>(line), {}};
}

TEST_CASE("kv tells what published models keep, and what they would keep with other kinds of attention") {
  const std::string table = output({"kv", "--like", "llama2-7b,mistral-7b", "--context", "1000,4096,131072"});
  CHECK(columns("llama2-7b ", table) == Words{"llama2-7b", "mha,", "32", "heads", "6.738B", "2.147B", "f16", "262144",
                                              "512.0", "KiB", "100.0", "500.0", "MiB", "2.0", "GiB", "64.0", "GiB"});
  CHECK(columns("mistral-7b ", table) == Words{"mistral-7b", "gqa,", "8", "of", "32", "7.242B", "1.342B", "f16",
                                               "65536", "128.0", "KiB", "25.0", "125.0", "MiB", "512.0", "MiB", "512.0",
                                               "MiB"});  // it sees no more than 4096
  CHECK(lines_that_begin("mistral-7b, also as ...: a token sees at most 4096 tokens", table).size() == 1);
  CHECK(lines_that_begin("  as mha", table).size() == 1);  // of mistral alone
  CHECK(lines_that_begin("  as gqa", table).size() == 1);
  CHECK(lines_that_begin("  as mqa", table).size() == 2);
  CHECK(lines_that_begin("  as mla", table).size() == 2);
  const std::string fp8 = output({"kv", "--like", "deepseek-v2", "--context", "1024", "--dtype", "fp8"});
  CHECK(columns("deepseek-v2 ", fp8) == Words{"deepseek-v2", "mla,", "512", "+", "64", "235.741B", "8.954B", "fp8",
                                              "34560", "33.8", "KiB", "1.8", "33.8", "MiB"});
  const std::string all = output({"kv"});
  CHECK(lines_that_begin("  as", all).empty());
  CHECK(lines_that_begin("mistral-7b: a token sees at most 4096 tokens", all).size() == 1);
  for (const char* contexts : {"8", "8,16", "8,16,32"}) {
    const std::vector<std::string> narrow = lines(output({"kv", "--like", "gpt2", "--context", contexts}));
    for (const char* heading : {"kept of a token  ", "attention  type  numbers  ", "bytes  % of MHA  "}) {
      CHECK((narrow[0] + "\n" + narrow[1]).find(heading) != std::string::npos);
    }
  }
  for (const std::string& line : lines(all + table)) CHECK_MESSAGE(line.size() <= 120, line);
}

TEST_CASE("kv foretells the cache of a model of one's own, typed or saved, that train and sample then have") {
  const Folder folder;
  const std::string model = folder.file("own.safetensors");
  const Words mla{"--attention", "mla", "--n-embd", "24", "--n-layer", "2", "--kv-latent", "10", "--rope-dim", "4"};
  const std::string typed = output(Words{"kv", "--block-size", "100"} + mla);
  // 2 layers of 14 numbers of 4 bytes; Lq is 18: per layer 24*18 + 18*(24 + 16) + 24*10 + 2*10*24 + 24*4 + 24*24
  CHECK(columns("your sizes ", typed) ==
        Words{"your", "sizes", "mla,", "10", "+", "4", "5088", "f32", "28", "112", "B", "29.2", "10.9", "KiB"});
  const std::string trained = output(folder.train(Words{"--engine", "tensor", "--steps", "3", "--save", model} + mla));
  CHECK(behind("threads: ", trained).ends_with("KV cache of the samples: 112 bytes per token"));
  CHECK(behind("KV cache: ", output({"sample", model})) == "224 bytes per token, in double");
  const Words saved = columns("own ", output({"kv", model, "--dtype", "f64"}));
  CHECK(saved[5] == behind("num params: ", trained));
  CHECK(Words(saved.begin() + 6, saved.end()) == Words{"5088", "f64", "28", "224", "B", "29.2", "3.5", "KiB"});
}

TEST_CASE("train-fast trains as long as it is told, with several seeds, and saves the last model") {
  const Folder folder;
  const std::string model = folder.file("model.safetensors");
  const std::string text =
      output({"train-fast", "--seconds", "0.1", "--seeds", "2", "--n-embd", "16", "--save", model});
  CHECK(lines_that_begin("seed ", text).size() == 2);
  CHECK(behind("mean of 2 seeds: ", text) != "");
  CHECK(names(text).size() == 20);
  CHECK(behind("held-out loss: ", output({"eval", model})) == behind("held-out loss: ", text));
}

TEST_CASE("--help of each command has its options, their defaults and an example") {
  const std::vector<std::pair<Words, Words>> expected{
      {{}, {"train", "train-fast", "sample", "eval", "inspect", "kv", "bench", "Start with `microgpt train`"}},
      {{"train"},
       {"--preset NAME=gist", "--data FILE=data/names.txt", "[gist: 1000, walkthrough: 500]", "--n-layer N", "[1]",
        "--n-embd N", "[16]", "--n-head N", "[4]", "--block-size N", "[gist: 16, walkthrough: 8]", "--lr F", "[0.01]",
        "--seed N=42", "--samples N", "[20]", "--temperature F", "[0.5]"}},
      {{"train"},
       {"--digits 4|17=4", "--quiet", "--save FILE", "--hold-out", "--engine scalar|tensor=scalar", "--batch N",
        "--dtype f32|f64", "--threads N", "--kernels fast|naive", "--loss document-mean|token-mean",
        "Examples:\n  microgpt train\n"}},
      {{"sample"},
       {"MODEL", "--num N", "[20]", "--temperature F", "[0.5]", "--seed N=42", "--prompt TEXT",
        "Examples:\n  microgpt sample "}},
      {{"inspect"}, {"MODEL", "Example:\n  microgpt inspect "}},
      {{"bench"},
       {"--data FILE=data/names.txt", "--what WORD=train,attention,sample", "--n-embd N=16,32,64,128",
        "--batch N=1,16,64", "--threads N", "--steps N", "--rounds N", "[5, quick: 3]", "--quick", "--json",
        "Examples:\n  microgpt bench "}},
      {{"kv"},
       {"MODEL", "--like NAME", "--context N", "--dtype f16|bf16|f32|f64|fp8", "[f16; your model: f32]", "--n-embd N",
        "--attention mha|mqa|gqa|mla", "--rope-dim N", "Examples:\n  microgpt kv "}},
      {{"eval"}, {"MODEL", "--data FILE=data/names.txt", "--temperature F", "[1]", "--seed N=42", "Example:\n"}},
      {{"train-fast"},
       {"--data FILE=data/names.txt", "--seconds F", "[1]", "--seeds N", "[3]", "--threads N", "--save FILE",
        "--batch N", "Examples:\n  microgpt train-fast "}}};
  for (const auto& [command, parts] : expected) {
    const std::string help = output(command + Words{"--help"});
    for (const std::string& part : parts + Words{"--help", "--version"}) {
      INFO(part);
      CHECK(help.find(part) != std::string::npos);
    }
    for (const std::string& line : lines(help)) CHECK_MESSAGE(line.size() <= 120, line);
    CHECK(output(command + Words{"-h"}) == help);
    CHECK(output(command + Words{"--version"}) == "microgpt 0.2.0\n");
  }
}

}  // namespace
}  // namespace microgpt
