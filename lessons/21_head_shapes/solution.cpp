// Hint 1: Number i of the head is for letter i. The query reads token_at + i. The key reads what 0:0 wrote about the
// letter before it, previous_at + i. A row of W_V reads what is to be carried, a column of W_O says where it goes.
//
// Hint 2: At =, the letter to look for stands in previous_at. So the query reads that, too, but with half the weight:
// elsewhere the letter itself must be louder. And = follows the same letter, so it is found as well. Do not carry it:
// rows of W_V for letters only.

void plant_induction(Parameters& p) {
  for (std::size_t i = first_letter; i <= last_letter; i++) {
    set(p, "layer1.attn_wq", i, token_at + i, strong);
    set(p, "layer1.attn_wq", i, previous_at + i, strong / 2);  // = is no letter, so there only this one speaks
    set(p, "layer1.attn_wk", i, previous_at + i, strong);
    set(p, "layer1.attn_wv", i, token_at + i, 1);  // not for =, which follows the same letter
    set(p, "layer1.attn_wo", answer_at + i, i, 1);
  }
}
