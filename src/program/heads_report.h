// What microgpt heads found out, and how it is written: as tables or as JSON. The inspector's page holds the same
// figures.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heads/heads.h"
#include "heads/importance.h"
#include "train/checkpoint.h"

namespace microgpt {

struct PruningReport {
  std::size_t chosen_on = 0;    // documents
  std::size_t reported_on = 0;  // other ones
  std::vector<Pruned> path;     // the least important head out first, all measured again after each
};

struct HeadsReport {
  std::string documents;  // which: "3203 held-out documents of data/names.txt"
  std::size_t num_documents = 0;
  double loss = 0;  // means over the documents
  double accuracy = 0;
  HeadLooks looks;
  std::array<double, num_places> bar{};
  std::vector<Importance> importances;
  std::optional<PruningReport> pruning;
};

HeadsReport report_on(const Checkpoint& checkpoint, const std::vector<ProbeDocument>& documents, std::size_t threads,
                      const OnRun& on_run);

/// "0:2", layer 0 and head 2.
std::string name_of(HeadId id);

void print_tables(const HeadsReport& report);

// As JSON. NaN, of a single document's error, becomes null.

/// A record for every head, layer by layer.
nlohmann::ordered_json head_records(const HeadsReport& report);

std::string to_json(const HeadsReport& report);

}  // namespace microgpt
