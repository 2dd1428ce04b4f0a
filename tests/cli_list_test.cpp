// microgpt train --data FILE and nothing else: the program chooses, watches names that it keeps back, and keeps the
// best.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "base/dataset.h"
#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

TEST_CASE("with a list alone, train keeps the model that is best on names it has not seen, which eval finds again") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  const std::string printed = output(folder.train({"--save", model, "--samples", "3"}));
  CHECK(printed.starts_with("chosen for 20 distinct documents: n_layer 2, n_embd 64, block_size 16, dropout 0.4; "));
  CHECK(behind("num docs: ", printed) == "18");

  Words watched;
  for (const std::string& line : lines(printed)) {
    if (line.starts_with("step ")) watched.push_back(line.substr(line.rfind(' ') + 1));
  }
  REQUIRE(watched.size() >= 2);
  const std::string best = *std::min_element(watched.begin(), watched.end());
  CHECK(behind("best at step ", printed).find(": " + best + " nats per token; counting runs of up to ") < 10);
  CHECK(names(printed).size() == 3);
  CHECK(behind("held-out loss: ", output({"eval", model, "--data", folder.names})).starts_with(best + " nats"));
  CHECK(refusal({"train", "--resume", model}) ==
        "1: cannot resume '" + model + "': it has a model, but not the state of its training; start anew");
}

TEST_CASE("no document of a list is cut off, and names of the list are marked") {
  const std::string long_name(100, 'n');
  const NamesFolder folder("anna\n" + long_name + "\nb\nc\nd\ne\nf\ng\nh\ni\n");
  const std::string printed = output(folder.train({"--temperature", "0.01", "--seed", "7"}));
  CHECK(printed.find("block_size 101,") != std::string::npos);
  const std::vector<Document> list = read_documents(folder.names);
  std::size_t marked = 0;
  for (const std::string& line : lines(printed)) {
    if (!line.starts_with("sample")) continue;
    const std::string name = line.substr(line.find(": ") + 2, line.find("  (in the data)") - line.find(": ") - 2);
    const Document document(name.begin(), name.end());
    const bool is_copy = std::find(list.begin(), list.end(), document) != list.end();
    CHECK((line.find("  (in the data)") != std::string::npos) == is_copy);
    marked += is_copy ? 1 : 0;
  }
  CHECK(marked > 0);
}

TEST_CASE("a signal ends a list's training, and the best model so far is kept") {
  std::string text;
  for (int i = 10'000; i < 15'000; i++) text += std::to_string(i) + "\n";
  const NamesFolder folder(text);
  const std::string model = folder.file("model");
  Running training(microgpt_command(folder.train({"--save", model})));
  CHECK(training.until_printed(" watched "));  // it ends eight such lines later at the earliest
  training.send(SIGINT);
  const Run r = training.wait();
  CHECK(r.exit_code == 128 + SIGINT);
  CHECK(r.err.starts_with("microgpt: stopped; the best model so far, of step "));
  CHECK(r.err.ends_with(", is saved in '" + model + "'\n"));
  CHECK(microgpt({"sample", model}).exit_code == 0);
}

TEST_CASE("train is the published program as soon as something is said about training, or with few names") {
  const NamesFolder folder;
  for (const Words& said :
       {Words{"--steps", "1"}, Words{"--preset", "gist", "--quiet"}, Words{"--hold-out", "--quiet"}}) {
    CHECK(output(folder.train(said)).find("chosen for") == std::string::npos);
  }
  const NamesFolder nine("a\nb\nc\nd\ne\nf\ng\nh\ni\ni\n");
  CHECK(output(nine.train()).starts_with("num docs: 10\n"));
  CHECK(lines(output({"train", "--data", "data/names.txt"})) == golden_lines("gist_builtin", false));
}

}  // namespace
}  // namespace microgpt
