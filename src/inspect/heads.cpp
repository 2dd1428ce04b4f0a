#include "inspect/heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/python_random.h"
#include "inspect/moments.h"

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

/// The positions that t sees.
std::vector<std::size_t> seen_from(std::size_t t, const Probe& probe) {
  std::vector<std::size_t> seen;
  for (std::size_t s = 0; s <= t; s++) {
    if (probe.allows(t, s)) seen.push_back(s);
  }
  return seen;
}

/// A value of a document, beside that of even rows.
struct Pair {
  double value = 0;
  double even = 0;
};

/// Sums over the rows of a document, for one head.
struct DocumentLook {
  double rows = 0;
  double entropy_rows = 0;
  double entropy = 0;
  Pair distance;
  std::array<Pair, num_places> mass;
  std::array<double, num_places> reachable{};

  void add_row(const double* weights, std::size_t t, std::span<const Token> tokens, std::span<const std::size_t> seen) {
    const auto n = static_cast<double>(seen.size());
    rows += 1;
    for (const std::size_t s : seen) {
      distance.value += weights[s] * static_cast<double>(t - s);
      distance.even += static_cast<double>(t - s) / n;
    }
    for (std::size_t p = 0; p < num_places; p++) {
      std::size_t places = 0;
      for (const std::size_t s : seen) {
        if (!is_at(static_cast<Place>(p), tokens, t, s)) continue;
        mass[p].value += weights[s];
        places++;
      }
      mass[p].even += static_cast<double>(places) / n;
      reachable[p] += places > 0 ? 1 : 0;
    }
    if (seen.size() < 2) return;
    entropy_rows += 1;
    for (const std::size_t s : seen) entropy -= weights[s] > 0 ? weights[s] * std::log(weights[s]) / std::log(n) : 0;
  }
};

/// A Measure that is being made.
struct MeasureMaker {
  Moments value, even, difference;

  void add(Pair pair) {
    value.add(pair.value);
    even.add(pair.even);
    difference.add(pair.value - pair.even);
  }
  Measure measure() const { return {value.mean(), even.mean(), value.standard_error(), difference.standard_error()}; }
};

/// A HeadLook that is being made.
struct HeadMaker {
  MeasureMaker entropy, distance;
  std::array<MeasureMaker, num_places> mass;
  std::array<Moments, num_places> reachable;

  void add(const DocumentLook& document) {
    auto mean = [&](Pair sum) { return Pair{sum.value / document.rows, sum.even / document.rows}; };
    if (document.entropy_rows > 0) entropy.add({document.entropy / document.entropy_rows, 1});
    distance.add(mean(document.distance));
    for (std::size_t p = 0; p < num_places; p++) {
      mass[p].add(mean(document.mass[p]));
      reachable[p].add(document.reachable[p] / document.rows);
    }
  }

  HeadLook look(HeadId id, std::size_t group) const {
    HeadLook look{id, group, entropy.measure(), {}, {}, distance.measure()};
    for (std::size_t p = 0; p < num_places; p++) {
      look.mass[p] = mass[p].measure();
      look.reachable[p] = reachable[p].mean();
    }
    return look;
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

/// The mean distance between two heads, over all pairs and all rows that see more than one position; none: NaN.
double mean_distance(View<const double> weights, std::size_t n_head, const Probe& probe) {
  const std::size_t n = weights.cols;
  Moments distances;
  for (std::size_t t = 0; t < n; t++) {
    const std::vector<std::size_t> seen = seen_from(t, probe);
    if (seen.size() < 2) continue;
    for (std::size_t g = 0; g < n_head; g++) {
      for (std::size_t h = 0; h < g; h++) {
        distances.add(row_distance(weights.row(g * n + t), weights.row(h * n + t), seen));
      }
    }
  }
  return distances.mean();
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
  const std::vector<HeadId> ids = all_heads(probe.config());
  std::vector<HeadMaker> makers(ids.size());
  std::vector<Moments> distances(probe.config().n_layer);
  probe.each_weights([&](std::size_t document, std::size_t layer, View<const double> weights) {
    const std::size_t n = weights.cols;
    std::vector<DocumentLook> looks(H);
    for (std::size_t t = 0; t < n; t++) {
      const std::vector<std::size_t> seen = seen_from(t, probe);
      for (std::size_t h = 0; h < H; h++) {
        looks[h].add_row(weights.row(h * n + t), t, probe.documents()[document].tokens, seen);
      }
    }
    for (std::size_t h = 0; h < H; h++) makers[layer * H + h].add(looks[h]);
    const double distance = mean_distance(weights, H, probe);
    if (!std::isnan(distance)) distances[layer].add(distance);
  });
  HeadLooks all;
  for (std::size_t i = 0; i < ids.size(); i++) {
    all.heads.push_back(makers[i].look(ids[i], ids[i].head * probe.config().kv_heads() / H));
  }
  for (std::size_t layer = 0; layer < distances.size(); layer++) {
    Moments entropies;
    for (std::size_t h = 0; h < H; h++) entropies.add(all.heads[layer * H + h].entropy.value);
    all.layers.push_back({entropies.stddev(), distances[layer].mean()});
  }
  return all;
}

std::array<double, num_places> fresh_reach(const Config& config, std::span<const ProbeDocument> documents,
                                           std::size_t threads, const TrainConfig& drawing) {
  constexpr std::size_t num_models = 40;
  constexpr std::size_t num_documents = 100;
  documents = documents.first(std::min(num_documents, documents.size()));
  Probe probe(config, Parameters(gpt_shapes(config)), {documents.begin(), documents.end()}, threads);
  std::array<double, num_places> bar{};
  for (std::size_t seed = 1; seed <= num_models; seed++) {
    PythonRandom random(seed);
    probe.use(initialize(config, drawing, random));
    for (const HeadLook& head : measure_heads(probe).heads) {
      for (std::size_t p = 0; p < num_places; p++) bar[p] = std::max(bar[p], head.reach(static_cast<Place>(p)));
    }
  }
  return bar;
}

std::string shape_of(const HeadLook& head, const std::array<double, num_places>& bar) {
  constexpr double clear_reach = 1.0 / 3;
  const Place place = head.favourite();
  const auto p = static_cast<std::size_t>(place);
  const Measure& mass = head.mass[p];
  const bool is_clear = mass.value - mass.even > 2 * mass.difference_error && head.reach(place) > bar[p] &&
                        head.reach(place) >= clear_reach;
  return is_clear ? place_names[p].title : "no clear shape";
}

}  // namespace microgpt
