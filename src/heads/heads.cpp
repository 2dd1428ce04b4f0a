#include "heads/heads.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/python_random.h"
#include "heads/importance.h"
#include "train/evaluation.h"

namespace microgpt {
namespace {

bool is_at(Place place, std::span<const Token> tokens, std::size_t t, std::size_t s) {
  switch (place) {
    case Place::self: return s == t;
    case Place::previous: return s + 1 == t;
    case Place::bos: return s == 0;
    case Place::equal: return s < t && tokens[s] == tokens[t];
    case Place::after_equal: return s > 0 && tokens[s - 1] == tokens[t];
  }
  return false;
}

std::vector<std::size_t> seen_from(std::size_t layer, std::size_t t, const Probe& probe) {
  std::vector<std::size_t> seen;
  for (std::size_t s = 0; s <= t; s++) {
    if (probe.allows(layer, t, s)) seen.push_back(s);
  }
  return seen;
}

/// The mean of a measure over the rows of a document, and what it would be if every row were even.
struct RowMean {
  double value = 0, even = 0, rows = 0;  // sums over the rows that count

  void add(double of_row, double of_even_row) {
    value += of_row;
    even += of_even_row;
    rows += 1;
  }
};

/// The measures of a head: for each place the mass on it, and whether there is one; then these two.
constexpr std::size_t reachable_at = num_places, entropy_at = 2 * num_places, distance_at = entropy_at + 1;
constexpr std::size_t num_measures = distance_at + 1;

/// A measure of every document that has rows for it.
struct DocumentMeans {
  std::vector<double> values, evens;

  void add(const RowMean& mean) {
    if (mean.rows == 0) return;
    values.push_back(mean.value / mean.rows);
    evens.push_back(mean.even / mean.rows);
  }
  Measure measure() const {
    const Estimate value = estimate(values);
    return {value.mean, estimate(evens).mean, value.standard_error, change(evens, values).standard_error};
  }
};

/// The square root of the Jensen-Shannon divergence of two rows, in bits: 0 if they are equal, 1 if no position gets
/// weight from both. (Rounding can make the divergence of equal rows negative.)
double row_distance(const double* a, const double* b, std::span<const std::size_t> seen) {
  auto term = [](double p, double mean) { return p > 0 ? p * std::log2(p / mean) / 2 : 0; };
  double divergence = 0;
  for (const std::size_t s : seen) {
    const double mean = (a[s] + b[s]) / 2;
    divergence += term(a[s], mean) + term(b[s], mean);
  }
  return std::sqrt(std::max(divergence, 0.0));
}

/// All heads of the model, in the order of all_heads(). Calls on_weights(layer, weights) for every document and layer.
std::vector<HeadLook> heads_of(
    Probe& probe, const std::function<void(std::size_t, View<const double>)>& on_weights = [](auto...) {}) {
  const std::size_t H = probe.config().n_head;
  const std::vector<HeadId> ids = all_heads(probe.config());
  std::vector<std::array<DocumentMeans, num_measures>> heads(ids.size());
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const std::vector<Token>& tokens = probe.documents()[document].tokens;
    const std::size_t T = weights.cols;
    std::vector<std::array<RowMean, num_measures>> rows(H);
    for (std::size_t t = 0; t < T; t++) {
      const std::vector<std::size_t> seen = seen_from(layer, t, probe);
      const auto n = static_cast<double>(seen.size());
      for (std::size_t h = 0; h < H; h++) {
        const double* const row = weights.row(h * T + t);
        double entropy = 0, distance = 0, even_distance = 0;
        for (const std::size_t s : seen) {
          entropy -= row[s] > 0 ? row[s] * std::log(row[s]) : 0;
          distance += row[s] * static_cast<double>(t - s);
          even_distance += static_cast<double>(t - s) / n;
        }
        if (seen.size() > 1) rows[h][entropy_at].add(entropy / std::log(n), 1);
        rows[h][distance_at].add(distance, even_distance);
        for (std::size_t p = 0; p < num_places; p++) {
          double mass = 0, positions = 0;
          for (const std::size_t s : seen) {
            if (!is_at(static_cast<Place>(p), tokens, t, s)) continue;
            mass += row[s];
            positions += 1;
          }
          rows[h][p].add(mass, positions / n);
          rows[h][reachable_at + p].add(positions > 0 ? 1 : 0, 0);
        }
      }
    }
    for (std::size_t h = 0; h < H; h++) {
      for (std::size_t i = 0; i < num_measures; i++) heads[layer * H + h][i].add(rows[h][i]);
    }
    on_weights(layer, weights);
  });
  std::vector<HeadLook> looks;
  for (std::size_t i = 0; i < ids.size(); i++) {
    const std::array<DocumentMeans, num_measures>& head = heads[i];
    const std::size_t group = ids[i].head * probe.config().kv_heads() / H;
    looks.push_back({ids[i], group, head[entropy_at].measure(), {}, {}, head[distance_at].measure()});
    for (std::size_t p = 0; p < num_places; p++) {
      looks[i].mass[p] = head[p].measure();
      looks[i].reachable[p] = head[reachable_at + p].measure().value;
    }
  }
  return looks;
}

/// The first 100 documents, or as many of them as share a few thousand positions; of a longer one its beginning.
std::vector<ProbeDocument> some_of(std::span<const ProbeDocument> documents) {
  std::size_t left = 4000;
  std::vector<ProbeDocument> some;
  for (std::size_t i = 0; i < documents.size() && i < 100 && left > 0; i++) {
    some.push_back(documents[i]);
    const std::size_t n = std::min(left, documents[i].tokens.size() - 1);
    some.back().tokens.resize(n + 1);
    left -= n;
  }
  return some;
}

}  // namespace

double HeadLook::reach(Place place) const {
  const auto p = static_cast<std::size_t>(place);
  const double possible = reachable[p] - mass[p].even;
  return possible > 0 ? (mass[p].value - mass[p].even) / possible : 0;
}

Place HeadLook::favourite() const {
  Place best = Place::self;
  for (std::size_t p = 1; p < num_places; p++) {
    if (reach(static_cast<Place>(p)) > reach(best)) best = static_cast<Place>(p);
  }
  return best;
}

HeadLooks measure_heads(Probe& probe) {
  const std::size_t H = probe.config().n_head;
  std::vector<std::vector<double>> distances(
      probe.config().n_layer);  // between two heads, one number for each document
  auto compare = [&](std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;
    std::vector<double> of_pairs;  // in all rows that see more than one position
    for (std::size_t t = 0; t < n; t++) {
      const std::vector<std::size_t> seen = seen_from(layer, t, probe);
      if (seen.size() < 2) continue;
      for (std::size_t g = 0; g < H; g++) {
        for (std::size_t h = 0; h < g; h++) {
          of_pairs.push_back(row_distance(weights.row(g * n + t), weights.row(h * n + t), seen));
        }
      }
    }
    if (!of_pairs.empty()) distances[layer].push_back(estimate(of_pairs).mean);
  };
  HeadLooks looks{heads_of(probe, compare), {}};
  for (HeadLook& look : looks.heads) look.is_removed = probe.is_removed(look.id);
  for (std::size_t layer = 0; layer < distances.size(); layer++) {
    std::vector<double> entropies;
    for (std::size_t h = 0; h < H; h++) entropies.push_back(looks.heads[layer * H + h].entropy.value);
    looks.layers.push_back({estimate(entropies).stddev, estimate(distances[layer]).mean});
  }
  return looks;
}

std::array<double, num_places> fresh_reach(const Config& config, std::span<const ProbeDocument> documents,
                                           std::size_t threads, const TrainConfig& drawing) {
  constexpr std::size_t num_models = 40;
  Probe probe(config, Parameters(gpt_shapes(config)), some_of(documents), threads);
  std::array<double, num_places> bar{};
  for (std::size_t seed = 1; seed <= num_models; seed++) {
    PythonRandom random(seed);
    probe.use(initialize(config, drawing, random));
    for (const HeadLook& head : heads_of(probe)) {
      for (std::size_t p = 0; p < num_places; p++) bar[p] = std::max(bar[p], head.reach(static_cast<Place>(p)));
    }
  }
  return bar;
}

std::string shape_of(const HeadLook& head, const std::array<double, num_places>& bar) {
  if (head.is_removed) return "removed";
  constexpr double clear_reach = 1.0 / 3;
  const Place place = head.favourite();
  const auto p = static_cast<std::size_t>(place);
  const Measure& mass = head.mass[p];
  const bool is_clear = mass.value - mass.even > 2 * mass.difference_error && head.reach(place) > bar[p] &&
                        head.reach(place) >= clear_reach;
  return is_clear ? place_names[p].title : "no clear shape";
}

}  // namespace microgpt
