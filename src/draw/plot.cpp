#include "draw/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "base/utf8.h"
#include "draw/chart.h"

namespace microgpt {
namespace {

/// The number that a grid shows darkest.
double darkest(const Grid& grid) {
  if (grid.darkest > 0) return grid.darkest;
  double largest = 0;
  for (const auto& row : grid.rows) largest = std::max(largest, *std::max_element(row.begin(), row.end()));
  return largest > 0 ? largest : 1;
}

/// How dark a number is, from 0 to 1.
double shade_of(double x, double darkest) { return std::min(x / darkest, 1.0); }

/// Ends a line and removes the spaces at its end.
void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

// The squares of a heat map, and the room for labels around them.
constexpr double cell = 18;
constexpr double margin_left = 40;
constexpr double margin_top = 56;
constexpr double margin_end = 20;
constexpr double note_line = 16;

// In a terminal, the width of a row's label.
constexpr std::size_t label_width = 4;

double width_of(const Grid& grid) {
  double widest = cell * static_cast<double>(grid.col_labels.size());
  for (const std::string& note : grid.notes) widest = std::max(widest, 6.5 * static_cast<double>(display_width(note)));
  return margin_left + widest + margin_end;
}

double height_of(const std::vector<TitledGrid>& grids) {
  double highest = 0;
  for (const auto& [name, grid] : grids) {
    highest = std::max(highest, cell * static_cast<double>(grid.row_labels.size()) +
                                    note_line * static_cast<double>(grid.notes.size()));
  }
  return margin_top + highest + margin_end;
}

/// A heat map whose upper left corner is at (x0, y0).
void draw(Svg& svg, double x0, double y0, const std::string& title, const Grid& grid) {
  const double left = x0 + margin_left;
  const double largest = darkest(grid);
  svg.text(left, y0 + 24, title, "start", 14);
  for (std::size_t c = 0; c < grid.col_labels.size(); c++) {
    svg.text(left + cell * (static_cast<double>(c) + 0.5), y0 + margin_top - 6, grid.col_labels[c], "middle");
  }
  for (std::size_t r = 0; r < grid.rows.size(); r++) {
    const double y = y0 + margin_top + cell * static_cast<double>(r);
    svg.text(left - 6, y + 13, grid.row_labels[r], "end");
    for (std::size_t c = 0; c < grid.rows[r].size(); c++) {
      if (grid.rows[r][c] == 0) continue;  // white on white
      auto mix = [&](double white, double dark) {
        return static_cast<int>(std::lround(white + (dark - white) * shade_of(grid.rows[r][c], largest)));
      };
      svg.rect(left + cell * static_cast<double>(c), y, cell - 1, cell - 1,
               fmt::format("rgb({},{},{})", mix(255, 8), mix(255, 48), mix(255, 107)));
    }
  }
  double y = y0 + margin_top + cell * static_cast<double>(grid.rows.size());
  for (const std::string& note : grid.notes) svg.text(left, y += note_line, note);
}

}  // namespace

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

Svg heat_maps(const std::vector<TitledGrid>& grids) { return heat_maps("", {grids}, ""); }

Svg heat_maps(const std::string& title, const std::vector<std::vector<TitledGrid>>& rows, const std::string& scale) {
  constexpr double line = 24;  // of text
  double widest = 0, width = 0;
  for (const std::vector<TitledGrid>& grids : rows) {
    for (const auto& [name, grid] : grids) widest = std::max(widest, width_of(grid));
  }
  auto room = [&](const Grid& grid) { return rows.size() > 1 ? widest : width_of(grid); };  // maps in columns
  double height = (title.empty() ? 0 : line) + (scale.empty() ? 0 : line);
  for (const std::vector<TitledGrid>& grids : rows) {
    double row_width = 0;
    for (const auto& [name, grid] : grids) row_width += room(grid);
    width = std::max(width, row_width);
    height += height_of(grids);
  }
  Svg svg(width, height);
  if (!title.empty()) svg.text(margin_end, line, title, "start", 16);
  if (!scale.empty()) svg.text(margin_end, height - line / 2, scale);
  double y0 = title.empty() ? 0 : line;
  for (const std::vector<TitledGrid>& grids : rows) {
    double x0 = 0;
    for (const auto& [name, grid] : grids) {
      draw(svg, x0, y0, name, grid);
      x0 += room(grid);
    }
    y0 += height_of(grids);
  }
  return svg;
}

Svg tile_maps(const std::string& title, const std::vector<Tiles>& maps, const Legend& legend,
              std::size_t maps_in_a_row) {
  constexpr double left = 30, top = 84, gap = 40, room_for_title = 56;
  const double size = cell * static_cast<double>(maps.at(0).labels.size());
  const std::size_t rows = (maps.size() + maps_in_a_row - 1) / maps_in_a_row;
  const double bottom = top + static_cast<double>(rows) * (size + room_for_title) - room_for_title;
  Svg svg(left + static_cast<double>(maps_in_a_row) * (size + gap), bottom + 42);
  svg.text(left, 26, title, "start", 14);
  for (std::size_t i = 0; i < maps.size(); i++) {
    const double x0 = left + static_cast<double>(i % maps_in_a_row) * (size + gap);
    const double y0 = top + static_cast<double>(i / maps_in_a_row) * (size + room_for_title);
    svg.text(x0, y0 - 24, maps[i].title, "start", 13);
    // Neighbours of one colour in a row are one rectangle; white lines part them afterwards.
    for (std::size_t r = 0; r < maps[i].rows.size(); r++) {
      const std::vector<std::size_t>& row = maps[i].rows[r];
      const double at = cell * static_cast<double>(r);
      svg.text(x0 - 8, y0 + at + 13, maps[i].labels[r], "middle", 11);
      svg.text(x0 + at + cell / 2, y0 - 6, maps[i].labels[r], "middle", 11);
      for (std::size_t c = 0, end = 0; c < row.size(); c = end) {
        while (end < row.size() && row[end] == row[c]) end++;
        svg.rect(x0 + cell * static_cast<double>(c), y0 + at, cell * static_cast<double>(end - c), cell,
                 legend[row[c]].first);
      }
    }
    for (double at = 0; at <= size; at += cell) {
      svg.line(x0, y0 + at, x0 + size, y0 + at, "white");
      svg.line(x0 + at, y0, x0 + at, y0 + size, "white");
    }
  }
  double x = left;
  for (const auto& [colour, meaning] : legend) {
    svg.rect(x, bottom + 16, 12, 12, colour);
    svg.text(x + 17, bottom + 26, meaning);
    x += 36 + 6.5 * static_cast<double>(display_width(meaning));
  }
  return svg;
}

std::string shades(const Grid& grid) {
  constexpr std::array<const char*, 5> shade{"  ", "░░", "▒▒", "▓▓", "██"};
  const double largest = darkest(grid);
  std::string text(label_width + 1, ' ');
  for (const std::string& label : grid.col_labels) text += pad_right(pad_left(label, 1), 2);
  end_line(text);
  for (std::size_t r = 0; r < grid.rows.size(); r++) {
    text += pad_left(grid.row_labels[r], label_width) + " ";
    for (double x : grid.rows[r]) text += shade[static_cast<std::size_t>(std::lround(shade_of(x, largest) * 4))];
    end_line(text);
  }
  return text;
}

std::string numbers(const Grid& grid) {
  std::string text(4, ' ');
  for (const std::string& label : grid.col_labels) text += ' ' + pad_left(label, 4);
  text += '\n';
  for (std::size_t r = 0; r < grid.rows.size(); r++) {
    text += pad_left(grid.row_labels[r], 4);
    for (double x : grid.rows[r]) text += fmt::format(" {:.2f}", x);
    text += '\n';
  }
  return text;
}

std::string shades(const std::vector<TitledGrid>& grids) {
  constexpr std::size_t gap = 3;
  std::vector<std::string> lines;  // all grids side by side
  std::size_t width = 0;           // width of the grids so far
  for (const auto& [title, grid] : grids) {
    std::istringstream text(std::string(label_width + 1, ' ') + title + '\n' + shades(grid));
    std::size_t widest = width;
    std::size_t n = 0;
    for (std::string line; std::getline(text, line); n++) {
      if (n == lines.size()) lines.emplace_back();
      lines[n] = pad_right(lines[n], width) + line;
      widest = std::max(widest, display_width(lines[n]));
    }
    width = widest + gap;
  }
  std::string all;
  for (const std::string& line : lines) {
    all += line;
    end_line(all);
  }
  return all;
}

std::string numbers(std::span<const double> row) {
  std::string text;
  for (const double x : row) text += fmt::format(" {:6.3f}", std::abs(x) < 5e-4 ? 0 : x);
  return text;
}

Svg bar_chart(const std::string& title, const std::string& scale, const std::vector<std::string>& labels,
              const std::vector<Bars>& kinds) {
  constexpr double width = 720, height = 330, left = 70, right = 700, top = 66, bottom = 290;
  constexpr std::array<const char*, 4> colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
  double low = 0, high = 0;
  for (const Bars& bars : kinds) {
    for (std::size_t i = 0; i < bars.heights.size(); i++) {
      const double margin = bars.margins.empty() ? 0 : bars.margins[i];
      low = std::min(low, bars.heights[i] - margin);
      high = std::max(high, bars.heights[i] + margin);
    }
  }
  if (high == low) high = low + 1;
  const double tick = round_step(high - low);
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(tick) + 1e-9)));
  auto y_of = [&](double x) { return bottom - (x - low) / (high - low) * (bottom - top); };
  Svg svg(width, height);
  svg.text(20, 26, title, "start", 16);
  svg.text(16, (top + bottom) / 2, scale, "middle", 12, -90);
  for (double n = std::ceil(low / tick); n * tick <= high; n++) {
    svg.line(left, y_of(n * tick), right, y_of(n * tick), n == 0 ? "black" : "#ddd");
    svg.text(left - 6, y_of(n * tick) + 4, fmt::format("{:.{}f}", n * tick, digits), "end");
  }
  const double group = (right - left) / static_cast<double>(labels.size());
  const double bar = 0.8 * group / static_cast<double>(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); k++) {
    const char* const color = colors[k % colors.size()];
    const double name_x = left + 160 * static_cast<double>(k);
    svg.rect(name_x, 40, 12, 12, color);
    svg.text(name_x + 18, 50, kinds[k].name);
    for (std::size_t i = 0; i < labels.size(); i++) {
      const double x = left + group * (static_cast<double>(i) + 0.1) + bar * static_cast<double>(k);
      const double y = kinds[k].heights[i];
      svg.rect(x, y_of(std::max(y, 0.0)), bar - 1, std::abs(y_of(y) - y_of(0)), color);
      if (kinds[k].margins.empty()) continue;
      const double margin = kinds[k].margins[i];
      svg.line(x + bar / 2, y_of(y - margin), x + bar / 2, y_of(y + margin), "black", 2);
    }
  }
  for (std::size_t i = 0; i < labels.size(); i++) {
    svg.text(left + group * (static_cast<double>(i) + 0.5), bottom + 20, labels[i], "middle");
  }
  return svg;
}

}  // namespace microgpt
