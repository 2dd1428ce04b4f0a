// Tables as spreadsheets and programs write them: CSV, a record per line, its fields between commas, semicolons or
// tabs; and JSON, a list of texts or of objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace microgpt {

/// One column of a CSV table, a line for every record. `column` is its name in the first record, whose line is then
/// empty, or its number, counted from 1. Fields may stand in double quotes, with "" for a quote. Nothing if the first
/// record has one field, and that is not the column: then the text is a list. Throws Error if there are several fields
/// and no such column, or `column` is empty, or if a quote does not end.
std::optional<std::string> csv_column(std::string_view text, const std::string& column);

/// The texts of a JSON list, or what its objects have under `column`, a line for each; also of objects on lines of
/// their own, and of the list that an object has under `column`. Nothing if the text does not begin as JSON does.
/// Throws Error if it goes on in another way, has no such column, or has entries that are no text.
std::optional<std::string> json_column(std::string_view text, const std::string& column);

}  // namespace microgpt
