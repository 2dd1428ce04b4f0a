#include "lesson/recipe.h"

#include <cmath>

#include "base/python_random.h"
#include "tensor/decoder.h"
#include "train/sampling.h"
#include "train/scalar_trainer.h"

namespace microgpt {

void round_weights(TensorModel<double>& model) {
  for (Weight<double>* weight : model.weights()) {
    const View<double> numbers = weight->data.view();
    for (std::size_t i = 0; i < numbers.rows; i++) {
      for (std::size_t j = 0; j < numbers.cols; j++) numbers.row(i)[j] = std::rint(numbers.row(i)[j] * 65536) / 65536;
    }
    weight->transpose_rows({0, numbers.rows});
  }
}

BatchTrainer<double> trained(const Recipe& recipe, std::vector<Document> names, const Tokenizer& tokenizer,
                             std::uint64_t seed, const AfterEachStep& after_step) {
  PythonRandom random(seed);
  random.shuffle(names);
  Config config = recipe.model;
  config.vocab_size = tokenizer.vocab_size();
  const Parameters parameters = initialize(config, recipe.train, random);
  BatchTrainer<double> trainer(config, recipe.train, parameters, names, tokenizer,
                               {.loss_mean = LossMean::tokens, .dropout = {recipe.train.dropout, seed}});
  if (recipe.rounded) round_weights(trainer.model());
  while (trainer.steps_done() < recipe.train.num_steps) {
    const double loss = recipe.constant_rate ? trainer.step(0) : trainer.step();
    if (recipe.rounded) round_weights(trainer.model());
    after_step(trainer, loss);
  }
  return trainer;
}

std::vector<std::vector<Token>> generated(TensorModel<double>& model, std::size_t n, double temperature) {
  Decoder<double> decoder(model);
  PythonRandom random(1);
  std::vector<std::vector<Token>> names;
  while (names.size() < n) names.push_back(sample(decoder, temperature, random));
  return names;
}

Trained train(const Recipe& recipe, const std::vector<Document>& documents, std::span<const Document> held_out,
              std::uint64_t seed) {
  const Tokenizer tokenizer(documents);
  BatchTrainer<double> trainer = trained(recipe, documents, tokenizer, seed);
  const Config config = trainer.model().config;
  Trained result{config, tokenizer, Parameters(gpt_shapes(config)), {}};
  trainer.model().copy_to(result.parameters);
  for (const Document& document : held_out) {
    result.held_out.push_back(probe_document(document, tokenizer, config.block_size));
  }
  return result;
}

}  // namespace microgpt
