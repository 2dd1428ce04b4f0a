// A list of names, and what is known of each, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tokenizer.h"

namespace microgpt {

enum class Layout : std::uint8_t { numbered, plain, letters, csv, json };

struct ListedName {
  Document name;
  std::optional<bool> in_data;    // unless there is no data to compare it with
  std::vector<double> nats = {};  // how surprising each token is; empty: not known

  double nats_in_all() const;
  double nats_per_token() const { return nats_in_all() / static_cast<double>(nats.size()); }
};

/// The list in this layout. With `for_terminal`, nothing in a name can act on a terminal.
std::string list_text(const std::vector<ListedName>& names, Layout layout, const Tokenizer& tokenizer,
                      bool for_terminal);

}  // namespace microgpt
