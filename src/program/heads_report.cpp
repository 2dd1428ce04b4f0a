#include "program/heads_report.h"

#include <numeric>

namespace microgpt {

HeadsReport report_on(const Checkpoint& checkpoint, const std::vector<ProbeDocument>& documents, std::size_t threads,
                      const OnRun& on_run) {
  Probe probe(checkpoint.config, checkpoint.parameters, documents, threads);
  auto mean = [](const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  const Scores scores = probe.scores();
  HeadsReport report;
  report.num_documents = documents.size();
  report.loss = mean(scores.losses);
  report.accuracy = mean(scores.accuracies);
  report.looks = measure_heads(probe);
  report.bar = fresh_reach(checkpoint.config, documents, threads);
  report.importances = importances(probe, on_run);
  return report;
}

}  // namespace microgpt
