// microgpt inspect MODEL --html FILE: writes the inspector, a page that shows the model at work.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace microgpt {

struct InspectorOptions {
  std::vector<std::string> models;  // one, or two to compare
  std::string html;                 // the file to write
  std::optional<std::string> data;  // documents of the models; by default the held-out ones of data/names.txt
  std::optional<std::string> text;  // what the page shows first; by default the first document
};

/// Throws Error if a file cannot be read or written, or if the page would be too large for a browser to be quick, and
/// UsageError if the documents have characters that a model does not know.
void write_inspector(const InspectorOptions& options);

}  // namespace microgpt
