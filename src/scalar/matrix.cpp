#include "scalar/matrix.h"

#include <algorithm>
#include <span>

namespace microgpt {

Values Matrix::operator[](std::size_t i) const {
  static constexpr double one = 1.0;
  Row& row = leaves_[i];
  auto up_to_date = [&] {
    const std::span<const double> numbers = parameter_->row(i);
    auto is_data = [](double number, const Node* leaf) { return number == leaf->data; };
    return std::equal(numbers.begin(), numbers.end(), row.values.nodes().begin(), is_data);
  };
  if (!row.made || !tape.is_open(row.scope) || !up_to_date()) {
    auto leaf = [&](std::size_t j) {
      return Value(
          tape.record(Op::parameter, parameter_->row(i)[j], {}, nullptr, parameter_->grad_row(i).subspan(j, 1), &one));
    };
    row = {Values(cols(), leaf), tape.scope(), true};
  }
  return row.values;
}

}  // namespace microgpt
