// microgpt inspect MODEL --html FILE: writes the inspector, a page that shows the model at work.
#pragma once

#include <optional>
#include <string>

namespace microgpt {

/// Writes the page `html` of a model. `data` is a file with documents of the model, by default the held-out ones of
/// what it was trained on; `text` is what the page shows first, by default the first of these documents. Throws Error
/// if a file cannot be read or written, or if the page would be too large for a browser to be quick, and UsageError if
/// the documents have characters that the model does not know.
void write_inspector(const std::string& path, const std::string& html, const std::optional<std::string>& data,
                     const std::optional<std::string>& text);

}  // namespace microgpt
