// Every kernel on vectors against the same kernel in plain loops. (That the plain loops are right: layers_test.cpp.)
#include "tensor/kernels.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "fenced.h"
#include "masks.h"
#include "tensor/weight.h"

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

// --- The kernels that take each position by itself -------------------------------------------------------------------

struct Shape {
  std::size_t N, C, V;
};

const std::vector<Shape> shapes{{1, 1, 2},    {2, 3, 5},    {3, 7, 1},    {5, 8, 27},   {7, 15, 16},
                                {16, 16, 17}, {9, 17, 15},  {17, 31, 33}, {33, 33, 65}, {4, 64, 31},
                                {65, 100, 7}, {2, 128, 64}, {31, 48, 100}};

/// x with f applied to every number.
template <class T, class F>
Fenced<T> mapped(Fenced<T> x, F f) {
  for (std::size_t i = 0; i < x.view().rows; i++) {
    std::transform(x.view().row(i), x.view().row(i) + x.view().cols, x.view().row(i), f);
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

/// What the kernels take.
template <class T>
struct Inputs {
  Inputs(const Shape& s, PythonRandom& random_) : shape(s), random(random_) {
    naive<T>().rmsnorm_forward(fenced_output<T>(s.N, s.C).view(), scale.view().data, far.view());
    naive<T>().cross_entropy_forward(fenced_output<T>(1, s.N).view().data, probs.view(), logits.view(), tokens);
    for (std::size_t i = 0; i < s.N; i++) zeros.view().row(i)[random.below(s.C)] = 0;
  }

  Fenced<T> draw(std::size_t rows, std::size_t cols) { return fenced_input<T>(random, rows, cols); }
  T away_from_zero(T x) { return (x + (random.below(2) == 0 ? 3 : -3)) / 4; }

  Shape shape;
  PythonRandom& random;
  std::vector<std::size_t> tokens = random_indices(random, shape.N, shape.V);
  std::vector<std::size_t> positions = random_indices(random, shape.N, shape.N);
  Weight<T> w = random_weight<T>(random, shape.V, shape.C);
  Fenced<T> wte = draw(shape.V, shape.C);
  Fenced<T> wpe = draw(shape.N, shape.C);
  Fenced<T> a = draw(shape.N, shape.C);
  Fenced<T> b = draw(shape.N, shape.C);
  Fenced<T> zeros = draw(shape.N, shape.C);  // on both sides of 0, and 0 itself
  /// Sizes between 1/2 and 1: far from where rmsnorm has its pole.
  Fenced<T> far = mapped(draw(shape.N, shape.C), [this](T x) { return away_from_zero(x); });
  Fenced<T> scale = draw(1, shape.N);  // of rmsnorm
  Fenced<T> dlogits = draw(shape.N, shape.V);
  Fenced<T> logits = fenced_input<T>(random, shape.N, shape.V, -10, 10);
  Fenced<T> probs = draw(shape.N, shape.V);
  Fenced<T> dlosses = draw(1, shape.N);
  Fenced<T> v = mapped(draw(1, shape.C), [](T x) { return (std::abs(x) + T{0.5}) / 2; });  // of Adam
};

/// A single operation a number, or the same sums in the same order: not a bit may differ.
constexpr Tolerance exact{0, 0};

/// A sum of n products of numbers up to 1: n products and n sums, of up to n.
Tolerance sum_of_products(std::size_t n) { return {2 * static_cast<double>(n), static_cast<double>(n)}; }

/// Calls of all kernels: what their outputs are to begin with, how far they may be off, and the call itself.
template <class T>
std::vector<Call<T>> calls(Inputs<T>& in) {
  const auto [N, C, V] = in.shape;
  auto output = [](std::size_t rows, std::size_t cols, const Tolerance& tolerance) {
    return Output<T>{fenced_output<T>(rows, cols), tolerance};
  };
  auto sum = [&](std::size_t rows, std::size_t cols, const Tolerance& tolerance) {  // to be added to, or replaced
    return Output<T>{fenced_sum<T>(in.random, rows, cols), tolerance};
  };
  // The mean of squares, between 1/4 and 1, has C roundings and 3 more; its root is at most 2. A scale is at most 2, so
  // a mean of products of up to 1 counts up to 8 times; beside it are dx and dy * scale.
  const auto roundings = static_cast<double>(2 * C + 8);
  const Tolerance rmsnorm{roundings, 2};
  const Tolerance rmsnorm_slope{roundings, 1 + 2 + 8};
  // Logits from -10 to 10: a log_sum and a loss are below 20 + log V. A sum of V positive numbers is rounded V times;
  // so the logarithm is off by V roundings of 1, by the 2 * 1.1 of exp, by the 2 * 5 of log, and by 5 of its own size:
  // logits, their largest and differences.
  const Tolerance cross_entropy{static_cast<double>(V + 20), 20 + std::log(static_cast<double>(V))};
  // m and v stay below 1. The step is at most 0.01 * (1 / 0.27) / sqrt(0.95 * 0.25 / 0.14) < 0.03, and a dozen
  // roundings of it are less than one of data, which then is rounded itself.
  const AdamStep step{.learning_rate = 0.01,
                      .beta1 = 0.9,
                      .beta2 = 0.95,
                      .eps = 1e-8,
                      .m_correction = 1 - std::pow(0.9, 3),
                      .v_correction = 1 - std::pow(0.95, 3)};
  std::vector<Call<T>> all{
      {"embedding_forward",
       {output(N, C, exact)},
       [&](auto& kernels, auto to) {
         kernels.embedding_forward(to[0], in.tokens, in.positions, in.wte.view(), in.wpe.view());
       }},
      {"linear_forward",
       {output(N, V, sum_of_products(C))},
       [&](auto& kernels, auto to) { kernels.linear_forward(to[0], in.a.view(), in.w, {}); }},
      {"linear_forward, added to what was before",
       {output(N, V, sum_of_products(C + 1))},
       [&](auto& kernels, auto to) { kernels.linear_forward(to[0], in.a.view(), in.w, in.dlogits.view()); }},
      {"linear_backward_input",
       {output(N, C, sum_of_products(V))},
       [&](auto& kernels, auto to) { kernels.linear_backward_input(to[0], in.dlogits.view(), in.w, {}); }},
      {"linear_backward_input, in the place of what was before",
       {sum(N, C, sum_of_products(V + 1))},
       [&](auto& kernels, auto to) { kernels.linear_backward_input(to[0], in.dlogits.view(), in.w, to[0]); }},
      {"rmsnorm_forward",
       {output(N, C, rmsnorm), output(1, N, rmsnorm)},
       [&](auto& kernels, auto to) { kernels.rmsnorm_forward(to[0], to[1].data, in.far.view()); }},
      {"rmsnorm_backward",
       {output(N, C, rmsnorm_slope)},
       [&](auto& kernels, auto to) {
         kernels.rmsnorm_backward(to[0], in.a.view(), in.far.view(), in.scale.view().data, {});
       }},
      {"rmsnorm_backward, in the place of what was before",
       {sum(N, C, rmsnorm_slope)},
       [&](auto& kernels, auto to) {
         kernels.rmsnorm_backward(to[0], in.a.view(), in.far.view(), in.scale.view().data, to[0]);
       }},
      {"add_forward",
       {output(N, C, exact)},
       [&](auto& kernels, auto to) { kernels.add_forward(to[0], in.a.view(), in.b.view()); }},
      {"cross_entropy_forward",
       {output(1, N, cross_entropy), output(N, V, cross_entropy)},
       [&](auto& kernels, auto to) { kernels.cross_entropy_forward(to[0].data, to[1], in.logits.view(), in.tokens); }},
      {"cross_entropy_backward",
       {output(N, V, {3, 1})},
       [&](auto& kernels, auto to) {
         kernels.cross_entropy_backward(to[0], in.dlosses.view().data, in.probs.view(), in.tokens);
       }},
      {"adam_update", {sum(1, C, {2, 1.03}), sum(1, C, {5, 1}), {in.v, {5, 1}}}, [&, step](auto& kernels, auto to) {
         kernels.adam_update(to[0].data, in.a.view().data, to[1].data, to[2].data, to[0].cols, step);
       }}};
  for (const Share rows :
       {Share{0, V}, Share{V / 3, V - V / 3 - V / 4}}) {  // a share that leaves out some on both sides
    all.push_back({"embedding_backward", {sum(rows.n, C, exact)}, [&, rows](auto& kernels, auto to) {
                     kernels.embedding_backward(to[0], rows.first, in.a.view(), in.tokens);
                   }});
    all.push_back(
        {"linear_backward_weight", {output(rows.n, C, sum_of_products(N))}, [&, rows](auto& kernels, auto to) {
           kernels.linear_backward_weight(to[0], rows.first, in.dlogits.view(), in.a.view());
         }});
  }
  for (const Activation activation : {Activation::relu, Activation::squared_relu}) {
    all.push_back({"activation_forward", {output(N, C, exact)}, [&, activation](auto& kernels, auto to) {
                     kernels.activation_forward(to[0], in.zeros.view(), activation);
                   }});
    all.push_back({"activation_backward", {output(N, C, exact)}, [&, activation](auto& kernels, auto to) {
                     kernels.activation_backward(to[0], in.a.view(), in.zeros.view(), activation);
                   }});
    all.push_back({"activation_backward, dx is dy", {sum(N, C, exact)}, [&, activation](auto& kernels, auto to) {
                     kernels.activation_backward(to[0], to[0], in.zeros.view(), activation);
                   }});
  }
  return all;
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
std::vector<AttentionSizes> attention_sizes() {
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
  std::string name;
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

/// Both calls. Gives `a` the out and log_sum of the naive forward, which the backward takes.
template <class T>
std::vector<Call<T>> attention_calls(Attention<T>& a) {
  const AttentionTolerances tolerances(a.shape, most_seen(a));
  const Call<T> forward{"attention_forward",
                        {{a.out, tolerances.out}, {a.log_sum, tolerances.log_sum}},
                        [&](auto& kernels, auto to) { a.forward(kernels, to[0], to[1]); }};
  const Call<T> backward{"attention_backward",
                         {{a.dq, tolerances.dq}, {a.dk, tolerances.dk}, {a.dv, tolerances.dv}},
                         [&](auto& kernels, auto to) {
                           a.backward(kernels, {to[0], to[1], to[2]});
                         }};
  a.forward(naive<T>());
  return {forward, backward};
}

template <class T>
void check_fast_attention_is_naive(const AttentionSizes& sizes, const NamedMask& named, PythonRandom& random) {
  Attention<T> attention(sizes, named.mask, random);
  INFO(sizes.text() << ", " << named.name);
  for (const Call<T>& call : attention_calls(attention)) check_fast_is_naive(call);
}

// --- Fast is naive ---------------------------------------------------------------------------------------------------

TEST_CASE_TEMPLATE("every fast kernel is the naive one, in every shape, and writes what it should and no more", T,
                   float, double) {
  PythonRandom random(1);
  std::set<std::string> names{"attention_forward", "attention_backward"};
  for (const Shape& shape : shapes) {
    Inputs<T> inputs(shape, random);
    for (const Call<T>& call : calls(inputs)) {
      INFO("N " << shape.N << ", C " << shape.C << ", V " << shape.V);
      check_fast_is_naive(call);
      names.insert(call.name.substr(0, call.name.find(',')));
    }
  }
  // A kernel that is not called makes Kernels larger than they are. (One more is its name.)
  CHECK(sizeof(Kernels<T>) == (names.size() + 1) * sizeof(void*));
}

TEST_CASE_TEMPLATE("fast attention is the naive one, for every length, mask and kind of heads", T, float, double) {
  PythonRandom random(2);
  for (const AttentionSizes& sizes : attention_sizes()) {
    for (const NamedMask& named : masks(sizes)) check_fast_attention_is_naive<T>(sizes, named, random);
  }
}

// In double one pair too many or too few is far beyond the tolerance; in float it may hide.
TEST_CASE_TEMPLATE("fast attention is the naive one under every pattern", T, float, double) {
  PythonRandom random(3);
  auto check = [&](const std::string& spec, const AttentionSizes& sizes) {
    check_fast_attention_is_naive<T>(sizes, {spec, mask_of(spec, sizes.first_query + sizes.n)}, random);
  };
  for (const std::string& spec : all_specs()) {
    for (const auto& [n, m, first_query] : {std::array<std::size_t, 3>{7, 7, 0},
                                            {150, 150, 0},
                                            {70, 150, 80},  // the last queries of a document
                                            {1, 150, 149},
                                            {33, 40, 17},     // queries beyond the last key
                                            {20, 150, 5}}) {  // keys beyond the last query
      check(spec, {n, m, first_query, heads(2, 1, 3, 5)});
    }
  }
  for (const std::size_t n : {1, 2, 15, 16, 17, 31, 33, 47, 49, 63, 64, 65, 127, 128, 129, 200}) {
    for (const char* spec : {"full", "local:16", "local:33", "strided:3:9", "strided:3:3", "global:5:20", "random:3",
                             "random:40", "bigbird:20:3:4", "block:24", "block:64"}) {
      check(spec, {n, n, 0, heads(2, 2, 4, 17)});
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

TEST_CASE_TEMPLATE("the last queries of a document get what they get in the whole of it", T, float, double) {
  PythonRandom random(6);
  constexpr std::size_t n = 70;
  for (const std::size_t first : {1, 3, 69}) {
    Attention<T> whole({n, n, 0, heads(4, 2, 3, 5)}, Mask::causal(), random);
    set_zero(whole.dout.view().slice_rows(0, first));
    Attention<T> last({n - first, n, first, heads(4, 2, 3, 5)}, Mask::causal(), random);
    copy(last.q.view(), whole.q.view().slice_rows(first, n - first));
    copy(last.k.view(), whole.k.view());
    copy(last.v.view(), whole.v.view());
    copy(last.dout.view(), whole.dout.view().slice_rows(first, n - first));
    for (Attention<T>* a : {&whole, &last}) {
      a->forward(naive<T>());
      a->backward(naive<T>());
    }
    CHECK(largest_difference(last.out.view(), whole.out.view().slice_rows(first, n - first)) == 0);
    CHECK(largest_difference(last.log_sum.view(), whole.log_sum.view().slice_cols(first, n - first)) == 0);
    CHECK(largest_difference(last.dq.view(), whole.dq.view().slice_rows(first, n - first)) == 0);
    CHECK(largest_difference(last.dk.view(), whole.dk.view()) == 0);
    CHECK(largest_difference(last.dv.view(), whole.dv.view()) == 0);
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
      INFO("after " << n << " positions");
      check_fast_attention_is_naive<T>({next, next, 0, heads(1, 1, 3, 3)}, {"causal", Mask::causal()}, random);
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

}  // namespace
}  // namespace microgpt
