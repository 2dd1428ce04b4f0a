#include "program/name_list.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/utf8.h"
#include "draw/plot.h"
#include "program/print.h"

namespace microgpt {

double ListedName::nats_in_all() const { return std::accumulate(nats.begin(), nats.end(), 0.0); }

namespace {

using Json = nlohmann::ordered_json;

Json record_of(const ListedName& name, const std::string& shown) {
  Json record{{"name", shown}};
  if (name.in_data) record["in_data"] = *name.in_data;
  if (name.nats.empty()) return record;
  record["nats_per_token"] = name.nats_per_token();
  record["probability"] = std::exp(-name.nats_in_all());
  record["nats"] = name.nats;
  return record;
}

/// The same between commas, a text in quotes if it needs them; or, of no name, what the columns are.
std::string csv_line(const Json& record, bool is_head) {
  std::vector<std::string> fields;
  for (const auto& [column, value] : record.items()) {
    std::string text = is_head ? column : value.is_string() ? value.get<std::string>() : value.dump();
    const bool is_plain = text.find_first_of(",\"\r\n") == std::string::npos;
    for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
    fields.push_back(is_plain ? text : '"' + text + '"');
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

/// The letters of a name, "." for its end, each with its probability and its surprise.
std::string letters(const ListedName& name, const Tokenizer& tokenizer) {
  Grid grid{.row_labels = {"p", "nats"}, .col_labels = {}, .rows = {{}, name.nats}};
  const std::vector<Token> tokens = tokenizer.encode_document(name.name);
  for (std::size_t i = 0; i < name.nats.size(); i++) {
    grid.col_labels.push_back(visible(tokenizer.label(tokens[i + 1])));
    grid.rows[0].push_back(std::exp(-name.nats[i]));
  }
  return numbers(grid);
}

}  // namespace

std::string list_text(const std::vector<ListedName>& names, Layout layout, const Tokenizer& tokenizer,
                      bool for_terminal) {
  std::string text;
  Json records = Json::array();
  for (const ListedName& name : names) {
    const std::string raw = encode_utf8(name.name), shown = for_terminal ? visible(raw) : raw;
    const Json& record = records.emplace_back(record_of(name, shown));
    const std::string score = name.nats.empty() ? "" : fmt::format("  {:.3f}", name.nats_per_token());
    const std::string copied = mark(name.in_data.value_or(false));
    switch (layout) {
      case Layout::numbered: text += fmt::format("sample {:2}: {}{}{}\n", records.size(), shown, score, copied); break;
      case Layout::plain: text += shown + score + "\n"; break;
      case Layout::letters:
        text += fmt::format("{}{}: probability {:.2g}, {:.3f} nats per token\n{}\n", shown, copied,
                            std::exp(-name.nats_in_all()), name.nats_per_token(), letters(name, tokenizer));
        break;
      case Layout::csv: text += (text.empty() ? csv_line(record, true) : "") + csv_line(record, false); break;
      case Layout::json: break;
    }
  }
  return layout == Layout::json ? records.dump(2) + "\n" : text;
}

}  // namespace microgpt
