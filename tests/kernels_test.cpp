// The kernels that take each position by itself: on vectors they compute what they do in plain loops. (Attention:
// attention_kernels_test.cpp. That the plain loops are right: tensor_gpt_test.cpp, attention_oracle_test.cpp.)
#include "tensor/kernels.h"

#include <cmath>
#include <set>
#include <string>

#include "fast_is_naive.h"

namespace microgpt {
namespace {

struct Shape {
  std::size_t N, C, V;
};

const std::vector<Shape> product_shapes{{1, 1, 2},    {2, 3, 5},    {3, 7, 1},    {5, 8, 27},   {7, 15, 16},
                                        {16, 16, 17}, {9, 17, 15},  {17, 31, 33}, {33, 33, 65}, {4, 64, 31},
                                        {65, 100, 7}, {2, 128, 64}, {31, 48, 100}};

/// A single operation a number, or the same sums in the same order: not a bit may differ.
constexpr Tolerance exact{0, 0};

/// A sum of n products of numbers up to 1: n products and n sums, of up to n.
Tolerance sum_of_products(std::size_t n) { return {2 * static_cast<double>(n), static_cast<double>(n)}; }

/// Random inputs of one shape, and which kernels have been checked with them.
template <class T>
struct Trial {
  Fenced<T> input(std::size_t rows, std::size_t cols, double low = -1, double high = 1) {
    return fenced_input<T>(random, rows, cols, low, high);
  }
  std::vector<std::size_t> indices(std::size_t end) {
    std::vector<std::size_t> all(shape.N);
    for (std::size_t& index : all) index = random.below(end);
    return all;
  }
  Output<T> output(std::size_t rows, std::size_t cols, const Tolerance& tolerance) {
    return {fenced_output<T>(rows, cols), tolerance};
  }
  /// To be added to, or replaced.
  Output<T> sum(std::size_t rows, std::size_t cols, const Tolerance& tolerance) {
    return {fenced_sum<T>(random, rows, cols), tolerance};
  }

  template <class Call>
  void check(const std::string& kernel, const std::vector<Output<T>>& outputs, Call call) {
    INFO(kernel << ", N " << shape.N << ", C " << shape.C << ", V " << shape.V);
    check_fast_is_naive<T>(outputs, call);
    checked.insert(kernel);
  }

  Shape shape;
  PythonRandom& random;
  std::set<std::string>& checked;
};

/// All rows of V, and a share that leaves out some on both sides.
std::vector<Share> shares(std::size_t V) { return {{0, V}, {V / 3, V - V / 3 - V / 4}}; }

template <class T>
void check_embedding(Trial<T>& trial) {
  const auto [N, C, V] = trial.shape;
  const Fenced<T> wte = trial.input(V, C);
  const Fenced<T> wpe = trial.input(N, C);
  const Fenced<T> dx = trial.input(N, C);
  const std::vector<std::size_t> tokens = trial.indices(V);
  const std::vector<std::size_t> positions = trial.indices(N);
  trial.check("embedding_forward", {trial.output(N, C, exact)}, [&](auto& kernels, auto& to) {
    kernels.embedding_forward(to[0], tokens, positions, wte.view(), wpe.view());
  });
  for (const Share& rows : shares(V)) {
    trial.check("embedding_backward", {trial.sum(rows.n, C, exact)},
                [&](auto& kernels, auto& to) { kernels.embedding_backward(to[0], rows.first, dx.view(), tokens); });
  }
}

/// Each output by itself, and added to what was before: for dx, in its place.
template <class T>
void check_linear(Trial<T>& trial) {
  const auto [N, C, V] = trial.shape;
  Weight<T> w(V, C);
  copy(w.data.view(), trial.input(V, C).view());
  w.transpose_rows({0, V});
  const Fenced<T> x = trial.input(N, C);
  const Fenced<T> dy = trial.input(N, V);
  const Fenced<T> y_before = trial.input(N, V);
  for (const bool adds : {false, true}) {
    trial.check("linear_forward", {trial.output(N, V, sum_of_products(C + adds))}, [&](auto& kernels, auto& to) {
      kernels.linear_forward(to[0], x.view(), w, adds ? y_before.view() : View<const T>{});
    });
    const Tolerance tolerance = sum_of_products(V + adds);
    const Output<T> dx = adds ? trial.sum(N, C, tolerance) : trial.output(N, C, tolerance);
    trial.check("linear_backward_input", {dx}, [&](auto& kernels, auto& to) {
      kernels.linear_backward_input(to[0], dy.view(), w, adds ? View<const T>(to[0]) : View<const T>{});
    });
  }
  for (const Share& rows : shares(V)) {
    for (const bool adds : {false, true}) {
      const Tolerance tolerance = sum_of_products(N + adds);
      const Output<T> dw = adds ? trial.sum(rows.n, C, tolerance) : trial.output(rows.n, C, tolerance);
      trial.check("linear_backward_weight", {dw}, [&](auto& kernels, auto& to) {
        kernels.linear_backward_weight(to[0], rows.first, dy.view(), x.view(),
                                       adds ? View<const T>(to[0]) : View<const T>{});
      });
    }
  }
}

// Numbers have sizes between 1/2 and 1: far from where rmsnorm has its pole. Their mean of squares, between 1/4 and 1,
// has C roundings and 3 more; its root is at most 2. A scale is at most 2, so a mean of products of up to 1 counts up
// to 8 times; beside it are dx and dy * scale.
template <class T>
void check_rmsnorm(Trial<T>& trial) {
  const auto [N, C, V] = trial.shape;
  Fenced<T> x = trial.input(N, C, 0.5, 1);
  for (std::size_t n = 0; n < N; n++) {
    for (std::size_t c = 0; c < C; c++) x.view().row(n)[c] *= trial.random.below(2) == 0 ? 1 : -1;
  }
  Fenced<T> scale = fenced_output<T>(1, N);
  naive<T>().rmsnorm_forward(fenced_output<T>(N, C).view(), scale.view().data, x.view());
  const Fenced<T> dy = trial.input(N, C);
  const auto roundings = static_cast<double>(2 * C + 8);
  const Tolerance tolerance{roundings, 2};
  const Tolerance tolerance_of_dx{roundings, 1 + 2 + 8};
  trial.check("rmsnorm_forward", {trial.output(N, C, tolerance), trial.output(1, N, tolerance)},
              [&](auto& kernels, auto& to) { kernels.rmsnorm_forward(to[0], to[1].data, x.view()); });
  for (const bool adds : {false, true}) {
    const Output<T> dx = adds ? trial.sum(N, C, tolerance_of_dx) : trial.output(N, C, tolerance_of_dx);
    trial.check("rmsnorm_backward", {dx}, [&](auto& kernels, auto& to) {
      kernels.rmsnorm_backward(to[0], dy.view(), x.view(), scale.view().data,
                               adds ? View<const T>(to[0]) : View<const T>{});
    });
  }
}

template <class T>
void check_add_and_activations(Trial<T>& trial) {
  const auto [N, C, V] = trial.shape;
  const Fenced<T> dy = trial.input(N, C);
  Fenced<T> x = trial.input(N, C);  // on both sides of 0, and 0 itself
  for (std::size_t n = 0; n < N; n++) x.view().row(n)[trial.random.below(C)] = 0;
  trial.check("add_forward", {trial.output(N, C, exact)},
              [&](auto& kernels, auto& to) { kernels.add_forward(to[0], x.view(), dy.view()); });
  for (const NamedActivation& one : all_activations) {
    const Activation activation = one.activation;
    trial.check("activation_forward", {trial.output(N, C, exact)},
                [&](auto& kernels, auto& to) { kernels.activation_forward(to[0], x.view(), activation); });
    trial.check("activation_backward", {trial.output(N, C, exact)},
                [&](auto& kernels, auto& to) { kernels.activation_backward(to[0], dy.view(), x.view(), activation); });
    trial.check("activation_backward", {trial.sum(N, C, exact)},
                [&](auto& kernels, auto& to) { kernels.activation_backward(to[0], to[0], x.view(), activation); });
  }
}

// Logits from -10 to 10: a log_sum and a loss are below 20 + log V. A sum of V positive numbers is rounded V times; so
// the logarithm is off by V roundings of 1, by the 2 * 1.1 of exp, by the 2 * 5 of log, and by 5 of its own size:
// logits, their largest and differences.
template <class T>
void check_cross_entropy(Trial<T>& trial) {
  const auto [N, C, V] = trial.shape;
  const Fenced<T> logits = trial.input(N, V, -10, 10);
  const Fenced<T> dlosses = trial.input(1, N);
  const std::vector<Token> targets = trial.indices(V);
  Fenced<T> probs = fenced_output<T>(N, V);
  naive<T>().cross_entropy_forward(fenced_output<T>(1, N).view().data, probs.view(), logits.view(), targets);
  const Tolerance tolerance{static_cast<double>(V + 20), 20 + std::log(static_cast<double>(V))};
  trial.check(
      "cross_entropy_forward", {trial.output(1, N, tolerance), trial.output(N, V, tolerance)},
      [&](auto& kernels, auto& to) { kernels.cross_entropy_forward(to[0].data, to[1], logits.view(), targets); });
  trial.check("cross_entropy_backward", {trial.output(N, V, {3, 1})}, [&](auto& kernels, auto& to) {
    kernels.cross_entropy_backward(to[0], dlosses.view().data, probs.view(), targets);
  });
}

// v is between 1/4 and 3/4, and m and v stay below 1. The step is at most 0.01 * (1 / 0.27) / sqrt(0.95 * 0.25 / 0.14)
// < 0.03, and a dozen roundings of it are less than one of data, which then is rounded itself.
template <class T>
void check_adam(Trial<T>& trial) {
  const std::size_t C = trial.shape.C;
  const AdamStep step{.learning_rate = 0.01,
                      .beta1 = 0.9,
                      .beta2 = 0.95,
                      .eps = 1e-8,
                      .m_correction = 1 - std::pow(0.9, 3),
                      .v_correction = 1 - std::pow(0.95, 3),
                      .keep = 1 - 0.01 * 0.5};
  const Fenced<T> grad = trial.input(1, C);
  Output<T> v = trial.sum(1, C, {5, 1});
  for (std::size_t c = 0; c < C; c++) v.before.view().data[c] = (std::abs(v.before.view().data[c]) + T{0.5}) / 2;
  trial.check("adam_update", {trial.sum(1, C, {2, 1.03}), trial.sum(1, C, {5, 1}), v}, [&](auto& kernels, auto& to) {
    kernels.adam_update(to[0].data, grad.view().data, to[1].data, to[2].data, C, step);
  });
}

TEST_CASE_TEMPLATE("every fast kernel is the naive one, in every shape, and writes what it should and no more", T,
                   float, double) {
  PythonRandom random(1);
  std::set<std::string> checked{"attention_forward", "attention_backward"};
  for (const Shape& shape : product_shapes) {
    Trial<T> trial{shape, random, checked};
    check_embedding(trial);
    check_linear(trial);
    check_rmsnorm(trial);
    check_add_and_activations(trial);
    check_cross_entropy(trial);
    check_adam(trial);
  }
  // A kernel that is not called makes Kernels larger than they are. (One more is its name.)
  CHECK(sizeof(Kernels<T>) == (checked.size() + 1) * sizeof(void*));
}

TEST_CASE_TEMPLATE("cross entropy of huge logits does not overflow", T, float, double) {
  const std::vector<T> row{T{1000}, T{1000}, T{-1000}};
  const View<const T> logits{row.data(), 1, 3, 3};
  for (const Kernels<T>* kernels : {&naive<T>(), &fast<T>()}) {
    for (const Token target : {0, 2}) {
      T loss = 0;
      Fenced<T> probs = fenced_output<T>(1, 3);
      const std::vector<Token> targets{target};
      kernels->cross_entropy_forward(&loss, probs.view(), logits, targets);
      // log(2 exp(1000)) = 1000 + log 2: a rounding of 1000, one of the difference, and those of log.
      const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
      CHECK(std::abs(static_cast<double>(loss) - (std::log(2.0) + (target == 0 ? 0 : 2000))) < tolerance);
      const T dloss = 1;
      kernels->cross_entropy_backward(probs.view(), &dloss, probs.view(), targets);  // in place
      CHECK(std::abs(static_cast<double>(probs.view().data[1]) - 0.5) < tolerance);
      CHECK(probs.view().data[2] == (target == 2 ? -1 : 0));
    }
  }
}

TEST_CASE_TEMPLATE("one logit that is not a number makes the loss so, too", T, float, double) {
  for (const Kernels<T>* kernels : {&naive<T>(), &fast<T>()}) {
    for (std::size_t bad = 0; bad < 27; bad++) {
      std::vector<T> row(27, T{1});
      row[bad] = std::numeric_limits<T>::quiet_NaN();
      T loss = 0;
      Fenced<T> probs = fenced_output<T>(1, 27);
      const std::vector<Token> targets{3};
      kernels->cross_entropy_forward(&loss, probs.view(), {row.data(), 1, 27, 27}, targets);
      INFO(std::string(kernels->name) << ", logit " << bad);
      CHECK(std::isnan(loss));
    }
  }
}

}  // namespace
}  // namespace microgpt
