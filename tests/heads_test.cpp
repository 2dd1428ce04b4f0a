// What heads do, on models whose heads are planted: their weights are set by hand, so that it is known what they look
// at.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "heads/gallery.h"
#include "heads/heads.h"
#include "heads/importance.h"
#include "heads/in_numbers.h"
#include "random_numbers.h"

namespace microgpt {
namespace {

constexpr std::size_t letters = 6;

/// Room for planting: a token's letter stands in the numbers 0 to 6 of the residual stream as a single one, its
/// position in 16 to 31, and layer 0's head 0 may write to 32 to 47. A head has 16 numbers.
const Config planted{.vocab_size = letters + 1, .n_layer = 2, .n_embd = 64, .n_head = 4, .block_size = 16};
constexpr std::size_t position_at = 16, found_at = 32;

/// Large enough that a softmax of such scores is one-hot to the last bit.
constexpr double strong = 20;

void put(Parameters& p, const std::string& name, std::size_t row, std::size_t col, double x) {
  p[name].row(row)[col] = x;
}

/// Tokens and positions as above; no head looks anywhere, and the MLP does nothing.
Parameters bare_model() {
  Parameters p(gpt_shapes(planted));
  for (std::size_t i = 0; i < planted.vocab_size; i++) put(p, "wte", i, i, 1);
  for (std::size_t t = 0; t < planted.block_size; t++) put(p, "wpe", t, position_at + t, 1);
  for (const char* name : {"layer0.attn_wo", "layer1.attn_wo"}) {
    for (double& x : p[name].row(0)) x = 1e-300;
  }
  return p;  // as their columns of attn_wo are no zeros, no head counts as removed
}

/// From position t, this head looks at position t - back.
void plant_back(Parameters& p, HeadId id, std::size_t back) {
  const std::string layer = "layer" + std::to_string(id.layer);
  for (std::size_t t = 0; t < planted.block_size; t++) {
    put(p, layer + ".attn_wq", id.head * 16 + t, position_at + t, strong);
    if (t >= back) put(p, layer + ".attn_wk", id.head * 16 + t, position_at + t - back, strong);
  }
}

/// The head writes the letter that it looks at to the residual stream, from found_at on.
void plant_copy(Parameters& p, HeadId id) {
  const std::string layer = "layer" + std::to_string(id.layer);
  for (std::size_t i = 0; i < letters; i++) {
    put(p, layer + ".attn_wv", id.head * 16 + i, i, 1);
    put(p, layer + ".attn_wo", found_at + i, id.head * 16 + i, 1);
  }
}

std::vector<ProbeDocument> random_documents(const Config& config, std::size_t n, std::uint64_t seed = 1) {
  PythonRandom random(seed);
  std::vector<ProbeDocument> documents;
  for (std::size_t i = 0; i < n; i++) {
    const std::vector<Token> tokens = random_document(config, 3 + random.below(config.block_size - 3), random);
    documents.push_back({tokens, 0, std::min(config.block_size, tokens.size() - 1)});
  }
  return documents;
}

Parameters drawn(const Config& config, std::uint64_t seed, double stddev) {
  PythonRandom random(seed);
  return initialize(config, {.init_std = stddev}, random);
}

TEST_CASE("a head with even rows has entropy 1, and everything about it is as even rows are") {
  Probe probe(planted, bare_model(), random_documents(planted, 30));
  for (const HeadLook& head : measure_heads(probe).heads) {
    CHECK(head.entropy.value == doctest::Approx(1).epsilon(1e-12));
    for (const Measure& mass : head.mass) CHECK(mass.value == doctest::Approx(mass.even).epsilon(1e-12));
    CHECK(head.distance.value == doctest::Approx(head.distance.even).epsilon(1e-12));
    CHECK(shape_of(head, {}) == "no clear shape");
  }
  for (const Specialisation& layer : measure_heads(probe).layers) {
    CHECK(layer.entropy_spread == doctest::Approx(0).epsilon(1e-12));
    CHECK(std::abs(layer.distance) < 1e-7);
  }
}

TEST_CASE("planted heads are named, and have entropy 0 where they look at one position") {
  Parameters p = bare_model();
  plant_back(p, {0, 0}, 1);
  plant_copy(p, {0, 0});
  plant_back(p, {0, 1}, 0);
  for (std::size_t t = 0; t < planted.block_size; t++) put(p, "layer0.attn_wq", 2 * 16, position_at + t, strong);
  put(p, "layer0.attn_wk", 2 * 16, position_at, strong);  // to BOS
  for (std::size_t i = 0; i < letters; i++) {             // from a letter to positions for which layer 0 has found it
    put(p, "layer1.attn_wq", 3 * 16 + i, i, strong);
    put(p, "layer1.attn_wk", 3 * 16 + i, found_at + i, strong);
  }
  const std::vector<ProbeDocument> documents = random_documents(planted, 60);
  const std::array<double, num_places> bar = fresh_reach(planted, documents, 1);
  Probe probe(planted, p, documents);
  const std::vector<HeadLook> heads = measure_heads(probe).heads;
  const std::string none = "no clear shape";
  const std::vector<std::string> shapes{"previous token", "self", "BOS", none, none, none, none, "induction"};
  for (std::size_t i = 0; i < heads.size(); i++) {
    CAPTURE(i);
    CHECK(shape_of(heads[i], bar) == shapes[i]);
  }
  std::array<double, num_places> unreachable{};
  unreachable.fill(1);  // if freshly drawn heads looked there and nowhere else, it would mean nothing
  for (const HeadLook& head : heads) CHECK(shape_of(head, unreachable) == "no clear shape");
  for (const std::size_t i : {0, 1, 2}) CHECK(std::abs(heads[i].entropy.value) < 1e-12);
  CHECK(heads[0].reach(Place::previous) == doctest::Approx(1));
  CHECK(heads[1].reach(Place::self) == doctest::Approx(1));
  CHECK(heads[2].reach(Place::bos) == doctest::Approx(1));
  CHECK(heads[7].reach(Place::after_equal) == doctest::Approx(1));
  CHECK(heads[1].distance.value == doctest::Approx(0));
}

TEST_CASE("the measures of a row, in numbers by hand") {
  // . a b a: even rows of 1, 2, 3 and 4 positions. The last a has an equal letter, a at 1, and what followed is b at 2.
  Probe probe(planted, bare_model(), {{{6, 0, 1, 0, 6}, 0, 4}});
  const HeadLook head = measure_heads(probe).heads.front();
  auto mass = [&](Place place) { return head.mass[static_cast<std::size_t>(place)].value; };
  CHECK(mass(Place::self) == doctest::Approx((1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 4));
  CHECK(mass(Place::bos) == mass(Place::self));
  CHECK(mass(Place::previous) == doctest::Approx((1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 4));
  CHECK(mass(Place::equal) == doctest::Approx(1.0 / 4 / 4));
  CHECK(mass(Place::after_equal) == doctest::Approx(1.0 / 4 / 4));
  CHECK(head.distance.value == doctest::Approx((0 + 0.5 + 1 + 1.5) / 4));
  CHECK(std::isnan(head.entropy.standard_error));  // of a single document

  // . a a: after the first a stands the second, which looks at itself.
  Probe twice(planted, bare_model(), {{{6, 0, 0, 6}, 0, 3}});
  const std::size_t after = static_cast<std::size_t>(Place::after_equal);
  CHECK(measure_heads(twice).heads.front().mass[after].value == doctest::Approx(1.0 / 3 / 3));
}

TEST_CASE("how far the heads of a layer are apart, in numbers by hand") {
  // . a: only the second row sees more than one position. One head takes all from a, one all from ., and two are even.
  Parameters p = bare_model();
  plant_back(p, {0, 0}, 0);
  plant_back(p, {0, 1}, 1);
  Probe probe(planted, p, {{{6, 0, 6}, 0, 2}});
  const Specialisation layer = measure_heads(probe).layers.front();
  const double to_even = std::sqrt(std::log2(4.0 / 3) / 2 + 1.0 / 4 + std::log2(2.0 / 3) / 4);
  CHECK(layer.distance == doctest::Approx((1 + 4 * to_even + 0) / 6));  // six pairs
  CHECK(layer.entropy_spread == doctest::Approx(std::sqrt(4 * 0.25 / 3)));
}

TEST_CASE("an even share is one over the positions that the mask lets a row see; rows that see one have no entropy") {
  Config config = planted;
  config.masks = parse_mask_patterns("local:2");
  Probe probe(config, bare_model(), {{{6, 0, 1, 2, 6}, 0, 4}});
  const HeadLook head = measure_heads(probe).heads.front();
  CHECK(head.mass[0].even == doctest::Approx((1 + 0.5 + 0.5 + 0.5) / 4));
  CHECK(head.distance.even == doctest::Approx(0.5 * 3 / 4));
  config.masks = parse_mask_patterns("local:1");
  Probe alone(config, bare_model(), {{{6, 0, 1, 2, 6}, 0, 4}});
  const HeadLook blind = measure_heads(alone).heads.front();
  CHECK(std::isnan(blind.entropy.value));
  CHECK(shape_of(blind, {}) == "no clear shape");  // it looks at itself since it can do nothing else
}

TEST_CASE("a value is the mean over documents, whatever their lengths, and its error is theirs") {
  const ProbeDocument a{{6, 0, 6}, 0, 2}, b{{6, 0, 1, 2, 6}, 0, 4};
  auto self = [&](std::vector<ProbeDocument> documents) {
    Probe probe(planted, bare_model(), std::move(documents));
    return measure_heads(probe).heads.front().mass[0];
  };
  const double in_a = self({a}).value, in_b = self({b}).value;
  CHECK(in_a == doctest::Approx(0.75));
  CHECK(self({a, b}).value == doctest::Approx((in_a + in_b) / 2));
  CHECK(self({a, b}).standard_error == doctest::Approx(std::abs(in_a - in_b) / 2));
}

TEST_CASE("a shape is named beyond two errors of its difference, a third of what can be reached, and the bar") {
  auto shape = [](double value, double error, double bar) {
    HeadLook head{};
    head.mass[1] = {value, 0.3, 0.01, error};  // previous; the even share is 0.3
    head.reachable[1] = 0.9;
    std::array<double, num_places> bars{};
    bars[1] = bar;
    return shape_of(head, bars);
  };
  CHECK(shape(0.6, 0.14, 0.4) == "previous token");
  CHECK(shape(0.6, 0.16, 0.4) == "no clear shape");
  CHECK(shape(0.6, 0.14, 0.51) == "no clear shape");
  CHECK(shape(0.51, 0.01, 0) == "previous token");
  CHECK(shape(0.49, 0.01, 0) == "no clear shape");
}

TEST_CASE("the bar is the largest reach of any head in 40 fresh models") {
  const Config config{.vocab_size = 6, .n_layer = 1, .n_embd = 8, .n_head = 2, .block_size = 6};
  const std::vector<ProbeDocument> documents = random_documents(config, 3);
  std::array<double, num_places> largest{};
  for (std::uint64_t seed = 1; seed <= 40; seed++) {
    Probe probe(config, drawn(config, seed, 0.08), documents);
    for (const HeadLook& head : measure_heads(probe).heads) {
      for (std::size_t p = 0; p < num_places; p++) largest[p] = std::max(largest[p], head.reach(Place(p)));
    }
  }
  CHECK(fresh_reach(config, documents, 1) == largest);
}

TEST_CASE("of equally likely letters the first is the model's answer") {
  Parameters p = bare_model();
  std::fill_n(p["lm_head"].data, p["lm_head"].size(), 0.0);
  Probe probe(planted, p, {{{6, 0, 0, 6}, 0, 3}});
  CHECK(probe.scores().accuracies == std::vector<double>{2.0 / 3});
}

/// Every kind of attention, three masks and both kinds of positions, with large random weights.
std::vector<Config> kinds() {
  std::vector<Config> all(8, {.vocab_size = 6, .n_layer = 2, .n_embd = 16, .n_head = 4, .block_size = 9});
  all[1].n_kv_head = 2;
  all[2].n_kv_head = 1;
  for (const std::size_t i : {3, 4}) all[i].q_latent = all[i].kv_latent = 5;
  all[4].rope_dim = 2;
  all[5].rope = true;
  all[6].masks = parse_mask_patterns("local:3");
  all[7].masks = parse_mask_patterns("bigbird:2:1:1,local:2");
  return all;
}

TEST_CASE("the parts of every logit add up to it, and its losses without a head are those of the silenced head") {
  for (const Config& config : kinds()) {
    const Parameters p = drawn(config, 3, 0.4);
    const std::vector<ProbeDocument> documents = random_documents(config, 1);
    const std::vector<Token>& tokens = documents[0].tokens;
    const std::size_t n = documents[0].end;
    double whole = 0;
    std::vector<double> without(1 + config.n_layer * (config.n_head + 1));
    for (std::size_t t = 0; t < n; t++) {
      const auto [logits, parts] = logit_parts(config, p, tokens, t);
      REQUIRE(parts.size() == without.size());
      for (Token token = 0; token < config.vocab_size; token++) {
        double sum = 0;
        for (const LogitPart& part : parts) sum += part.adds[token];
        CHECK(std::abs(sum - logits[token]) < 1e-12);
      }
      whole += loss_of(logits, tokens[t + 1]) / static_cast<double>(n);
      for (std::size_t i = 0; i < parts.size(); i++) {
        without[i] += loss_of(parts[i].without, tokens[t + 1]) / static_cast<double>(n);
      }
    }
    Probe probe(config, p, documents);
    CHECK(whole == doctest::Approx(probe.scores().losses[0]).epsilon(1e-12));
    CHECK(without[0] == doctest::Approx(std::log(config.vocab_size)).epsilon(1e-12));  // nothing is read
    for (const HeadId& id : all_heads(config)) {
      const double loss = probe.scores(silenced({&id, 1}, config)).losses[0];
      CHECK(without[1 + id.layer * (config.n_head + 1) + id.head] == doctest::Approx(loss).epsilon(1e-12));
    }
    Parameters no_mlp = drawn(config, 3, 0.4);
    std::fill_n(no_mlp["layer1.mlp_fc2"].data, no_mlp["layer1.mlp_fc2"].size(), 0.0);
    CHECK(without.back() == doctest::Approx(Probe(config, no_mlp, documents).scores().losses[0]).epsilon(1e-12));
  }
  const std::vector<Token> tokens{planted.vocab_size - 1, 0};
  CHECK_THROWS_AS(logit_parts(planted, bare_model(), tokens, 2), std::out_of_range);
}

TEST_CASE("a silenced head equals zeros in its columns of attn_wo, and all silenced equal no attention") {
  for (const Config& config : kinds()) {
    const std::vector<ProbeDocument> documents = random_documents(config, 8);
    const Parameters p = drawn(config, 3, 0.4);
    Probe probe(config, p, documents);
    auto zeroed = [&](const std::vector<HeadId>& heads) {
      Parameters q = drawn(config, 3, 0.4);
      silence(q, heads, config);
      return Probe(config, q, documents).scores().losses;
    };
    for (const HeadId& id : all_heads(config)) {
      CHECK(probe.scores(silenced({&id, 1}, config)).losses == zeroed({id}));
      CHECK(zeroed({id}) != probe.scores().losses);
    }
    Parameters none = drawn(config, 3, 0.4);
    for (const char* name : {"layer0.attn_wo", "layer1.attn_wo"}) {
      std::fill_n(none[name].data, none[name].size(), 0.0);
    }
    CHECK(probe.scores(silenced(all_heads(config), config)).losses == Probe(config, none, documents).scores().losses);
    CHECK(probe.scores().losses == Probe(config, p, documents, 3).scores().losses);  // nothing stays replaced
    probe.scores(silenced(all_heads(config), config));
    CHECK(probe.mean_outputs()[0].output == Probe(config, p, documents).mean_outputs()[0].output);
    probe.use(none);
    CHECK(probe.scores().losses == Probe(config, none, documents).scores().losses);
  }
}

TEST_CASE("a dead head has importance exactly 0, either way, and is pruned first") {
  for (const Config& config : kinds()) {
    Parameters p = drawn(config, 5, 0.4);
    const HeadId dead{1, 2};
    silence(p, {&dead, 1}, config);
    Probe probe(config, p, random_documents(config, 20));
    for (const Importance& one : importances(probe)) {
      const bool changes_nothing = one.zeroed.loss.mean == 0 && one.mean.loss.mean == 0 &&
                                   one.zeroed.accuracy.mean == 0 && one.zeroed.loss.standard_error == 0;
      CHECK(changes_nothing == (one.id == dead));
      CHECK(!(one.id == dead && one.zeroed.loss.is_clear()));
    }
    CHECK(greedy_order(probe).front() == dead);
    CHECK(ranked_order(probe).front() == dead);
  }
}

TEST_CASE("a head whose output never changes has no importance when its mean replaces it, but has when zeros do") {
  Config config = kinds()[0];
  config.masks = parse_mask_patterns("local:1");  // a head hands over its own position's value,
  Parameters p = drawn(config, 6, 0.4);
  for (const char* name : {"wte", "wpe"}) {  // and all positions are alike
    for (std::size_t i = 1; i < p[name].rows; i++) std::copy_n(p[name].data, p[name].cols, p[name].row(i).begin());
  }
  Probe probe(config, p, random_documents(config, 10));
  for (const Importance& one : importances(probe)) {
    CHECK(std::abs(one.mean.loss.mean) < 1e-12);
    CHECK(std::abs(one.zeroed.loss.mean) > 1e-6);
  }
}

TEST_CASE("greedy pruning never beats the best of all sets, and both end with no head") {
  for (const Config& config : kinds()) {
    Probe probe(config, drawn(config, 7, 0.4), random_documents(config, 10));
    const std::vector<Pruned> greedy = follow(greedy_order(probe), probe);
    const auto best = best_subsets(probe, probe, [](std::size_t, std::size_t) {});
    REQUIRE(best);
    REQUIRE(best->size() == 9);
    for (std::size_t n = 0; n < greedy.size(); n++) {
      CHECK(greedy[n].removed.size() == n);
      CHECK((*best)[n].removed.size() == n);
      CHECK(greedy[n].loss >= (*best)[n].loss - 1e-12);  // the order of removal can change the last bits
    }
    CHECK(greedy.front().loss == (*best).front().loss);
    CHECK(greedy[1].loss == (*best)[1].loss);
    CHECK(greedy.back().loss == doctest::Approx((*best).back().loss).epsilon(1e-12));
  }
}

TEST_CASE("heads can go as long as the accuracy has not fallen by more than a percentage point") {
  const std::vector<Pruned> path{{{}, 1, 0.5}, {{}, 1, 0.495}, {{}, 1, 0.6}, {{}, 1, 0.48}, {{}, 1, 0.5}};
  CHECK(spare_heads(path) == 2);
  CHECK(spare_heads({path.data(), 1}) == 0);
}

TEST_CASE("of a task only the letters after '=' count, and a perfect copier has all of them right") {
  const Tokenizer tokenizer(U"=abcde");
  const std::vector<Document> documents{U"abba=abba", U"edce=edce"};
  std::vector<ProbeDocument> probed;
  for (const Document& document : documents) probed.push_back(probe_document(document, tokenizer, 16));
  CHECK(probed[0].first == 5);
  CHECK(probed[0].end == 9);
  CHECK(probe_document(documents[0], tokenizer, 7).end == 7);  // the block cuts
  CHECK_THROWS_WITH_AS(probe_document(documents[0], tokenizer, 5),
                       "'abba=abba' has no letter after '=' within the model's block", Error);
  CHECK_THROWS_WITH_AS(probe_document(U"abba", tokenizer, 16),
                       "'abba' has no '='; a model that knows '=' is measured on the letters behind it", Error);

  Parameters copier = bare_model();
  plant_back(copier, {0, 0}, 4);
  plant_copy(copier, {0, 0});
  for (std::size_t i = 0; i < letters; i++) put(copier, "lm_head", i, found_at + i, strong);
  Probe probe(planted, copier, probed);
  CHECK(probe.scores().accuracies == std::vector<double>{1, 1});
  CHECK(importances(probe).front().zeroed.accuracy.mean < -0.5);  // one head does all of it
}

TEST_CASE("maps show what a head takes, under its name and above what is known about it") {
  Parameters p = bare_model();
  plant_back(p, {0, 1}, 1);
  const Tokenizer tokenizer(U"abcdef");
  std::vector<TitledGrid> maps = head_maps(planted, p, std::vector<Token>{6, 0, 1, 6}, tokenizer);
  REQUIRE(maps.size() == 8);
  CHECK(maps[1].first == "layer 0, head 1");
  CHECK(maps[1].second.rows == std::vector<std::vector<double>>{{1}, {1, 0}, {0, 1, 0}});
  CHECK(shades(maps[1].second) == "     . a b\n   . ██\n   a ██\n   b   ██\n");
  maps[1].second.notes = {"previous token"};
  const std::string svg = gallery("title", maps).str();
  for (const char* text : {">title<", ">layer 1, head 3<", ">previous token<", "all of its weight"}) {
    CHECK(svg.find(text) != std::string::npos);
  }
}

TEST_CASE(
    "a head's row in numbers: products make scores, scores make weights, and all heads make what attention adds") {
  for (const Config& config : kinds()) {
    const Parameters p = drawn(config, 8, 0.4);
    const std::vector<Token> tokens{5, 0, 3, 3, 1};
    const std::size_t t = 4;
    std::vector<Token> document = tokens;
    document.push_back(5);
    const std::vector<TitledGrid> maps = head_maps(config, p, document, Tokenizer(U"abcde"));
    for (std::size_t layer = 0; layer < config.n_layer; layer++) {
      std::vector<double> written(config.n_embd);
      for (std::size_t h = 0; h < config.n_head; h++) {
        const HeadRow row = head_row(config, p, tokens, {layer, h}, t);
        double total = 0;
        for (const LookedAt& at : row.seen) {
          CHECK(at.weight == maps[layer * config.n_head + h].second.rows[t][at.position]);
          CHECK(at.sum / std::sqrt(static_cast<double>(at.key.size())) == doctest::Approx(at.score).epsilon(1e-12));
          CHECK(at.products[1] == at.key[1] * row.query[1]);
          total += std::exp(at.score);
        }
        for (const LookedAt& at : row.seen) CHECK(std::exp(at.score) / total == doctest::Approx(at.weight));
        CHECK(row.seen.back().position == t);
        const std::vector<std::size_t> first = row.strongest(2);
        CHECK(first.size() == std::min<std::size_t>(2, row.seen.size()));
        for (std::size_t i = 0; i < config.n_embd; i++) written[i] += row.written[i];
      }
      const TensorModel<double> model(config, p);
      Activations<double> a = gpt_forward(model, naive<double>(), document);
      const double* const before = layer == 0 ? a.x.view().row(t) : a.layers[layer - 1].x_out.view().row(t);
      for (std::size_t i = 0; i < config.n_embd; i++) {
        CHECK(before[i] + written[i] == doctest::Approx(a.layers[layer].x_mid.view().row(t)[i]).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("of equally strong positions the earlier comes first") {
  const HeadRow row = head_row(planted, bare_model(), std::vector<Token>{6, 0, 1, 2}, {0, 0}, 3);
  CHECK(row.strongest(3) == std::vector<std::size_t>{0, 1, 2});
  CHECK_THROWS_AS(head_row(planted, bare_model(), std::vector<Token>{6, 0}, {0, 0}, 2), std::out_of_range);
}

}  // namespace
}  // namespace microgpt
