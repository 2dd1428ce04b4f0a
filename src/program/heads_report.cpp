#include "program/heads_report.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace microgpt {
namespace {

/// How the model's weights were drawn, if its file names a preset that we know; else as the gist draws them.
TrainConfig drawing_of(const Checkpoint& checkpoint) {
  if (!checkpoint.training || !checkpoint.training->options.contains("preset")) return {};
  try {
    return preset(checkpoint.training->options.at("preset")).train;
  } catch (const UsageError&) {  // the preset of another version
    return {};
  }
}

}  // namespace

HeadsReport report_on(const Checkpoint& checkpoint, const std::vector<ProbeDocument>& documents, std::size_t threads,
                      const OnRun& on_run) {
  Probe probe(checkpoint.config, checkpoint.parameters, documents, threads);
  const Scores scores = probe.scores();
  HeadsReport report;
  report.num_documents = documents.size();
  report.loss = estimate(scores.losses).mean;
  report.accuracy = estimate(scores.accuracies).mean;
  report.looks = measure_heads(probe);
  report.bar = fresh_reach(checkpoint.config, documents, threads, drawing_of(checkpoint));
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

Json json(const std::vector<Pruned>& path) {
  Json steps = Json::array();
  for (const Pruned& pruned : path) {
    Json removed = Json::array();
    for (const HeadId& id : pruned.removed) removed.push_back({id.layer, id.head});
    steps.push_back({{"removed", removed}, {"loss", pruned.loss}, {"accuracy", pruned.accuracy}});
  }
  return steps;
}

void add_pruning(Json& all, const PruningReport& pruning) {
  all["prune_documents"] = {{"chosen_on_first", pruning.chosen_on}, {"reported_on_last", pruning.reported_on}};
  all["prune"] = json(pruning.greedy);
  all["prune_ranked"] = json(pruning.ranked);
  all["prune_random"] = Json::array();
  for (const std::vector<Pruned>& path : pruning.random) all["prune_random"].push_back(json(path));
  all["prune_best"] = pruning.best ? json(*pruning.best) : Json();
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
  if (report.pruning) add_pruning(all, *report.pruning);
  return all.dump(2) + "\n";
}

}  // namespace microgpt
