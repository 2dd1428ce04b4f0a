// Exercise 21: an induction head, built by hand. One knows how a thing works when one can build it. Here is a model of
// two layers whose weights are all zero, but for its tables. Set the weights of two heads so that it answers
// fbdhacb=dha without a mistake, and without a single step of training.
//
//   make exercise-21    fails until both heads work, and hints at what is missing
//   make solution-21    the same with the answer of solution.cpp
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "heads/gallery.h"
#include "heads/heads.h"
#include "train/evaluation.h"

using namespace microgpt;

// The tokens: = is 0, the letters a to h are 1 to 8, BOS is 9.
[[maybe_unused]] constexpr std::size_t first_letter = 1, last_letter = 8;

// The 64 numbers of a position, and what each is for. The tables are given: at position t, number token_at + (its
// token) is 1 and number position_at + t is 1, and all others are 0. The rmsnorm that follows makes the ones larger, by
// the same factor everywhere. The logit of token i is read from number answer_at + i.
constexpr std::size_t token_at = 0, position_at = 16, previous_at = 32, answer_at = 48;

/// Four heads of D = 16 numbers in each of two layers. Only head 0 of each will be used. It has rows 0 to 15 of W_Q,
/// W_K and W_V, and columns 0 to 15 of W_O.
constexpr Config config{.vocab_size = 10, .n_layer = 2, .n_embd = 64, .n_head = 4};

/// A weight so large that softmax gives all to the largest score.
constexpr double strong = 20;

/// set(parameters, "layer0.attn_wq", i, j, x) says: add x times number j to number i.
void set(Parameters& parameters, const std::string& matrix, std::size_t i, std::size_t j, double x) {
  parameters[matrix].row(i)[j] = x;
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Layer 0, head 0: looks at the previous position, and writes the token that it finds to previous_at.
void plant_previous([[maybe_unused]] Parameters& p) {
  // TODO: the query of position t and the key of position t - 1 must meet in one of the 16 numbers of this head, and no
  // other pair may meet there. Then values and W_O carry the token.
}

/// Layer 1, head 0: from a letter, looks at the position whose previous token was that letter, and writes the token it
/// finds there to answer_at. After =, the letter to look for is not = but the one before it.
void plant_induction([[maybe_unused]] Parameters& p) {
  // TODO
}
#endif

namespace {

Parameters planted() {
  Parameters p(gpt_shapes(config));
  for (std::size_t i = 0; i < config.vocab_size; i++) {
    set(p, "wte", i, token_at + i, 1);
    set(p, "lm_head", i, answer_at + i, 1);
  }
  for (std::size_t t = 0; t < config.block_size; t++) set(p, "wpe", t, position_at + t, 1);
  plant_previous(p);
  plant_induction(p);
  return p;
}

const Tokenizer& tokenizer() {
  static const Tokenizer tokenizer(U"=abcdefgh");
  return tokenizer;
}

Probe probe(const Parameters& parameters) {
  PythonRandom random(1);
  std::vector<ProbeDocument> documents;
  for (const Document& document : draw_documents({TaskName::induction}, Part::held_out, 300, random)) {
    documents.push_back(probe_document(document, tokenizer(), config.block_size));
  }
  return Probe(config, parameters, std::move(documents));
}

constexpr std::size_t previous_head = 0, induction_head = 4;

HeadLook look(std::size_t head, const Parameters& parameters) {
  Probe of = probe(parameters);
  return measure_heads(of).heads[head];
}

double right(const Parameters& parameters) { return estimate(probe(parameters).scores().accuracies).mean; }

}  // namespace

TEST_CASE("head 0:0 looks at the previous position, and nowhere else") {
  INFO(
      "hint: number i of the query is a sum over what stands at the position. Let row t of W_Q read position_at + t, "
      "so "
      "that position t asks in number t. In which row must W_K read position_at + s, so that position s answers s + "
      "1?");
  CHECK(look(previous_head, planted()).reach(Place::previous) > 0.99);
}

TEST_CASE("head 0:0 passes on which token it found") {
  Parameters p = planted();
  bool carries = false;
  for (std::size_t j = 0; j < 16; j++) {
    carries =
        carries || (p["layer0.attn_wo"].row(previous_at + 3)[j] != 0 && p["layer0.attn_wv"].row(j)[token_at + 3] != 0);
  }
  INFO("hint: token 3 must get from number token_at + 3, through a row of W_V and a column of W_O, to previous_at + 3");
  CHECK(carries);
}

TEST_CASE("head 1:0 looks at what followed an equal letter") {
  INFO("hint: now the query reads token_at, and the key reads previous_at");
  CHECK(look(induction_head, planted()).reach(Place::after_equal) > 0.99);
}

TEST_CASE("every letter after = is right") {
  INFO(
      "hint: a third wrong? That is the first letter of each answer. At =, the letter to follow stands in previous_at. "
      "Let the query read it, too, but more quietly than the token itself. And = itself has that previous letter, so "
      "it "
      "is found as well: it must not be passed on");
  CHECK(right(planted()) == 1);
}

TEST_CASE("what 1:0 finds, it finds by 0:0") {
  Parameters p = planted();
  const HeadId head{0, 0};
  silence(p, {&head, 1}, config);
  const double whole = right(planted()), without = right(p);
  const std::vector<Token> text = tokenizer().encode_document(U"fabdhf=abd");
  const std::vector<TitledGrid> before = head_maps(config, planted(), text, tokenizer());
  const std::vector<TitledGrid> after = head_maps(config, p, text, tokenizer());
  MESSAGE(fmt::format("{:.1f} % right with 0:0, {:.1f} % without; 1:0 with it and without it:\n{}", 100 * whole,
                      100 * without, shades({before[induction_head], after[induction_head]})));
  CHECK(whole == 1);
  CHECK(without < 0.3);
  CHECK(look(induction_head, p).reach(Place::after_equal) < 0.1);
}
