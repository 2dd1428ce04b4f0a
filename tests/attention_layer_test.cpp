// What attention_oracle does not see: several documents of different lengths, shares, and float. That the numbers are
// right is its part.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "random_numbers.h"
#include "tensor/attention_layer.h"
#include "tensor/attention_weights.h"

namespace microgpt {
namespace {

constexpr std::size_t C = 12;

template <class T>
void draw(View<T> x, PythonRandom& random) {
  for (std::size_t n = 0; n < x.rows; n++) {
    for (std::size_t c = 0; c < x.cols; c++) x.row(n)[c] = static_cast<T>(uniform(random, -1, 1));
  }
}

template <class T>
GroupedAttention<T> grouped() {
  return GroupedAttention<T>({.n_embd = C, .n_head = 4, .n_kv_head = 2, .key_dim = 3, .value_dim = 5});
}

template <class T>
LatentAttention<T> latent() {
  return LatentAttention<T>({.n_embd = C,
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

template <class T>
void append(std::vector<T>& numbers, View<const T> x) {
  for (std::size_t n = 0; n < x.rows; n++) numbers.insert(numbers.end(), x.row(n), x.row(n) + x.cols);
}

/// out, dx, dkv and the gradient of every weight, of random weights and inputs, computed in so many shares.
template <class T, class Layer>
std::vector<T> answer(Layer layer, const Kernels<T>& kernels, const Documents& documents, std::size_t shares) {
  const std::size_t N = documents.positions.size();
  PythonRandom random(5);
  for (const NamedWeight<T>& w : layer.weights()) {
    draw(w.weight->data.view(), random);
    w.weight->transpose_rows({0, w.weight->data.view().rows});
  }
  Tensor<T> x(N, C);
  Tensor<T> dout(N, C);
  draw(x.view(), random);
  draw(dout.view(), random);
  typename Layer::Activations activations;
  activations.resize(layer, N, N);
  Tensor<T> out(N, C);
  Tensor<T> dx(N, C);
  Tensor<T> dkv(N, C);
  AttentionInput<T> input{x.view(), x.view(), documents.positions, documents.positions, documents.sequences};
  for (std::size_t i = 0; i < shares; i++) {
    const auto [first, n] = share(documents.sequences.size(), i, shares);
    input.sequences = std::span(documents.sequences).subspan(first, n);
    layer.forward(out.view(), {}, kernels, input, activations);
    layer.backward(dx.view(), dkv.view(), dout.view(), kernels, input, activations);
  }
  for (std::size_t i = 0; i < shares; i++) {
    layer.backward_weights(dout.view(), kernels, input, activations, i, shares);
  }
  std::vector<T> numbers;
  for (const Tensor<T>* tensor : {&out, &dx, &dkv}) append(numbers, tensor->view());
  for (const NamedWeight<T>& w : layer.weights()) append<T>(numbers, w.weight->grad.view());
  return numbers;
}

const Documents documents({5, 1, 70, 9});

TEST_CASE("an attention layer gives the same bits in any number of shares") {
  for (const std::size_t shares : {2, 3, 7}) {
    CHECK((answer(grouped<double>(), fast<double>(), documents, shares) ==
           answer(grouped<double>(), fast<double>(), documents, 1)));
    CHECK((answer(latent<double>(), fast<double>(), documents, shares) ==
           answer(latent<double>(), fast<double>(), documents, 1)));
  }
}

/// What a layer's forward adds to a matrix, and its backward's gradient of x where x and kv are one; and the same of
/// `parts`: out, dx and dkv.
template <class Layer>
void check_in_place(Layer layer, const Tensor<double>& before) {
  const std::size_t N = documents.positions.size();
  PythonRandom random(6);
  for (const NamedWeight<double>& w : layer.weights()) draw(w.weight->data.view(), random);
  Tensor<double> x(N, C), dout(N, C), out(N, C), dx(N, C), dkv(N, C), sum(N, C), dx_in_all(N, C);
  draw(x.view(), random);
  draw(dout.view(), random);
  typename Layer::Activations activations;
  activations.resize(layer, N, N);
  const AttentionInput<double> input{x.view(), x.view(), documents.positions, documents.positions, documents.sequences};
  layer.forward(out.view(), {}, naive<double>(), input, activations);
  layer.backward(dx.view(), dkv.view(), dout.view(), naive<double>(), input, activations);
  layer.forward(sum.view(), before.view(), naive<double>(), input, activations);
  layer.backward(dx_in_all.view(), dx_in_all.view(), dout.view(), naive<double>(), input, activations);
  for (std::size_t n = 0; n < N; n++) {
    for (std::size_t c = 0; c < C; c++) {
      CHECK(std::abs(sum.view().row(n)[c] - (before.view().row(n)[c] + out.view().row(n)[c])) < 1e-12);
      CHECK(std::abs(dx_in_all.view().row(n)[c] - (dx.view().row(n)[c] + dkv.view().row(n)[c])) < 1e-12);
    }
  }
}

TEST_CASE("an attention layer adds to what was there before, and in self-attention sums both gradients of x") {
  PythonRandom random(7);
  Tensor<double> before(documents.positions.size(), C);
  draw(before.view(), random);
  check_in_place(grouped<double>(), before);
  check_in_place(latent<double>(), before);
}

TEST_CASE("an attention layer computes in float what it does in double") {
  // A float rounds 2^29 times as coarsely as a double, and 1e-12 is what attention_oracle allows there.
  constexpr double tolerance = 1e-12 * 0x1p29;
  auto compare = [&](const std::vector<float>& in_float, const std::vector<double>& in_double) {
    REQUIRE(in_float.size() == in_double.size());
    double difference = 0;
    double largest = 1;
    for (std::size_t i = 0; i < in_double.size(); i++) {
      difference = std::max(difference, std::abs(in_float[i] - in_double[i]));
      largest = std::max(largest, std::abs(in_double[i]));
    }
    CHECK(difference / largest < tolerance);
    CHECK(difference > 0);
  };
  for (const bool is_fast : {false, true}) {
    const Kernels<float>& kernels = is_fast ? fast<float>() : naive<float>();
    compare(answer(grouped<float>(), kernels, documents, 1), answer(grouped<double>(), naive<double>(), documents, 1));
    compare(answer(latent<float>(), kernels, documents, 1), answer(latent<double>(), naive<double>(), documents, 1));
  }
}

TEST_CASE("attention weights: each row sums to 1, and is zero where the mask hides a key") {
  const Mask mask = Mask::table(5, 6, [](std::size_t t, std::size_t s) { return t != 3 && s != 1 && s <= t + 1; });
  PythonRandom random(9);
  Tensor<double> q(4, 12);
  Tensor<double> k(6, 6);
  draw(q.view(), random);
  draw(k.view(), random);
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
