// Hint 1: A later position needs the keys and values of the earlier ones, in every layer, and nothing else. So keep
// lists of rows, keys[layer] and values[layer]. next() then has one x, not a list of them. Its position is the number
// of tokens read before. Append its key and its value before it attends, since a position sees itself.
//
// Hint 2: For after(), count how many tokens are the same from the beginning. Not more than tokens.size() - 1: the
// logits of the last one are wanted, and they are not kept. Then resize() `read`, and the keys and values of every
// layer, to that number, and call next() for the others.

struct Reader {
  const Model& model;
  std::vector<Token> read = {};
  std::vector<Rows> keys = std::vector<Rows>(model.layers.size()), values = keys;

  Values next(Token token) {
    Values x = embedding(model, token, read.size());
    read.push_back(token);
    for (std::size_t li = 0; li < model.layers.size(); li++) {
      const Model::Layer& layer = model.layers[li];
      keys[li].push_back(linear(rmsnorm(x), layer.attn_wk));
      values[li].push_back(linear(rmsnorm(x), layer.attn_wv));
      x = mlp(layer, attend(model, layer, x, keys[li], values[li]));
    }
    return linear(x, model.lm_head);
  }

  Values after(const std::vector<Token>& tokens) {
    std::size_t same = 0;
    while (same + 1 < tokens.size() && same < read.size() && read[same] == tokens[same]) same++;
    read.resize(same);
    for (std::size_t li = 0; li < model.layers.size(); li++) {
      keys[li].resize(same);
      values[li].resize(same);
    }
    Values logits;
    for (std::size_t i = same; i < tokens.size(); i++) logits = next(tokens[i]);
    return logits;
  }
};
