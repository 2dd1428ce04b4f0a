// The three pictures of the study. Each has a panel for every subject.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "draw/chart.h"
#include "draw/svg.h"
#include "results.h"

namespace microgpt {

/// A small chart inside a drawing. Numbers beyond the axes are left out.
class Panel {
 public:
  static constexpr double width = 236, height = 170;

  Panel(Svg& svg, double left, double top, const std::string& title, Axis x, Axis y)
      : svg_(svg), left_(left), top_(top), x_(std::move(x)), y_(std::move(y)) {
    svg_.text(left + width / 2, top - 8, title, "middle", 12);
    for (const double tick : y_.ticks) {
      svg_.line(left, y_of(tick), left + width, y_of(tick), "#ddd");
      svg_.text(left - 6, y_of(tick) + 4, fmt::format("{}", tick), "end", 11);
    }
    for (const double tick : x_.ticks) {
      svg_.line(x_of(tick), top + height, x_of(tick), top + height + 4, "black");
      svg_.text(x_of(tick), top + height + 17, fmt::format("{}", tick), "middle", 11);
    }
    svg_.text(left + width / 2, top + height + 33, x_.name, "middle", 11);
    svg_.text(left - 36, top + height / 2, y_.name, "middle", 11, -90);
  }

  double x_of(double number) const {
    auto scaled = [&](double x) { return x_.is_log ? std::log(x) : x; };
    const double first = scaled(x_.ticks.front());
    const double share = (scaled(number) - first) / (scaled(x_.ticks.back()) - first);
    return left_ + inset + share * (width - 2 * inset);
  }
  double y_of(double number) const {
    return top_ + height - (number - y_.ticks.front()) / (y_.ticks.back() - y_.ticks.front()) * height;
  }
  bool has(double number) const { return number >= y_.ticks.front() && number <= y_.ticks.back(); }

  void line(const std::vector<std::pair<double, double>>& points, const std::string& colour) {
    std::vector<std::pair<double, double>> pixels;
    for (const auto& [x, y] : points) {
      if (has(y)) pixels.emplace_back(x_of(x), y_of(y));
    }
    svg_.polyline(pixels, colour, 2);
  }

  /// A level line over the whole width.
  void level(double number, const std::string& colour) {
    svg_.line(left_, y_of(number), left_ + width, y_of(number), colour, 1.5);
  }

  /// A square `aside` pixels right of its place.
  void dot(double x, double y, const std::string& colour, double size, double aside = 0) {
    if (has(y)) svg_.rect(x_of(x) + aside - size / 2, y_of(y) - size / 2, size, size, colour);
  }

  /// A short level line.
  void bar(double x, double y, const std::string& colour) {
    svg_.line(x_of(x) - 14, y_of(y), x_of(x) + 14, y_of(y), colour, 1.5);
  }

  /// From y - margin to y + margin, as far as the axis goes.
  void whisker(double x, Mean y, const std::string& colour) {
    const double low = std::max(y.mean - y.margin, y_.ticks.front());
    const double high = std::min(y.mean + y.margin, y_.ticks.back());
    svg_.line(x_of(x), y_of(low), x_of(x), y_of(high), colour, 1.5);
  }

 private:
  static constexpr double inset = 14;  // so that nothing is drawn on the edges

  Svg& svg_;
  double left_, top_;
  Axis x_, y_;
};

inline constexpr double panel_left = 70, panel_top = 78, panel_across = Panel::width + 70;
inline constexpr double panels_width = panel_left + 3 * panel_across - 50;

/// From vermillion, one head, to blue, sixteen: colours that colour-blind readers can tell apart.
inline constexpr std::array<const char*, head_counts.size()> head_colours{"#d55e00", "#e69f00", "#009e73", "#56b4e9",
                                                                          "#0072b2"};
inline constexpr std::array<const char*, learning_rates.size()> rate_colours{"#0072b2", "#009e73", "#d55e00"};

inline Axis heads_axis() { return {"heads", {head_counts.begin(), head_counts.end()}, true}; }

/// Entries side by side: a colour and what it means.
inline void legend(Svg& svg, double y, const std::vector<std::pair<std::string, std::string>>& entries) {
  double x = panel_left;
  for (const auto& [colour, text] : entries) {
    svg.line(x, y - 4, x + 20, y - 4, colour, 3);
    svg.text(x + 26, y, text);
    x += 52 + 6.6 * static_cast<double>(text.size());
  }
}

/// Held-out loss by step: a row of panels for each learning rate, a line for each number of heads.
inline Svg convergence(const std::string& title, const std::vector<Result>& results) {
  constexpr double down = Panel::height + 72, rows = learning_rates.size();
  Svg svg(panels_width, panel_top + rows * down - 10);
  svg.text(20, 26, title, "start", 15);
  svg.text(20, 46,
           fmt::format("loss on documents not seen, mean of {} seeds; grey: the loss of a perfect model", num_seeds));
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    for (std::size_t s = 0; s < results.size(); s++) {
      const Subject& subject = results[s].subject;
      const double last = static_cast<double>(subject.num_steps);
      Panel panel(svg, panel_left + panel_across * static_cast<double>(s), panel_top + down * static_cast<double>(r),
                  fmt::format("{}, learning rate {}", subject.name, learning_rates[r]),
                  {"steps", {0, last / 3, 2 * last / 3, last}}, {"loss", subject.loss_ticks});
      if (subject.floor) panel.level(*subject.floor, "#888");
      for (std::size_t h = 0; h < head_counts.size(); h++) {
        std::vector<std::pair<double, double>> points;
        for (std::size_t i = 0; i < subject.num_steps / steps_between; i++) {
          points.emplace_back((i + 1) * steps_between,
                              mean_of(results[s].runs[r][h], [&](const Run& run) { return run.curve[i]; }).mean);
        }
        panel.line(points, head_colours[h]);
      }
    }
  }
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t h = 0; h < head_counts.size(); h++)
    entries.emplace_back(head_colours[h], heads_text(head_counts[h]));
  legend(svg, panel_top + rows * down - 22, entries);
  return svg;
}

/// Final accuracy by number of heads, a line for each learning rate.
inline Svg accuracies(const std::string& title, const std::vector<Result>& results) {
  Svg svg(panels_width, panel_top + Panel::height + 74);
  svg.text(20, 26, title, "start", 15);
  svg.text(20, 46, "share of the next letters that were right, where something tells them; margins over seeds");
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t r = 0; r < learning_rates.size(); r++) {
    entries.emplace_back(rate_colours[r], fmt::format("learning rate {}", learning_rates[r]));
  }
  for (std::size_t s = 0; s < results.size(); s++) {
    Panel panel(svg, panel_left + panel_across * static_cast<double>(s), panel_top, results[s].subject.name,
                heads_axis(), {"accuracy", {0, 0.2, 0.4, 0.6, 0.8, 1}});
    for (std::size_t r = 0; r < learning_rates.size(); r++) {
      std::vector<std::pair<double, double>> points;
      for (std::size_t h = 0; h < head_counts.size(); h++) {
        const auto heads = static_cast<double>(head_counts[h]);
        const Mean accuracy = mean_of(results[s].runs[r][h], [](const Run& run) { return run.accuracy; });
        points.emplace_back(heads, accuracy.mean);
        panel.whisker(heads, accuracy, rate_colours[r]);
        panel.dot(heads, accuracy.mean, rate_colours[r], 6);
      }
      panel.line(points, rate_colours[r]);
    }
  }
  legend(svg, panel_top + Panel::height + 60, entries);
  return svg;
}

/// The entropy of each head of each seed, by number of heads, for the learning rate in the middle.
inline Svg head_entropies(const std::string& title, const std::vector<Result>& results) {
  constexpr std::size_t middle = learning_rates.size() / 2;
  Svg svg(panels_width, panel_top + Panel::height + 48);
  svg.text(20, 26, title, "start", 15);
  svg.text(
      20, 46,
      fmt::format("a dot is a head of one of {} models, as a share of the largest entropy possible; black: the mean "
                  "before training; learning rate {}",
                  num_seeds, learning_rates[middle]));
  for (std::size_t s = 0; s < results.size(); s++) {
    Panel panel(svg, panel_left + panel_across * static_cast<double>(s), panel_top, results[s].subject.name,
                heads_axis(), {"entropy", {0, 0.2, 0.4, 0.6, 0.8, 1}});
    for (std::size_t h = 0; h < head_counts.size(); h++) {
      const Seeds& runs = results[s].runs[middle][h];
      const auto heads = static_cast<double>(head_counts[h]);
      const Mean fresh = mean_of(runs, [](const Run& run) { return run.fresh_entropy; });
      for (std::size_t i = 0; i < num_seeds; i++) {
        for (const double entropy : runs[i].entropies) {
          panel.dot(heads, entropy, head_colours[h], 3, 5 * (static_cast<double>(i) - 2));
        }
      }
      panel.bar(heads, fresh.mean, "black");
    }
  }
  return svg;
}

}  // namespace microgpt
