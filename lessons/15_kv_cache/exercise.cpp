// Exercise 15: a GPT that reads each letter once. Here it has no cache, and reads the whole text again for each new
// letter. Give it one. Then people ask what comes after "maria", after "marian", after "mario", and after "mar": what of
// the cache is still good? Programs that serve many people live on this question, since a thousand conversations begin
// with the same instructions.
//
// make exercise-15 says the first thing that is wrong; make hint L=15 gives a hint, then another, then a solution.
#include "exercise.h"

#ifdef SOLUTION
#include "solution.cpp"
#else
struct Reader {
  const Model& model;
  std::vector<Token> read = {};  // TODO: what else must be kept, and of which layers?

  /// Reads one more token. The logits (V) of what comes after it.
  Values next(Token token) {
    read.push_back(token);
    Rows x;  // TODO: of the new token only
    for (std::size_t t = 0; t < read.size(); t++) x.push_back(embedding(model, read[t], t));
    for (const Model::Layer& layer : model.layers) {
      Rows keys, values;
      for (Values& row : x) {
        keys.push_back(linear(rmsnorm(row), layer.attn_wk));
        values.push_back(linear(rmsnorm(row), layer.attn_wv));
        row = mlp(layer, attend(model, layer, row, keys, values));
      }
    }
    return linear(x.back(), model.lm_head);
  }

  /// The logits of what comes after these tokens, of which there is at least one.
  Values after(const std::vector<Token>& tokens) {
    read.clear();  // TODO: keep what these tokens and those that were read have in common, and read on from there
    Values logits;
    for (const Token token : tokens) logits = next(token);
    return logits;
  }
};
#endif

#include "exercise_tests.h"
