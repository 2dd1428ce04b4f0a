// Models trained on the tensor path in double, for lessons that compare recipes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/tokenizer.h"
#include "heads/probe.h"
#include "train/batch_trainer.h"

namespace microgpt {

struct Recipe {
  Config model;  // its vocab_size is ignored; the tokenizer decides it
  TrainConfig train;
  bool constant_rate = false;  // otherwise the learning rate follows train.schedule
  bool rounded = false;        // see round_weights()
};

using AfterEachStep = std::function<void(BatchTrainer<double>& trainer, double loss)>;

/// Rounds every weight to 16 binary digits after the point. Where training is so sensitive that the last bit of a sum
/// decides where it goes, processors end in different places, since other vectors have other last bits. If this is done
/// after every step, such differences cannot grow, and all end in the same place.
void round_weights(TensorModel<double>& model);

/// A model trained on these names. The seed decides their order, the first weights, and what is dropped.
BatchTrainer<double> trained(
    const Recipe& recipe, std::vector<Document> names, const Tokenizer& tokenizer, std::uint64_t seed = 1,
    const AfterEachStep& after_step = [](BatchTrainer<double>&, double) {});

std::vector<std::vector<Token>> generated(TensorModel<double>& model, std::size_t n, double temperature);

/// What lessons on heads need of it: its weights, and held-out documents to measure it on.
struct Trained {
  Config config;
  Tokenizer tokenizer;
  Parameters parameters;
  std::vector<ProbeDocument> held_out;
};

/// Learns some documents, and holds the others out.
Trained train(const Recipe& recipe, const std::vector<Document>& documents, std::span<const Document> held_out,
              std::uint64_t seed);

}  // namespace microgpt
