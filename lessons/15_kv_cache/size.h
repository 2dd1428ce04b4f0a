// How large a cache is: that of this lesson's model, and those of published models.
#pragma once

#include <fmt/core.h>

#include <cstddef>

#include "base/config.h"
#include "inspect/published.h"
#include "inspect/readable.h"

namespace microgpt {

/// 2: a key and a value. They are as wide as the model, because every head has its own slice of them.
inline std::size_t cache_size(std::size_t layers, std::size_t width, std::size_t positions, std::size_t number_bytes) {
  return 2 * layers * width * positions * number_bytes;
}

inline void show_sizes(const Config& config) {
  fmt::print("\n--- how large a cache is: 2 * layers * width * positions * bytes of a number ---\n");
  fmt::print("model      | layers | width | positions | bytes | the cache | parameters | as many bytes after\n");
  auto line = [](const char* name, std::size_t layers, std::size_t width, std::size_t positions, std::size_t bytes,
                 std::size_t parameters) {
    const std::size_t model = parameters * bytes, token = cache_size(layers, width, 1, bytes);
    fmt::print("{:10} | {:6} | {:5} | {:9} | {:5} | {:>9} | {:>10} | {:6.0f} positions\n", name, layers, width,
               positions, bytes, readable_bytes(token * positions), readable_bytes(model),
               static_cast<double>(model) / static_cast<double>(token));
  };
  line("ours", config.n_layer, config.n_embd, config.block_size, 8, num_parameters(config));
  for (const auto& [name, positions] : {std::pair("gpt2", 1024), {"llama2-7b", 4096}, {"llama2-13b", 4096}}) {
    const PublishedModel& model = published_model(name);
    line(name, model.n_layer, model.attention.n_embd, positions, 2, num_parameters(model).value());
  }
}

}  // namespace microgpt
