// microgpt inspect MODEL --text TEXT: where one head looks from one position, and how that came about, in numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "train/checkpoint.h"

namespace microgpt {

struct RowOptions {
  std::string text;
  std::size_t layer = 0;
  std::size_t head = 0;
  std::optional<std::size_t> at;  // the position that looks; by default the last
};

/// Throws UsageError if there is no such text, head or position.
void print_head_row(const Checkpoint& checkpoint, const RowOptions& options);

}  // namespace microgpt
