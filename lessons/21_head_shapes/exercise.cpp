// Exercise 21: an induction head, built by hand. One knows how a thing works when one can build it. Here is a model of
// two layers whose weights are all zero, but for its tables and its first head. Set the weights of one more head, so
// that it answers fbdhacb=dha without a mistake, and without a single step of training.
//
// make exercise-21 says the first thing that is wrong; make hint L=21 gives a hint, then another, then a solution.
#include "base/config.h"
#include "base/parameters.h"

using namespace microgpt;

// The tokens: = is 0, the letters a to h are 1 to 8, BOS is 9.
constexpr std::size_t first_letter = 1, last_letter = 8;

// The 64 numbers of a position, and what each is for. The tables are given: at position t, number token_at + (its
// token) is 1 and number position_at + t is 1, and all others are 0. The rmsnorm that follows makes the ones larger, by
// the same factor everywhere. The logit of token i is read from number answer_at + i.
constexpr std::size_t token_at = 0, position_at = 16, previous_at = 32, answer_at = 48;

/// Four heads of D = 16 numbers in each of two layers. Only head 0 of each will be used. It has rows 0 to 15 of W_Q,
/// W_K and W_V, and columns 0 to 15 of W_O.
const Config config{.vocab_size = 10, .n_layer = 2, .n_embd = 64, .n_head = 4};

constexpr double strong = 20;  // so large that softmax gives all to the largest score

/// set(parameters, "layer0.attn_wq", i, j, x) says: add x times number j to number i.
void set(Parameters& parameters, const std::string& matrix, std::size_t i, std::size_t j, double x) {
  parameters[matrix].row(i)[j] = x;
}

/// Layer 0, head 0, is given. It looks at the previous position: the query of t and the key of t - 1 meet in number t
/// of the head, and no others meet there. It writes the token that it finds to previous_at.
void plant_previous(Parameters& p) {
  for (std::size_t t = 0; t < config.block_size; t++) set(p, "layer0.attn_wq", t, position_at + t, strong);
  for (std::size_t t = 1; t < config.block_size; t++) set(p, "layer0.attn_wk", t, position_at + t - 1, strong);
  for (std::size_t i = 0; i < config.vocab_size; i++) {
    set(p, "layer0.attn_wv", i, token_at + i, 1);
    set(p, "layer0.attn_wo", previous_at + i, i, 1);
  }
}

#ifdef SOLUTION
#include "solution.cpp"
#else
/// Layer 1, head 0: from a letter, looks at the position whose previous token was that letter, and writes the token it
/// finds there, if it is a letter, to answer_at. After =, the letter to look for is not = but the one before it.
void plant_induction([[maybe_unused]] Parameters& p) {
  // TODO
}
#endif

#include "exercise_tests.h"
