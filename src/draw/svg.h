// Writes SVG, the drawing format of the web, which any browser shows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace microgpt {

/// A drawing of this size in pixels. x grows to the right, y downwards.
class Svg {
 public:
  Svg(double width, double height);

  void rect(double x, double y, double width, double height, const std::string& fill);
  void line(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1);

  /// A line with a head at its end.
  void arrow(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1.5);

  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& stroke, double width = 1.5);

  /// anchor: start, middle or end; size in pixels. The text is rotated by `degrees` about its anchor.
  void text(double x, double y, const std::string& text, const std::string& anchor = "start", double size = 12,
            double degrees = 0, const std::string& fill = "black");

  std::string str() const { return body_ + "</svg>\n"; }

  /// Creates the folder if necessary. Throws Error if the file cannot be written.
  void write(const std::string& path) const;

 private:
  std::string body_;
};

}  // namespace microgpt
