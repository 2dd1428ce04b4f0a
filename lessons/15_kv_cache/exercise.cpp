// Exercise 15: a GPT that reads each letter once. Here it has no cache, and reads the whole text again for each new
// letter. Give it one. Then people ask what comes after "maria", after "marian", after "mario", and after "mar": what of
// the cache is still good? Programs that serve many people live on this question, since a thousand conversations begin
// with the same instructions.
//
//   make exercise-15    says the first thing that is wrong
//   make hint L=15      a hint; again: another; again: a solution
#include "exercise.h"

#ifdef SOLUTION
#include "solution.cpp"
#else
struct Reader {
  const Config& config;
  const Parameters& p;
  std::vector<Token> read = {};  // TODO: what else must be kept, and of which layers?

  /// Reads one more token. The logits (V) of what comes after it.
  Row next(Token token) {
    read.push_back(token);
    Rows x;  // TODO: of the new token only
    for (std::size_t t = 0; t < read.size(); t++) x.push_back(embedding(p, read[t], t));
    for (std::size_t li = 0; li < config.n_layer; li++) {
      const Layer layer(p, li);
      Rows keys, values;
      for (Row& row : x) {
        const Row x_norm = rmsnorm(row);
        keys.push_back(linear(layer.wk, x_norm));
        values.push_back(linear(layer.wv, x_norm));
        row = add(row, linear(layer.wo, attend(linear(layer.wq, x_norm), keys, values, config.n_head)));
        row = mlp(layer, row);
      }
    }
    return linear(p["lm_head"], x.back());
  }

  /// The logits of what comes after these tokens, of which there is at least one.
  Row after(const std::vector<Token>& tokens) {
    read.clear();  // TODO: keep what these tokens and those that were read have in common, and read on from there
    Row logits;
    for (const Token token : tokens) logits = next(token);
    return logits;
  }
};
#endif

#include "exercise_tests.h"
