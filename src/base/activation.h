// The activation: what the MLP does to each number between its two matrices. To add one, write its formulas here (a
// constant as x / 100, which vectors know), and lines in the enum, the table and with_formulas(); in page/model.js and
// lesson 24's pytorch_gpt.py; in src/microgpt.cpp, the oracle of its slope, and train/scalar_trainer.cpp.
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

// The formulas of the tensor path. X is a number, or a vector of numbers (tensor/simd.h): then each lane is by itself.
// Both have + - * / and ? : but of a vector a function such as std::exp takes lane by lane, x[i]. forward(x) is the
// activation; backward(dy, x) is dy times its slope at x.

struct Relu {
  template <class X>
  static X forward(X x) {
    return x > 0 ? x : X{};
  }

  template <class X>
  static X backward(X dy, X x) {
    return x > 0 ? dy : X{};
  }
};

struct SquaredRelu {
  template <class X>
  static X forward(X x) {
    return Relu::forward(x) * Relu::forward(x);
  }

  template <class X>
  static X backward(X dy, X x) {
    return x > 0 ? dy * (2 * x) : X{};
  }
};

/// Calls use(formulas) with those of this activation. So the choice stands outside of `use`'s loops.
void with_formulas(Activation activation, auto use) {
  switch (activation) {
    case Activation::relu: return use(Relu{});
    case Activation::squared_relu: return use(SquaredRelu{});
  }
}

}  // namespace microgpt
