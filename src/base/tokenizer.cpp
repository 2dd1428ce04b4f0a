#include "base/tokenizer.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "base/utf8.h"

namespace microgpt {

Tokenizer::Tokenizer(std::span<const Document> documents) {
  std::set<char32_t> distinct;
  for (const Document& document : documents) distinct.insert(document.begin(), document.end());
  characters_.assign(distinct.begin(), distinct.end());
}

Tokenizer::Tokenizer(std::u32string characters) : characters_(std::move(characters)) {
  const bool ascending =
      std::adjacent_find(characters_.begin(), characters_.end(), std::greater_equal<>()) == characters_.end();
  if (characters_.empty() || !ascending) throw Error("an alphabet must be sorted and without repeats");
}

std::vector<Token> Tokenizer::encode(std::u32string_view text) const {
  std::vector<Token> tokens;
  tokens.reserve(text.size() + 2);
  for (char32_t character : text) {
    const auto found = std::lower_bound(characters_.begin(), characters_.end(), character);
    if (found == characters_.end() || *found != character) {
      throw UsageError("the character '" + visible(encode_utf8(character)) + "' is unknown; the alphabet is " +
                       alphabet());
    }
    tokens.push_back(static_cast<Token>(found - characters_.begin()));
  }
  return tokens;
}

std::string Tokenizer::alphabet() const {
  constexpr std::size_t most = 200;
  const std::string begin = "'" + visible(encode_utf8(std::u32string_view(characters_).substr(0, most)));
  const std::size_t n = characters_.size();
  return n <= most ? begin + "'" : begin + "...' (" + std::to_string(n) + " characters)";
}

std::vector<Token> Tokenizer::encode_document(const Document& document) const {
  std::vector<Token> tokens = encode(document);
  tokens.insert(tokens.begin(), bos());
  tokens.push_back(bos());
  return tokens;
}

Document Tokenizer::document_of(std::span<const Token> tokens) const {
  Document document;
  for (const Token token : tokens) document += characters_.at(token);
  return document;
}

std::string Tokenizer::decode(std::span<const Token> tokens) const { return encode_utf8(document_of(tokens)); }

}  // namespace microgpt
