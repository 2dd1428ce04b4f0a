// The tests of exercise 08: one term by hand, what the logits lose without a head, then the heads of a trained GPT.
#pragma once

#include "lesson/lesson.h"
#include "lesson/teach.h"
#include "train/scalar_trainer.h"

using namespace teach;

inline void test_contribution() {
  const Scope scope;
  Matrix wo;
  for (int i = 0; i < 6; i++) wo.push_back(Values(6, [&](std::size_t j) { return 10.0 * i + double(j); }));
  calling("contribution() of head 1 with head_out (1 2), where W_O is (6,6) and has 10 i + j in row i, column j",
          "y[i] is wo[i][2] * 1 + wo[i][3] * 2: head h reads columns h D to h D + D - 1, where D is 2 here.");
  usual({0, 0, 0, 0, 0, 0}, "Nothing was added up. Number i is a sum over head_out, each times a weight of row i.");
  usual({2, 32, 62, 92, 122, 152}, "Those are the columns of head 0. Head h begins at column h D.");
  usual({5, 35, 65, 95, 125, 155}, "Column h is too far left: the heads before it have D columns each.");
  usual({80, 83, 86, 89, 92, 95}, "Those are rows of W_O. Rows are its outputs, columns read its inputs.");
  should_be(contribution(wo, 1, {1.0, 2.0}).data(), {8, 38, 68, 98, 128, 158});
}

/// Without places and without the MLP, head 2 at the first position adds to the logits just what it says.
inline void test_says() {
  const Scope scope;
  const Config config{.vocab_size = 6};
  PythonRandom random(1);
  const Model model = scalar_model(config, initialize(config, {}, random));
  const Model::Layer& layer = model.layers[0];
  for (const Value weight : model.params) weight.node->data *= 10;  // it should have something to say
  for (const Matrix* matrix : {&model.wpe, &layer.mlp_fc2}) {
    for (const List& row : *matrix) {
      for (const Value weight : row) weight.node->data = 0;
    }
  }
  auto logits = [&] {
    Cache keys(1), values(1);
    return Values(gpt(model, 3, 0, keys, values)).data();
  };
  const List x = rmsnorm(rmsnorm(model.wte[3])), v = linear(x, layer.attn_wv);
  auto from = [&](const List& all, std::size_t h, std::size_t columns_of) {
    return Values(linear(contribution(layer.attn_wo, columns_of, Values(all).slice(4 * h, 4)), model.lm_head)).data();
  };
  calling("says() of head 2 in a GPT with 6 tokens, 4 heads and C = 16",
          "With a weight of 1 the head finds that position's v_h. contribution() takes it on, then lm_head.");
  usual({0, 0, 0, 0, 0, 0}, "The head says nothing. Which matrix makes v of x, and which part of v is v_h?");
  usual(from(x, 2, 2), "x itself was sliced. A head hands over a slice of v, which W_V makes of x.");
  usual(from(v, 0, 2), "These are the values of head 0. Those of head h begin at h D.");
  usual(from(v, 2, 0), "Its values go through the columns of head 0.");
  const std::vector<double> said = says(model, 2, x).data();
  std::vector<double> lost = logits();
  for (const List& row : layer.attn_wo) {
    for (std::size_t j = 8; j < 12; j++) row[j].node->data = 0;
  }
  const std::vector<double> without = logits();
  for (std::size_t i = 0; i < lost.size(); i++) lost[i] -= without[i];
  should_be(said, lost);
}

/// By how much each head of a trained GPT raises the logits of vowels above those of consonants.
inline void show() {
  std::vector<Document> documents = read_documents("data/names.txt");
  PythonRandom random(42);
  random.shuffle(documents);
  const Tokenizer tokenizer(documents);
  const Config config{.vocab_size = tokenizer.vocab_size()};
  const Model model = scalar_model(config, initialize(config, {}, random));
  train([&](auto tokens) { return document_loss(model, tokens); }, model.params,
        adam_optimizer({}, model.params.size()), documents, tokenizer, {.num_steps = 3000});
  auto is_vowel = [&](Token letter) {
    return std::string("aeiouy").find(tokenizer.label(letter)) != std::string::npos;
  };
  auto share = [&](Token letter) { return is_vowel(letter) ? 1.0 / 6 : 1.0 / 20; };
  for (std::size_t h = 0; h < 4; h++) {
    double push[2] = {0, 0};  // a mean over consonants, and over vowels
    for (Token seen = 0; seen < tokenizer.bos(); seen++) {
      const Scope scope;
      const Values logits = says(model, h, rmsnorm(rmsnorm(model.wte[seen])));
      for (Token next = 0; next < tokenizer.bos(); next++) {
        push[is_vowel(seen)] += (is_vowel(next) ? 1 : -1) * share(next) * share(seen) * logits[next].data();
      }
    }
    fmt::print("head {} says of vowels: {:+.2f} if it looks at a vowel, {:+.2f} at a consonant\n", h, push[1], push[0]);
  }
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_contribution, test_says, show}); }
