#include "base/tokenizer.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/utf8.h"

namespace microgpt {

Tokenizer::Tokenizer(std::span<const Document> documents) {
  std::vector<bool> known(0x110000);  // one for each code point
  for (const Document& document : documents) {
    for (const char32_t character : document) {
      if (known[character]) continue;
      known[character] = true;
      characters_ += character;
    }
  }
  std::sort(characters_.begin(), characters_.end());
}

Tokenizer::Tokenizer(std::u32string characters) : characters_(std::move(characters)) {
  const bool ascending =
      std::adjacent_find(characters_.begin(), characters_.end(), std::greater_equal<>()) == characters_.end();
  if (characters_.empty() || !ascending) throw Error("an alphabet must be sorted and without repeats");
}

// In an alphabet without gaps, such as a to z, a character's place is its distance from the first.
Token Tokenizer::token_of(char32_t character) const {
  const std::size_t distance = character - characters_[0];
  if (distance < characters_.size() && characters_[distance] == character) return distance;
  const auto found = std::lower_bound(characters_.begin(), characters_.end(), character);
  if (found == characters_.end() || *found != character) {
    throw UsageError("the character '" + visible(encode_utf8(character)) + "' is unknown; the alphabet is " +
                     alphabet());
  }
  return static_cast<Token>(found - characters_.begin());
}

std::vector<Token> Tokenizer::encode(std::u32string_view text) const {
  std::vector<Token> tokens(text.size());
  std::transform(text.begin(), text.end(), tokens.begin(), [&](char32_t character) { return token_of(character); });
  return tokens;
}

std::string Tokenizer::alphabet() const {
  constexpr std::size_t most = 200;
  const std::string begin = "'" + visible(encode_utf8(std::u32string_view(characters_).substr(0, most)));
  const std::size_t n = characters_.size();
  return n <= most ? begin + "'" : begin + "...' (" + std::to_string(n) + " characters)";
}

std::vector<Token> Tokenizer::encode_document(std::u32string_view document) const {
  std::vector<Token> tokens;
  append_document(tokens, document);
  return tokens;
}

void Tokenizer::append_document(std::vector<Token>& tokens, std::u32string_view document) const {
  std::size_t next = tokens.size();
  tokens.resize(next + document.size() + 2, bos());
  for (const char32_t character : document) tokens[++next] = token_of(character);
}

std::u32string Tokenizer::document_of(std::span<const Token> tokens) const {
  std::u32string document;
  for (const Token token : tokens) document += characters_.at(token);
  return document;
}

std::string Tokenizer::decode(std::span<const Token> tokens) const { return encode_utf8(document_of(tokens)); }

}  // namespace microgpt
