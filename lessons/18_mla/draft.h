// The matrices of latent attention, and what it does with lists of numbers.
#pragma once

#include <string>
#include <vector>

#include "lesson/draft_gpt.h"
#include "microgpt.h"

namespace lesson18 {

using namespace microgpt;

constexpr std::size_t C = 16;  // width of the model
constexpr std::size_t H = 4;   // heads
constexpr std::size_t D = 4;   // numbers in a head's key or value
constexpr std::size_t L = 5;   // numbers in the latent vector c
constexpr std::size_t R = 2;   // numbers in the rotary key: one pair

/// The parameters of a GPT with latent attention.
inline std::vector<Parameters::Shape> latent_shapes(const Config& config) {
  return draft_shapes(config, {{"attn_wq", H * D, C},   // W_Q: x to the queries of all heads
                               {"attn_wdkv", L, C},     // W_DKV, down: x to c
                               {"attn_wuk", H * D, L},  // W_UK, up: c to the keys of all heads
                               {"attn_wuv", H * D, L},  // W_UV: and to their values
                               {"attn_wqr", H * R, C},  // W_QR: x to what is rotated of every head's query
                               {"attn_wkr", R, C},      // W_KR: and to the rotary key, one for all heads
                               {"attn_wo", C, H * D}});
}

struct LatentWeights {
  Matrix q, dkv, uk, uv, qr, kr, o;
};

inline LatentWeights latent_weights(const StateDict& p) {
  auto w = [&](const char* name) { return p[std::string("layer0.attn_w") + name]; };
  return {w("q"), w("dkv"), w("uk"), w("uv"), w("qr"), w("kr"), w("o")};
}

/// a, then b.
inline Values join(const Values& a, const Values& b) {
  return Values(a.size() + b.size(), [&](std::size_t i) { return i < a.size() ? a[i] : b[i - a.size()]; });
}

}  // namespace lesson18
