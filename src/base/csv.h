// Tables as spreadsheets write them: CSV, a record per line, its fields between commas, semicolons or tabs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace microgpt {

/// One column of a table, a line for every record. `column` is its name in the first record, whose line is then empty,
/// or its number, counted from 1. Fields may stand in double quotes, with "" for a quote. Nothing if the first record
/// has one field, and that is not the column: then the text is a list. Throws Error if there are several fields and no
/// such column, or if a quote does not end.
std::optional<std::string> csv_column(std::string_view text, const std::string& column);

}  // namespace microgpt
