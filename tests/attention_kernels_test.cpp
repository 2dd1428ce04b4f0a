// Attention: on vectors it computes what it does in plain loops, and what else both promise. (That the plain loops are
// right: attention_oracle_test.cpp.)
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/attention_shape.h"
#include "fast_is_naive.h"
#include "masks.h"
#include "tensor/kernels.h"

namespace microgpt {
namespace {

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
  for (const std::size_t D : {1, 2, 4, 8, 16, 32}) {  // the last query alone
    for (const std::size_t m : {5, 64, 65}) {
      for (const std::size_t n_kv_head : {6, 2, 1}) all.push_back({1, m, m - 1, heads(6, n_kv_head, D, D)});
    }
  }
  const std::size_t without_dropout = all.size();
  for (std::size_t i = 0; i < without_dropout; i += 3) {
    all.push_back(all[i]);
    all.back().dropout = {0.25, i};
  }
  return all;
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

  AttentionCall<T> call() const {
    auto call = AttentionCall<T>::of(shape.heads, q.view(), k.view(), v.view(), mask, shape.first_query);
    call.dropout = shape.dropout;
    return call;
  }
  void forward(const Kernels<T>& kernels) { kernels.attention_forward(out.view(), log_sum.view(), call()); }
  void backward(const Kernels<T>& kernels) { backward(kernels, {dq.view(), dk.view(), dv.view()}); }
  void backward(const Kernels<T>& kernels, const AttentionGradients<T>& to) const {
    kernels.attention_backward(to, dout.view(), out.view(), log_sum.view(), call());
  }

  AttentionSizes shape;
  Mask mask;
  Fenced<T> q, k, v, dout, out, log_sum, dq, dk, dv;
};

/// All numbers of x become the same one.
template <class T>
void fill(Fenced<T>& x, T number) {
  x = Fenced<T>(x.view().rows, x.view().cols, number, number);
}

/// All inputs are at most 1. A score is a sum of K products of at most sqrt(K) in all; a weight is exp of a score minus
/// a log_sum over m keys; out is a mean of v by weights; dv sums what n queries hand back, at most `seen`; a score's
/// gradient is at most 2 D * scale * weight. With dropout weights grow by `factor` on their way.
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
void check_fast_attention_is_naive(const AttentionSizes& sizes, const Mask& mask, PythonRandom& random) {
  Attention<T> a(sizes, mask, random);
  Attention<T> ones = a;  // with gradients of 1, dv is how much all queries and heads together look at each key
  fill(ones.dout, T{1});
  ones.forward(naive<T>());
  ones.backward(naive<T>());
  Fenced<T> zeros = ones.dv;
  fill(zeros, T{0});
  const AttentionTolerances tolerances(sizes, largest_difference(ones.dv.view(), zeros.view()));
  INFO(sizes.text());
  check_fast_is_naive<T>({{a.out, tolerances.out}, {a.log_sum, tolerances.log_sum}},
                         [&](auto& kernels, auto& to) { kernels.attention_forward(to[0], to[1], a.call()); });
  a.forward(naive<T>());  // the backward takes its out and log_sum
  check_fast_is_naive<T>({{a.dq, tolerances.dq}, {a.dk, tolerances.dk}, {a.dv, tolerances.dv}},
                         [&](auto& kernels, auto& to) {
                           a.backward(kernels, {to[0], to[1], to[2]});
                         });
}

// --- Fast is naive ---------------------------------------------------------------------------------------------------

std::vector<std::pair<std::string, Mask>> masks(const AttentionSizes& s) {
  const std::size_t n_query = s.first_query + s.n;
  return {
      {"full", Mask::full()},
      {"causal", Mask::causal()},
      {"irregular, a third sees none",
       Mask::table(n_query, s.m, [](auto t, auto key) { return t % 3 != 2 && irregular(t, key); })},
      {"late keys only", Mask::table(n_query, s.m, [&](auto t, auto key) { return key >= s.m * 2 / 3 && t % 4 != 0; })},
      {"nothing", Mask::table(n_query, s.m, [](auto, auto) { return false; })}};
}

TEST_CASE_TEMPLATE("fast attention is the naive one, for every length, mask and kind of heads", T, float, double) {
  PythonRandom random(2);
  for (const AttentionSizes& sizes : attention_sizes()) {
    for (const auto& named : masks(sizes)) {
      INFO(named.first);
      check_fast_attention_is_naive<T>(sizes, named.second, random);
    }
  }
}

// In double one pair too many or too few is far beyond the tolerance; in float it may hide.
TEST_CASE_TEMPLATE("fast attention is the naive one under every pattern", T, float, double) {
  PythonRandom random(3);
  auto check = [&](const std::string& spec, const AttentionSizes& sizes) {
    INFO(spec);
    check_fast_attention_is_naive<T>(sizes, mask_of(spec, sizes.first_query + sizes.n), random);
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

TEST_CASE_TEMPLATE("a query's weights sum to one, however large its scores are", T, float, double) {
  PythonRandom random(4);
  for (const Kernels<T>* kernels : {&naive<T>(), &fast<T>()}) {
    for (const std::size_t n : {5, 16, 130}) {
      for (const double size : {1e-3, 1e2, 1e4}) {
        Attention<T> a({n, n, 0, heads(2, 2, 4, 3)}, Mask::causal(), random, size);
        fill(a.v, T{1});
        a.forward(*kernels);
        a.backward(*kernels);
        INFO(std::string(kernels->name) << ", " << n << " positions, size " << size);
        // Numerator and denominator are the same weights, in two sums of n terms each.
        CHECK(largest_difference(a.out.view(), a.v.view()) <=
              static_cast<double>(n + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()));
        for (const Fenced<T>* gradient : {&a.dq, &a.dk, &a.dv}) {
          CHECK(largest_difference(gradient->view(), gradient->view()) == 0);  // no NaN
        }
      }
    }
  }
}

}  // namespace
}  // namespace microgpt
