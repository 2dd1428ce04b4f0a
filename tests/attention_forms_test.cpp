// Every published form of attention inside a GPT: its gradients, its cache, and the identities that tie the forms
// together.
#include <set>
#include <utility>

#include "base/attention_shape.h"
#include "base/error.h"
#include "central_difference.h"
#include "first_difference.h"
#include "random_numbers.h"
#include "tensor/decoder.h"
#include "tensor_answer.h"
#include "train/gradient.h"

namespace microgpt {
namespace {

struct Form {
  std::string name;
  Config config;
};

const Config small{.vocab_size = 6, .n_layer = 2, .n_embd = 8, .n_head = 4, .block_size = 20};

/// All forms of a model with four heads.
std::vector<Form> forms(const Config& base = small) {
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
    all.back().config.masks = parse_mask_patterns(mask);
    all.back().config.masks.resize(base.n_layer);  // the first layer's; the others are full
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

const std::vector<Token> example{5, 0, 3, 3, 1, 4, 0, 2, 1, 1, 3, 0, 4, 4, 2, 1, 0, 5};
const Documents examples{example, {5, 2, 2, 0, 5}};

const std::vector<Dropout> dropouts{{}, {0.3, 5}};

/// In models of one and of three layers whose width is no power of two.
std::vector<Form> wider_forms() {
  std::vector<Form> all = forms({.vocab_size = 7, .n_layer = 1, .n_embd = 24, .n_head = 4, .block_size = 9});
  for (const Form& form : forms({.vocab_size = 7, .n_layer = 3, .n_embd = 24, .n_head = 4, .block_size = 9})) {
    all.push_back(form);
  }
  return all;
}

TEST_CASE_TEMPLATE("the formula of the cache is the size of the tensors in which a model that generates keeps it", T,
                   float, double) {
  for (const Form& form : wider_forms()) {
    const Config& config = form.config;
    const AttentionShape shape = attention_shape(config);
    CAPTURE(form.name);
    TensorModel<T> model(config, random_parameters(config));
    const Decoder<T> decoder(model);
    CHECK(decoder.cache_bytes() == cache_bytes(shape, config.n_layer, config.block_size, sizeof(T)));
  }
}

TEST_CASE("every form is valid, has its name, and as many weights, in attention and in all, as formulas say") {
  for (const Form& form : wider_forms()) {
    CAPTURE(form.name);
    const AttentionShape shape = attention_shape(form.config);
    CHECK_NOTHROW(validate(form.config));
    CHECK(shape.kind() == form.name.substr(0, 3));
    std::size_t weights = 0;
    std::size_t all = 0;
    for (const Parameters::Shape& matrix : gpt_shapes(form.config)) {
      all += matrix.rows * matrix.cols;
      if (matrix.name.starts_with("layer0.attn_")) weights += matrix.rows * matrix.cols;
    }
    CHECK(num_attention_weights(shape) == weights);
    CHECK(num_parameters(form.config) == all);
  }
}

TEST_CASE("every form's gradients are its central differences, with dropout, too") {
  for (const Form& form : forms()) {
    for (const Dropout& dropout : dropouts) {
      INFO(form.name << ", dropout " << dropout.rate);
      Parameters parameters = random_parameters(form.config);
      const std::vector<double> gradient =
          answer<double>(form.config, parameters, examples, {.dropout = dropout}).gradient;
      std::size_t sharp = 0;
      for (std::size_t i = 0; i < parameters.size(); i += 7) {  // every seventh parameter, of all matrices
        double& parameter = parameters.data()[i];
        const double original = parameter;
        auto vary = [&](double varied) {
          parameter = varied;
          return answer<double>(form.config, parameters, examples, {.dropout = dropout, .backward = false}).loss;
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
}

TEST_CASE("a layer's mask is its own: it does not matter where attention is silenced, and elsewhere it does") {
  for (const std::string layer : {"layer0", "layer1"}) {
    Parameters parameters = random_parameters(small);
    const Parameter& attn_wo = parameters[layer + ".attn_wo"];
    std::fill_n(attn_wo.data, attn_wo.size(), 0.0);
    auto losses = [&](const std::string& masks) {
      Config config = small;
      config.masks = parse_mask_patterns(masks);
      return answer<double>(config, parameters, examples, {.backward = false}).losses;
    };
    CHECK((losses("local:2,full") == losses(layer == "layer0" ? "full" : "local:2")));
    CHECK(losses("full") != losses("local:2"));
  }
}

TEST_CASE("naive and fast kernels agree in every form, and shares and parts of a batch give the same bits") {
  for (const Form& form : forms()) {
    for (const Dropout& dropout : dropouts) {
      INFO(form.name << ", dropout " << dropout.rate);
      Parameters parameters = random_parameters(form.config);
      auto with = [&](const Kernels<double>& kernels, std::size_t shares, std::size_t parts) {
        return answer<double>(form.config, parameters, examples, {kernels, shares, dropout, true, parts});
      };
      const Answer<double> one = with(fast<double>(), 1, 1);
      CHECK((with(fast<double>(), 2, 1) == one));
      CHECK((with(fast<double>(), 1, 2) == one));
      const Answer<double> plain = with(naive<double>(), 1, 1);
      CHECK((with(naive<double>(), 2, 2) == plain));
      CHECK(largest_difference(plain.losses, one.losses) < 1e-12);
      CHECK(largest_difference(plain.gradient, one.gradient) < 1e-12);
    }
  }
}

TEST_CASE("every layer drops other numbers, and others of its attention's output than of its MLP's") {
  const TensorModel<double> model(small, random_parameters(small));
  Batch batch(small.block_size);
  batch.add(example);
  Activations<double> activations;
  activations.dropout = {0.5, 1};
  activations.resize(model, batch.num_positions());
  gpt_forward(model, fast<double>(), batch, {0, 1}, activations);
  std::set<std::vector<bool>> dropped;
  for (const auto& layer : activations.layers) {
    for (const View<const double>& out : {layer.attn_out.view(), layer.mlp_out.view()}) {
      std::vector<bool> zeros;
      for (std::size_t i = 0; i < out.rows * out.cols; i++) {
        zeros.push_back(out.row(i / out.cols)[i % out.cols] == 0);
      }
      dropped.insert(zeros);
    }
  }
  CHECK(dropped.size() == 4);
}

TEST_CASE("with a cache every form predicts what it predicts without, from the first position to the last") {
  for (const Form& form : forms()) {
    INFO(form.name);
    Parameters parameters = random_parameters(form.config);
    TensorModel<double> model(form.config, parameters);
    const std::vector<double> logits = answer<double>(form.config, parameters, {example}).logits;
    Decoder<double> decoder(model);
    for (int round = 0; round < 2; round++) {  // a second document finds nothing of the first
      decoder.reset();
      for (std::size_t t = 0; t + 1 < example.size(); t++) {
        const std::size_t V = form.config.vocab_size;
        CHECK(largest_difference(decoder.next(example[t]), std::span(logits).subspan(t * V, V)) < 1e-12);
      }
    }
  }
}

TEST_CASE("documents that grow side by side, each at its own position, predict what each predicts alone") {
  for (const Form& form : forms()) {
    INFO(form.name);
    TensorModel<double> model(form.config, random_parameters(form.config));
    Decoder<double> alone(model), decoder(model, fast<double>(), 3);
    std::vector<std::vector<double>> logits;
    for (std::size_t t = 0; t + 1 < example.size(); t++) {
      const std::span<const double> next = alone.next(example[t]);
      logits.emplace_back(next.begin(), next.end());
    }
    for (std::size_t step = 0; step + 1 < example.size(); step++) {
      if (step < 3) decoder.reset(step);  // document i starts anew in step i
      std::vector<Token> tokens;
      for (std::size_t i = 0; i < 3; i++) tokens.push_back(example[step < i ? step : step - i]);
      const View<double> rows = decoder.next(tokens);
      for (std::size_t i = 0; i <= std::min<std::size_t>(step, 2); i++) {
        CHECK((std::vector(rows.row(i), rows.row(i) + rows.cols) == logits[step - i]));
      }
    }
  }
}

TEST_CASE("a form of attention that cannot be is refused with both numbers and what would work") {
  const std::vector<std::pair<Config, std::string>> refused{
      {{.n_kv_head = 3},
       "n_head 4 is not divisible by n_kv_head 3; every key and value head serves an equal group of query heads: "
       "use an n_kv_head that divides 4"},
      {{.n_kv_head = 2, .q_latent = 4, .kv_latent = 4},
       "n_kv_head 2 with latent attention, where every head has keys of its own; leave n_kv_head out"},
      {{.q_latent = 1'048'577, .kv_latent = 4}, "a latent or rotary width of 1048577 is more than 1048576"},
      {{.block_size = 1'000'000'001}, "block_size 1000000001 is more than 1000000000"},
      {{.q_latent = 4}, "q_latent is 4 and kv_latent 0; latent attention needs both to be at least 1"},
      {{.q_latent = 4, .kv_latent = 4, .rope_dim = 3}, "a rotary width of 3 is odd, and RoPE rotates pairs; use 4"},
      {{.n_embd = 20, .rope = true},
       "a rotary width of 5 is odd, and RoPE rotates pairs; use 6 numbers a head (n_embd 24)"},
      {{.q_latent = 4, .kv_latent = 4, .rope = true}, "RoPE with latent attention needs a rope_dim of at least 2"},
      {{.rope_dim = 2}, "rope_dim 2 without latent attention, where RoPE rotates the whole of a query"}};
  for (auto [config, message] : refused) {
    config.vocab_size = 6;
    CHECK_THROWS_WITH_AS(validate(config), message.c_str(), UsageError);
  }
}

}  // namespace
}  // namespace microgpt
