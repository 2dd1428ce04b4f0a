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

TEST_CASE("an option that is given twice is refused, and a flag is not") {
  const NamesFolder folder;
  CHECK(refusal(folder.train({"--steps", "5", "--steps", "3"})) ==
        "2: --steps is given twice; see microgpt train --help");
  CHECK(losses(output(folder.train({"--steps", "2", "--hold-out", "--hold-out"}))).size() == 2);
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

TEST_CASE("train-fast counts its steps, so however busy a machine is, the best seed is saved, and it is the same") {
  const NamesFolder folder;
  const std::string model = folder.file("model.safetensors");
  const std::string text =
      output({"train-fast", "--steps", "50", "--seeds", "4", "--n-embd", "16", "--threads", "2", "--save", model});
  std::vector<double> losses;
  for (const std::string& line : lines_that_begin("seed ", text)) {
    CHECK(line.find(" after 50 steps, 0.1 times through the data; ") != std::string::npos);
    losses.push_back(std::stod(line.substr(line.find("loss ") + 5)));
  }
  REQUIRE(losses.size() == 4);
  const auto best = std::min_element(losses.begin(), losses.end());
  CHECK(best != losses.end() - 1);  // else the last would do
  CHECK(behind("The best of them, on these names, is seed ", text) == fmt::format("{}:", best - losses.begin() + 1));
  CHECK(behind("held-out loss: ", text).starts_with(fmt::format("{:.4f} nats", *best)));
  CHECK(behind("best counting: ", text) != "");
  CHECK(behind("mean of 4 seeds: ", text) != "");
  CHECK(names(text).size() == 20);
  CHECK(behind("held-out loss: ", output({"eval", model})) == behind("held-out loss: ", text));
}

TEST_CASE("train-fast trains on names that are not held out, by its recipe, with another seed each time") {
  const NamesFolder folder;
  auto seeds = [&](const Words& more) {
    const Words one_step{"train-fast", "--data", folder.names, "--steps", "1"};
    Words found = lines_that_begin("seed ", output(one_step + more));
    for (std::string& line : found) line.erase(line.find(';'));  // the seconds
    return found;
  };
  const Words usual = seeds({"--seeds", "2"});
  REQUIRE(usual.size() == 2);
  CHECK(seeds({"--seeds", "2"}) == usual);
  CHECK(usual[0].substr(6) != usual[1].substr(6));
  for (const Words& option :
       {Words{"--lr", "0.5"}, Words{"--init", "0.9"}, Words{"--dropout", "0.9"}, Words{"--weight-decay", "100"}}) {
    INFO(option[0]);
    CHECK(seeds(option + Words{"--seeds", "1"})[0] != usual[0]);
  }
  // It learns eighteen names by heart, which does not help it with the other two.
  const std::string learnt = output({"train-fast", "--data", folder.names, "--steps", "300", "--seeds", "1"});
  CHECK(std::stod(behind("held-out loss: ", learnt)) > 1);
}

TEST_CASE("--help has every command, each with an example, and values of options; its lines are not too long") {
  const std::string all = output({"--help"}), train = output({"train", "--help"});
  CHECK(all.find("Start with `microgpt train`") != std::string::npos);
  for (const char* part : {"--preset NAME=gist", "[gist: 1000, walkthrough: 500]", "--seed N=42", "--digits 4|17=4"}) {
    CHECK_MESSAGE(train.find(part) != std::string::npos, part);
  }
  for (const std::string name : {"train", "train-fast", "sample", "eval", "inspect", "heads", "kv", "task", "bench"}) {
    CHECK(lines_that_begin("  " + name + " ", all).size() == 1);
    const std::string help = output({name, "--help"});
    CHECK(help.find("\n  microgpt " + name + " ") != std::string::npos);
    for (const std::string& line : lines(all + help)) CHECK_MESSAGE(line.size() <= 120, line);
    CHECK(output({name, "-h"}) == help);
    CHECK(output({name, "--version"}) == "microgpt 0.2.0\n");
  }
}

}  // namespace
}  // namespace microgpt
