// From the bytes of a file to documents and tokens, and the counts of their pairs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/bigram.h"
#include "base/dataset.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/split.h"
#include "base/table.h"
#include "base/tokenizer.h"
#include "base/utf8.h"
#include "temporary_directory.h"

namespace microgpt {
namespace {

// --- Utf8 ------------------------------------------------------------------------------------------------------------

TEST_CASE("every code point survives being written and read") {
  std::size_t wrong = 0;
  for (char32_t c = 0; c <= 0x10ffff; c++) {
    if (c == 0xd800) c = 0xe000;  // surrogates are no characters
    if (decode_utf8(encode_utf8(c)) != std::u32string(1, c)) wrong++;
  }
  CHECK(wrong == 0);
  CHECK(encode_utf8(U"a\u00e9\u20ac\U0001f600") == "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST_CASE("bytes that are not UTF-8 are refused") {
  for (const char* bytes : {"\xc3", "\xe2\x82", "\xf0\x9f\x98",           // end in the middle of a character
                            "\xc3q", "\xa9", "\xf5\x80\x80\x80", "\xff",  // a wrong second byte, a wrong first one
                            "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // overlong
                            "\xed\xa0\x80", "\xed\xbf\xbf",  // U+D800 and U+DFFF, the first and the last surrogate
                            "\xf4\x90\x80\x80"}) {           // U+110000, past the last code point
    CHECK_FALSE(decode_utf8(std::string("ab") + bytes).has_value());
  }
}

TEST_CASE("what acts on a terminal is written out, and other text stays as it is") {
  CHECK(visible("\x1b[2J\x7f\xc2\x9b\xff") == "\\x1b[2J\\x7f\\x9b\\xff");
  CHECK(visible("a\u2028b\u202ec\u2066d") == "a\\x2028b\\x202ec\\x2066d");
  CHECK(visible("Zoë あ𐍈 \u202f\u200d") == "Zoë あ𐍈 \u202f\u200d");
}

TEST_CASE("a text is as wide as a terminal shows it: East Asian characters take two columns, marks none") {
  const std::vector<std::pair<std::string, std::size_t>> widths{
      {"", 0},       {"Zoë", 3}, {"Zoe\u0308", 3}, {"山田", 4},     {"한글", 4}, {"ｱｲ", 2},      {"ＡＢ", 4},
      {"शिवानी", 3}, {"ที่", 1},   {"مُحَمَّد", 4},      {"a\u200db", 2}, {"░▒", 2},   {"\xff\xfe", 2}};
  for (const auto& [text, width] : widths) {
    const std::string shown = text;  // clang 14: a binding cannot be captured
    CHECK_MESSAGE(display_width(shown) == width, shown);
  }
  CHECK(pad_left("山", 4) == "  山");
  CHECK(pad_right("ि", 2) == "ि  ");
  CHECK(pad_left("山田太郎", 4) == "山田太郎");
}

TEST_CASE("white space is what Python's str.isspace says, and strip takes it off both ends") {
  const std::u32string spaces =
      U"\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
      U"\u2028\u2029\u202f\u205f\u3000";
  std::u32string found;
  for (char32_t c = 0; c <= 0x10ffff; c++) {
    if (is_space(c)) found += c;
  }
  CHECK((found == spaces));
  CHECK((strip(U"\u3000\t a b\u00a0") == U"a b"));
  CHECK((strip(U" \u2003 ") == U""));
  CHECK((strip(U"\u200bx") == U"\u200bx"));  // a zero width space is none, as in Python
}

// --- Parse double ----------------------------------------------------------------------------------------------------

TEST_CASE("a number is read to the last bit, and what is none, or not only one, is nothing") {
  const std::vector<std::pair<const char*, double>> numbers{{"0", 0},  {"-3", -3},     {".5", 0.5},
                                                            {"1.", 1}, {"1e-4", 1e-4}, {"2.5E+3", 2500}};
  for (const auto& [text, number] : numbers) CHECK(parse_double(text) == number);
  CHECK(parse_double("0.69314718055994530942") == 0x1.62e42fefa39efp-1);
  for (const char* text : {"",    " 1",  "1 ",   "+1",  "-",  ".",   "e5",  "1e",       "1e+",   "1.2.3",
                           "1-2", "--1", "0x10", "1,5", "1f", "inf", "nan", "infinity", "1e999", "-1e999"}) {
    INFO("'" << text << "'");
    CHECK(!parse_double(text));
  }
}

// --- Dataset ---------------------------------------------------------------------------------------------------------

using Documents = std::vector<Document>;

TEST_CASE("lines end with \\n, \\r\\n or \\r, the last perhaps with nothing; blank ones are no documents") {
  const Documents expected{U"anna", U"bo", U"cleo", U"dan"};
  CHECK((parse_documents("anna\r\nbo\rcleo\ndan", "") == expected));
  CHECK((parse_documents("\n\nanna\nbo\n \t\n\r\r\n\u3000\ncleo\ndan\n\n", "") == expected));
}

TEST_CASE("more documents than fit into memory are refused") {
  std::string text;
  while (text.size() < 2 * max_documents) text += "a\n";
  CHECK(parse_documents(text, "names").size() == max_documents);
  CHECK_THROWS_WITH_AS(parse_documents(text + "b", "names"),
                       "names:2000001: more than 2000000 documents; give a smaller file", Error);
}

TEST_CASE("capitals of every alphabet have their small letters, and all else stays as it is") {
  std::u32string text = U"ZOË ΑΘΗΝΑ Мария ßあ1";
  for (char32_t& c : text) c = lower(c);
  CHECK(text == U"zoë αθηνα мария ßあ1");
}

TEST_CASE("capitals are read as a file says") {
  DataFile file("names");
  CHECK((parse_documents("Anna, Bo\ncleo,,\n", file) == Documents{U"Anna, Bo", U"cleo,,"}));
  file.lower = true;
  CHECK((parse_documents("Anna, Bo\ncleo,,\n", file) == Documents{U"anna, bo", U"cleo,,"}));
  CHECK_THROWS_WITH_AS(parse_documents("a\nb,\xff\n", file), doctest::Contains("names:2: not valid UTF-8"), Error);
}

TEST_CASE("a column of a table has a line for every record") {
  const std::string table = "id,name,\"the, town\"\r\n1,Ann,Rome\r\n2,\"Zo\"\"e\nLee, jr\",Oslo\r\n3\r\n4,Bo,";
  CHECK(csv_column(table, "name") == "\nAnn\nZo\"e Lee, jr\n\nBo\n");
  CHECK(csv_column(table, "the, town") == "\nRome\nOslo\n\n\n");
  CHECK(csv_column(table, "2") == "name" + *csv_column(table, "name"));
  CHECK(csv_column("name;1,5\nAnn;2\n", "name") == "\nAnn\n");
  CHECK(csv_column("a\tb\nc\td", "b") == "\nd\n");
  CHECK(csv_column(" \"a, b\" ; name \r1,5;Ann Lee \r2;\"Bo\"", "name") == "\nAnn Lee\nBo\n");
  CHECK(csv_column("sep=;\r\nname;a,b\r\nAnn;2\r\n", "name") == "\nAnn\n");
  for (const char* none : {"Name", "0", "4", "-1", ""}) {
    CHECK_THROWS_WITH_AS(csv_column(table, none), doctest::Contains("'id', 'name', 'the, town'"), Error);
    CHECK(csv_column("Ann\nBo, jr\n", none) == std::nullopt);
  }
  CHECK_THROWS_WITH_AS(csv_column("name\n\"Ann\nBo\n", "name"), "the table has a double quote that does not end",
                       Error);
}

TEST_CASE("JSON is a list of texts, or of objects of which one column counts, on one line or many") {
  CHECK(json_column("[\"Ann\",\n \"Zo\\u00eb\", null, 3]", "") == "Ann\nZo\u00eb\n\n3\n");
  CHECK(json_column("[{\"id\": 1, \"name\": \"Ann\\r\\nLee\"}, {\"id\": 2}]", "name") == "Ann  Lee\n\n");
  CHECK(json_column("{\"name\": \"Ann\"}\n{\"name\": \"Bo\"}\n", "name") == "Ann\nBo\n");
  CHECK(json_column("{\"names\": [\"Ann\", \"Bo\"], \"n\": 2}", "names") == "Ann\nBo\n");
  for (const char* list : {"Ann\n", "[Ann]\n[Bo]\n", "{Ann}", "[3]", "", " \n"})
    CHECK(json_column(list, "name") == std::nullopt);
  const std::vector<std::pair<std::string, std::string>> refused{
      {"[{\"id\": 1, \"name\": 2}]", "; it has 'id', 'name'"},
      {"[\"Ann\",\n\"Bo\",\n]", "none from line 3 on"},
      {"[\"Ann\",\n\"B\xff\"]", "none from line 2 on"},
      {"[\"Ann\", [1]]", "no text, but an array"},
      {"[\"Ann\"," + std::string(1'000'000, '['), "none from line 1 on"},
      {"[\"Ann\"," + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "]", "no text, but an array"}};
  for (const auto& [text, message] : refused) {
    CHECK_THROWS_WITH_AS(json_column(text, "x"), doctest::Contains(message.c_str()), Error);
  }
}

TEST_CASE("UTF-16 behind its mark is the same text, and invisible characters are no part of it") {
  CHECK(utf16_to_utf8(std::string("\xff\xfeZ\0\xeb\0\x3d\xd8\x00\xde", 10)) == "Z\u00eb\U0001f600");
  CHECK(utf16_to_utf8(std::string("\xfe\xff\0A\0\xeb\xd8\x3d\xde\x00\0", 11)) == "A\u00eb\U0001f600");
  CHECK_FALSE(decode_utf8(utf16_to_utf8(std::string("\xfe\xff\xd8\x3d\0A", 6))).has_value());
  CHECK((parse_documents("\ufeffAnn\u200b\n\u200e\nBo\u00adris", "names") == Documents{U"Ann", U"Boris"}));
}

// --- Split -----------------------------------------------------------------------------------------------------------

/// "a", "aa", "aaa", ...
std::vector<Document> distinct(std::size_t n) {
  std::vector<Document> documents;
  for (std::size_t i = 1; i <= n; i++) documents.push_back(keep(std::u32string(i, U'a')));
  return documents;
}

TEST_CASE("a tenth is held out, rounded down, and nothing is lost or in both parts") {
  const std::vector<Document> documents = distinct(29);
  const Split names = split(documents);
  CHECK(names.held_out.size() == 2);
  CHECK(names.training.size() == 27);
  std::set<Document> all(names.training.begin(), names.training.end());
  all.insert(names.held_out.begin(), names.held_out.end());
  CHECK(all.size() == 29);
}

TEST_CASE("a document that comes twice counts once, so it cannot be in both parts") {
  std::vector<Document> documents = distinct(20);
  for (const Document& document : distinct(20)) documents.push_back(document);
  CHECK(split(documents).training == split(distinct(20)).training);
  CHECK(split(documents).held_out == split(distinct(20)).held_out);
}

// Published losses are of these names. If others were held out, they could not be compared with any of before.
TEST_CASE("of the names that come with the project, always the same are held out") {
  const Split names = split(read_documents("data/names.txt"));
  CHECK(names.training.size() == 16464);
  REQUIRE(names.held_out.size() == 1829);
  const std::vector<Document> first(names.held_out.begin(), names.held_out.begin() + 3);
  CHECK((first == std::vector<Document>{U"hibret", U"dionysios", U"ariadna"}));
  CHECK(fingerprint(names.held_out) == 0xae412bac204f4d71);
}

// --- Tokenizer -------------------------------------------------------------------------------------------------------

using Tokens = std::vector<Token>;

TEST_CASE("tokens are the distinct characters in the order of their code points") {
  const std::vector<Document> documents{U"z\U0001f600a", U"a\u00e9Z\uffff"};
  const Tokenizer tokenizer(documents);
  CHECK((tokenizer.characters() == U"Zaz\u00e9\uffff\U0001f600"));
  CHECK((tokenizer.encode(U"\U0001f600Z\u00e9") == Tokens{5, 0, 3}));
}

TEST_CASE("BOS is the last token and stands at both ends of a document") {
  const Tokenizer tokenizer(U"abc");
  CHECK(tokenizer.bos() == 3);
  CHECK(tokenizer.vocab_size() == 4);
  CHECK((tokenizer.encode(U"cab") == Tokens{2, 0, 1}));
  CHECK((tokenizer.encode_document(U"cab") == Tokens{3, 2, 0, 1, 3}));
}

TEST_CASE("an alphabet must be sorted, without repeats, and not empty") {
  for (const char32_t* characters : {U"", U"ba", U"aab"}) CHECK_THROWS_AS(Tokenizer{characters}, Error);
}

// --- Bigram ----------------------------------------------------------------------------------------------------------

TEST_CASE("pairs are counted, each once more than it was seen") {
  Bigram bigram(3);
  bigram.count(Tokens{2, 0, 0, 1, 2});
  bigram.count(Tokens{2, 0, 2});
  CHECK(bigram.counts(2) == std::vector<std::uint64_t>{2, 0, 0});
  CHECK(bigram.probabilities(2) == std::vector<double>{3.0 / 5, 1.0 / 5, 1.0 / 5});
  CHECK(bigram.probabilities(0) == std::vector<double>{2.0 / 6, 2.0 / 6, 2.0 / 6});
  CHECK(bigram.probabilities(1) == std::vector<double>{1.0 / 4, 1.0 / 4, 2.0 / 4});
}

TEST_CASE("the loss is the mean of -log p, whatever comes later") {
  Bigram bigram(3);
  bigram.count(Tokens{2, 0, 1, 2});
  const double expected = (std::log(2) + std::log(2) + std::log(2)) / 3;  // each p is 2/4
  // One rounding for each log, sum and product of numbers below 4: less than eight units of 2^-52.
  CHECK(std::abs(bigram.loss(Tokens{2, 0, 1, 2}) - expected) <= 8 * 0x1p-52);
}

}  // namespace
}  // namespace microgpt
