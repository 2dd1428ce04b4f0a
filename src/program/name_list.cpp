#include "program/name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "draw/plot.h"
#include "program/print.h"

namespace microgpt {
namespace {

using Json = nlohmann::ordered_json;

/// What is not a list, between commas, a text in quotes if it needs them; or the names of these columns.
std::string csv_line(const Json& record, bool is_head) {
  std::vector<std::string> fields;
  for (const auto& [column, value] : record.items()) {
    if (value.is_array()) continue;
    std::string text = is_head ? column : value.is_string() ? value.get<std::string>() : value.dump();
    const bool is_plain = text.find_first_of(",\"\r\n") == std::string::npos;
    for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
    fields.push_back(is_plain ? text : '"' + text + '"');
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

/// The probability and the surprise of each letter.
std::string letters(const Json& record) {
  Grid grid{.row_labels = {"p", "nats"}, .col_labels = record["letters"], .rows = {{}, record["nats"]}};
  for (const double nats : grid.rows[1]) grid.rows[0].push_back(std::exp(-nats));
  return fmt::format(": probability {:.2g}, {:.3f} nats per token\n{}", record["probability"].get<double>(),
                     record["nats_per_token"].get<double>(), numbers(grid));
}

}  // namespace

std::string list_text(const Json& records, Layout layout) {
  if (layout == Layout::json) return records.dump(2) + "\n";
  std::string text;
  for (std::size_t i = 0; i < records.size(); i++) {
    const Json& record = records[i];
    const auto name = record["name"].get<std::string>();
    const std::string copied = mark(record.value("in_data", false), record.value("cut_off", false));
    std::string score;
    if (record.contains("nats")) score = fmt::format("  {:.3f}", record["nats_per_token"].get<double>());
    if (layout == Layout::numbered) text += fmt::format("sample {:2}: {}{}{}\n", i + 1, name, score, copied);
    if (layout == Layout::plain) text += name + score + "\n";
    if (layout == Layout::letters) text += name + copied + letters(record) + "\n";
    if (layout == Layout::csv) text += (i == 0 ? csv_line(record, true) : "") + csv_line(record, false);
  }
  return text;
}

}  // namespace microgpt
