// The solved functions of exercise.cpp.

void plant_previous(Parameters& p) {
  for (std::size_t t = 0; t < config.block_size; t++) {
    set(p, "layer0.attn_wq", t, position_at + t, strong);
    if (t > 0) set(p, "layer0.attn_wk", t, position_at + t - 1, strong);
  }
  for (std::size_t i = 0; i < config.vocab_size; i++) {
    set(p, "layer0.attn_wv", i, token_at + i, 1);
    set(p, "layer0.attn_wo", previous_at + i, i, 1);
  }
}

void plant_induction(Parameters& p) {
  for (std::size_t i = first_letter; i <= last_letter; i++) {
    set(p, "layer1.attn_wq", i, token_at + i, strong);
    set(p, "layer1.attn_wq", i, previous_at + i, strong / 2);  // = is no letter, so there only this one speaks
    set(p, "layer1.attn_wk", i, previous_at + i, strong);
    set(p, "layer1.attn_wv", i, token_at + i, 1);  // not for =, which follows the same letter
    set(p, "layer1.attn_wo", answer_at + i, i, 1);
  }
}
