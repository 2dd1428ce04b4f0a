// What the program does for somebody who asks for something sensible. What it refuses: cli_bad_input_test.cpp.
#include <cmath>
#include <set>

#include "base/utf8.h"
#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

TEST_CASE("--quiet leaves out the step lines and nothing else") {
  const NamesFolder folder;
  Words expected = lines(output(folder.train({"--steps", "5"})));
  CHECK(std::erase_if(expected, [](const std::string& line) { return line.starts_with("step"); }) == 5);
  CHECK(lines(output(folder.train({"--steps", "5", "--quiet"}))) == expected);
}

TEST_CASE("a flag may be given twice, and a value may follow an equals sign") {
  CHECK(losses(output(NamesFolder().train({"--steps=2", "--hold-out", "--hold-out"}))).size() == 2);
}

TEST_CASE("an option that is left out has the value that --help says") {
  const NamesFolder folder;
  const Words all{"--preset", "gist", "--n-layer", "1",  "--n-embd",  "16", "--n-head",      "4",  "--block-size", "16",
                  "--lr",     "0.01", "--seed",    "42", "--samples", "20", "--temperature", "0.5"};
  CHECK(output(folder.train({"--steps", "5"})) == output(folder.train(all + Words{"--steps", "5"})));
  const std::string model = folder.trained({"--steps", "5"});
  CHECK(output({"sample", model}) ==
        output({"sample", model, "--num", "20", "--temperature", "0.5", "--seed", "42", "--prompt", ""}));
}

TEST_CASE("the same seed gives the same losses and names, another seed others") {
  const NamesFolder folder;
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
  const NamesFolder folder;
  const std::string model = folder.trained({"--steps", "100", "--block-size", "8"});
  const Words begun = names(output({"sample", model, "--prompt", "ma", "--num", "30"}));
  CHECK(begun.size() == 30);
  for (const std::string& name : begun) CHECK(name.starts_with("ma"));
  CHECK(std::set<std::string>(begun.begin(), begun.end()).size() > 1);
  CHECK(names(output({"sample", model, "--prompt", "annaanna", "--num", "2"})) == Words{"annaanna", "annaanna"});
}

TEST_CASE("near temperature zero every name is the likeliest") {
  const NamesFolder folder;
  const std::string model = folder.trained({"--steps", "100"});
  const Words cold = names(output({"sample", model, "--temperature", "1e-9"}));
  CHECK(std::set<std::string>(cold.begin(), cold.end()).size() == 1);
  CHECK(names(output({"sample", model, "--temperature", "1e3"})) != cold);
}

TEST_CASE("--save leaves one file, which inspect describes as it is") {
  const NamesFolder folder;
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
  const NamesFolder folder(unix_lines);
  const NamesFolder windows(windows_lines);
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

TEST_CASE("--help of each command has its options, their defaults and an example") {
  const std::vector<std::pair<Words, Words>> expected{
      {{},
       {"train", "sample", "eval", "inspect", "heads", "kv", "task", "bench",
        "Start with `microgpt train`"}},
      {{"train"},
       {"--preset NAME=gist", "--data FILE=data/names.txt", "--column COLUMN", "--lower", "--plot FILE.svg",
        "[gist: 1000, walkthrough: 500]", "--n-layer N", "[1]", "--n-embd N", "[16]", "--n-head N", "[4]"}},
      {{"train"},
       {"--block-size N", "[gist: 16, walkthrough: 8]", "--lr F", "[0.01]", "--seed N=42", "--samples N", "[20]",
        "--temperature F", "[0.5; fast, best: 1]"}},
      {{"train"},
       {"--digits 4|17=4", "--quiet", "--save FILE", "--hold-out",
        "--engine scalar|tensor=scalar", "--batch N", "--dtype f32|f64", "--threads N", "--kernels fast|naive",
        "--loss document-mean|token-mean", "Examples:\n  microgpt train\n"}},
      {{"sample"},
       {"MODEL", "--num N", "[20]", "--temperature F", "[0.5]", "--seed N=42", "--prompt TEXT",
        "Examples:\n  microgpt sample "}},
      {{"inspect"},
       {"MODEL", "--text TEXT", "--layer I", "--head I", "--at I", "--html FILE",
        "Examples:\n  microgpt inspect "}},
      {{"heads"},
       {"MODEL", "--data FILE", "--num-documents N", "[all]", "--silence L:H,...", "--prune", "--save FILE",
        "--threads N", "--text TEXT", "--svg FILE", "--json", "--quiz", "Examples:\n  microgpt heads "}},
      {{"bench"},
       {"--data FILE=data/names.txt", "--what WORD=train,attention,sample", "--n-embd N=16,32,64,128",
        "--batch N=1,16,64", "--threads N", "--steps N", "--rounds N", "[5, quick: 3]", "--quick", "--json",
        "Examples:\n  microgpt bench "}},
      {{"kv"},
       {"MODEL", "--like NAME", "--context N", "--dtype f16|bf16|f32|f64|fp8", "[f16; your model: f32]", "--n-embd N",
        "--attention mha|mqa|gqa|mla", "--rope-dim N", "Examples:\n  microgpt kv "}},
      {{"task"},
       {"TASK", "--num N", "[10000]", "--seed N=42", "--letters N", "[8]", "--length N", "[6]", "--held-out",
        "Examples:\n  microgpt task copy "}},
      {{"eval"}, {"MODEL", "--data FILE", "--temperature F", "[1]", "--seed N=42", "Example:\n"}}};
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
