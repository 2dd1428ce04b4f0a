// What microgpt heads found out, as JSON. NaN, of a single document's error, becomes null.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace microgpt {

struct HeadsReport;

/// A record for every head, layer by layer; with its importance, if that was measured.
nlohmann::ordered_json head_records(const HeadsReport& report);

}  // namespace microgpt
