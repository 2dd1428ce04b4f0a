// microgpt sample: what names must be like, how they are drawn, and how they are printed.
#include <nlohmann/json.hpp>
#include <set>

#include "program.h"
#include "train/constraints.h"

namespace microgpt {
namespace {

/// A folder with a model of the tensor engine.
struct TensorFolder : NamesFolder {
  TensorFolder() { output({"train", "--engine", "tensor", "--batch", "8", "--steps", "100", "--save", model}); }

  /// The names that sample prints, a line for each.
  Words plain(const Words& how) const { return lines(output(Words{"sample", model, "--layout", "plain"} + how)); }

  std::string model = file("model");
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
  check({"--pattern", "*an*"}, [](Name name) { return name.find("an") != std::string::npos; });
  check({"--pattern", "?a*"}, [](Name name) { return name.size() > 1 && name[1] == 'a'; });
  check({"--min-length", "7"}, [](Name name) { return name.size() >= 7; });
  check({"--max-length", "3"}, [](Name name) { return name.size() <= 3; });
}

TEST_CASE_FIXTURE(TensorFolder, "new names are in no list, and none comes twice") {
  const Words often = plain({"--num", "200", "--temperature", "0.3"});
  write_contents(file("avoid"), "\xef\xbb\xbf" + often[0] + "\n" + often[1] + "\n");  // a byte order mark is no letter
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
  for (const std::string& name : fresh) {  // nor the beginning of one
    CHECK(std::none_of(known.begin(), known.end(), [&](const std::string& one) { return one.starts_with(name); }));
  }
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

  const Words some{"--num", "20", "--min-length", "1"};
  double total = 0;
  for (const auto& scored : nlohmann::json::parse(output(Words{"sample", model, "--layout", "json", "--score"} + some)))
    total += scored["nats_per_token"].get<double>();
  output(Words{"sample", model, "--out", file("some")} + some);
  const double by_heads = nlohmann::json::parse(output({"heads", model, "--data", file("some"), "--json"}))["loss"];
  CHECK(total / 20 == doctest::Approx(by_heads).epsilon(1e-5));  // heads computes in doubles
}

TEST_CASE("names to avoid are read as the model's data were") {
  const NamesFolder folder("Id,Name\n1,ANNA\n2,BO\n");
  const std::string model = folder.trained({"--steps", "100", "--quiet", "--column", "Name", "--lower"});
  const std::string table = folder.file("table"), list = folder.file("list");
  const Words sample{"sample", model, "--layout", "plain", "--num", "100", "--temperature", "0.3"};
  const Words often = lines(output(sample));
  REQUIRE(std::count(often.begin(), often.end(), "anna") > 0);
  write_contents(table, "x;Name\n7;Anna \n");
  write_contents(list, "Anna\nAN-N a\n");  // a file without the column is a list
  const std::string note = fmt::format("microgpt: note: '{}' has no column 'Name', so each line is a name\n", list);
  for (const auto& [path, told] : {std::pair{table, std::string()}, std::pair{list, note}}) {
    const Run avoiding = microgpt(sample + Words{"--avoid", path});
    const Words others = lines(avoiding.out);
    CHECK(avoiding.err == told);
    CHECK(others.size() == 100);
    CHECK(std::count(others.begin(), others.end(), "anna") == 0);
    CHECK(std::count(others.begin(), others.end(), "bo") > 0);
  }
  write_contents(list, "Ann\n");
  for (const std::string& without : {std::string("Ann,XX"), list}) {
    const Words others = lines(output(sample + Words{"--without", without}));
    CHECK(std::none_of(others.begin(), others.end(), [](const std::string& s) { return s.find("ann") < s.size(); }));
  }
  CHECK(refusal(sample + Words{"--without", "no/such.txt"}).starts_with("1: cannot read 'no/such.txt': "));
  CHECK(microgpt({"heads", model, "--data", list}).err == note);
  write_contents(table, "x;name\n7;Anna \n");
  CHECK(refusal(sample + Words{"--avoid", table}) ==
        "1: " + table + ": the table has no column 'Name' in its first line; it has 'x', 'name'");
  CHECK(refusal({"sample", model, "--out", folder.names}) ==
        fmt::format("2: --out would write '{0}', and reads '{0}'; choose another path", folder.names));
}

TEST_CASE_FIXTURE(TensorFolder, "ranked names are the same names, the least surprising first") {
  const Words drawn = plain({"--num", "50"}), ranked = plain({"--num", "50", "--rank"});
  CHECK(std::multiset(drawn.begin(), drawn.end()) == std::multiset(ranked.begin(), ranked.end()));
  std::vector<double> losses;
  for (const std::string& line : plain({"--num", "50", "--rank", "--score"})) {
    losses.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  CHECK(losses.size() == 50);
  CHECK(std::is_sorted(losses.begin(), losses.end()));
  CHECK(losses.front() < losses.back());
}

TEST_CASE("CSV has a line of columns, and quotes where a name needs them") {
  const NamesFolder folder("a,b \"hi\"\nplain\n");
  const std::string model = folder.trained({"--steps", "2", "--quiet", "--block-size", "8"});
  const Words csv{"sample", model, "--num", "1", "--layout", "csv"};  // of names that the prompt fills
  CHECK(output(csv + Words{"--prompt", "a,b \"hi\""}) == "name\n\"a,b \"\"hi\"\"\"\n");
  const Words scored = lines(output(csv + Words{"--prompt", "plainpla", "--score", "--data", folder.names}));
  CHECK(scored[0] == "name,in_data,nats_per_token");
  CHECK(scored[1].starts_with("plainpla,false,"));
}

TEST_CASE_FIXTURE(TensorFolder, "--out writes what would have been printed, and destroys nothing that is read") {
  const std::string list = file("out"), before = contents(model);
  for (const char* layout : {"numbered", "plain", "csv", "json"}) {
    const Words how{"sample", model, "--num", "7", "--score", "--layout", layout};
    CHECK(output(how + Words{"--out", list, "--force"}).empty());
    CHECK(contents(list) == (layout == std::string("csv") ? "\ufeff" : "") + output(how));
  }
  for (const std::string layout : {"txt", "csv", "json"}) {
    const std::string table = file("out." + layout);
    const Words how{"sample", model, "--num", "3", "--score", "--out", table};
    output(how);
    const bool has_own = layout == "csv" || layout == "json";
    CHECK(contents(table) == (layout == "csv" ? "\ufeff" : "") + output({"sample", model, "--num", "3", "--score",
                                                                         "--layout", has_own ? layout : "plain"}));
    CHECK(refusal(how) == "2: --out '" + table + "' is there already; choose another path, or add --force");
    output(how + Words{"--layout", "numbered", "--force"});
    CHECK(contents(table) == output({"sample", model, "--num", "3", "--score"}));
  }
  const std::string would = "2: --out would write '", sample = "sample " + model + " --out ";
  check_refused({{sample + "new.xlsx", "2: --out writes .txt, .csv, which spreadsheets open, and .json; not '.xlsx'"},
                 {sample + model, would + model},
                 {sample + names + " --data " + names, would + names},
                 {sample + names + " --avoid " + names, would + names},
                 {sample + file("no/out"), "1: cannot write '"},
                 // What there is of it is written, too.
                 {sample + list + " --force --max-length 1 --unique --layout plain --num 1000", "1: found "}});
  CHECK(contents(model) == before);
  CHECK(contents(names) == few_names);
  CHECK(lines(contents(list)).size() >= 2);
}

TEST_CASE_FIXTURE(TensorFolder, "what cannot be had is said in one line, and what there is of it is printed") {
  const Run run = microgpt({"sample", model, "--num", "1000", "--max-length", "1", "--unique", "--layout", "plain"});
  CHECK(run.exit_code == 1);
  const std::size_t found = lines(run.out).size();
  CHECK(found >= 2);
  CHECK(run.err.starts_with(fmt::format("microgpt: found {} of 1000 names, and no more in 100000 tries: ", found)));
  const std::string sample = "sample " + model;
  check_refused({{sample + " --min-length 5 --max-length 4", "2: --min-length is 5, and --max-length 4"},
                 {sample + " --min-length 17", "2: --min-length is 17; this model's names end at 16"},
                 {sample + " --pattern Ä*", "2: the character 'Ä' is unknown"},
                 {sample + " --pattern [A-M]*", "; only * and ? are special"},
                 {sample + " --temperature -1", "it must be a number from 0 to 1000000"}});
  const Run always_same = microgpt({"sample", model, "--suffix", "zzz", "--temperature", "0"});
  CHECK(always_same.err.ends_with("; --temperature 0 draws the same name again and again\n"));
}

TEST_CASE_FIXTURE(TensorFolder, "rare names do not let it try for ever") {
  // One name in thousands fits, so a hundred thousand tries in vain for each name would be minutes.
  const Run run = microgpt({"sample", model, "--num", "2000", "--suffix", "riana", "--layout", "plain"});
  CHECK(run.exit_code == 1);
  const std::size_t found = lines(run.out).size();
  CHECK(found > 0);
  CHECK(run.err.starts_with(fmt::format("microgpt: found {} of 2000 names in 700000 tries: ", found)));
}

TEST_CASE_FIXTURE(TensorFolder, "a signal ends the search, and what was found is printed") {
  Running search(microgpt_command({"sample", model, "--num", "1000000000", "--layout", "plain", "--prompt", "A"}));
  CHECK(search.until_told("--prompt is read as 'a'"));  // from here on signals are heard
  search.send(SIGINT);
  const Run r = search.wait();
  CHECK(r.exit_code == 128 + SIGINT);
  CHECK(lines(r.err).back() == fmt::format("microgpt: stopped; found {} of 1000000000 names", lines(r.out).size()));
}

TEST_CASE_FIXTURE(TensorFolder, "a name that block_size ends is marked, but not as the published program draws names") {
  const std::string full(16, 'a');
  const Words begun{"--prompt", full, "--num", "1"};
  CHECK(output(Words{"sample", model} + begun) == "sample  1: " + full + "  (cut off)\n");
  CHECK(output(Words{"sample", model, "--layout", "csv"} + begun) == "name\n" + full + "\n");
  write_contents(file("full"), full + "\n");
  CHECK(output(Words{"sample", model, "--data", file("full")} + begun) == "sample  1: " + full + "  (in the data)\n");
  const std::string published = trained({"--steps", "1", "--quiet"});
  CHECK(output(Words{"sample", published} + begun) == "sample  1: " + full + "\n");
}

TEST_CASE("a text to read is helped where it can be, and one line tells how") {
  const NamesFolder folder("Ela Zoë\nanna\nbella\nmaë\n");
  const std::string model = folder.trained({"--steps", "30"});
  const Words sample{"sample", model, "--temperature", "2", "--num", "3"}, inspect{"inspect", model};
  const std::string capitals = "the model does not know all these capitals";
  struct Help {
    Words command;
    std::string option, typed, read, why;
  };
  for (const auto& [command, option, typed, read, why] :
       {Help{sample, "--prompt", "ZMaË", "Zmaë", capitals},
        {sample, "--suffix", "EA", "ea", capitals},  // as a whole, though E is known
        {sample, "--pattern", "E*A", "e*a", capitals},
        {inspect, "--text", "Ela BELA", "Ela bela", capitals},
        {Words{"heads", model, "--data", folder.names}, "--text", "MAË", "maë", capitals}}) {
    const Run r = microgpt(command + Words{option, typed});
    CHECK(r.exit_code == 0);
    CHECK(r.out == output(command + Words{option, read}));
    CHECK(r.err == "microgpt: note: " + option + " is read as '" + read + "': " + why + "\n");
  }
  const Run long_text = microgpt(inspect + Words{"--text", "annaannaannaanna"});
  CHECK(long_text.out == output(inspect + Words{"--text", "annaannaannaann"}));
  CHECK(long_text.err == "microgpt: note: there is room for 15 of 16 characters of --text\n");
  check_refused({{"sample " + model + " --prompt be7", "2: the character '7' is unknown"},
                 {"inspect " + model + " --text 77", "2: the character '7' is unknown"},
                 {"sample " + model + " --prompt Q", "2: the character 'Q' is unknown"}});
}

}  // namespace
}  // namespace microgpt
