// What the heads of a model look at: measures of their attention weights, and names for the shapes that are clear.
//
// A row is a position that predicts: BOS, and every letter within the block. Its weights say how much it takes from
// each position that it sees. A document's value is the mean over its rows; documents are the unit of every standard
// error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heads/probe.h"

namespace microgpt {

/// Where a head can look from position t.
enum class Place : std::uint8_t {
  self,         // t itself
  previous,     // t - 1
  bos,          // position 0
  equal,        // an earlier position with the same token
  after_equal,  // the position after such a one: what followed last time ("induction"); it may be t itself
};

struct PlaceName {
  const char* title;  // of a head that looks there: "previous token"
  const char* field;  // of the mass there: "mass_previous"
};

inline constexpr std::size_t num_places = 5;
inline constexpr std::array<PlaceName, num_places> place_names{{{"self", "mass_self"},
                                                                {"previous token", "mass_previous"},
                                                                {"BOS", "mass_bos"},
                                                                {"equal letter", "mass_equal"},
                                                                {"induction", "mass_after_equal"}}};

/// A mean over documents.
struct Measure {
  double value;
  double even;              // what it would be if every row took the same from all positions that it sees
  double standard_error;    // of value
  double difference_error;  // of value - even, paired by document
};

struct HeadLook {
  HeadId id;
  std::size_t group;  // which key and value head it reads
  Measure entropy;    // of a row, as a share of its largest, ln(visible positions); rows that see only one do not count
  std::array<Measure, num_places> mass;      // of the weights on a place, 0 in a row that has none
  std::array<double, num_places> reachable;  // the share of rows that have such a place: the largest mass possible
  Measure distance;                          // how many positions back, on average
  bool is_removed = false;                   // its columns of attn_wo are zeros

  /// How much of what is possible beyond the even share: 1 where all rows that can look only there, 0 for even rows.
  double reach(Place place) const;

  /// The place of the largest reach.
  Place favourite() const;
};

/// The heads of a layer together.
struct Specialisation {
  double entropy_spread;  // standard deviation of the heads' entropies
  double distance;        // mean Jensen-Shannon distance between two heads' rows, from 0 (alike) to 1; over all pairs
};

struct HeadLooks {
  std::vector<HeadLook> heads;         // in the order of all_heads()
  std::vector<Specialisation> layers;  // NaN with a single head
};

HeadLooks measure_heads(Probe& probe);

/// The largest reach of any head, by place, in 40 models of the same shape with freshly drawn weights: what heads reach
/// that have learnt nothing. So a fresh model exceeds the bar of a place about once in 41 times. `drawing` says how
/// weights are drawn; the larger they are, the less even is a fresh head. Measured on the first 100 documents, or fewer
/// if they are long, since it takes 40 times as long as to measure one model.
std::array<double, num_places> fresh_reach(const Config& config, std::span<const ProbeDocument> documents,
                                           std::size_t threads, const TrainConfig& drawing = {});

/// The title of the head's favourite place if the shape is clear: the mass is more than the even share by over two
/// standard errors, and the reach is more than `bar` and at least a third. Otherwise "no clear shape"; or "removed".
std::string shape_of(const HeadLook& head, const std::array<double, num_places>& bar);

}  // namespace microgpt
