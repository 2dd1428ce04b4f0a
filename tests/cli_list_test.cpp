// microgpt train --data FILE and nothing else, or --preset list: the program chooses, computes the validation loss on
// names that it keeps back, and keeps the best weights.
#include "base/dataset.h"
#include "program.h"
#include "train/checkpoint.h"

namespace microgpt {
namespace {

TEST_CASE("a list's model is no worse than counting on names it has not seen, and eval finds that loss again") {
  const NamesFolder folder;
  const std::string model = folder.file("model");
  const Run r = microgpt(folder.train({"--save", model}));
  CHECK(r.err == "microgpt: note: 20 names are few; expect names much like them\n");
  const std::string& printed = r.out;
  CHECK(printed.starts_with(
      "chosen for 20 distinct documents: n_layer 2, n_embd 64, block_size 16, mask local:4, dropout 0.4; "));
  CHECK(behind("num docs: ", printed) == "18");

  Words validation;
  for (const std::string& line : lines(printed)) {
    if (line.starts_with("step ")) validation.push_back(line.substr(line.rfind(' ') + 1));
  }
  REQUIRE(validation.size() >= 2);
  Words quiet = lines(printed);
  std::erase_if(quiet, [](const std::string& line) { return line.starts_with("step "); });
  CHECK(lines(microgpt(folder.train({"--quiet", "--preset", "list"})).out) == quiet);
  const std::string line = behind("kept step ", printed), kept = line.substr(line.find(": ") + 2, 6);
  CHECK(std::count(validation.begin(), validation.end(), kept) > 0);
  CHECK(std::stod(kept) <= std::stod(line.substr(line.rfind(": ") + 2)));  // what counting reaches
  CHECK(names(printed).size() == 20);
  for (const std::string& name : names(printed)) {  // none is one of the list, or only the beginning of one
    CHECK(("\n" + std::string(few_names)).find("\n" + name) == std::string::npos);
  }
  CHECK(load_checkpoint(model).training->counted.size() == 20);
  CHECK(behind("held-out loss: ", output({"eval", model, "--data", folder.names})).starts_with(kept + " nats"));
  CHECK(refusal({"train", "--resume", model}) ==
        "1: cannot resume '" + model + "': it has a model, but not the state of its training; start anew");
}

TEST_CASE("what is typed beside --preset list is not chosen") {
  const NamesFolder folder;
  const Words typed{"--preset", "list", "--steps", "30", "--batch", "2", "--n-embd", "8", "--mask", "full"};
  const std::string chosen = "n_layer 2, n_embd 8, block_size 16, mask full, dropout 0.4; 30 batches of 2\n";
  CHECK(microgpt(folder.train(typed)).out.starts_with("chosen for 20 distinct documents: " + chosen));
}

TEST_CASE("no document of a list is cut off, and names of the list are marked") {
  const std::string long_name(100, 'n');
  const NamesFolder folder("anna\n" + long_name + "\nb\nc\nd\ne\nf\ng\nh\ni\n");
  const std::string printed = microgpt(folder.train({"--temperature", "0.01", "--seed", "7"})).out;
  CHECK(printed.find("block_size 101,") != std::string::npos);
  const std::vector<Document> list = read_documents(folder.names);
  std::size_t marked = 0;
  for (const std::string& line : lines(printed)) {
    if (!line.starts_with("sample")) continue;
    const std::string name = line.substr(line.find(": ") + 2, line.find("  (in the data)") - line.find(": ") - 2);
    const std::u32string document(name.begin(), name.end());
    const bool is_copy = std::find(list.begin(), list.end(), document) != list.end();
    CHECK((line.find("  (in the data)") != std::string::npos) == is_copy);
    marked += is_copy ? 1 : 0;
  }
  CHECK(marked > 0);
}

TEST_CASE("a signal ends a list's training, and its model is kept") {
  std::string text;
  for (int i = 10'000; i < 15'000; i++) text += std::to_string(i) + "\n";
  for (char& c : text) c += c == '\n' ? 0 : 'a' - '0';  // digits would be told of
  const NamesFolder folder(text);
  const std::string model = folder.file("model");
  Running training(microgpt_command(folder.train({"--save", model})));
  CHECK(training.until_printed("validation"));  // it ends eight such lines later at the earliest
  training.send(SIGINT);
  const Run r = training.wait();
  CHECK(r.exit_code == 128 + SIGINT);
  CHECK(r.err.starts_with("microgpt: stopped; the model of step "));
  CHECK(r.err.ends_with(" is saved in '" + model + "'\n"));
  CHECK(microgpt({"sample", model}).exit_code == 0);
}

TEST_CASE("train is the published program as soon as something is said about training, or with few names") {
  const NamesFolder folder;
  for (const Words& said : {Words{"--steps", "1"}, Words{"--preset", "gist", "--quiet"}, Words{"--hold-out"}}) {
    CHECK(output(folder.train(said)).find("chosen for") == std::string::npos);
  }
  const NamesFolder nine("a\nb\nc\nd\ne\nf\ng\nh\ni\ni\n");
  CHECK(microgpt(nine.train()).out.starts_with("num docs: 10\n"));
  const NamesFolder two("anna\nbo\n");
  const Run r = microgpt(two.train({"--temperature", "0.01"}));
  CHECK(r.out.find("  (in the data)\n") != std::string::npos);
  CHECK(complaint(r) == "0: note: ten names at least are needed to choose a model for them");
  CHECK(lines(output({"train", "--data", "data/names.txt"})) == golden_lines("gist_builtin", false));
}

TEST_CASE("a list is odd in one line of standard error for each oddity") {
  auto told = [](const std::string& text, const Words& more) {
    const NamesFolder folder(text);
    return microgpt(folder.train(Words{"--samples", "1"} + more)).err;
  };
  const Words briefly{"--steps", "1", "--block-size", "30"};
  for (const std::string table : {"a,b\nc,d\n", "id;name\n1;anna, bo\n", "id\tname\n1\tanna\n"}) {
    CHECK(told(table, briefly) ==
          "microgpt: note: nearly all lines have commas, semicolons or tabs; if this is a table, add "
          "--column and its name or number\n");
  }
  const std::vector<std::pair<std::string, std::string>> odd{
      {"1: Anna\n2: Bo\n", "cut -d ':' -f 2"},
      {"0:Anna:x\n1:Bo:y\n", "cut -d ':' -f 2"},
      {"Anna[1]\nBo[2]\n", "cut -d '[' -f 1"},
      {"\"Anna\"\n\"Bo\"\n", "cut -d '\"' -f 2"},
      {"\u00ab Ann \u00bb\n\u00ab Bo \u00bb\n", "sed 's,\u00ab,,g'"},
      {"001 Anna\n2) Bo\n", "sed 's/^[0-9.) ]*//'"},
      {"Anna 12\nBo 7\n", "tr -d '0-9'"},
      {"- Anna\n- Bo-Lu\n", "sed 's/^[- ]*//'"},
      {"<li>Anna</li>\n<li>Bo</li>\n", "sed 's/<[^>]*>//g'"},
      {"9\nA/B\nC/D\nE/B\nG\u00e9/D\nI/B\nK/D\nM/B\nO/D\nQ/S\n", "cut -d '/' -f 1"}};
  for (const auto& [list, command] : odd) {
    CHECK(told(list, briefly).find("if that is no part of a name: " + command + " <'/") != std::string::npos);
  }
  CHECK(told("Jean-Luc O'Neil\nAnne-Marie d'Arc\n", briefly) == "");
  CHECK(told("# mine\nAnna\nBo\n", briefly).find("'# mine' is read as a name; without such lines: grep -v '^#' ") !=
        std::string::npos);
  CHECK(told("Zoe\u0308\nBo\n", briefly).find("note: accents stand behind their letters, as in 'Zoe\u0308'; ") !=
        std::string::npos);
  CHECK(told("Anna; Bo\n", briefly).find("to part it: tr ';' '\\n' <") != std::string::npos);
  CHECK(told("anna,bo\ncleo\n", briefly) == "");
  CHECK(told("anna bo cleo\n", briefly) ==
        "microgpt: note: the data is a single line, and so a single name; put each name on a line of its own\n");
  std::string fifty = few_names + std::string("anna\nbela\ncara\n");
  for (int i = 0; i < 29; i++) fifty += std::to_string(i) + "\n";
  const std::string gone = "microgpt: note: the model will be gone in the end; --save FILE keeps it\n";
  CHECK(told(fifty, {}) ==
        "microgpt: note: 49 names are few; expect names much like them\n"
        "microgpt: note: 3 of 52 names are repeated; they count once\n" +
            gone);
  CHECK(told(fifty + "29\n", {}) == "microgpt: note: 3 of 53 names are repeated; they count once\n" + gone);
  CHECK(told(fifty, briefly) == "");
}

TEST_CASE("a table, capitals and standard input make the same model, which remembers how it read") {
  const NamesFolder plain;
  const Words how{"--steps", "5", "--hold-out", "--digits", "17"};
  const std::string expected = output(plain.train(how));
  std::string table = "id;Name\n";
  for (const std::string& name : lines(few_names)) {
    const std::string capital = static_cast<char>(name[0] - 'a' + 'A') + name.substr(1);
    table += "7; " + capital + " \n";
  }
  const std::string model = plain.file("model");
  const Words form{"--column", "Name", "--lower"};
  const NamesFolder folder(table);
  CHECK(output(folder.train(how + form + Words{"--save", model})) == expected);
  const std::string figures = output({"eval", model});
  REQUIRE(figures.find("\nheld out: 2 of 20 distinct documents\n") != std::string::npos);
  CHECK(output({"eval", model, "--data", folder.names}) == figures.substr(figures.find('\n') + 1));
  CHECK(output({"heads", model}).find("2 held-out documents of " + folder.names) != std::string::npos);
  CHECK(output({"train", "--resume", model, "--steps", "6"}).starts_with("data: "));

  const Run r =
      in_shell("\"$0\" \"$@\" < '" + folder.names + "'", Words{"train", "--data", "-", "--save", model} + how + form);
  CHECK(r.err == "");
  CHECK(r.out == expected);
  CHECK(refusal({"eval", model}) == "2: this model was trained on standard input; give its names with --data");
  CHECK(refusal({"train", "--resume", model}).starts_with("2: '" + model + "' was trained on '-', which is not a "));
  CHECK(in_shell("\"$0\" \"$@\" < '" + folder.names + "'", {"eval", model, "--data", "-"}).out ==
        figures.substr(figures.find('\n') + 1));
  const NamesFolder people("id,Name\n1,Anna\n");
  CHECK(microgpt(people.train({"--steps", "1", "--column", "2"})).err ==
        "microgpt: note: the first row of column 2 is 'Name'; if that is a heading, name the column so\n");
  write_contents(people.file("people.csv"), "id,Name\n1,Anna\n");
  write_contents(people.file("book.xlsx"), std::string("PK\3\4\0,", 6));
  write_contents(people.file("one.csv"), "Name\nAnna\n");
  CHECK(microgpt({"train", "--steps", "1", "--data", people.file("one.csv")}).err ==
        "microgpt: note: 'Name' is read as a name; if that is a heading, name the column so\n");
  const std::string train = "train --data ";
  check_refused({{train + people.names + " --column name",
                  ": the table has no column 'name' in its first line; it has 'id', 'Name'"},
                 {train + people.file("book.xlsx") + " --column name", ":1: a zero byte; this is a binary file"},
                 {train + people.file("people.csv"), ": it is a table; name one of its columns: 'id', 'Name'"},
                 {train + plain.names + " --column name", ": it has no column 'name': its first line is 'anna'"}});
}

}  // namespace
}  // namespace microgpt
