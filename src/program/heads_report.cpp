#include "program/heads_report.h"

#include <numeric>

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

HeadsReport looks_on(Probe& probe, const std::array<double, num_places>& bar) {
  auto mean = [](const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  const Scores scores = probe.scores();
  HeadsReport report;
  report.num_documents = probe.documents().size();
  report.loss = mean(scores.losses);
  report.accuracy = mean(scores.accuracies);
  report.looks = measure_heads(probe);
  report.bar = bar;
  return report;
}

HeadsReport report_on(const Checkpoint& checkpoint, const std::vector<ProbeDocument>& documents, std::size_t threads,
                      const OnRun& on_run) {
  Probe probe(checkpoint.config, checkpoint.parameters, documents, threads);
  HeadsReport report = looks_on(probe, fresh_reach(checkpoint.config, documents, threads, drawing_of(checkpoint)));
  report.importances = importances(probe, on_run);
  return report;
}

}  // namespace microgpt
