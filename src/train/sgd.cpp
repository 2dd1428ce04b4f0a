#include "train/sgd.h"

namespace microgpt {

void sgd_update(Parameters& parameters, double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); i++) {
    parameters.data()[i] -= learning_rate * parameters.grad()[i];
    parameters.grad()[i] = 0;
  }
}

}  // namespace microgpt
