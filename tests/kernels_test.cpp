// Every kernel on vectors against the same kernel in plain loops. (That the plain loops are right: layers_test.cpp.)
#include "tensor/kernels.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "base/schedule.h"
#include "fenced.h"
#include "irregular.h"
#include "scalar/gpt.h"

namespace microgpt {
namespace {

/// A number of an output, and how far two right versions of it may be apart: each is off the exact one by at most
/// `roundings`, of half an eps of `size` each. `size` is more than any number or sum on the way.
struct Tolerance {
  double roundings;
  double size;
};

template <class T>
struct Output {
  Fenced<T> before;
  Tolerance tolerance;
};

/// A call of one kernel. Its inputs are made once; naive and fast each get copies of the outputs.
template <class T>
struct Call {
  std::string name;
  std::vector<Output<T>> outputs;
  std::function<void(const Kernels<T>& kernels, std::span<const View<T>> outputs)> run;
};

template <class T>
std::vector<Fenced<T>> outputs_of(const Call<T>& call, const Kernels<T>& kernels) {
  std::vector<Fenced<T>> outputs;
  for (const Output<T>& output : call.outputs) outputs.push_back(output.before);
  std::vector<View<T>> views;
  for (Fenced<T>& output : outputs) views.push_back(output.view());
  call.run(kernels, views);
  return outputs;
}

template <class T>
void check_fast_is_naive(const Call<T>& call) {
  const std::vector<Fenced<T>> expected = outputs_of(call, naive<T>());
  const std::vector<Fenced<T>> found = outputs_of(call, fast<T>());
  for (std::size_t i = 0; i < found.size(); i++) {
    const auto [roundings, size] = call.outputs[i].tolerance;
    INFO(call.name << ", output " << i);
    CHECK(expected[i].intact());
    CHECK(found[i].intact());
    CHECK(largest_difference(found[i].view(), expected[i].view()) <=
          roundings * size * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
}

// --- The kernels that take each position by itself
// -------------------------------------------------------------------

struct Shape {
  std::size_t N, C, V;
};

const std::vector<Shape> shapes{{1, 1, 2},    {2, 3, 5},    {3, 7, 1},    {5, 8, 27},   {7, 15, 16},
                                {16, 16, 17}, {9, 17, 15},  {17, 31, 33}, {33, 33, 65}, {4, 64, 31},
                                {65, 100, 7}, {2, 128, 64}, {31, 48, 100}};

/// Random numbers whose size is between 1/2 and 1: far from where relu has its kink and rmsnorm its pole.
template <class T>
Fenced<T> away_from_zero(PythonRandom& random, std::size_t rows, std::size_t cols) {
  Fenced<T> x = fenced_input<T>(random, rows, cols);
  for (std::size_t i = 0; i < rows; i++) {
    for (std::size_t j = 0; j < cols; j++)
      x.view().row(i)[j] = (x.view().row(i)[j] + (random.below(2) == 0 ? 3 : -3)) / 4;
  }
  return x;
}

std::vector<std::size_t> random_indices(PythonRandom& random, std::size_t n, std::size_t end) {
  std::vector<std::size_t> indices(n);
  for (std::size_t& index : indices) index = random.below(end);
  return indices;
}

template <class T>
Weight<T> random_weight(PythonRandom& random, std::size_t n_out, std::size_t n_in) {
  Weight<T> w(n_out, n_in);
  copy(w.data.view(), fenced_input<T>(random, n_out, n_in).view());
  w.transpose_rows({0, n_out});
  return w;
}

/// A single operation a number, or the same sums in the same order: not a bit may differ.
constexpr Tolerance exact{0, 0};

/// A sum of n products of numbers up to 1: n products and n sums, of up to n.
Tolerance sum_of_products(std::size_t n) { return {2 * static_cast<double>(n), static_cast<double>(n)}; }

template <class T>
using Calls = std::vector<Call<T>>;

template <class T>
Calls<T> embedding_forward(const Shape& s, PythonRandom& random) {
  return {{"embedding_forward",
           {{fenced_output<T>(s.N, s.C), exact}},
           [tokens = random_indices(random, s.N, s.V), positions = random_indices(random, s.N, s.N),
            wte = fenced_input<T>(random, s.V, s.C),
            wpe = fenced_input<T>(random, s.N, s.C)](const Kernels<T>& kernels, auto out) {
             kernels.embedding_forward(out[0], tokens, positions, wte.view(), wpe.view());
           }}};
}

/// All rows of the embedding, and a share of them that leaves out some on both sides.
template <class T>
Calls<T> embedding_backward(const Shape& s, PythonRandom& random) {
  Calls<T> calls;
  for (const Share rows : {Share{0, s.V}, Share{s.V / 3, s.V - s.V / 3 - s.V / 4}}) {
    calls.push_back({"embedding_backward",
                     {{fenced_sum<T>(random, rows.n, s.C), exact}},
                     [rows, indices = random_indices(random, s.N, s.V), dx = fenced_input<T>(random, s.N, s.C)](
                         const Kernels<T>& kernels, auto out) {
                       kernels.embedding_backward(out[0], rows.first, dx.view(), indices);
                     }});
  }
  return calls;
}

template <class T>
Calls<T> linear_forward(const Shape& s, PythonRandom& random) {
  const Fenced<T> x = fenced_input<T>(random, s.N, s.C);
  const Weight<T> w = random_weight<T>(random, s.V, s.C);
  const Fenced<T> before = fenced_input<T>(random, s.N, s.V);
  return {{"linear_forward",
           {{fenced_output<T>(s.N, s.V), sum_of_products(s.C)}},
           [x, w](const Kernels<T>& kernels, auto out) { kernels.linear_forward(out[0], x.view(), w, {}); }},
          {"linear_forward, added to what was before",
           {{fenced_output<T>(s.N, s.V), sum_of_products(s.C + 1)}},
           [x, w, before](const Kernels<T>& kernels, auto out) {
             kernels.linear_forward(out[0], x.view(), w, before.view());
           }}};
}

template <class T>
Calls<T> linear_backward_input(const Shape& s, PythonRandom& random) {
  const Fenced<T> dy = fenced_input<T>(random, s.N, s.V);
  const Weight<T> w = random_weight<T>(random, s.V, s.C);
  return {
      {"linear_backward_input",
       {{fenced_output<T>(s.N, s.C), sum_of_products(s.V)}},
       [dy, w](const Kernels<T>& kernels, auto out) { kernels.linear_backward_input(out[0], dy.view(), w, {}); }},
      {"linear_backward_input, in the place of what was before",
       {{fenced_sum<T>(random, s.N, s.C), sum_of_products(s.V + 1)}},
       [dy, w](const Kernels<T>& kernels, auto out) { kernels.linear_backward_input(out[0], dy.view(), w, out[0]); }}};
}

template <class T>
Calls<T> linear_backward_weight(const Shape& s, PythonRandom& random) {
  Calls<T> calls;
  for (const Share rows : {Share{0, s.V}, Share{s.V / 3, s.V - s.V / 3 - s.V / 4}}) {
    calls.push_back({"linear_backward_weight",
                     {{fenced_output<T>(rows.n, s.C), sum_of_products(s.N)}},
                     [rows, dy = fenced_input<T>(random, s.N, s.V), x = fenced_input<T>(random, s.N, s.C)](
                         const Kernels<T>& kernels, auto out) {
                       kernels.linear_backward_weight(out[0], rows.first, dy.view(), x.view());
                     }});
  }
  return calls;
}

/// The mean of squares, between 1/4 and 1, has C roundings and 3 more; its root is at most 2.
template <class T>
Calls<T> rmsnorm_forward(const Shape& s, PythonRandom& random) {
  const Tolerance tolerance{static_cast<double>(2 * s.C + 8), 2};
  return {{"rmsnorm_forward",
           {{fenced_output<T>(s.N, s.C), tolerance}, {fenced_output<T>(1, s.N), tolerance}},
           [x = away_from_zero<T>(random, s.N, s.C)](const Kernels<T>& kernels, auto out) {
             kernels.rmsnorm_forward(out[0], out[1].data, x.view());
           }}};
}

/// A scale is at most 2, so a mean of products of up to 1 counts up to 8 times; beside it are dx and dy * scale.
template <class T>
Calls<T> rmsnorm_backward(const Shape& s, PythonRandom& random) {
  const Fenced<T> x = away_from_zero<T>(random, s.N, s.C);
  Fenced<T> scale = fenced_input<T>(random, 1, s.N);
  Fenced<T> y = fenced_output<T>(s.N, s.C);
  naive<T>().rmsnorm_forward(y.view(), scale.view().data, x.view());
  const Fenced<T> dy = fenced_input<T>(random, s.N, s.C);
  const Tolerance tolerance{static_cast<double>(2 * s.C + 8), 1 + 2 + 8};
  return {{"rmsnorm_backward",
           {{fenced_output<T>(s.N, s.C), tolerance}},
           [x, scale, dy](const Kernels<T>& kernels, auto out) {
             kernels.rmsnorm_backward(out[0], dy.view(), x.view(), scale.view().data, {});
           }},
          {"rmsnorm_backward, in the place of what was before",
           {{fenced_sum<T>(random, s.N, s.C), tolerance}},
           [x, scale, dy](const Kernels<T>& kernels, auto out) {
             kernels.rmsnorm_backward(out[0], dy.view(), x.view(), scale.view().data, out[0]);
           }}};
}

template <class T>
Calls<T> add_forward(const Shape& s, PythonRandom& random) {
  return {{"add_forward",
           {{fenced_output<T>(s.N, s.C), exact}},
           [a = fenced_input<T>(random, s.N, s.C), b = fenced_input<T>(random, s.N, s.C)](
               const Kernels<T>& kernels, auto out) { kernels.add_forward(out[0], a.view(), b.view()); }}};
}

/// Numbers on both sides of 0, and 0 itself.
template <class T>
Fenced<T> with_zeros(PythonRandom& random, std::size_t rows, std::size_t cols) {
  Fenced<T> x = fenced_input<T>(random, rows, cols);
  for (std::size_t i = 0; i < rows; i++) x.view().row(i)[random.below(cols)] = 0;
  return x;
}

template <class T>
Calls<T> activation_forward(const Shape& s, PythonRandom& random) {
  Calls<T> calls;
  for (const auto& [activation, name, title] : all_activations) {
    calls.push_back(
        {"activation_forward",
         {{fenced_output<T>(s.N, s.C), exact}},
         [activation = activation, x = with_zeros<T>(random, s.N, s.C)](const Kernels<T>& kernels, auto out) {
           kernels.activation_forward(out[0], x.view(), activation);
         }});
  }
  return calls;
}

template <class T>
Calls<T> activation_backward(const Shape& s, PythonRandom& random) {
  Calls<T> calls;
  for (const auto& [activation, name, title] : all_activations) {
    const Fenced<T> x = with_zeros<T>(random, s.N, s.C);
    calls.push_back(
        {"activation_backward",
         {{fenced_output<T>(s.N, s.C), exact}},
         [activation = activation, x, dy = fenced_input<T>(random, s.N, s.C)](const Kernels<T>& kernels, auto out) {
           kernels.activation_backward(out[0], dy.view(), x.view(), activation);
         }});
    calls.push_back({"activation_backward, dx is dy",
                     {{fenced_sum<T>(random, s.N, s.C), exact}},
                     [activation = activation, x](const Kernels<T>& kernels, auto out) {
                       kernels.activation_backward(out[0], out[0], x.view(), activation);
                     }});
  }
  return calls;
}

/// Logits from -10 to 10: a log_sum and a loss are below 20 + log V. A sum of V positive numbers is rounded V times; so
/// the logarithm is off by V roundings of 1, by the 2 * 1.1 of exp, by the 2 * 5 of log, and by 5 of its own size:
/// logits, their largest and differences.
Tolerance of_cross_entropy(std::size_t V) {
  return {static_cast<double>(V + 20), 20 + std::log(static_cast<double>(V))};
}

template <class T>
Calls<T> cross_entropy_forward(const Shape& s, PythonRandom& random) {
  return {{"cross_entropy_forward",
           {{fenced_output<T>(1, s.N), of_cross_entropy(s.V)}, {fenced_output<T>(s.N, s.V), of_cross_entropy(s.V)}},
           [logits = fenced_input<T>(random, s.N, s.V, -10, 10), targets = random_indices(random, s.N, s.V)](
               const Kernels<T>& kernels, auto out) {
             kernels.cross_entropy_forward(out[0].data, out[1], logits.view(), targets);
           }}};
}

template <class T>
Calls<T> cross_entropy_backward(const Shape& s, PythonRandom& random) {
  const Fenced<T> logits = fenced_input<T>(random, s.N, s.V, -10, 10);
  const std::vector<std::size_t> targets = random_indices(random, s.N, s.V);
  Fenced<T> losses = fenced_output<T>(1, s.N);
  Fenced<T> probs = fenced_input<T>(random, s.N, s.V);
  naive<T>().cross_entropy_forward(losses.view().data, probs.view(), logits.view(), targets);
  return {{"cross_entropy_backward",
           {{fenced_output<T>(s.N, s.V), {3, 1}}},
           [targets, probs, dlosses = fenced_input<T>(random, 1, s.N)](const Kernels<T>& kernels, auto out) {
             kernels.cross_entropy_backward(out[0], dlosses.view().data, probs.view(), targets);
           }}};
}

/// m and v stay below 1. The step is at most 0.01 * (1 / 0.27) / sqrt(0.95 * 0.25 / 0.14) < 0.03, and a dozen roundings
/// of it are less than one of data, which then is rounded itself.
template <class T>
Calls<T> adam_update(const Shape& s, PythonRandom& random) {
  const AdamStep step{.learning_rate = 0.01,
                      .beta1 = 0.9,
                      .beta2 = 0.95,
                      .eps = 1e-8,
                      .m_correction = 1 - std::pow(0.9, 3),
                      .v_correction = 1 - std::pow(0.95, 3)};
  Fenced<T> v = fenced_sum<T>(random, 1, s.C);
  for (std::size_t i = 0; i < s.C; i++) v.view().data[i] = (std::abs(v.view().data[i]) + T{0.5}) / 2;
  return {{"adam_update",
           {{fenced_sum<T>(random, 1, s.C), {2, 1.03}}, {fenced_sum<T>(random, 1, s.C), {5, 1}}, {v, {5, 1}}},
           [step, grad = fenced_input<T>(random, 1, s.C)](const Kernels<T>& kernels, auto out) {
             kernels.adam_update(out[0].data, grad.view().data, out[1].data, out[2].data, out[0].cols, step);
           }}};
}

// --- Attention -------------------------------------------------------------------------------------------------------

struct AttentionSizes {
  std::size_t n, m;  // queries and keys
  std::size_t first_query = 0;
  AttentionShape heads;
  Dropout dropout = {};

  std::string text() const {
    return fmt::format("{} queries from {}, {} keys, {}/{} heads of {}/{}", n, first_query, m, heads.n_head,
                       heads.n_kv_head, heads.key_dim, heads.value_dim);
  }
};

AttentionShape heads(std::size_t n_head, std::size_t n_kv_head, std::size_t key_dim, std::size_t value_dim) {
  return {.n_head = n_head, .n_kv_head = n_kv_head, .key_dim = key_dim, .value_dim = value_dim};
}

const std::vector<AttentionShape> all_heads{heads(1, 1, 1, 1),  heads(2, 1, 3, 5),   heads(4, 2, 8, 8),
                                            heads(4, 4, 4, 4),  heads(3, 3, 16, 2),  heads(6, 2, 7, 9),
                                            heads(2, 2, 5, 17), heads(2, 1, 12, 13), heads(1, 1, 20, 31)};

/// Lengths around those of vectors and of blocks, as many keys as queries or not, and every kind of heads.
std::vector<AttentionSizes> attention_shapes() {
  std::vector<AttentionSizes> all;
  auto add = [&](std::size_t n, std::size_t m, std::size_t first_query) {
    all.push_back({n, m, first_query, all_heads[all.size() % all_heads.size()]});
  };
  for (const std::size_t n : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 63, 64, 65, 130}) {
    for (std::size_t i = 0; i < (n < 20 ? all_heads.size() : 2); i++) add(n, n, 0);
  }
  add(8, 8, 3);
  add(64, 64, 70);
  for (const std::size_t n : {1, 3, 9, 64, 65}) add(n, 130, 130 - n);  // the last queries of a document
  for (const std::size_t n : {1, 8, 17, 70}) {                         // another document's keys
    add(n, 7, 0);
    add(n, 71, 0);
  }
  const std::size_t without_dropout = all.size();
  for (std::size_t i = 0; i < without_dropout; i += 3) {
    all.push_back(all[i]);
    all.back().dropout = {0.25, i};
  }
  return all;
}

struct NamedMask {
  const char* name;
  Mask mask;
};

std::vector<NamedMask> masks(const AttentionSizes& s) {
  const std::size_t n_query = s.first_query + s.n;
  return {
      {"full", Mask::full()},
      {"causal", Mask::causal()},
      {"irregular, a third sees none",
       Mask::table(n_query, s.m, [](auto t, auto key) { return t % 3 != 2 && irregular(t, key); })},
      {"late keys only", Mask::table(n_query, s.m, [&](auto t, auto key) { return key >= s.m * 2 / 3 && t % 4 != 0; })},
      {"nothing", Mask::table(n_query, s.m, [](auto, auto) { return false; })}};
}

/// What attention takes, what its forward makes of it, and the gradients of that.
template <class T>
struct Attention {
  Attention(const AttentionSizes& s, const Mask& mask_, PythonRandom& random, double size = 1)
      : shape(s),
        mask(mask_),
        q(fenced_input<T>(random, s.n, s.heads.n_head * s.heads.key_dim, -size, size)),
        k(fenced_input<T>(random, s.m, s.heads.n_kv_head * s.heads.key_dim, -size, size)),
        v(fenced_input<T>(random, s.m, s.heads.n_kv_head * s.heads.value_dim)),
        dout(fenced_input<T>(random, s.n, s.heads.n_head * s.heads.value_dim)),
        out(fenced_output<T>(s.n, s.heads.n_head * s.heads.value_dim)),
        log_sum(fenced_output<T>(s.heads.n_head, s.n)),
        dq(fenced_output<T>(s.n, s.heads.n_head * s.heads.key_dim)),
        dk(fenced_output<T>(s.m, s.heads.n_kv_head * s.heads.key_dim)),
        dv(fenced_output<T>(s.m, s.heads.n_kv_head * s.heads.value_dim)) {}

  void forward(const Kernels<T>& kernels) { forward(kernels, out.view(), log_sum.view()); }
  void backward(const Kernels<T>& kernels) { backward(kernels, {dq.view(), dk.view(), dv.view()}); }

  void forward(const Kernels<T>& kernels, View<T> to_out, View<T> to_log_sum) const {
    kernels.attention_forward(to_out, to_log_sum, call());
  }
  void backward(const Kernels<T>& kernels, const AttentionGradients<T>& to) const {
    kernels.attention_backward(to, dout.view(), out.view(), log_sum.view(), call());
  }
  AttentionCall<T> call() const {
    return AttentionCall<T>::of(shape.heads, q.view(), k.view(), v.view(), mask, shape.first_query, shape.dropout);
  }

  AttentionSizes shape;
  Mask mask;
  Fenced<T> q, k, v, dout, out, log_sum, dq, dk, dv;
};

/// The largest sum of weights with which all queries and heads together look at a key: with gradients of 1 it is dv.
template <class T>
double most_seen(Attention<T> attention) {
  const View<T> dout = attention.dout.view();
  for (std::size_t t = 0; t < dout.rows; t++) std::fill_n(dout.row(t), dout.cols, T{1});
  attention.forward(naive<T>());
  attention.backward(naive<T>());
  const View<T> dv = attention.dv.view();
  return largest_difference(dv, Fenced<T>(dv.rows, dv.cols, T{0}, T{0}).view());
}

/// All inputs are at most 1. By letters, as in kernels.h:
/// - a score is at most sqrt(K), a sum of K products, so it is off by 2 (K + 1) roundings of that; and so is a log_sum,
///   with m more for its sum, 5 + 10 for exp and log, and one of its own size. exp of their difference is a weight, off
///   by as much in proportion to itself.
/// - out is a mean of v, at most 1: m products and m sums, which may be rescaled twice for each block of 64 keys.
/// - dv is at most `seen`, in as many products and sums as there are queries that look at a key: n times H / G.
/// - dweights is at most D, a sum of D products. So dscores is at most 2 D * scale * weight, and has the roundings of a
///   weight twice (once in the mean), of dweights, and of a mean over m keys.
/// - with dropout weights grow by the same `factor` on their way to out, dv and dweights.
/// - dq sums that over m keys whose weights are 1 together; dk over n queries and H / G heads, whose weights are
/// `seen`.
struct AttentionTolerances {
  AttentionTolerances(const AttentionSizes& s, double seen) {
    const auto n = static_cast<double>(s.n * s.heads.n_head / s.heads.n_kv_head);
    const auto m = static_cast<double>(s.m);
    const auto K = static_cast<double>(s.heads.key_dim);
    const auto D = static_cast<double>(s.heads.value_dim);
    const double factor = 1 / (1 - s.dropout.rate);
    const double weight = 2 * 2 * (K + 1) * std::sqrt(K) + m + 15 + std::sqrt(K) + std::log(m);
    const double dscore = 2 * weight + 2 * D + 2 * m + 3;
    log_sum = {weight, 1};
    out = {weight + 3 * m, factor};
    dv = {weight + 2 * n, seen};
    dq = {dscore + 2 * m, 2 * D * factor * s.heads.scale()};
    dk = {dscore + 2 * n, 2 * D * factor * s.heads.scale() * seen};
  }
  Tolerance out, log_sum, dq, dk, dv;
};

template <class T>
Call<T> attention_forward(const Attention<T>& a) {
  const AttentionTolerances tolerances(a.shape, 1);
  return {"attention_forward",
          {{a.out, tolerances.out}, {a.log_sum, tolerances.log_sum}},
          [a](const Kernels<T>& kernels, auto to) { a.forward(kernels, to[0], to[1]); }};
}

template <class T>
Call<T> attention_backward(const Attention<T>& attention) {
  const AttentionTolerances tolerances(attention.shape, most_seen(attention));
  Attention<T> a = attention;
  a.forward(naive<T>());
  return {"attention_backward",
          {{a.dq, tolerances.dq}, {a.dk, tolerances.dk}, {a.dv, tolerances.dv}},
          [a](const Kernels<T>& kernels, auto to) {
            a.backward(kernels, {to[0], to[1], to[2]});
          }};
}

// --- Fast is naive ---------------------------------------------------------------------------------------------------

template <class T>
constexpr std::array per_position{embedding_forward<T>,
                                  embedding_backward<T>,
                                  linear_forward<T>,
                                  linear_backward_input<T>,
                                  linear_backward_weight<T>,
                                  rmsnorm_forward<T>,
                                  rmsnorm_backward<T>,
                                  add_forward<T>,
                                  activation_forward<T>,
                                  activation_backward<T>,
                                  cross_entropy_forward<T>,
                                  cross_entropy_backward<T>,
                                  adam_update<T>};
template <class T>
constexpr std::array of_documents{attention_forward<T>, attention_backward<T>};

// A kernel that is not in these tables makes Kernels larger than they are. (One more is its name.)
static_assert(sizeof(Kernels<float>) == (per_position<float>.size() + of_documents<float>.size() + 1) * sizeof(void*));

TEST_CASE_TEMPLATE("every fast kernel is the naive one, in every shape, and writes what it should and no more", T,
                   float, double) {
  PythonRandom random(1);
  for (const Shape& shape : shapes) {
    for (const auto& calls : per_position<T>) {
      for (const Call<T>& call : calls(shape, random)) {
        INFO("N " << shape.N << ", C " << shape.C << ", V " << shape.V);
        check_fast_is_naive(call);
      }
    }
  }
}

TEST_CASE_TEMPLATE("fast attention is the naive one, for every length, mask and kind of heads", T, float, double) {
  PythonRandom random(2);
  for (const AttentionSizes& shape : attention_shapes()) {
    for (const NamedMask& named : masks(shape)) {
      const Attention<T> attention(shape, named.mask, random);
      for (const auto& call : of_documents<T>) {
        INFO(shape.text() << ", " << named.name);
        check_fast_is_naive(call(attention));
      }
    }
  }
}

// --- What else they promise ------------------------------------------------------------------------------------------

template <class T>
bool all_zero(View<const T> x) {
  for (std::size_t i = 0; i < x.rows; i++) {
    if (std::any_of(x.row(i), x.row(i) + x.cols, [](T number) { return number != 0; })) return false;
  }
  return true;
}

TEST_CASE_TEMPLATE("a query that sees no key gets zeros and has no gradient, nor has a key that nobody sees", T, float,
                   double) {
  PythonRandom random(3);
  for (const Kernels<T>* kernels : {&naive<T>(), &fast<T>()}) {
    for (const std::size_t n : {2, 8, 17, 70, 130}) {
      const AttentionSizes shape{n, n, 0, heads(2, 1, 3, 5)};
      auto blind = [](std::size_t t) { return t % 5 == 1; };
      auto unseen = [](std::size_t s) { return s % 7 == 1 || s < 66; };
      for (const bool keys_too : {false, true}) {
        const Mask mask = Mask::table(n, n, [&](auto t, auto s) { return !blind(t) && !(keys_too && unseen(s)); });
        Attention<T> a(shape, mask, random);
        a.forward(*kernels);
        a.backward(*kernels);
        INFO(std::string(kernels->name) << ", " << n << " positions");
        for (std::size_t t = 0; t < n; t++) {
          const bool sees = !blind(t) && (!keys_too || n > 66);
          CHECK(all_zero<T>(a.out.view().slice_rows(t, 1)) == !sees);
          CHECK(all_zero<T>(a.dq.view().slice_rows(t, 1)) == !sees);
          for (std::size_t h = 0; h < 2; h++)
            CHECK((a.log_sum.view().row(h)[t] == -std::numeric_limits<T>::infinity()) == !sees);
          if (keys_too && unseen(t)) {
            CHECK(all_zero<T>(a.dk.view().slice_rows(t, 1)));
            CHECK(all_zero<T>(a.dv.view().slice_rows(t, 1)));
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("a query's weights sum to one, however large its scores are", T, float, double) {
  PythonRandom random(4);
  for (const Kernels<T>* kernels : {&naive<T>(), &fast<T>()}) {
    for (const std::size_t n : {5, 16, 130}) {
      for (const double size : {1e-3, 1e2, 1e4}) {
        Attention<T> a({n, n, 0, heads(2, 2, 4, 3)}, Mask::causal(), random, size);
        const View<T> v = a.v.view();
        for (std::size_t s = 0; s < n; s++) std::fill_n(v.row(s), v.cols, T{1});
        a.forward(*kernels);
        a.backward(*kernels);
        const Fenced<T> ones(n, v.cols, T{1}, T{1});
        INFO(std::string(kernels->name) << ", " << n << " positions, size " << size);
        // Numerator and denominator are the same weights, in two sums of n terms each.
        CHECK(largest_difference(a.out.view(), ones.view()) <=
              static_cast<double>(n + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()));
        for (const Fenced<T>* gradient : {&a.dq, &a.dk, &a.dv}) {
          CHECK(largest_difference(gradient->view(), gradient->view()) == 0);  // no NaN
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("a document with NaN in it leaves none for the next one", T, float, double) {
  PythonRandom random(5);
  for (const std::size_t n : {lanes<T>, std::size_t{130}}) {
    for (std::size_t next = 1; next < n; next += 1 + n / 8) {
      Attention<T> bad({n, n, 0, heads(1, 1, 3, 3)}, Mask::causal(), random);
      for (Fenced<T>* x : {&bad.q, &bad.k, &bad.v}) {
        for (std::size_t t = 0; t < n; t++) std::fill_n(x->view().row(t), 3, std::numeric_limits<T>::quiet_NaN());
      }
      bad.forward(fast<T>());
      bad.backward(fast<T>());
      CHECK(std::isnan(bad.out.view().row(n - 1)[0]));
      const Attention<T> good({next, next, 0, heads(1, 1, 3, 3)}, Mask::causal(), random);
      INFO(next << " positions after " << n);
      for (const auto& call : of_documents<T>) check_fast_is_naive(call(good));
    }
  }
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

// Both in double, and both as the reference writes it, but for fused multiply-adds: a few roundings of numbers up to 1.
TEST_CASE("steps of adam_update are those of Adam") {
  PythonRandom random(6);
  const TrainConfig train{.num_steps = 1000};
  for (const Kernels<double>* kernels : {&naive<double>(), &fast<double>()}) {
    Parameters parameters({{"w", 1, 37}});
    draw_weights(parameters, 0.3, random);
    Adam adam(train, parameters.size());
    std::vector<double> data(parameters.data().begin(), parameters.data().end());
    std::vector<double> m(37);
    std::vector<double> v(37);
    for (std::size_t step = 0; step < 50; step++) {
      const std::vector<double> grad = uniform(random, 37, -1, 1);
      std::copy(grad.begin(), grad.end(), parameters.grad().begin());
      adam.update(parameters, learning_rate(train, step), step);
      const auto count = static_cast<double>(step + 1);
      kernels->adam_update(data.data(), grad.data(), m.data(), v.data(), 37,
                           {.learning_rate = learning_rate(train, step),
                            .beta1 = train.beta1,
                            .beta2 = train.beta2,
                            .eps = train.eps_adam,
                            .m_correction = 1 - std::pow(train.beta1, count),
                            .v_correction = 1 - std::pow(train.beta2, count)});
      for (std::size_t i = 0; i < 37; i++) CHECK(std::abs(data[i] - parameters.data()[i]) < 1e-13);
    }
  }
}

}  // namespace
}  // namespace microgpt
