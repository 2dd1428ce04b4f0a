// Patterns of sparse attention: what a spec means, that a Mask is what the definition says, and that the fast kernels,
// which leave out what no query sees, compute what the naive ones do, which ask for every pair.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/attention_shape.h"
#include "base/error.h"
#include "base/mask_pattern.h"
#include "random_numbers.h"
#include "tensor/attention_weights.h"
#include "tensor/kernels.h"
#include "tensor/mask.h"
#include "tensor/tensor.h"
#include "train/safetensors.h"

namespace microgpt {
namespace {

Mask mask_of(const std::string& spec, std::size_t length) { return Mask::of(parse_mask_pattern(spec), length); }

// --- Specs -----------------------------------------------------------------------------------------------------------

std::string refusal(const std::string& spec) {
  try {
    parse_mask_pattern(spec);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a spec names a pattern and its numbers, in this order") {
  CHECK((parse_mask_pattern("full") == MaskPattern{}));
  CHECK((parse_mask_pattern("local:5") == MaskPattern{.window = 5}));
  CHECK((parse_mask_pattern("strided:5:3") == MaskPattern{.window = 5, .stride = 3}));
  CHECK((parse_mask_pattern("global:5:3") == MaskPattern{.window = 5, .n_global = 3}));
  CHECK((parse_mask_pattern("random:5") == MaskPattern{.window = 1, .n_random = 5}));
  CHECK((parse_mask_pattern("bigbird:5:3:2") == MaskPattern{.window = 5, .n_global = 3, .n_random = 2}));
  CHECK((parse_mask_pattern("block:5") == MaskPattern{.block = 5, .n_global = 5}));
}

TEST_CASE("a pattern is written as it was read, and in fewer words where some say nothing") {
  for (const std::string spec :
       {"full", "local:5", "strided:5:3", "global:5:3", "random:5", "bigbird:5:3:2", "block:5"}) {
    CHECK(mask_spec(parse_mask_pattern(spec)) == spec);
  }
  CHECK(mask_spec(parse_mask_pattern("global:5:0")) == "local:5");
  CHECK(mask_spec(parse_mask_pattern("bigbird:5:3:0")) == "global:5:3");
  CHECK(mask_spec(parse_mask_pattern("bigbird:1:0:3")) == "random:3");
  CHECK(mask_spec(parse_mask_pattern("random:0")) == "local:1");
}

TEST_CASE("what is no pattern is refused, with what would be one") {
  const std::string all = "there are full, local:W, strided:W:S, global:W:G, random:R, bigbird:W:G:R and block:S";
  CHECK(refusal("") == "mask '': there is no ''; " + all);
  CHECK(refusal("window:4") == "mask 'window:4': there is no 'window'; " + all);
  CHECK(refusal("Local:4") == "mask 'Local:4': there is no 'Local'; " + all);
  CHECK(refusal("full:4") == "mask 'full:4': full takes 0 numbers, not 1; write full");
  CHECK(refusal("local") == "mask 'local': local takes 1 number, not 0; write local:W");
  CHECK(refusal("local:1:2") == "mask 'local:1:2': local takes 1 number, not 2; write local:W");
  CHECK(refusal("bigbird:1:2") == "mask 'bigbird:1:2': bigbird takes 3 numbers, not 2; write bigbird:W:G:R");
  const std::string must = "it must be a whole number, at most 1000000000";
  CHECK(refusal("local:") == "mask 'local:': W is ''; " + must);
  CHECK(refusal("local:-1") == "mask 'local:-1': W is '-1'; " + must);
  CHECK(refusal("local:1000000001") == "mask 'local:1000000001': W is '1000000001'; " + must);
  CHECK(refusal("global:4:1.5") == "mask 'global:4:1.5': G is '1.5'; " + must);
  CHECK(refusal("bigbird:4:2:99999999999999999999") ==
        "mask 'bigbird:4:2:99999999999999999999': R is '99999999999999999999'; " + must);
}

TEST_CASE("a pattern in which a token would not see itself, or whose stride goes nowhere, is refused") {
  const std::string window = "a window of 0 hides everything, even the token itself; use 1 or more";
  CHECK(refusal("local:0") == "mask 'local:0': " + window);
  CHECK(refusal("strided:0:4") == "mask 'strided:0:4': " + window);
  CHECK(refusal("global:0:4") == "mask 'global:0:4': " + window);
  CHECK(refusal("bigbird:0:4:4") == "mask 'bigbird:0:4:4': " + window);
  CHECK(refusal("strided:4:0") == "mask 'strided:4:0': a stride of 0 never leaves the token; use 1 or more");
  CHECK(refusal("block:0") == "mask 'block:0': a block of 0 holds no token; use 1 or more");
  CHECK(refusal("global:4:0") == "accepted");
  CHECK(refusal("bigbird:4:0:0") == "accepted");
  CHECK(refusal("random:0") == "accepted");
}

// --- Masks -----------------------------------------------------------------------------------------------------------

/// The definitions, for patterns without random keys.
bool defined(const MaskPattern& p, std::size_t t, std::size_t s) {
  if (s > t) return false;
  const bool near = p.block > 0 ? s / p.block == t / p.block : t - s < p.window;
  return near || s < p.n_global || (p.stride > 0 && (t - s) % p.stride == 0);
}

std::string number(std::size_t n) { return std::to_string(n); }

/// Every kind of pattern, with numbers around those of vectors and of blocks.
std::vector<std::string> regular_specs() {
  std::vector<std::string> specs{"full"};
  for (const std::size_t a : {1, 2, 3, 15, 16, 17, 63, 64, 65, 130, 1000}) {
    specs.push_back("local:" + number(a));
    specs.push_back("block:" + number(a));
    for (const std::size_t b : {1, 3, 4, 5, 16, 64, 100}) {
      specs.push_back("strided:" + number(a) + ":" + number(b));
      specs.push_back("global:" + number(a) + ":" + number(b));
    }
  }
  return specs;
}

std::vector<std::string> random_specs() {
  return {"random:0",         "random:1",         "random:5",        "random:30",
          "random:1000",      "bigbird:1:0:1",    "bigbird:5:1:3",   "bigbird:64:64:2",
          "bigbird:17:70:20", "bigbird:3:2:1000", "bigbird:1000:1:1"};
}

std::vector<std::string> all_specs() {
  std::vector<std::string> specs = regular_specs();
  for (const std::string& spec : random_specs()) specs.push_back(spec);
  return specs;
}

constexpr std::size_t length = 300;

TEST_CASE("a mask lets see what the definition of its pattern says, and nothing else") {
  for (const std::string& spec : regular_specs()) {
    const MaskPattern pattern = parse_mask_pattern(spec);
    const Mask mask = Mask::of(pattern, length);
    std::size_t wrong = 0;
    for (std::size_t t = 0; t < length; t++) {
      for (std::size_t s = 0; s < length + Mask::block; s++) wrong += mask.allows(t, s) != defined(pattern, t, s);
    }
    INFO(spec);
    CHECK(wrong == 0);
  }
}

TEST_CASE("bits are those of a table, word by word") {
  for (const std::string& spec : all_specs()) {
    const Mask mask = mask_of(spec, length);
    const Mask table = Mask::table(length, length, [&](std::size_t t, std::size_t s) { return mask.allows(t, s); });
    std::size_t wrong = 0;
    for (std::size_t t = 0; t < length; t++) {
      for (std::size_t first = 0; first < length; first += Mask::block) {
        wrong += mask.bits(t, first) != table.bits(t, first);
      }
    }
    INFO(spec);
    CHECK(wrong == 0);
  }
}

TEST_CASE("random keys are as many as the pattern says, or all there are, outside of the window and the first G") {
  for (const std::string& spec : random_specs()) {
    const MaskPattern pattern = parse_mask_pattern(spec);
    const Mask mask = Mask::of(pattern, length);
    for (std::size_t t = 0; t < length; t++) {
      std::size_t random = 0;
      std::size_t others = 0;
      bool complete = true;
      for (std::size_t s = 0; s < length; s++) {
        const bool regular = defined(pattern, t, s);
        if (regular && !mask.allows(t, s)) complete = false;
        if (!regular && s < t) others++;
        if (!regular && mask.allows(t, s)) {
          random++;
          if (s > t) complete = false;
        }
      }
      INFO(spec << ", query " << t);
      CHECK(complete);
      CHECK(random == std::min(pattern.n_random, others));
    }
  }
}

TEST_CASE(
    "random keys are the same in every run and for every length, differ from query to query, and reach everywhere") {
  const Mask once = mask_of("random:20", length);
  const Mask again = mask_of("random:20", length);
  const Mask shorter = mask_of("random:20", 100);  // so many that they are kept as a table
  std::set<std::vector<bool>> sets;
  std::vector<std::size_t> seen(length);
  for (std::size_t t = 0; t < length; t++) {
    std::vector<bool> keys;
    for (std::size_t s = 0; s < length; s++) {
      keys.push_back(once.allows(t, s));
      seen[s] += once.allows(t, s);
      CHECK(once.allows(t, s) == again.allows(t, s));
      if (t < 100 && s < 100) CHECK(once.allows(t, s) == shorter.allows(t, s));
    }
    sets.insert(keys);
  }
  CHECK(sets.size() == length);
  // Of 300 queries each draws 20. The first key is drawn 20 times with certainty and then with probability 20/t, which
  // makes 20 + 20 log(300/20) = 74 on average; a key in the middle 20 log(300/150) = 14. No draw is far from its mean:
  // its standard deviation is less than the root of it.
  CHECK(std::abs(static_cast<double>(seen[0]) - 74) < 5 * std::sqrt(54.0));
  CHECK(std::abs(static_cast<double>(seen[150]) - 1 - 14) < 5 * std::sqrt(14.0));
}

TEST_CASE("next_block passes over blocks without dense keys, and over no other") {
  for (const std::string& spec : all_specs()) {
    const Mask mask = mask_of(spec, length);
    std::size_t wrong = 0;
    for (std::size_t first_query = 0; first_query < length; first_query += 17) {
      for (const std::size_t n : {1, 16, 64}) {
        if (first_query + n > length) continue;
        std::size_t next = mask.next_block(first_query, n, 0);
        for (std::size_t first = 0; first < length; first += Mask::block) {
          std::uint64_t any = 0;
          for (std::size_t i = 0; i < n; i++) any |= mask.dense_bits(first_query + i, first);
          if (first == next) {
            next = mask.next_block(first_query, n, first + Mask::block);
            // A pattern knows exactly; a table is looked at.
            if (spec.find("1000") == std::string::npos && spec != "random:30") wrong += any == 0;
          } else {
            wrong += any != 0;
          }
        }
      }
    }
    INFO(spec);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a key is dense or scattered, and never both") {
  for (const std::string& spec : all_specs()) {
    const Mask mask = mask_of(spec, length);
    std::size_t wrong = 0;
    for (std::size_t t = 0; t < length; t++) {
      std::vector<int> times(length);
      for (std::size_t s = 0; s < length; s++) {
        times[s] += static_cast<int>(mask.dense_bits(t, s / Mask::block * Mask::block) >> (s % Mask::block) & 1);
      }
      mask.each_scattered(t, [&](std::size_t s) { times.at(s)++; });
      for (std::size_t s = 0; s < length; s++) wrong += times[s] != static_cast<int>(mask.allows(t, s));
    }
    INFO(spec);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a window of the whole length, a block of it, a stride of 1 and all tokens global are full") {
  for (const char* spec : {"local:300", "local:1000000000", "block:300", "strided:1:1", "global:1:300", "random:300"}) {
    const Mask mask = mask_of(spec, length);
    std::size_t wrong = 0;
    for (std::size_t t = 0; t < length; t++) {
      for (std::size_t first = 0; first < length; first += Mask::block) {
        wrong += mask.bits(t, first) != Mask::causal().bits(t, first);
      }
    }
    INFO(spec);
    CHECK(wrong == 0);
  }
}

TEST_CASE("the masks of the golden files are the patterns that they are named after") {
  struct Named {
    std::string file, spec;
  };
  for (const Named& named : {Named{"local_w4_12", "local:4"},
                             {"strided_w3_s3_12", "strided:3:3"},
                             {"global_local_w3_g2_12", "global:3:2"},
                             {"block_b4_12", "block:4"}}) {
    const Safetensors golden = read_safetensors("tests/golden/attention/" + named.file + ".safetensors");
    const Safetensors::Tensor& tensor = golden.tensors.at("mask");
    REQUIRE(tensor.shape == std::vector<std::size_t>{12, 12});
    const Mask mask = mask_of(named.spec, 12);
    for (std::size_t t = 0; t < 12; t++) {
      for (std::size_t s = 0; s < 12; s++) {
        INFO(named.file << ", query " << t << ", key " << s);
        CHECK(mask.allows(t, s) == (tensor.data[t * 12 + s] == 1));
      }
    }
  }
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

template <class T>
Tensor<T> random_tensor(PythonRandom& random, std::size_t rows, std::size_t cols) {
  Tensor<T> x(rows, cols);
  for (std::size_t i = 0; i < rows; i++) {
    for (std::size_t j = 0; j < cols; j++) x.view().row(i)[j] = static_cast<T>(uniform(random, -1, 1));
  }
  return x;
}

/// What attention takes.
template <class T>
struct Input {
  Input(const AttentionShape& heads_, std::size_t n, std::size_t m)
      : heads(heads_),
        q(random_tensor<T>(random, n, heads.n_head * heads.key_dim)),
        k(random_tensor<T>(random, m, heads.n_kv_head * heads.key_dim)),
        v(random_tensor<T>(random, m, heads.n_kv_head * heads.value_dim)),
        dout(random_tensor<T>(random, n, heads.n_head * heads.value_dim)) {}

  AttentionCall<T> call(const Mask& mask, std::size_t first_query) const {
    return AttentionCall<T>::of(heads, q.view(), k.view(), v.view(), mask, first_query);
  }

  PythonRandom random{3};
  AttentionShape heads;
  Tensor<T> q, k, v, dout;
};

/// And what it makes: out, log_sum, dq, dk, dv.
template <class T>
std::vector<Tensor<T>> attention(const Kernels<T>& kernels, Input<T>& in, const Mask& mask, std::size_t first_query) {
  const std::size_t n = in.q.view().rows;
  std::vector<Tensor<T>> made{in.dout, Tensor<T>(in.heads.n_head, n), in.q, in.k, in.v};  // shapes
  for (Tensor<T>& x : made) {
    for (std::size_t i = 0; i < x.view().rows; i++) {
      std::fill_n(x.view().row(i), x.view().cols, std::numeric_limits<T>::quiet_NaN());
    }
  }
  const AttentionCall<T> call = in.call(mask, first_query);
  kernels.attention_forward(made[0].view(), made[1].view(), call);
  kernels.attention_backward({made[2].view(), made[3].view(), made[4].view()}, in.dout.view(), made[0].view(),
                             made[1].view(), call);
  return made;
}

/// The largest difference; NaN if there is a NaN.
template <class T>
double difference(const Tensor<T>& a, const Tensor<T>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.view().rows; i++) {
    for (std::size_t j = 0; j < a.view().cols; j++) {
      const auto x = static_cast<double>(a.view().row(i)[j]);
      const auto y = static_cast<double>(b.view().row(i)[j]);
      if (x == y) continue;  // -infinity, for instance
      if (!(std::abs(x - y) <= largest)) largest = std::abs(x - y);
    }
  }
  return largest;
}

/// The largest sum of weights with which the queries of all heads look at a key.
double most_seen(Input<double>& in, const Mask& mask, std::size_t first_query) {
  const Tensor<double> weights = attention_weights(in.call(mask, first_query));
  double most = 0;
  for (std::size_t s = 0; s < weights.view().cols; s++) {
    double sum = 0;
    for (std::size_t row = 0; row < weights.view().rows; row++) sum += weights.view().row(row)[s];
    most = std::max(most, sum);
  }
  return most;
}

/// How far apart two kernels may be that compute the same sums in another order: for out, log_sum, dq, dk, dv. All
/// inputs are at most 1. A score, at most sqrt(K), is a sum of K products; a weight is exp of a score less a log_sum,
/// so in proportion to itself each is off by 4 (K + 1) sqrt(K) roundings, m of the sum in log_sum, and 20 of exp and
/// log. dscores hold a weight twice, and dweights, sums of D products; then come sums over m keys, or over n queries of
/// H heads. So each number is off by so many roundings of the largest that it can be: 1 for out, sqrt(K) + log(m) for
/// log_sum, `seen` for dv, 2 D * scale for dq and that times `seen` for dk.
/// In double one pair too many or too few is far beyond that; in float it may hide.
template <class T>
std::array<double, 5> tolerances(const AttentionShape& heads, std::size_t n, std::size_t m, double seen) {
  const auto K = static_cast<double>(heads.key_dim);
  const auto D = static_cast<double>(heads.value_dim);
  const auto terms = static_cast<double>(m + n * heads.n_head);
  const double off = (2 * (4 * (K + 1) * std::sqrt(K) + terms + 20) + 2 * D + 3 * terms) *
                     static_cast<double>(std::numeric_limits<T>::epsilon());
  const double dscore = 2 * D * heads.scale();
  return {off, off * (std::sqrt(K) + std::log(static_cast<double>(m))), off * dscore, off * dscore * seen, off * seen};
}

const std::string names[] = {"out", "log_sum", "dq", "dk", "dv"};

/// For one pattern, in double and in float.
void check_fast_is_naive(const std::string& spec, const AttentionShape& heads, std::size_t n, std::size_t m,
                         std::size_t first_query) {
  const Mask mask = mask_of(spec, first_query + n);
  Input<double> in(heads, n, m);
  const double seen = most_seen(in, mask, first_query);
  auto check = [&]<class T>(Input<T> input) {
    const std::vector<Tensor<T>> expected = attention(naive<T>(), input, mask, first_query);
    const std::vector<Tensor<T>> found = attention(fast<T>(), input, mask, first_query);
    const std::array<double, 5> tolerance = tolerances<T>(heads, n, m, seen);
    for (std::size_t i = 0; i < expected.size(); i++) {
      INFO(spec << ", " << n << " queries from " << first_query << ", " << m << " keys: " << names[i]);
      CHECK(difference(expected[i], found[i]) <= tolerance[i]);
    }
  };
  check(in);
  check(Input<float>(heads, n, m));
}

TEST_CASE("fast attention is the naive one under every pattern") {
  const AttentionShape heads{.n_head = 2, .n_kv_head = 1, .key_dim = 3, .value_dim = 5};
  for (const std::string& spec : all_specs()) {
    check_fast_is_naive(spec, heads, 7, 7, 0);
    check_fast_is_naive(spec, heads, 150, 150, 0);
    check_fast_is_naive(spec, heads, 70, 150, 80);  // the last queries of a document
    check_fast_is_naive(spec, heads, 1, 150, 149);
    check_fast_is_naive(spec, heads, 33, 40, 17);  // queries beyond the last key
    check_fast_is_naive(spec, heads, 20, 150, 5);  // keys beyond the last query
  }
}

TEST_CASE("fast attention is the naive one at lengths around those of vectors and blocks") {
  const AttentionShape heads{.n_head = 2, .n_kv_head = 2, .key_dim = 4, .value_dim = 17};
  for (const std::size_t n : {1, 2, 15, 16, 17, 31, 33, 47, 49, 63, 64, 65, 127, 128, 129, 200}) {
    for (const char* spec : {"full", "local:16", "local:33", "strided:3:9", "strided:3:3", "global:5:20", "random:3",
                             "random:40", "bigbird:20:3:4", "block:24", "block:64"}) {
      check_fast_is_naive(spec, heads, n, n, 0);
    }
  }
}

}  // namespace
}  // namespace microgpt
