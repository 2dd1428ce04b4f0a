/// Answers what comes after some tokens, again and again. It keeps the rows of the tokens that the last question and
/// this one have in common at their beginning.
struct Memory {
  Cached cached;
  std::vector<Token> read = {};

  Values next(std::span<const Token> tokens) {
    std::size_t common = 0;
    while (common < std::min(read.size(), tokens.size()) && read[common] == tokens[common]) common++;
    common = std::min(common, tokens.size() - 1);  // the last token's logits are wanted, so it is read in any case
    for (Cache* cache : {&cached.keys, &cached.values}) {
      for (std::vector<List>& rows : *cache) rows.resize(std::min(common, rows.size()));
    }
    read.assign(tokens.begin(), tokens.end());
    Values logits;
    for (std::size_t i = common; i < tokens.size(); i++) logits = cached.read(tokens[i], i);
    return logits;
  }
};
