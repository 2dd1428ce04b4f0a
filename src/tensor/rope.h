// Rotary position embedding, RoPE (Su et al., "RoFormer", 2021): encodes a position by rotating a query or a key. Its
// numbers are taken in pairs. Each pair is an arrow in the plane, and pair i is rotated by an angle that grows with the
// position: fast for the first pairs, slowly for the last. The dot product of two arrows depends only on the angle
// between them, so a score depends on the distance between query and key, not on where they stand.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "tensor/view.h"

namespace microgpt {

/// y (N,d) is x with every pair (x[n][2i], x[n][2i+1]) rotated by the angle positions[n] * base^(-2i/d). d is even. y
/// may be x.
template <class T>
void rope_forward(View<T> y, std::type_identity_t<View<const T>> x, std::span<const std::size_t> positions,
                  double base);

/// dx (N,d) is dy rotated back. dx may be dy.
template <class T>
void rope_backward(View<T> dx, std::type_identity_t<View<const T>> dy, std::span<const std::size_t> positions,
                   double base);

}  // namespace microgpt
