// Fuzzing a file of names: documents, their tokens, and the split into training and held-out documents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"
#include "base/error.h"
#include "base/split.h"
#include "base/table.h"
#include "base/tokenizer.h"
#include "base/utf8.h"
#include "seeds.h"

namespace microgpt {

std::vector<std::string> seeds() {
  return {"emma\nolivia\nava\nisabella\nsophia\ncharlotte\nmia\namelia\nharper\nevelyn\nabigail\nemma\n",
          "  zoë \r\nÀîöū\r\rあ𐍈\n\n\U0010ffff\u3000\u00a0x\u2028y\u00a0\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj",
          "\u00a0\n \n", "[{\"name\": \"emma\"}, {\"name\": 3}]"};
}

namespace {

void check_tokens(const Tokenizer& tokenizer, const Document& document, std::string_view input) {
  const std::vector<Token> tokens = tokenizer.encode(document);
  const std::string text = tokenizer.decode(tokens);
  require(text == encode_utf8(document), "the tokens of a document decode to another");
  require(decode_utf8(text) == std::optional<std::u32string>(document), "the text of a document is another");
  const std::u32string all = decode_utf8(input).value_or(U"");
  require(std::any_of(all.begin(), all.end(), is_invisible) || input.find(text) < input.size(), "a new document");
  std::vector<Token> framed = tokenizer.encode_document(document);
  require(framed.size() == tokens.size() + 2 && framed.front() == tokenizer.bos() && framed.back() == tokenizer.bos(),
          "a document does not begin and end with BOS");
}

void check_table(std::string_view input) {
  try {
    json_column(input, "name");
    require(csv_column(input, "1")->size() <= input.size() + 1, "a column is larger than its table");
  } catch (const Error&) {
    return;
  }
}

void check_split(const std::vector<Document>& documents) {
  const std::set<Document> distinct(documents.begin(), documents.end());
  if (distinct.size() < 10) return;
  const Split parts = split(documents);
  std::set<Document> found(parts.training.begin(), parts.training.end());
  found.insert(parts.held_out.begin(), parts.held_out.end());
  require(found == distinct, "the two parts of a split are not the documents");
  require(parts.training.size() + parts.held_out.size() == distinct.size(), "a document is in a split twice");
  require(parts.held_out.size() == distinct.size() / 10, "a split does not hold out a tenth");
}

}  // namespace
}  // namespace microgpt

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace microgpt;
  const Arena<char32_t>::Rewind rewind(kept_text);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_table(input);
  try {
    const std::vector<Document> documents = parse_documents(input, "data");
    std::string again;
    for (const Document& document : documents) {
      require(!document.empty(), "an empty document");
      require(strip(document) == document, "white space at the end of a document");
      require(document.find_first_of(U"\r\n") == Document::npos, "a line break in a document");
      again += encode_utf8(document) + "\n";
    }
    require(parse_documents(again, "again") == documents, "documents that were written do not read as they were");
    const Tokenizer tokenizer(documents);
    for (const Document& document : documents) check_tokens(tokenizer, document, input);
    check_split(documents);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
