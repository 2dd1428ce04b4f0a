#include "draw/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/replace_file.h"
#include "base/utf8.h"

namespace microgpt {
Svg::Svg(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n",
                        width, height)) {
  rect(0, 0, width, height, "white");
}

void Svg::rect(double x, double y, double width, double height, const std::string& fill) {
  body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                       width, height, fill);
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& stroke, double width) {
  body_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                  x1, y1, x2, y2, stroke, width);
}

void Svg::arrow(double x1, double y1, double x2, double y2, const std::string& stroke, double width) {
  constexpr double head = 8, half = 4;  // its length, and half its width
  const double length = std::hypot(x2 - x1, y2 - y1);
  const double x = (x2 - x1) / length, y = (y2 - y1) / length;
  const double xb = x2 - head * x, yb = y2 - head * y;  // where the head begins
  line(x1, y1, xb, yb, stroke, width);
  body_ += fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"{}\"/>\n", x2, y2,
                       xb - half * y, yb + half * x, xb + half * y, yb - half * x, stroke);
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& stroke, double width) {
  std::string list;
  for (const auto& [x, y] : points) list += fmt::format("{:.1f},{:.1f} ", x, y);
  body_ +=
      fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", list, stroke, width);
}

void Svg::text(double x, double y, const std::string& text, const std::string& anchor, double size, double degrees,
               const std::string& fill) {
  std::string escaped;  // as XML may hold it
  for (const char c : visible(text)) {
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  const std::string rotation =
      degrees == 0 ? "" : fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", degrees, x, y);
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>\n",
                       x, y, anchor, size, fill, rotation, escaped);
}

void Svg::write(const std::string& path) const {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  replace_file(path, str());
}

}  // namespace microgpt
