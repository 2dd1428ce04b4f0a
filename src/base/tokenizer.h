// Characters to tokens and back. The characters of the dataset, sorted by code point, are tokens 0, 1, 2, ...; the last
// token, BOS (beginning of sequence), marks both ends of a document.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dataset.h"

namespace microgpt {

using Token = std::size_t;

class Tokenizer {
 public:
  /// The alphabet of a dataset.
  explicit Tokenizer(std::span<const Document> documents);

  /// A given alphabet. Throws Error unless it is sorted, without repeats, and not empty.
  explicit Tokenizer(std::u32string characters);

  const std::u32string& characters() const { return characters_; }

  /// For a message: "'abc'", or if there are many only the first, and how many.
  std::string alphabet() const;

  Token bos() const { return characters_.size(); }
  std::size_t vocab_size() const { return characters_.size() + 1; }

  /// One token per character, without BOS. Throws UsageError with the first character that is not in the alphabet.
  std::vector<Token> encode(std::u32string_view text) const;

  /// BOS, the document, BOS: what a GPT learns from. It predicts each token from those before it.
  std::vector<Token> encode_document(std::u32string_view document) const;

  /// The same, behind other tokens.
  void append_document(std::vector<Token>& tokens, std::u32string_view document) const;

  /// A token for tables and pictures: its character, or "." for BOS.
  std::string label(Token token) const { return token == bos() ? "." : decode({&token, 1}); }

  /// The characters of tokens, which must not contain BOS.
  std::u32string document_of(std::span<const Token> tokens) const;

  /// The same in UTF-8.
  std::string decode(std::span<const Token> tokens) const;

 private:
  Token token_of(char32_t character) const;

  std::u32string characters_;
};

}  // namespace microgpt
