// The activation: what the MLP does to each number between its two matrices. To add one, write a line here and in the
// table below, its formula in scalar/ops.cpp, its formula and slope in tensor/naive.cpp and tensor/fast.cpp, and a line
// in inspect/page/model.js.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace microgpt {

enum class Activation : std::uint8_t {
  relu,          // max(x, 0)
  squared_relu,  // max(x, 0)^2
};

struct NamedActivation {
  Activation activation;
  const char* name;   // in files
  const char* title;  // for people
};

inline constexpr std::array all_activations{
    NamedActivation{Activation::relu, "relu", "ReLU"},
    NamedActivation{Activation::squared_relu, "squared_relu", "squared ReLU"},
};

constexpr const NamedActivation& named(Activation activation) {
  return all_activations[static_cast<std::size_t>(activation)];
}

}  // namespace microgpt
