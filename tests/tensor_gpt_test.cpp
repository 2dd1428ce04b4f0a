// The tensor path against the scalar path: the same model, the same documents, every loss and every gradient.
#include <doctest/doctest.h>

#include "first_difference.h"
#include "random_numbers.h"
#include "microgpt.h"
#include "tensor/gpt.h"
#include "tensor_answer.h"
#include "train/scalar_trainer.h"

namespace microgpt {
namespace {

/// The scalar path's: the losses of all positions, and the mean over documents of their gradients.
Answer<double> scalar_answer(const Config& config, const Parameters& parameters, const Documents& documents) {
  const Scope scope;
  const Model model = scalar_model(config, parameters);
  Answer<double> result;
  for (const auto& document : documents) {
    Cache keys(config.n_layer);
    Cache values(config.n_layer);
    const std::size_t n = std::min(config.block_size, document.size() - 1);
    Value loss = 0.0;
    for (std::size_t t = 0; t < n; t++) {
      const Values logits = gpt(model, document[t], t, keys, values);
      for (const double logit : logits.data()) result.logits.push_back(logit);
      const Value of_token = cross_entropy(logits, document[t + 1]);
      result.losses.push_back(of_token.data());
      loss = loss + of_token / static_cast<double>(n * documents.size());
    }
    loss.backward();
  }
  for (const Value p : model.params) result.gradient.push_back(p.grad());
  return result;
}

/// The worst relative difference of the gradients of one matrix.
double worst_matrix(std::span<const double> a, std::span<const double> b, const Parameters& parameters) {
  double worst = 0;
  std::size_t first = 0;
  for (const Parameter& matrix : parameters.matrices()) {
    worst = std::max(worst, relative_difference(a.subspan(first, matrix.size()), b.subspan(first, matrix.size())));
    first += matrix.size();
  }
  return worst;
}

struct Case {
  Config config;
  std::vector<std::size_t> predictions;  // of each document; those beyond block_size are cut
};

const std::vector<Case> cases{
    {{.vocab_size = 27, .n_layer = 1, .n_embd = 16, .n_head = 4, .block_size = 16}, {7}},  // the gist
    {{.vocab_size = 27, .n_layer = 1, .n_embd = 16, .n_head = 4, .block_size = 16}, {1, 16, 7, 3, 20, 2, 8, 9}},
    {{.vocab_size = 27, .n_layer = 2, .n_embd = 32, .n_head = 4, .block_size = 8}, {5, 8, 1, 9}},
    {{.vocab_size = 7, .n_layer = 3, .n_embd = 6, .n_head = 3, .block_size = 5}, {2, 5, 5}},
    {{.vocab_size = 9, .n_layer = 1, .n_embd = 5, .n_head = 5, .block_size = 8}, {4, 6, 8}},
    {{.vocab_size = 40, .n_layer = 2, .n_embd = 48, .n_head = 3, .block_size = 33}, {33, 17, 18, 32, 1}},
    {{.vocab_size = 5, .n_layer = 1, .n_embd = 8, .n_head = 2, .block_size = 150},
     {150, 64, 65, 129, 3}},                                                               // > one block
    {{.vocab_size = 2, .n_layer = 1, .n_embd = 2, .n_head = 2, .block_size = 1}, {1, 1}},  // nothing to look back at
};

/// The longest sums here have about a thousand terms, and a number passes through some ten layers; each rounding is
/// 1.1e-16 of what is summed. 1e-12 leaves room for both and for nothing else. (Not for n_embd = 1: there rmsnorm makes
/// any number 1 or -1, but for its 1e-5, and its gradient is what is left of two numbers that agree in 4 digits or
/// more.)
constexpr double tolerance = 1e-12;

TEST_CASE("in double, losses and every gradient of the tensor path are those of the scalar path") {
  for (Case shape : cases) {
    for (const Kernels<double>* kernels : {&naive<double>(), &fast<double>()}) {
      for (std::uint64_t seed = 0; seed < 3 * all_activations.size(); seed++) {
        shape.config.activation = all_activations[seed % all_activations.size()].activation;
        PythonRandom random(seed);
        // Weights that are large enough for attention to prefer some positions to others.
        Parameters parameters = initialize(shape.config, {.init_std = 0.3}, random);
        Documents documents;
        for (const std::size_t n : shape.predictions) {
          documents.push_back(random_document(shape.config, n - 1, random));
        }
        const Answer<double> expected = scalar_answer(shape.config, parameters, documents);
        const Answer<double> found = answer<double>(shape.config, parameters, documents, {*kernels});
        INFO(std::string(kernels->name) << ", n_embd " << shape.config.n_embd << ", seed " << seed);
        CHECK(relative_difference(found.logits, expected.logits) < tolerance);
        CHECK(relative_difference(found.losses, expected.losses) < tolerance);
        CHECK(worst_matrix(found.gradient, expected.gradient, parameters) < tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace microgpt
