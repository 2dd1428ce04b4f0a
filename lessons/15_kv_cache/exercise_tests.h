// The tests of exercise 15: the same logits, then how much work they took, and how much was read twice.
#pragma once

#include "lesson/teach.h"
#include "lesson/work.h"
#include "train/scalar_trainer.h"

using namespace teach;

/// Two layers, with numbers that look random, the same on every machine.
inline Model trained() {
  const Config config{.vocab_size = 27, .n_layer = 2, .n_embd = 8, .n_head = 2};
  Parameters parameters(gpt_shapes(config));
  double angle = 0;
  for (double& number : parameters.data()) number = std::sin(angle += 1.7);
  return scalar_model(config, parameters);
}

/// BOS and these letters.
inline std::vector<Token> tokens_of(const std::string& letters) {
  std::vector<Token> tokens{26};
  for (const char c : letters) tokens.push_back(static_cast<Token>(c - 'a'));
  return tokens;
}

/// A usual mistake.
enum class Slip { none, position, late, no_self, only_self, one_cache };

/// The logits after these tokens.
inline Numbers logits_of(const Model& model, const std::vector<Token>& tokens, Slip slip = Slip::none) {
  std::vector<Rows> keys(2), values(2);
  Values x;
  for (std::size_t t = 0; t < tokens.size(); t++) {
    x = embedding(model, tokens[t], slip == Slip::position ? 0 : t + (slip == Slip::late));
    for (const std::size_t li : {0, 1}) {
      const Model::Layer& layer = model.layers[li];
      Rows &k = keys[slip == Slip::one_cache ? 0 : li], &v = values[slip == Slip::one_cache ? 0 : li];
      if (slip == Slip::only_self) {
        k.clear();
        v.clear();
      }
      const Rows old_k = k, old_v = v;
      k.push_back(linear(rmsnorm(x), layer.attn_wk));
      v.push_back(linear(rmsnorm(x), layer.attn_wv));
      x = slip == Slip::no_self ? attend(model, layer, x, old_k, old_v) : attend(model, layer, x, k, v);
      x = mlp(layer, x);
    }
  }
  return teach::numbers(linear(x, model.lm_head));
}

inline void test_logits() {
  const Scope scope;
  const Model model = trained();
  Reader reader{model};
  Numbers found;
  std::string text;
  for (const Token token : tokens_of("maria")) {
    text += token == 26 ? '.' : static_cast<char>('a' + token);
    calling(
        "next() for each letter of \"" + text + "\", the logits after the last",
        "What reading all at once gives. In each layer: a key and a value of rmsnorm(x), attend() of x, then mlp().");
    std::vector<Token> so_far = tokens_of(text.substr(1));
    found = reader.next(token).data();
    usual(logits_of(model, so_far, Slip::no_self), "A position does not see itself. Append its key before it attends.");
    usual(logits_of(model, so_far, Slip::only_self), "Each position only sees itself. The old keys must be kept.");
    usual(logits_of(model, so_far, Slip::one_cache), "All layers share one cache. Each layer has keys of its own.");
    usual(logits_of(model, so_far, Slip::position), "Every token is at position 0. Count what was read before.");
    usual(logits_of(model, so_far, Slip::late), "Every token is one position late. The first, BOS, is at position 0.");
    should_be(found, logits_of(model, so_far), 1e-9);
  }
}

inline void test_work() {
  const Scope scope;
  const Model model = trained();
  Reader reader{model};
  const double of_token = 2 * 12 * 64, of_logits = 27 * 8;  // per layer 12 C^2; V C
  double seen = 0;
  for (const Token token : tokens_of("maria")) {
    const std::size_t before = work_on_tape().linear;
    reader.next(token);
    const std::size_t work = work_on_tape().linear - before;
    calling("next(), products with weights for token " + std::to_string(static_cast<int>(++seen)) + " of \".maria\"",
            "The matrices are for the new token only. Of the old ones, their keys and values are all that is needed.");
    usual({seen * of_token + of_logits}, "All tokens are read again, as without a cache.");
    usual({of_token + of_logits + (seen - 1) * 2 * 2 * 64}, "Keys and values of old tokens are made again. Keep them.");
    should_be(double(work), {of_token + of_logits});
  }
}

inline void test_after() {
  const Scope scope;
  const Model model = trained();
  Reader reader{model};
  for (const auto& [letters, reads, help] : std::vector<std::tuple<std::string, double, const char*>>{
           {"maria", 6, "At first everything is new, BOS too."},
           {"mario", 1, "BOS, m, a, r, i are the same, at the same positions: they stay."},
           {"mar", 1, "All is known but the logits of this r: the last token is read again, and no other."},
           {"emma", 4, "Only BOS is the same."},
           {"mma", 3, "These letters were read, but at other positions. Only BOS is the same from the beginning."},
       }) {
    const std::vector<Token> tokens = tokens_of(letters);
    const Numbers want = logits_of(model, tokens);
    const std::size_t before = tokens_read;
    calling("after() for \"" + letters + "\", the logits",
            "What is behind the first difference must go, no more: from `read`, keys and values, in every layer.");
    usual({}, "There are none. The last token has to be read again, even if it is known.");
    should_be(reader.after(tokens).data(), want, 1e-9);
    calling("after() for \"" + letters + "\", tokens read", help);
    should_be(std::max(double(tokens_read - before), reads), {reads});  // fewer, if more is kept: welcome
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_logits, test_work, test_after}); }
