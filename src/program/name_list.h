// A list of names, and what is known of each, as text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace microgpt {

enum class Layout : std::uint8_t { numbered, plain, letters, csv, json };

/// A record has the "name"; "in_data", if there is data to look it up in; "cut_off", if that is to be marked; and if it
/// is scored, "nats_per_token", "probability", and of each of its "letters", of which the last is its end, the "nats":
/// how surprising it is.
std::string list_text(const nlohmann::ordered_json& records, Layout layout);

}  // namespace microgpt
