// How much arithmetic a computation takes, counted on the tape.
#pragma once

#include <cstddef>

namespace microgpt {

struct Work {
  std::size_t linear = 0;  // multiply-adds of linear layers: one for each use of a weight
  std::size_t dot = 0;     // multiply-adds of dot products between activations, as in attention
  std::size_t exp = 0;     // exponentials
};

/// The work of all nodes on the tape, forward only.
Work work_on_tape();

}  // namespace microgpt
