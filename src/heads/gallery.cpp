#include "heads/gallery.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace microgpt {
namespace {

/// The maps in rows of n.
std::vector<std::vector<TitledGrid>> in_rows(const std::vector<TitledGrid>& maps, std::size_t n) {
  std::vector<std::vector<TitledGrid>> rows;
  for (std::size_t i = 0; i < maps.size(); i++) {
    if (i % n == 0) rows.emplace_back();
    rows.back().push_back(maps[i]);
  }
  return rows;
}

}  // namespace

std::vector<TitledGrid> head_maps(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                                  const Tokenizer& tokenizer) {
  std::vector<TitledGrid> maps;
  Probe probe(config, parameters, {{{tokens.begin(), tokens.end()}, 0, 1}});
  probe.each_weights([&](std::size_t, std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;
    for (std::size_t h = 0; h < config.n_head; h++) {
      Grid grid;
      grid.darkest = 1;
      for (std::size_t t = 0; t < n; t++) {
        const std::string label = tokenizer.label(tokens[t]);
        grid.row_labels.push_back(visible(label) == label ? label : "\ufffd");  // a control character is none to see
        grid.col_labels.push_back(grid.row_labels.back());
        grid.rows.emplace_back(weights.row(h * n + t), weights.row(h * n + t) + t + 1);
      }
      maps.emplace_back(fmt::format("layer {}, head {}", layer, h), std::move(grid));
    }
  });
  return maps;
}

std::vector<std::string> evidence(const HeadLook& look, const std::array<double, num_places>& bar,
                                  const Importance& importance) {
  const auto place = static_cast<std::size_t>(look.favourite());
  const Measure& mass = look.mass[place];
  const Change& loss = importance.zeroed.loss;
  return {shape_of(look, bar), fmt::format("{}: {:.2f} (even {:.2f})", place_names[place].title, mass.value, mass.even),
          fmt::format("without it: loss {:+.4f}{}", loss.mean, loss.is_clear() ? "" : ", cannot tell")};
}

Svg gallery(const std::string& title, const std::vector<TitledGrid>& maps, std::size_t in_a_row) {
  if (maps.empty()) return heat_maps({{title + ": none is left", {}}});
  constexpr std::size_t page = 960;  // pixels
  constexpr std::size_t square = 18, margins = 60, narrowest = 230;
  const std::size_t width = std::max(narrowest, square * maps.at(0).second.col_labels.size() + margins);
  if (in_a_row == 0) in_a_row = std::max<std::size_t>(1, page / width);
  return heat_maps(title, in_rows(maps, in_a_row),
                   std::string(map_axes) + " White: nothing; darkest: all of its weight.");
}

std::string gallery(const std::vector<TitledGrid>& maps) {
  if (maps.empty()) return "";
  constexpr std::size_t columns = 100, label = 8;
  const std::size_t width = std::max<std::size_t>(16, 2 * maps.at(0).second.col_labels.size()) + label;
  std::string text = fmt::format("{}\n{}\n\n", map_axes, map_shades);
  for (const auto& row : in_rows(maps, std::max<std::size_t>(1, columns / width))) text += shades(row) + "\n";
  return text;
}

}  // namespace microgpt
