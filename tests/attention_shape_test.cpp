#include "base/attention_shape.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/parameters.h"
#include "base/python_random.h"
#include "tensor/decoder.h"

namespace microgpt {
namespace {

struct Kind {
  std::string name;
  Config config;
};

/// Every kind of attention, in models of one and of three layers whose width is no power of two.
std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const std::size_t n_layer : {1, 3}) {
    const Config base{.vocab_size = 7, .n_layer = n_layer, .n_embd = 24, .n_head = 4, .block_size = 9};
    for (const std::size_t G : {1, 2, 4}) {
      all.push_back({G == 1 ? "mqa" : G == 2 ? "gqa" : "mha", base});
      all.back().config.n_kv_head = G;
    }
    for (const std::size_t R : {0, 2, 4}) {
      all.push_back({"mla", base});
      all.back().config.q_latent = 10;
      all.back().config.kv_latent = 7;
      all.back().config.rope_dim = R;
    }
    all.push_back(all.back());
    all.back().config.rope = true;
  }
  return all;
}

template <class T>
void check_cache(const Config& config, const Parameters& parameters) {
  TensorModel<T> model(config, parameters);
  const AttentionShape shape = attention_shape(config);
  for (const bool absorbed : {true, false}) {
    const Decoder<T> decoder(model, fast<T>(), absorbed);
    CHECK(decoder.cache_bytes() == cache_bytes(shape, config.n_layer, config.block_size, sizeof(T)).value());
    CHECK(decoder.cache_bytes_per_token() == cache_bytes(shape, config.n_layer, 1, sizeof(T)).value());
  }
}

TEST_CASE("the formula of the cache is the size of the tensors in which a model that generates keeps it") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    CAPTURE(kind.config.rope_dim);
    PythonRandom random(42);
    const Parameters parameters = initialize(kind.config, {}, random);
    check_cache<float>(kind.config, parameters);
    check_cache<double>(kind.config, parameters);
  }
}

TEST_CASE("the formula of the weights counts the matrices of a layer's attention, and the kind has its name") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.config.rope_dim);
    const AttentionShape shape = attention_shape(kind.config);
    CHECK(shape.kind() == kind.name);
    std::size_t weights = 0;
    std::size_t all = 0;
    for (const Parameters::Shape& matrix : gpt_shapes(kind.config)) {
      all += matrix.rows * matrix.cols;
      if (matrix.name.starts_with("layer0.attn_")) weights += matrix.rows * matrix.cols;
    }
    CHECK(num_attention_weights(shape).value() == weights);
    CHECK(num_parameters(kind.config) == all);
    CHECK_NOTHROW(validate(kind.config));
  }
}

TEST_CASE("a count that would not fit is the largest there is") {
  const Count huge = std::size_t{1} << 40;
  CHECK((huge * huge).value() == SIZE_MAX);
  CHECK((Count(SIZE_MAX) + 1).value() == SIZE_MAX);
  CHECK((huge + huge * 3).value() == std::size_t{1} << 42);
}

}  // namespace
}  // namespace microgpt
