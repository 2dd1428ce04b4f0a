// microgpt inspect MODEL --html FILE: writes the inspector, a page that shows the model at work.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace microgpt {

/// Writes the page `html` of one model, or of two to compare. `data` is a file with documents of the models, by default
/// the held-out ones of data/names.txt; `text` is what the page shows first, by default emma, or else the first
/// document. Throws Error if a file cannot be read or written, or if the page would be too large for a browser to be
/// quick, and UsageError if the documents have characters that a model does not know.
void write_inspector(const std::vector<std::string>& models, const std::string& html,
                     const std::optional<std::string>& data, const std::optional<std::string>& text);

}  // namespace microgpt
