// What the program does for somebody who asks for something sensible. What it refuses: cli_bad_input_test.cpp.
#include <cmath>
#include <set>

#include "base/mask_pattern.h"
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

TEST_CASE("the same seed gives the same losses and names, another seed others") {
  const NamesFolder folder;
  auto train = [&](const std::string& seed) { return output(folder.train({"--steps", "20", "--seed", seed})); };
  CHECK(train("7") == train("7"));
  CHECK(losses(train("7")) != losses(train("8")));
  CHECK(train("18446744073709551615") != train("18446744073709551614"));

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

TEST_CASE("--save leaves one file, which inspect describes as it is") {
  const NamesFolder folder;
  const std::string model = folder.trained({"--preset", "walkthrough", "--steps", "50"});
  CHECK(folder.count() == 2);

  const std::string text = output({"inspect", model});
  for (const char* line : {"n_layer     1\n", "n_embd      16\n", "n_head      4  (head_dim 4)\n", "block_size  8\n",
                           "vocab_size  21  (abcdefghijklmnoprstu and BOS)\n", "activation  squared ReLU\n"}) {
    CHECK(text.find(line) != std::string::npos);
  }
  const Checkpoint checkpoint = load_checkpoint(model);
  for (const Parameter& p : checkpoint.parameters.matrices()) {
    const double n = static_cast<double>(p.size()), average = mean(p.data, p.data + p.size());
    // The sum of squares loses about 1e-16 of itself, far from the four digits that are printed.
    const double squares = std::inner_product(p.data, p.data + p.size(), p.data, 0.0);
    const std::string begin =
        fmt::format("{:<18} {:>10} {:>8} {:>+9.4f} {:>9.4f} ", p.name, fmt::format("{} x {}", p.rows, p.cols), p.size(),
                    average, std::sqrt(squares / n - average * average));
    CHECK_MESSAGE(lines_that_begin(begin, text).size() == 1, begin);
  }
  CHECK(text.ends_with(fmt::format("\n{:<18} {:>10} {:>8}\n", "all", "", checkpoint.parameters.size())));
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

TEST_CASE("--help of each command has its options with their defaults, and an example") {
  const std::vector<std::pair<std::string, Words>> expected{
      {"", {"train", "sample", "eval", "inspect", "heads", "kv", "task", "bench", "Start with `microgpt train`"}},
      {"train",
       {"--preset NAME=gist", "--data FILE=data/names.txt", "--steps N=1000", "--n-head N=4", "--digits 4|17=4",
        "--quiet", "--engine scalar|tensor=scalar", "Examples:\n  microgpt train\n"}},
      {"sample", {"MODEL", "--num N=20", "--seed N|random=42", "--prompt TEXT", "Examples:\n  microgpt sample "}},
      {"inspect", {"MODEL", "--at I", "--html FILE", "Examples:\n  microgpt inspect "}},
      {"heads", {"MODEL", "--prune", "--quiz", "Examples:\n  microgpt heads "}},
      {"bench", {"--what WORD=train,attention,sample", "--n-embd N=16,32,64,128", "Examples:\n  microgpt bench "}},
      {"kv", {"[MODEL]", "--like NAME", "--context N", "--n-embd N=16", "Examples:\n  microgpt kv "}},
      {"task", {"TASK", "--num N=10000", "Examples:\n  microgpt task copy "}},
      {"eval", {"MODEL", "--data FILE", "--temperature F=1", "Example:\n"}}};
  for (const auto& [name, parts] : expected) {
    const Words command = words_of(name);
    const std::string help = output(command + Words{"--help"});
    for (const std::string& part : parts + Words{"--help", "--version"}) {
      INFO(part);
      CHECK(help.find(part) != std::string::npos);
    }
    for (const std::string& line : lines(help)) CHECK_MESSAGE(line.size() <= 120, line);
    CHECK(output(command + Words{"-h"}) == help);
    CHECK(output(command + Words{"--version"}) == "microgpt 0.2.0\n");
  }
  for (const std::string& line : lines(contents("src/program/commands.h"))) {  // what is declared there can be typed
    if (!line.starts_with("Command ")) continue;
    const std::string name = line.substr(8, line.find("_command") - 8);
    CHECK(output({name, "--help"}).find("Usage: microgpt " + name) != std::string::npos);
  }
  const std::string help = output({"train", "--help"});
  for (const char letter : mask_forms()) {  // of a number behind the word
    if (letter >= 'A' && letter <= 'Z') CHECK_MESSAGE(help.find({letter, ':', ' '}) != std::string::npos, letter);
  }
}

}  // namespace
}  // namespace microgpt
