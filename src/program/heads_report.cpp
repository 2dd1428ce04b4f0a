#include "program/heads_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "program/print.h"

namespace microgpt {
HeadsReport report_on(const Checkpoint& checkpoint, const std::vector<ProbeDocument>& documents, std::size_t threads,
                      const OnRun& on_run) {
  Probe probe(checkpoint.config, checkpoint.parameters, documents, threads);
  const Scores scores = probe.scores();
  HeadsReport report;
  report.num_documents = documents.size();
  report.loss = estimate(scores.losses).mean;
  report.accuracy = estimate(scores.accuracies).mean;
  report.looks = measure_heads(probe);
  TrainConfig drawing;  // how the model's weights were drawn, if its file names a preset that we know
  try {
    drawing = preset(checkpoint.trained_with("preset")).train;
  } catch (const UsageError&) {  // it has none, or that of another version
  }
  report.bar = fresh_reach(checkpoint.config, documents, threads, drawing);
  report.importances = importances(probe, on_run);
  return report;
}

// --- As JSON ---------------------------------------------------------------------------------------------------------

namespace {

using Json = nlohmann::ordered_json;

Json json(const Measure& measure) {
  return {{"value", measure.value}, {"even", measure.even}, {"stderr", measure.standard_error}};
}

Json json(const Effect& effect) {
  return {{"loss", effect.loss.mean},
          {"loss_stderr", effect.loss.standard_error},
          {"accuracy", effect.accuracy.mean},
          {"accuracy_stderr", effect.accuracy.standard_error}};
}

Json json(const HeadLook& look, const std::string& shape) {
  Json record{{"layer", look.id.layer}, {"head", look.id.head}, {"group", look.group}, {"entropy", json(look.entropy)}};
  for (std::size_t p = 0; p < num_places; p++) record[place_names[p].field] = json(look.mass[p]);
  record["distance"] = json(look.distance);
  record["shape"] = shape;
  return record;
}

}  // namespace

Json head_records(const HeadsReport& report) {
  Json records = Json::array();
  for (std::size_t i = 0; i < report.looks.heads.size(); i++) {
    const HeadLook& look = report.looks.heads[i];
    records.push_back(json(look, shape_of(look, report.bar)));
    const Importance& importance = report.importances[i];
    records.back()["importance"] = {{"zeroed", json(importance.zeroed)}, {"mean", json(importance.mean)}};
  }
  return records;
}

std::string to_json(const HeadsReport& report) {
  Json all{{"documents", report.num_documents}, {"loss", report.loss}, {"accuracy", report.accuracy}};
  all["layers"] = head_records(report);
  all["specialisation"] = Json::array();
  for (const Specialisation& layer : report.looks.layers) {
    all["specialisation"].push_back({{"entropy_spread", layer.entropy_spread}, {"jensen_shannon", layer.distance}});
  }
  if (const std::optional<PruningReport>& pruning = report.pruning) {
    all["prune_documents"] = {{"chosen_on_first", pruning->chosen_on}, {"reported_on_last", pruning->reported_on}};
    all["prune"] = Json::array();
    for (const Pruned& pruned : pruning->path) {
      Json removed = Json::array();
      for (const HeadId& id : pruned.removed) removed.push_back({id.layer, id.head});
      all["prune"].push_back({{"removed", removed}, {"loss", pruned.loss}, {"accuracy", pruned.accuracy}});
    }
  }
  return all.dump(2) + "\n";
}

// --- As tables -------------------------------------------------------------------------------------------------------

std::string name_of(HeadId id) { return fmt::format("{}:{}", id.layer, id.head); }

namespace {

/// "0.71 (0.25)": the value, and what an even share gives.
std::string beside_even(const Measure& measure) { return fmt::format("{:.2f} ({:.2f})", measure.value, measure.even); }

void print_looks(const HeadsReport& report) {
  fmt::print("\nWhere the heads look: the mean share of a row, and in brackets that of an even row\n");
  fmt::print("{:<6}{:<6}{:>7}", "head", "group", "entropy");
  for (const char* place : {"itself", "previous", "BOS", "equal", "after equal"}) fmt::print("{:>14}", place);
  fmt::print("{:>14}   shape\n", "distance");
  double largest_error = 0;
  for (const HeadLook& look : report.looks.heads) {
    fmt::print("{:<6}{:<6}{:>7.2f}", name_of(look.id), look.group, look.entropy.value);
    for (const Measure& mass : look.mass) {
      fmt::print("{:>14}", beside_even(mass));
      largest_error = std::max(largest_error, mass.standard_error);
    }
    fmt::print("{:>14}   {}\n", beside_even(look.distance), shape_of(look, report.bar));
  }
  if (largest_error > 0) fmt::print("Standard errors of the shares are at most {:.4f}.\n", largest_error);
  for (std::size_t layer = 0; layer < report.looks.layers.size(); layer++) {
    const auto& [spread, distance] = report.looks.layers[layer];
    if (std::isnan(distance)) continue;
    fmt::print(
        "layer {}: the heads' entropies have a standard deviation of {:.3f}; two heads are {:.3f} apart (from 0, "
        "alike, to 1)\n",
        layer, spread, distance);
  }
}

/// "+0.0312 ± 0.0021"
std::string with_margin(const Change& change) {
  return fmt::format("{:+.4f} ± {:.4f}", change.mean, 2 * change.standard_error);
}

/// Whether the effect is real, and how large beside the loss of the whole model: a head with a measurable effect may
/// still be one that can go.
std::string verdict(const Effect& effect, double loss) {
  if (effect.loss.mean == 0 && effect.loss.standard_error == 0) return "no effect at all";
  if (!effect.loss.is_clear()) return "cannot tell";
  return fmt::format("measurable: {:+.1f} %{}", 100 * effect.loss.mean / loss,
                     effect.loss.mean > 0 ? "" : ", better without");
}

void print_importances(const std::vector<Importance>& all, double loss) {
  fmt::print("\nWhat they are worth: the change without the head, ± two standard errors\n");
  fmt::print("{:<6}{:>19}{:>19}{:>23}{:>19}{:>6}\n", "head", "zeroed: loss", "accuracy", "its mean instead: loss",
             "accuracy", "rank");
  for (const auto& [id, zeroed, mean] : all) {
    std::size_t rank = 1;  // of the most important head
    for (const Importance& other : all) rank += other.zeroed.loss.mean > zeroed.loss.mean ? 1 : 0;
    fmt::print("{:<6}{:>19}{:>19}{:>23}{:>19}{:>6}   {}\n", name_of(id), with_margin(zeroed.loss),
               with_margin(zeroed.accuracy), with_margin(mean.loss), with_margin(mean.accuracy), rank,
               verdict(zeroed, loss));
  }
}

void print_pruning(const PruningReport& pruning) {
  const std::vector<Pruned>& path = pruning.path;
  fmt::print("\nTaking heads out: chosen on the first {} documents; loss and accuracy on the other {}\n",
             pruning.chosen_on, pruning.reported_on);
  fmt::print("{:<6}{:<6}{:>8}{:>10}\n", "heads", "out", "loss", "accuracy");
  for (std::size_t n = 0; n < path.size(); n++) {
    fmt::print("{:<6}{:<6}{:>8.4f}{:>8.1f} %\n", path.size() - 1 - n, n == 0 ? "-" : name_of(path[n].removed.back()),
               path[n].loss, 100 * path[n].accuracy);
  }
  const std::size_t spare = spare_heads(path);
  fmt::print(
      "{} of {} heads can go before the accuracy falls by more than 1 percentage point; the loss changes by "
      "{:+.1f} %.\n",
      spare, path.size() - 1, 100 * (path[spare].loss / path[0].loss - 1));
}

}  // namespace

void print_tables(const HeadsReport& report) {
  fmt::print("{}: loss {:.4f}, accuracy {:.1f} % (means over documents)\n", for_output(report.documents), report.loss,
             100 * report.accuracy);
  print_looks(report);
  print_importances(report.importances, report.loss);
  if (report.pruning) print_pruning(*report.pruning);
}

}  // namespace microgpt
