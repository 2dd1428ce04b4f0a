// Characters to tokens and back. The characters of the dataset, sorted by code point, are tokens 0, 1, 2, ...; the last
// token, BOS (beginning of sequence), marks both ends of a document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"
#include "base/error.h"
#include "base/utf8.h"

namespace microgpt {

using Token = std::size_t;

class Tokenizer {
 public:
  /// The alphabet of a dataset.
  explicit Tokenizer(std::span<const Document> documents) {
    std::vector<char> known;  // whether a character occurs; from 0 to the last that does
    for (const Document& document : documents) {
      for (const char32_t character : document) {
        if (character >= known.size()) known.resize(character + 1);
        known[character] = true;
      }
    }
    for (char32_t character = 0; character < known.size(); character++) {
      if (known[character]) characters_ += character;
    }
  }

  /// A given alphabet. Throws Error unless it is sorted, without repeats, and not empty.
  explicit Tokenizer(std::u32string characters) : characters_(std::move(characters)) {
    const bool ascending =
        std::adjacent_find(characters_.begin(), characters_.end(), std::greater_equal<>()) == characters_.end();
    if (characters_.empty() || !ascending) throw Error("an alphabet must be sorted and without repeats");
  }

  const std::u32string& characters() const { return characters_; }

  /// For a message: "'abc'", or if there are many only the first, and how many.
  std::string alphabet() const {
    constexpr std::size_t most = 200;
    const std::size_t n = characters_.size();
    std::string text = "'";  // and not "'" + ...: GCC 12 warns of that where it is inlined
    text += visible(encode_utf8(std::u32string_view(characters_).substr(0, most)));
    return n <= most ? text + "'" : text + "...' (" + std::to_string(n) + " characters)";
  }

  Token bos() const { return characters_.size(); }
  std::size_t vocab_size() const { return characters_.size() + 1; }

  /// One token per character, without BOS. Throws UsageError with the first character that is not in the alphabet.
  std::vector<Token> encode(std::u32string_view text) const {
    std::vector<Token> tokens(text.size());
    std::transform(text.begin(), text.end(), tokens.begin(), [&](char32_t character) { return token_of(character); });
    return tokens;
  }

  /// BOS, the document, BOS: what a GPT learns from. It predicts each token from those before it.
  std::vector<Token> encode_document(std::u32string_view document) const {
    std::vector<Token> tokens(document.size() + 2, bos());
    for (std::size_t i = 0; i < document.size(); i++) tokens[i + 1] = token_of(document[i]);
    return tokens;
  }

  /// A token for tables and pictures: its character, or "." for BOS.
  std::string label(Token token) const { return token == bos() ? "." : decode({&token, 1}); }

  /// The characters of tokens, which must not contain BOS.
  std::u32string document_of(std::span<const Token> tokens) const {
    std::u32string document;
    for (const Token token : tokens) document += characters_.at(token);
    return document;
  }

  /// The same in UTF-8.
  std::string decode(std::span<const Token> tokens) const { return encode_utf8(document_of(tokens)); }

 private:
  // In an alphabet without gaps, such as a to z, a character's place is its distance from the first.
  Token token_of(char32_t character) const {
    const std::size_t distance = character - characters_[0];
    if (distance < characters_.size() && characters_[distance] == character) return distance;
    const auto found = std::lower_bound(characters_.begin(), characters_.end(), character);
    if (found == characters_.end() || *found != character) {
      throw UsageError("the character '" + visible(encode_utf8(character)) + "' is unknown; the alphabet is " +
                       alphabet());
    }
    return static_cast<Token>(found - characters_.begin());
  }

  std::u32string characters_;
};

}  // namespace microgpt
