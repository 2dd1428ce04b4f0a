// A parameter matrix for the scalar path: read row by row as Values (an embedding), or whole (a linear layer).
#pragma once

#include <cstddef>
#include <vector>

#include "base/parameters.h"
#include "scalar/values.h"

namespace microgpt {

class Matrix {
 public:
  /// `parameter` must outlive the matrix.
  explicit Matrix(const Parameter& parameter) : parameter_(&parameter), leaves_(parameter.rows) {}

  std::size_t rows() const { return parameter_->rows; }
  std::size_t cols() const { return parameter_->cols; }
  const Parameter& parameter() const { return *parameter_; }

  /// Row i as Values, (cols). Within a Scope, each access returns the same Values, so a row that is used twice collects
  /// its whole gradient before it goes to the parameters.
  Values operator[](std::size_t i) const;

 private:
  struct Row {
    Values values;
    std::uint64_t scope = 0;
    bool made = false;
  };

  const Parameter* parameter_;
  mutable std::vector<Row> leaves_;  // belong to the open Scope
};

}  // namespace microgpt
