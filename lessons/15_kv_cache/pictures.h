// The picture of lesson 15, and its table of times.
#pragma once

#include <ctime>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "tensor/decoder.h"

namespace microgpt {

/// The scores of attention while a name grows: a row for each query, a column for each key.
inline Svg rows_picture() {
  const std::vector<std::string> letters{".", "m", "a", "r", "i", "a"};
  std::vector<Tiles> maps;
  for (std::size_t n = 3; n <= letters.size(); n++) {
    maps.push_back({letters[n - 1] + " comes", letters, {}});
    for (std::size_t t = 1; t <= n; t++) maps.back().rows.emplace_back(t, t == n ? 1 : 0);
  }
  return tile_maps("Queries down, keys across: a new letter asks one query, and meets every key", maps,
                   {{"#d0d0d0", "old: nobody asks for these again"}, {"#0072b2", "new: computed now"}}, maps.size());
}

/// With TIMES=1: src/tensor in float, on one thread, in milliseconds.
inline void print_times() {
  constexpr std::size_t more = 16;  // letters, after n have been read
  fmt::print("\nsrc/tensor, 4 layers, width 128, milliseconds\n");
  fmt::print("letters | all at once | one by one | one more | times faster than all | times fewer products\n");
  for (const std::size_t n : {16, 64, 256, 1024}) {
    const Config config{.vocab_size = 27, .n_layer = 4, .n_embd = 128, .block_size = n + more};
    Parameters parameters(gpt_shapes(config));
    PythonRandom random(1);
    draw_weights(parameters, 0.08, random);
    TensorModel<float> model(config, parameters);
    Batch batch(n);
    batch.add(std::vector<Token>(n + 1));
    Activations<float> activations;
    activations.resize(model, n);
    const double at_once = Lesson::microseconds([&] {
                             gpt_forward(model, fast<float>(), batch, {0, 1}, activations);
                           }) /
                           1000;
    Decoder<float> decoder(model);
    auto read = [&](std::size_t letters) {
      const std::clock_t start = std::clock();
      for (std::size_t t = 0; t < letters; t++) decoder.next(Token{0});
      return static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
    };
    double one_by_one = INFINITY, one_more = INFINITY;
    for (int round = 0; round < 5; round++) {
      decoder.reset();
      one_by_one = std::min(one_by_one, read(n));
      one_more = std::min(one_more, read(more) / more);
    }
    const double N = static_cast<double>(n), linear = 4 * 12 * 128 * 128 + 27 * 128, attention = 4 * 2 * 128;
    const double all = N * linear + attention * N * (N + 1) / 2, one = linear + attention * N;
    fmt::print("{:7} | {:11.3f} | {:10.3f} | {:8.3f} | {:21.0f} | {:20.0f}\n", n, at_once, one_by_one, one_more,
               at_once / one_more, all / one);
  }
}

}  // namespace microgpt
