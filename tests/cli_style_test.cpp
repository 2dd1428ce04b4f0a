// Several lists in one model: each document begins with the sign of its list, which can be asked for.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/python_random.h"
#include "base/split.h"
#include "base/style.h"
#include "program.h"
#include "tensor/decoder.h"
#include "train/checkpoint.h"
#include "train/sampling.h"

namespace microgpt {
namespace {

TEST_CASE("a path is one list as it is, and several lines are lists with signs and weights") {
  const std::vector<Style> one = styles_of("data/a.txt:2");
  CHECK(one.size() == 1);
  CHECK(one[0].path == "data/a.txt:2");
  CHECK(one[0].sign.empty());
  const std::vector<Style> three = styles_of("data/a.txt:2\nb\nc:d");
  REQUIRE(three.size() == 3);
  CHECK(three[0].name() == "a");
  CHECK(three[0].sign == U"①");
  CHECK(three[0].weight == 2);
  CHECK(three[1].sign == U"②");
  CHECK(three[1].weight == 1);
  CHECK(three[2].path == "c:d");
  for (const std::string wrong : {"a:0\nb", "a:1001\nb", "x/a.txt\ny/a.csv"})
    CHECK_THROWS_AS(styles_of(wrong), UsageError);
  std::string many = "0";
  for (int i = 1; i < 20; i++) many += fmt::format("\n{}", i);
  CHECK(styles_of(many).back().sign == U"⑳");
  CHECK_THROWS_AS(styles_of(many + "\n20"), UsageError);
}

TEST_CASE("a tenth of each list is held out, and nothing of it that another list trains on") {
  const std::vector<Style> lists = styles_of("a\nb");
  std::vector<Document> documents;
  for (char32_t i = 0; i < 200; i++) documents.push_back(keep(lists[0].sign + char32_t(U'一' + i)));
  for (char32_t i = 0; i < 50; i++) documents.push_back(keep(lists[1].sign + char32_t(U'一' + 4 * i)));
  documents.push_back(documents[0]);
  const Split parts = split(documents, lists);
  CHECK(parts.training.size() + parts.held_out.size() == 250);
  std::map<char32_t, std::size_t> held_out;
  std::set<Document> trained;
  for (const Document& document : parts.training) trained.insert(document.substr(1));
  for (const Document& document : parts.held_out) {
    held_out[document[0]]++;
    CHECK_FALSE(trained.contains(document.substr(1)));
  }
  CHECK(held_out[U'①'] > 10);  // 20, but for those that list b trains on
  CHECK(held_out[U'①'] <= 20);
  CHECK(held_out[U'②'] <= 5);
  CHECK(split(documents, {Style{}}).held_out == split(documents).held_out);
}

TEST_CASE("a weight repeats a list, and without weights nothing is drawn") {
  const std::vector<Document> documents{U"①a", U"②b", U"①c"};
  std::vector<Document> weighed = documents;
  PythonRandom random(1), untouched(1);
  weigh(weighed, styles_of("x\ny"), random);
  CHECK(weighed == documents);
  CHECK(random.bits32() == untouched.bits32());
  weigh(weighed, styles_of("x:3\ny"), random);
  std::sort(weighed.begin(), weighed.end());
  std::vector<Document> many(max_documents / 10, U"①a");
  CHECK_THROWS_AS(weigh(many, styles_of("x:11\ny"), random), UsageError);
  CHECK(weighed == std::vector<Document>{U"①a", U"①a", U"①a", U"①c", U"①c", U"①c", U"②b"});
}

/// Two lists of twenty names each that share one name and few letters, and a model of both.
struct StyleFolder : NamesFolder {
  StyleFolder() {
    std::string numbers;
    for (int i = 10; i < 40; i++) numbers += fmt::format("{}\n", 37 * i);
    write_contents(file("numbers.txt"), numbers + "anna\n");
    model = file("model");
    const Run r = microgpt(Words{"train"} + data + how);
    REQUIRE(r.exit_code == 0);
    CHECK(r.err == "microgpt: note: names that stand in more than one list: 1; they count in each\n");
    printed = r.out;
  }
  Words plain(const Words& more, const std::string& num = "400", const std::string& temperature = "1") const {
    return lines(
        output(Words{"sample", model, "--layout", "plain", "--num", num, "--temperature", temperature} + more));
  }
  static bool is_number(const std::string& name) { return name.find_first_of("0123456789") != std::string::npos; }

  Words data{"--data", names, "--data", file("numbers.txt") + ":2"};
  Words how{"--engine", "tensor", "--batch", "8", "--steps", "500", "--hold-out", "--save", file("model")};
  std::string model, printed;
};

TEST_CASE_FIXTURE(StyleFolder, "a model of two lists is asked for either, and draws both as often as it read them") {
  CHECK(printed.starts_with("list ①: names, 20 documents\nlist ②: numbers, 31 documents, each read 2 times\n"));
  CHECK(behind("num docs: ", printed) == "75");  // 18, anna, and twice 28: a tenth of each is held out, but not anna
  const Words letters = plain({"--style", "names"}), digits = plain({"--style", "numbers"}), both = plain({});
  CHECK(std::count_if(letters.begin(), letters.end(), is_number) <= 8);
  CHECK(std::count_if(digits.begin(), digits.end(), is_number) >= 360);  // anna is one of them
  for (const Words& all : {letters, digits, both}) {
    for (const std::string& name : all) CHECK(name.find("\xe2\x91") == std::string::npos);  // ①
  }
  // 56 of 75; as often at a low temperature
  for (const char* temperature : {"1", "0.1"}) {
    const Words drawn = plain({}, "400", temperature);
    const double share = static_cast<double>(std::count_if(drawn.begin(), drawn.end(), is_number)) / 400;
    CHECK(share == doctest::Approx(0.74).epsilon(0.12));
  }
  CHECK(refusal({"sample", model, "--style", "towns"}) ==
        "2: --style is 'towns'; this model learned from: names, numbers");
  for (const Words& wrong : {Words{"--given", names}, Words{"--rank"}, Words{"--score"}}) {
    CHECK(refusal(Words{"sample", model} + wrong) ==
          "2: --given, --score and --rank need --style, one of: names, numbers");
  }
  CHECK(refusal({"sample", model, "--blend", model + ":0.5"}) ==
        "2: --blend needs models that learned from one list each");
}

TEST_CASE_FIXTURE(StyleFolder, "a score is the model's, given the sign of the list") {
  const Checkpoint checkpoint = load_checkpoint(model);
  TensorModel<double> tensors(checkpoint.config, checkpoint.parameters, 20);
  Decoder<double> decoder(tensors);
  for (const auto& [style, sign] : {std::pair{"names", U'①'}, std::pair{"numbers", U'②'}}) {
    const Words given{"--given", names, "--style", style, "--layout", "json", "--score", "--dtype", "f64"};
    for (const auto& record : nlohmann::json::parse(output(Words{"sample", model} + given))) {
      const std::string name = record["name"];
      const std::u32string document = sign + std::u32string(name.begin(), name.end());
      std::vector<double> nats = surprises(decoder, checkpoint.tokenizer.encode_document(document));
      nats.erase(nats.begin());
      CHECK(record["nats"].get<std::vector<double>>() == nats);
      CHECK(record["letters"].size() == nats.size());
      CHECK(record["letters"][0] == name.substr(0, 1));
    }
  }
  // Names are drawn with these probabilities.
  const Words drawn = plain({"--style", "names"}, "4000");
  const auto scored = nlohmann::json::parse(
      output({"sample", model, "--style", "names", "--given", names, "--layout", "json", "--score"}));
  for (const auto& record : scored) {
    const double p = record["probability"];
    const std::string name = record["name"];
    const double share = static_cast<double>(std::count(drawn.begin(), drawn.end(), name)) / 4000;
    CHECK(std::abs(share - p) < 5 * std::sqrt(p / 4000) + 1e-3);
  }
}

TEST_CASE_FIXTURE(StyleFolder, "what names must be like is asked of names, without the sign") {
  for (const std::string& name : plain({"--prompt", "n"}, "20")) CHECK(name.starts_with("n"));
  for (const std::string& name : plain({"--style", "names", "--prompt", "a"}, "20")) CHECK(name[0] == 'a');
  for (const std::string& name : plain({"--pattern", "??"}, "5")) CHECK(name.size() == 2);
  for (const std::string& name : plain({"--max-length", "3"}, "20")) CHECK(name.size() <= 3);
  const Words fresh = plain({"--new"}, "30");
  for (const std::string& name : fresh) {
    CHECK((contents(names) + contents(file("numbers.txt"))).find("\n" + name + "\n") == std::string::npos);
  }
  CHECK(std::set<std::string>(fresh.begin(), fresh.end()).size() == 30);
  const Words csv =
      lines(output(Words{"sample", model, "--layout", "csv", "--num", "30", "--temperature", "1"} + data));
  CHECK(csv[0] == "name,in_data");
  for (std::size_t i = 1; i < csv.size(); i++) {
    const bool is_known = csv[i].find(",true") != std::string::npos;
    const std::string name = csv[i].substr(0, csv[i].find(','));
    CHECK(is_known ==
          (("\n" + contents(names) + contents(file("numbers.txt"))).find("\n" + name + "\n") != std::string::npos));
  }
}

TEST_CASE_FIXTURE(StyleFolder, "other commands read all lists of a model, and training goes on with them") {
  const std::string both = names + ", " + file("numbers.txt") + ":2";
  CHECK(output({"eval", model}).starts_with("data: " + both + "\nheld out: 4 of 51 distinct documents\n"));
  CHECK(output({"heads", model}).starts_with("4 held-out documents of " + both));
  CHECK(microgpt({"inspect", model, "--html", file("page.html")}).exit_code == 0);
  CHECK(contents(file("page.html")).find("①") != std::string::npos);
  CHECK(output(Words{"eval", model} + data).starts_with("held out: 4 of 51"));
  CHECK(refusal({"eval", model, "--data", names}) ==
        "2: --data names 1 of this model's 2 lists; give them all, in the order of its training");
  for (const std::string& file_of_names : {names, file("numbers.txt")}) {
    CHECK(refusal(Words{"train"} + data + Words{"--save", file_of_names}).find("is the file of names") <
          std::string::npos);
  }

  // Whole, or in two parts.
  const Words small{"--engine", "tensor", "--steps", "40", "--digits", "17", "--quiet", "--samples", "5"};
  const std::string whole = file("whole"), part = file("part");
  const Run all = microgpt(Words{"train"} + data + small + Words{"--save", whole});
  REQUIRE(all.exit_code == 0);
  REQUIRE(microgpt(Words{"train"} + data + small + Words{"--save", part}).exit_code == 0);
  CHECK(contents(whole) == contents(part));
  const Words on{"train", "--resume", part, "--steps", "60", "--digits", "17"};
  CHECK(microgpt(on).out.find("data: " + both) != std::string::npos);
  CHECK(refusal({"train", "--resume", whole, "--steps", "60", "--data", names}).find("other data") < std::string::npos);
  CHECK(load_checkpoint(part).training->step == 60);
}

TEST_CASE("with lists alone, train watches a part of each, and marks names of either as known") {
  const NamesFolder folder;
  std::string other;
  for (int i = 10; i < 40; i++) other += fmt::format("{}\n", 37 * i);
  write_contents(folder.file("numbers"), other);
  const std::string model = folder.file("model");
  const std::string printed =
      microgpt(folder.train({"--data", folder.file("numbers") + ":5", "--save", model, "--samples", "40"})).out;
  CHECK(printed.find("chosen for 50 distinct documents") != std::string::npos);
  CHECK(printed.find("loss on 5 watched") != std::string::npos);
  for (const std::string& line : names(printed)) {
    const bool has_sign = line.starts_with("①") || line.starts_with("②");
    CHECK(has_sign);
  }
  CHECK(output({"eval", model}).find("held out: 5 of 50 distinct documents") != std::string::npos);
  write_contents(folder.file("signs"), "①a\n");
  CHECK(refusal(folder.train({"--data", folder.file("signs")})) ==
        "1: " + folder.file("signs") + ":1: a circled number, which would stand for a list; give this list alone");
}

}  // namespace
}  // namespace microgpt
