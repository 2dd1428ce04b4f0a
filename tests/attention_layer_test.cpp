// What attention_oracle_test.cpp does not see: several documents of different lengths, and float. That the numbers are right is
// its part.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "fenced.h"
#include "first_difference.h"
#include "random_numbers.h"
#include "tensor/attention_layer.h"
#include "tensor/attention_weights.h"

namespace microgpt {
namespace {

constexpr std::size_t C = 12;

template <class T>
AttentionLayer<T> grouped() {
  return AttentionLayer<T>({.n_embd = C, .n_head = 4, .n_kv_head = 2, .key_dim = 3, .value_dim = 5});
}

template <class T>
AttentionLayer<T> latent() {
  return AttentionLayer<T>({.n_embd = C,
                            .n_head = 3,
                            .n_kv_head = 3,
                            .key_dim = 5,
                            .value_dim = 4,
                            .rope_dim = 2,
                            .q_latent = 7,
                            .kv_latent = 5});
}

/// Documents of these lengths, one after the other.
struct Documents {
  explicit Documents(const std::vector<std::size_t>& lengths) {
    for (const std::size_t n : lengths) {
      sequences.push_back({{positions.size(), n}, {positions.size(), n}, &mask});
      for (std::size_t t = 0; t < n; t++) positions.push_back(t);
    }
  }
  Documents(const Documents&) = delete;  // the sequences point to the mask

  Mask mask = Mask::causal();
  std::vector<Sequence> sequences;
  std::vector<std::size_t> positions;
};

const Documents documents({5, 1, 70, 9});

/// What a layer of random weights makes of random inputs: all in `numbers`, with the gradient of every weight.
template <class T>
struct Answer {
  Tensor<T> before, out, dx, dkv;
  std::vector<T> numbers;
};

/// If `in_place`, out has `before` added to it, and one matrix takes both gradients of x, in the place of dx.
template <class T>
Answer<T> answer(AttentionLayer<T> layer, const Kernels<T>& kernels, bool in_place = false) {
  const std::size_t N = documents.positions.size();
  PythonRandom random(5);
  for (const NamedWeight<T>& w : layer.weights()) {
    draw(w.weight->data.view(), random);
    w.weight->transpose_rows({0, w.weight->data.view().rows});
  }
  const Tensor<T> x = random_tensor<T>(N, C, random);
  const Tensor<T> dout = random_tensor<T>(N, C, random);
  Answer<T> a{random_tensor<T>(N, C, random), Tensor<T>(N, C), Tensor<T>(N, C), Tensor<T>(N, C), {}};
  AttentionActivations<T> activations;
  activations.resize(layer.shape, N, N);
  const AttentionInput<T> input{x.view(), x.view(), documents.positions, documents.positions, documents.sequences};
  layer.forward(a.out.view(), in_place ? a.before.view() : View<T>(), kernels, input, activations);
  layer.backward(a.dx.view(), (in_place ? a.dx : a.dkv).view(), dout.view(), kernels, input, activations);
  layer.backward_weights(dout.view(), kernels, input, activations, 0, 1);
  std::vector<View<const T>> views{a.out.view(), a.dx.view(), a.dkv.view()};
  for (const NamedWeight<T>& w : layer.weights()) views.push_back(w.weight->grad.view());
  for (const View<const T>& view : views) {
    for (std::size_t n = 0; n < view.rows; n++) a.numbers.insert(a.numbers.end(), view.row(n), view.row(n) + view.cols);
  }
  return a;
}

TEST_CASE("an attention layer adds to what was there before, and in self-attention sums both gradients of x") {
  auto check = [](const auto& layer) {
    const Kernels<double>& kernels = naive<double>();
    const Answer<double> apart = answer(layer, kernels);
    const Answer<double> in_place = answer(layer, kernels, true);
    Tensor<double> sum = apart.out;
    kernels.add_forward(sum.view(), apart.before.view(), apart.out.view());
    CHECK(largest_difference(in_place.out.view(), sum.view()) < 1e-12);
    kernels.add_forward(sum.view(), apart.dx.view(), apart.dkv.view());
    CHECK(largest_difference(in_place.dx.view(), sum.view()) < 1e-12);
  };
  check(grouped<double>());
  check(latent<double>());
}

TEST_CASE("an attention layer computes in float what it does in double") {
  // A float rounds 2^29 times as coarsely as a double, and 1e-12 is what attention_oracle_test.cpp allows there.
  auto check = [](const auto& in_float, const auto& in_double) {
    const std::vector<double> expected = answer(in_double, naive<double>()).numbers;
    for (const Kernels<float>* kernels : {&naive<float>(), &fast<float>()}) {
      const double difference = relative_difference(answer(in_float, *kernels).numbers, expected);
      CHECK(difference < 1e-12 * 0x1p29);
      CHECK(difference > 0);
    }
  };
  check(grouped<float>(), grouped<double>());
  check(latent<float>(), latent<double>());
}

TEST_CASE("attention weights: each row sums to 1, and is zero where the mask hides a key") {
  const Mask mask = Mask::table(5, 6, [](std::size_t t, std::size_t s) { return t != 3 && s != 1 && s <= t + 1; });
  PythonRandom random(9);
  const Tensor<double> q = random_tensor<double>(4, 12, random);
  const Tensor<double> k = random_tensor<double>(6, 6, random);
  const std::size_t first_query = 1;
  const AttentionShape shape{.n_head = 4, .n_kv_head = 2, .key_dim = 3, .value_dim = 5};
  const auto call = AttentionCall<double>::of(shape, q.view(), k.view(), {}, mask, first_query);
  const Tensor<double> weights = attention_weights(call);
  REQUIRE(weights.view().rows == 4 * 4);
  REQUIRE(weights.view().cols == 6);
  for (std::size_t row = 0; row < 16; row++) {
    double total = 0;
    for (std::size_t s = 0; s < 6; s++) {
      const double weight = weights.view().row(row)[s];
      CHECK((weight > 0) == mask.allows(first_query + row % 4, s));
      total += weight;
    }
    // Six roundings of weights and six of their sum, 1.1e-16 each. The query at position 3 sees nothing.
    CHECK(std::abs(total - (row % 4 == 2 ? 0 : 1)) < 12 * 1.2e-16);
  }
}

}  // namespace
}  // namespace microgpt
