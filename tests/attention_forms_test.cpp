// Every published form of attention inside a GPT: its gradients, its cache, and the identities that tie the forms
// together.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/python_random.h"
#include "central_difference.h"
#include "tensor/decoder.h"
#include "tensor/gpt.h"

namespace microgpt {
namespace {

struct Form {
  std::string name;
  Config config;
};

/// All forms of a small model with four heads.
std::vector<Form> forms() {
  const Config base{.vocab_size = 6, .n_layer = 2, .n_embd = 8, .n_head = 4, .block_size = 20};
  std::vector<Form> all{{"mha", base}, {"gqa", base}, {"mqa", base}, {"mla", base}, {"mla with a rotary part", base}};
  all[1].config.n_kv_head = 2;
  all[2].config.n_kv_head = 1;
  for (const std::size_t i : {3, 4}) {
    all[i].config.q_latent = 5;
    all[i].config.kv_latent = 3;
  }
  all[4].config.rope_dim = 2;
  for (const std::string mask : {"local:3", "strided:2:3", "global:2:2", "random:2", "bigbird:2:1:2", "block:4"}) {
    const Form& form = all[all.size() % 5];  // each with another kind
    all.push_back({form.name + ", " + mask, form.config});
    all.back().config.mask = parse_mask_pattern(mask);
  }
  for (const std::size_t i : {0, 1, 2, 4}) {
    all.push_back({all[i].name + ", positions by rotation", all[i].config});
    all.back().config.rope = true;
  }
  return all;
}

Parameters random_parameters(const Config& config) {
  PythonRandom random(42);
  return initialize(config, {.init_std = 0.4}, random);
}

const std::vector<Token> document{5, 0, 3, 3, 1, 4, 0, 2, 1, 1, 3, 0, 4, 4, 2, 1, 0, 5};
const std::vector<Token> short_document{5, 2, 2, 0, 5};

constexpr Dropout no_dropout;

/// The losses and, in `parameters`, the gradients of a batch.
std::vector<double> losses_and_gradients(const Config& config, Parameters& parameters,
                                         const Kernels<double>& kernels = fast<double>(), std::size_t shares = 1,
                                         const Dropout& dropout = no_dropout) {
  Batch batch(config.block_size);
  for (const auto& tokens : {document, short_document}) batch.add(tokens);
  TensorModel<double> model(config, parameters);
  Activations<double> activations;
  activations.dropout = dropout;
  activations.resize(model, batch.num_positions());
  const std::vector<double> weights = batch.weights(LossMean::documents);
  for (std::size_t i = 0; i < shares; i++) {
    const Share documents = batch.documents(i, shares);
    gpt_forward(model, kernels, batch, documents, activations);
    gpt_backward(model, kernels, batch, documents, weights.data(), activations);
  }
  for (std::size_t i = 0; i < shares; i++) gpt_backward_weights(model, kernels, batch, activations, i, shares);
  model.copy_grad_to(parameters);
  const double* const losses = activations.losses.view().data;
  return {losses, losses + batch.num_positions()};
}

double batch_loss(const Config& config, Parameters& parameters, const Dropout& dropout) {
  Batch batch(config.block_size);
  for (const auto& tokens : {document, short_document}) batch.add(tokens);
  TensorModel<double> model(config, parameters);
  Activations<double> activations;
  activations.dropout = dropout;
  activations.resize(model, batch.num_positions());
  gpt_forward(model, fast<double>(), batch, {0, 2}, activations);
  const std::vector<double> weights = batch.weights(LossMean::documents);
  double loss = 0;
  for (std::size_t n = 0; n < weights.size(); n++) loss += weights[n] * activations.losses.view().data[n];
  return loss;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i++) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST_CASE("every form has as many parameters as its config says, and its shapes are valid") {
  for (const Form& form : forms()) {
    INFO(form.name);
    validate(form.config);
    CHECK(random_parameters(form.config).size() == num_parameters(form.config));
  }
}

/// Gradients of all forms against central differences of the loss.
void check_gradients(const Dropout& dropout) {
  for (const Form& form : forms()) {
    INFO(form.name);
    Parameters parameters = random_parameters(form.config);
    losses_and_gradients(form.config, parameters, fast<double>(), 1, dropout);
    const std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
    std::size_t sharp = 0;
    for (std::size_t i = 0; i < parameters.size(); i += 7) {  // every seventh parameter, of all matrices
      double& parameter = parameters.data()[i];
      const double original = parameter;
      auto vary = [&](double varied) {
        parameter = varied;
        return batch_loss(form.config, parameters, dropout);
      };
      // A loss near 2 goes through about a hundred roundings of 1.1e-16 of its size.
      const auto [slope, error] = central_difference(vary, original, 1e-14);
      parameter = original;
      INFO("parameter " << i);
      CHECK(std::abs(gradient[i] - slope) <= error);
      sharp += error < 1e-6 ? 1 : 0;
    }
    CHECK(sharp > parameters.size() / 7 * 9 / 10);  // hardly any is at a kink of relu
  }
}

TEST_CASE("every form's gradients are its central differences") { check_gradients({}); }

TEST_CASE("with dropout, too, every form's gradients are its central differences") { check_gradients({0.3, 5}); }

TEST_CASE("naive and fast kernels agree in every form, and any number of shares gives the same bits") {
  for (const Form& form : forms()) {
    for (const Dropout& dropout : {Dropout{}, Dropout{0.3, 5}}) {
      INFO(form.name << ", dropout " << dropout.rate);
      Parameters parameters = random_parameters(form.config);
      auto losses_of = [&](const Kernels<double>& kernels, std::size_t shares) {
        return losses_and_gradients(form.config, parameters, kernels, shares, dropout);
      };
      const std::vector<double> losses = losses_of(fast<double>(), 1);
      const std::vector<double> gradient(parameters.grad().begin(), parameters.grad().end());
      CHECK((losses_of(fast<double>(), 2) == losses));
      CHECK((std::vector<double>(parameters.grad().begin(), parameters.grad().end()) == gradient));
      CHECK(largest_difference(losses_of(naive<double>(), 1), losses) < 1e-12);
      CHECK(largest_difference(parameters.grad(), gradient) < 1e-12);
    }
  }
}

TEST_CASE("dropout changes the losses, differently with every seed, and a rate of 0 nothing") {
  for (const Form& form : forms()) {
    INFO(form.name);
    Parameters parameters = random_parameters(form.config);
    auto losses_with = [&](const Dropout& dropout) {
      return losses_and_gradients(form.config, parameters, fast<double>(), 1, dropout);
    };
    const std::vector<double> without = losses_with({});
    CHECK((losses_with({0, 5}) == without));
    CHECK((losses_with({0.3, 5}) != without));
    CHECK((losses_with({0.3, 5}) == losses_with({0.3, 5})));
    CHECK((losses_with({0.3, 5}) != losses_with({0.3, 6})));
  }
}

TEST_CASE("with a cache every form predicts what it predicts without, from the first position to the last") {
  for (const Form& form : forms()) {
    INFO(form.name);
    const Parameters parameters = random_parameters(form.config);
    TensorModel<double> model(form.config, parameters);
    Batch batch(form.config.block_size);
    batch.add(document);
    Activations<double> activations;
    activations.resize(model, batch.num_positions());
    gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
    for (const bool absorbed : {true, false}) {
      Decoder<double> decoder(model, fast<double>(), absorbed);
      for (int round = 0; round < 2; round++) {  // a second document finds nothing of the first
        decoder.reset();
        for (std::size_t t = 0; t < batch.num_positions(); t++) {
          const View<double> expected = activations.logits.view().slice_rows(t, 1);
          CHECK(largest_difference(decoder.next(document[t]), {expected.data, expected.cols}) < 1e-12);
        }
      }
    }
  }
}

TEST_CASE("a cache keeps of a token what its form of attention has to remember") {
  const std::vector<std::pair<std::string, std::size_t>> numbers{
      {"mha", 2 * 8}, {"gqa", 2 * 4}, {"mqa", 2 * 2}, {"mla", 3}, {"mla with a rotary part", 3 + 2}};
  const std::vector<Form> all = forms();
  for (std::size_t i = 0; i < numbers.size(); i++) {
    REQUIRE(all[i].name == numbers[i].first);
    const Parameters parameters = random_parameters(all[i].config);
    TensorModel<double> model(all[i].config, parameters);
    CHECK(Decoder<double>(model).cache_bytes_per_token() == 2 * numbers[i].second * sizeof(double));  // two layers
  }
}

TEST_CASE("a window of at least the whole block is no mask, and a mask's name reads back as it") {
  for (const Form& form : forms()) {
    CHECK(parse_mask_pattern(mask_spec(form.config.mask)) == form.config.mask);
  }
  Config config = forms()[0].config;
  Parameters parameters = random_parameters(config);
  const std::vector<double> losses = losses_and_gradients(config, parameters);
  config.mask = parse_mask_pattern("local:20");
  CHECK((losses_and_gradients(config, parameters) == losses));
}

TEST_CASE("grouped queries with as many groups as heads are multi-head attention") {
  Config config = forms()[0].config;
  Parameters parameters = random_parameters(config);
  const std::vector<double> losses = losses_and_gradients(config, parameters);
  config.n_kv_head = config.n_head;
  CHECK(config.attention() == "mha");
  CHECK((losses_and_gradients(config, parameters) == losses));
}

TEST_CASE("grouped queries are multi-head attention whose heads have the same keys and values") {
  const Config grouped = forms()[1].config;  // two groups of two heads
  Config multi = grouped;
  multi.n_kv_head = 0;
  Parameters few = random_parameters(grouped);
  Parameters many(gpt_shapes(multi));
  const std::size_t D = grouped.head_dim();
  for (const Parameter& matrix : many.matrices()) {
    const Parameter& from = few[matrix.name];
    for (std::size_t row = 0; row < matrix.rows; row++) {
      const std::size_t head = row / D;
      const std::size_t source = from.rows == matrix.rows ? row : head / 2 * D + row % D;
      std::copy(from.row(source).begin(), from.row(source).end(), matrix.row(row).begin());
    }
  }
  const std::vector<double> expected = losses_and_gradients(multi, many);
  CHECK(largest_difference(losses_and_gradients(grouped, few), expected) < 1e-12);
}

TEST_CASE("a form of attention that cannot be is refused with both numbers and what would work") {
  auto refusal = [](Config config) {
    config.vocab_size = 6;
    try {
      validate(config);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("fine");
  };
  CHECK(
      refusal({.n_kv_head = 3}) ==
      "n_head 4 is not divisible by n_kv_head 3; every key and value head serves an equal group of query heads: use an "
      "n_kv_head of 2 or 4");
  CHECK(refusal({.q_latent = 4}) == "q_latent is 4 and kv_latent 0; latent attention needs both to be at least 1");
  CHECK(refusal({.q_latent = 4, .kv_latent = 4, .rope_dim = 3}) ==
        "a rotary width of 3 is odd, and RoPE rotates pairs; use 4");
  CHECK(refusal({.n_embd = 20, .rope = true}) ==
        "a rotary width of 5 is odd, and RoPE rotates pairs; use 6 numbers a head (n_embd 24)");
  CHECK(refusal({.q_latent = 4, .kv_latent = 4, .rope = true}) ==
        "RoPE with latent attention needs a rope_dim of at least 2");
  CHECK(refusal({.rope_dim = 2}) == "rope_dim 2 without latent attention, where RoPE rotates the whole of a query");
}

}  // namespace
}  // namespace microgpt
