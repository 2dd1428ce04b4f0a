#include "inspect/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.h"

namespace microgpt {
namespace {

double largest(const Grid& grid) {
  double most = 0;
  for (const auto& row : grid.rows) most = std::max(most, *std::max_element(row.begin(), row.end()));
  return most > 0 ? most : 1;
}

/// White for 0, dark blue for 1.
std::string blue(double share) {
  auto mix = [&](double white, double dark) { return static_cast<int>(std::lround(white + (dark - white) * share)); };
  return fmt::format("rgb({},{},{})", mix(255, 8), mix(255, 48), mix(255, 107));
}

std::string pad_left(const std::string& text, std::size_t width) {
  const std::size_t length = decode_utf8(text).value_or(U"").size();
  return std::string(width > length ? width - length : 0, ' ') + text;
}

/// Ends a line, without spaces before its end.
void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

Svg heat_map(const std::string& title, const Grid& grid) {
  constexpr double cell = 18;
  constexpr double left = 40;
  constexpr double top = 56;
  const double most = largest(grid);
  Svg svg(left + cell * static_cast<double>(grid.col_labels.size()) + 20,
          top + cell * static_cast<double>(grid.row_labels.size()) + 20);
  svg.text(left, 24, title, "start", 14);
  for (std::size_t c = 0; c < grid.col_labels.size(); c++) {
    svg.text(left + cell * (static_cast<double>(c) + 0.5), top - 6, grid.col_labels[c], "middle");
  }
  for (std::size_t r = 0; r < grid.rows.size(); r++) {
    const double y = top + cell * static_cast<double>(r);
    svg.text(left - 6, y + 13, grid.row_labels[r], "end");
    for (std::size_t c = 0; c < grid.rows[r].size(); c++) {
      svg.rect(left + cell * static_cast<double>(c), y, cell - 1, cell - 1, blue(grid.rows[r][c] / most));
    }
  }
  return svg;
}

std::string shades(const Grid& grid) {
  constexpr std::array<const char*, 5> shade{"  ", "░░", "▒▒", "▓▓", "██"};
  constexpr std::size_t label_width = 4;
  const double most = largest(grid);
  std::string text(label_width + 1, ' ');
  for (const std::string& label : grid.col_labels) text += pad_left(label, 1) + " ";
  end_line(text);
  for (std::size_t r = 0; r < grid.rows.size(); r++) {
    text += pad_left(grid.row_labels[r], label_width) + " ";
    for (double x : grid.rows[r]) text += shade[static_cast<std::size_t>(std::lround(x / most * 4))];
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

std::vector<double> running_mean(const std::vector<double>& numbers, std::size_t window) {
  std::vector<double> means;
  for (std::size_t i = 0; i < numbers.size(); i++) {
    const std::size_t n = std::min(window, i + 1);
    double total = 0;
    for (std::size_t k = i + 1 - n; k <= i; k++) total += numbers[k];
    means.push_back(total / static_cast<double>(n));
  }
  return means;
}

Svg loss_curve(const std::string& title, const std::vector<double>& losses) {
  constexpr double width = 640, height = 360, left = 50, right = 620, top = 40, bottom = 320;
  Svg svg(width, height);
  svg.text(left, 24, title, "start", 14);
  if (losses.empty()) return svg;
  const auto [least, greatest] = std::minmax_element(losses.begin(), losses.end());
  const double low = std::floor(*least);
  const double high = std::max(std::ceil(*greatest), low + 1);
  const double steps = static_cast<double>(losses.size());
  auto y_of = [&](double loss) { return bottom - (loss - low) / (high - low) * (bottom - top); };
  for (double tick = low; tick <= high; tick += 1) {
    svg.line(left, y_of(tick), right, y_of(tick), "#ddd");
    svg.text(left - 8, y_of(tick) + 4, fmt::format("{:.0f}", tick), "end");
  }
  svg.text(left, bottom + 20, "step 1");
  svg.text(right, bottom + 20, fmt::format("step {}", losses.size()), "end");
  svg.text(16, (top + bottom) / 2, "loss (nats a token)", "middle", 12, -90);
  auto curve = [&](const std::vector<double>& values, const char* color, double stroke) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < values.size(); i++) {
      points.emplace_back(left + (static_cast<double>(i) + 0.5) / steps * (right - left), y_of(values[i]));
    }
    svg.polyline(points, color, stroke);
  };
  curve(losses, "#ccc", 1);
  curve(running_mean(losses, 50), "rgb(8,48,107)", 2);
  return svg;
}

}  // namespace microgpt
