// The tests of exercise 21: where 1:0 looks, and what the model answers.
#pragma once

#include "base/task.h"
#include "heads/gallery.h"
#include "lesson/teach.h"
#include "train/evaluation.h"

inline const Tokenizer tokenizer(U"=abcdefgh");

inline Parameters planted() {
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

inline std::vector<TitledGrid> maps() {
  return head_maps(config, planted(), tokenizer.encode_document(U"fabdhf=abd"), tokenizer);
}

inline void test_looks() {
  const Grid map = maps()[4].second;
  std::string seen;
  for (const std::size_t t : {6, 8, 9, 10}) {
    seen += map.col_labels[std::max_element(map.rows[t].begin(), map.rows[t].end()) - map.rows[t].begin()];
  }
  teach::calling("What 1:0 looks at most from the second f, a, b and d of \"fabdhf=abd\"",
                 "That is what followed the first ones. The query reads token_at, and the key reads previous_at.");
  teach::usual_text("....",
                    "It sees all alike, so no query meets a key. In W_Q and W_K of layer 1, set the same rows.");
  teach::usual_text("fabd", "It looks at equal letters. In the key, read previous_at: the letter before.");
  teach::usual_text("fbbd", "Read previous_at more weakly than token_at in the query, and alone in the key.");
  teach::should_read(seen, "abdh");
}

inline void test_answers() {
  PythonRandom random(1);
  std::vector<ProbeDocument> words;
  for (const Document& word : draw_documents({TaskName::induction}, Part::held_out, 300, random)) {
    words.push_back(probe_document(word, tokenizer, config.block_size));
  }
  teach::calling("The share of right letters in 300 answers",
                 "Does W_O write to answer_at for each letter, but not for =? At =, ask for previous_at only.");
  teach::usual({0}, "1:0 looks at the right places. W_V reads token_at there, and W_O writes to answer_at.");
  teach::usual({2 / 3.0},
               "The first letter of each answer is wrong. At =, the query must read previous_at, too, and = must not "
               "be carried: it follows the same letter. Query and key meet in the number of that letter, strongly.");
  teach::should_be(estimate(Probe(config, planted(), words).scores().accuracies).mean, {1});
  std::printf("300 answers without a mistake. 1:0 at work:\n%s", shades(maps()[4].second).c_str());
}

int main(int argc, char** argv) { return teach::exercise(argc, argv, {test_looks, test_answers}); }
