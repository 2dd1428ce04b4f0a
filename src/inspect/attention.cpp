#include "inspect/attention.h"

namespace microgpt {

Grid attention_grid(std::span<const Values> weights, std::span<const Token> tokens, const Tokenizer& tokenizer) {
  Grid grid;
  for (std::size_t t = 0; t < weights.size(); t++) {
    const std::string label = tokenizer.label(tokens[t]);
    grid.row_labels.push_back(label);
    grid.col_labels.push_back(label);
    grid.rows.push_back(weights[t].data());
  }
  return grid;
}

Grid times_even_share(Grid grid) {
  for (std::vector<double>& row : grid.rows) {
    for (double& x : row) x *= static_cast<double>(row.size());
  }
  grid.darkest = 2;  // so that an even share is half dark
  return grid;
}

}  // namespace microgpt
