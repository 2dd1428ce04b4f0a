// Exercise 15: read as little as possible. Somebody asks what comes after "maria", then after "marian", then after
// "mario", then after "mar". What of the cache is still good? Programs that serve many people live on this question:
// a thousand conversations begin with the same instructions.
//
//   make exercise-15    fails until Memory is right, and hints at what is missing
//   make solution-15    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/python_random.h"
#include "base/split.h"
#include "scalar/values.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// A GPT with its cache, as in src/microgpt.cpp: keys[layer][position] and values[layer][position]. Counts what it
/// reads.
struct Cached {
  const Model& model;
  Cache keys = Cache(model.layers.size()), values = Cache(model.layers.size());
  std::size_t reads = 0;

  /// Reads the token at this position. There must be a key and a value of each position before it, in every layer.
  Values read(Token token, std::size_t position) {
    reads++;
    return gpt(model, token, position, keys, values);
  }
};

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Answers what comes after some tokens, again and again.
struct Memory {
  Cached cached;

  /// The logits (V) of the token after these, of which there is at least one.
  Values next(std::span<const Token> tokens) {
    // TODO: this forgets everything and reads all tokens. How many of them have been read already, at the same
    // positions, with the same tokens before them? Keep what belongs to these, drop the rest, and read on from there.
    for (Cache* cache : {&cached.keys, &cached.values}) {
      for (std::vector<List>& rows : *cache) rows.clear();
    }
    Values logits;
    for (std::size_t i = 0; i < tokens.size(); i++) logits = cached.read(tokens[i], i);
    return logits;
  }
};
#endif

namespace {

struct Names {
  std::vector<Document> documents = split(read_documents("data/names.txt")).held_out;
  Tokenizer tokenizer = Tokenizer(documents);
  Config config{.vocab_size = tokenizer.vocab_size(), .n_layer = 2, .n_embd = 8, .n_head = 2};
  Parameters parameters = Parameters(gpt_shapes(config));
  PythonRandom random{1};

  Names() { draw_weights(parameters, 0.4, random); }

  /// BOS and these letters.
  std::vector<Token> tokens(const std::string& letters) const {
    std::vector<Token> all{tokenizer.bos()};
    for (const char c : letters) all.push_back(tokenizer.encode(std::u32string(1, static_cast<char32_t>(c)))[0]);
    return all;
  }
};

/// Asks for all of these, one after the other. How many tokens were asked for, and how many were read?
std::pair<std::size_t, std::size_t> ask(const Model& model, const Names& names, std::span<const Document> documents) {
  const Scope scope;
  Memory memory{{model}};
  std::size_t asked = 0;
  for (const Document& document : documents) {
    std::vector<Token> tokens = names.tokenizer.encode_document(document);
    tokens.pop_back();
    memory.next(tokens);
    asked += tokens.size();
  }
  return {asked, memory.cached.reads};
}

}  // namespace

TEST_CASE("the answer does not depend on what was asked before") {
  const Names names;
  const Model model = scalar_model(names.config, names.parameters);
  const Scope scope;
  Memory memory{{model}};
  for (const char* letters : {"maria", "marian", "mario", "mar", "mar", "m", "emma", "mma", "maria", "", "maria"}) {
    INFO("asked for '" << std::string(letters)
                       << "'; hint: a key belongs to a token, its position, AND all tokens before it; and "
                       << "what you drop must go in every layer, of keys and of values");
    Cached fresh{model};
    Values expected;
    const std::vector<Token> tokens = names.tokens(letters);
    for (std::size_t i = 0; i < tokens.size(); i++) expected = fresh.read(tokens[i], i);
    const Values found = memory.next(tokens);
    REQUIRE(found.size() == expected.size());
    REQUIRE(found.data() == expected.data());
    for (const std::vector<List>& rows : memory.cached.keys) CHECK(rows.size() == tokens.size());
    for (const std::vector<List>& rows : memory.cached.values) CHECK(rows.size() == tokens.size());
  }
}

TEST_CASE("only what is new is read") {
  const Names names;
  const Model model = scalar_model(names.config, names.parameters);
  const Scope scope;
  Memory memory{{model}};
  struct Question {
    const char* letters;
    std::size_t reads;
    const char* hint;
  };
  for (const Question& question : std::vector<Question>{
           {"maria", 6, "at first everything is new, BOS too"},
           {"marian", 1, "one letter was added"},
           {"mario", 1, "the first five tokens are BOS, m, a, r, i: they stay"},
           {"mario", 1,
            "all is known, but logits are not kept, and there are none without reading: so the last token "
            "is read again"},
           {"mar", 1, "the same here: r is read again"},
           {"emma", 4, "only BOS is the same"},
           {"mma", 3, "the letters are there, but at other positions"},
       }) {
    const std::size_t before = memory.cached.reads;
    memory.next(names.tokens(question.letters));
    INFO(fmt::format("asked for '{}'; hint: {}", question.letters, question.hint));
    CHECK(memory.cached.reads - before == question.reads);
  }
}

TEST_CASE("a dictionary in order is cheaper than in disorder") {
  Names names;
  const Model model = scalar_model(names.config, names.parameters);
  std::vector<Document> some(names.documents.begin(), names.documents.begin() + 400);
  names.random.shuffle(some);
  const auto disorder = ask(model, names, some);
  std::sort(some.begin(), some.end());
  const auto order = ask(model, names, some);
  auto report = [](const char* how, std::pair<std::size_t, std::size_t> counts) {
    MESSAGE(fmt::format("400 names {}: {} tokens asked for, {} read", how, counts.first, counts.second));
  };
  report("in disorder", disorder);
  report("from a to z", order);
  INFO("hint: the other cases must pass first");
  CHECK(order.second < disorder.second);
  CHECK(10 * order.second < 7 * order.first);
}
