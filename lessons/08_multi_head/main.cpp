// Lesson 08: multi-head attention. One head has one softmax, so all that it finds comes as one mixture. Here the
// numbers of a query, a key and a value are cut into slices, and each head does the attention of lesson 07 with its
// slices alone. What they find is laid side by side, and one more matrix, W_O, mixes it.
#include <cstdint>
#include <map>
#include <string_view>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/model_picture.h"
#include "lesson/puzzle_picture.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

using Rows = std::vector<Values>;  // a list of numbers for each position

/// What one head did.
struct Head {
  Values attn_weights;  // (t): how much of each position so far
  Values head_out;      // (head_dim)
};

/// The attention of lesson 07, once for each slice of the query, of the keys and of the values.
std::vector<Head> attend(Values q, const Rows& keys, const Rows& values, std::size_t n_head) {
  const std::size_t head_dim = q.size() / n_head;
  std::vector<Head> heads;
  for (std::size_t h = 0; h < n_head; h++) {
    const std::size_t hs = h * head_dim;
    const Values q_h = q.slice(hs, head_dim);
    Rows k_h, v_h;
    for (const Values& k : keys) k_h.push_back(k.slice(hs, head_dim));
    for (const Values& v : values) v_h.push_back(v.slice(hs, head_dim));
    const Values attn_logits(k_h.size(), [&](std::size_t t) { return dot(q_h, k_h[t]) / std::sqrt(head_dim); });
    const Values attn_weights = softmax(attn_logits);
    const Values head_out(head_dim, [&](std::size_t j) {
      return dot(attn_weights, Values(v_h.size(), [&](std::size_t t) { return v_h[t][j]; }));
    });
    heads.push_back({attn_weights, head_out});  // stop: head
  }
  return heads;
}

/// What the heads found, side by side: n_head * head_dim numbers.
Values concatenate(const std::vector<Head>& heads) {
  std::vector<Value> x_attn;
  for (const Head& head : heads) {
    for (const Value out : head.head_out) x_attn.push_back(out);
  }
  return Values(x_attn);
}

// Made-up words such as mira. Nothing can be learnt by heart, as the letters are drawn at random.
constexpr std::string_view letters = "bdklmnprstaeiou";
constexpr std::size_t num_consonants = 10, num_vowels = 5;

/// Consonant, vowel, consonant, vowel.
std::vector<Token> draw_word(PythonRandom& random) {
  std::vector<Token> word;
  while (word.size() < 4) {
    word.push_back(random.below(num_consonants));
    word.push_back(num_consonants + random.below(num_vowels));
  }
  return word;
}

/// Attention as in lesson 07, with a W_O behind it, and two matrices that make logits of what was found.
struct Reader {
  StateDict p;
  Matrix wte = p["wte"], wpe = p["wpe"];                          // (V,C) of a letter, (4,C) of its place
  Matrix wq = p["wq"], wk = p["wk"], wv = p["wv"], wo = p["wo"];  // (C,C)
  Matrix first = p["first"], before = p["before"];                // (V,C)
};

/// The logits, (V), of the first letter and of the one before the last.
struct Answers {
  Values first, before;
  std::vector<Head> heads;
};

/// The last letter of a word looks back, and answers two questions: which letter came first, which is before me?
Answers answer(const Reader& model, std::span<const Token> word, std::size_t n_head) {
  Values x;  // after the loop it is the last letter's: it alone asks
  Rows keys, values;
  for (std::size_t i = 0; i < word.size(); i++) {
    x = add(model.wte[word[i]], model.wpe[i]);
    keys.push_back(linear(x, model.wk));
    values.push_back(linear(x, model.wv));
  }
  const std::vector<Head> heads = attend(linear(x, model.wq), keys, values, n_head);
  const Values found = linear(concatenate(heads), model.wo);
  return {linear(found, model.first), linear(found, model.before), heads};
}

/// Learns random words; each asks both questions.
Reader learn_words(std::size_t n_head, std::uint64_t seed) {
  constexpr std::size_t V = num_consonants + num_vowels, C = 16, num_steps = 1500;
  constexpr double learning_rate = 0.15, size_of_weights = 0.25;
  PythonRandom random(seed);
  const std::vector<Parameters::Shape> shapes{{"wte", V, C}, {"wpe", 4, C}, {"wq", C, C},    {"wk", C, C},
                                              {"wv", C, C},  {"wo", C, C},  {"first", V, C}, {"before", V, C}};
  const Reader model{StateDict(shapes, size_of_weights, random)};
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    const std::vector<Token> word = draw_word(random);
    const Answers answers = answer(model, word, n_head);
    const Value loss = 0.5 * (cross_entropy(answers.first, word[0]) + cross_entropy(answers.before, word[2]));
    loss.backward();
    sgd_update(model.p.params, learning_rate * (1 - static_cast<double>(step) / num_steps));  // gradients become 0, too
  }
  return model;
}

/// The place of the largest logit.
Token likeliest(const Values& logits) {
  const std::vector<double> numbers = logits.data();
  return static_cast<Token>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

/// What the positions so far have left behind.
struct Past {
  explicit Past(const Model& model) : keys(model.layers.size()), values(model.layers.size()) {}

  std::vector<Rows> keys, values;        // [layer][position], (C)
  std::vector<std::vector<Head>> heads;  // position by position; in it layer by layer; kept only to be shown
};

/// The logits, (V), of the token after token_id, which is at position pos_id: lesson 07, with heads and layers.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  Values x = rmsnorm(add(model.wte[token_id], model.wpe[pos_id]));
  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];
    const Values x_residual = x;
    x = rmsnorm(x);
    const Values q = linear(x, layer.attn_wq);
    past.keys[li].push_back(linear(x, layer.attn_wk));
    past.values[li].push_back(linear(x, layer.attn_wv));
    const std::vector<Head> heads = attend(q, past.keys[li], past.values[li], model.n_head);
    const Values x_attn = concatenate(heads);
    x = linear(x_attn, layer.attn_wo);  // stop: concatenated
    x = add(x, x_residual);
    x = add(linear(relu(linear(rmsnorm(x), layer.mlp_fc1)), layer.mlp_fc2), x);
    past.heads.push_back(heads);
  }
  return linear(x, model.lm_head);
}

/// A name's loss, as in lesson 07. `past` begins empty.
Value draft_loss(const Model& model, std::span<const Token> tokens, Past& past) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
  }));
}

/// Where each head of a model with one layer looks from every position of the first name, and the held-out loss.
std::vector<TitledGrid> print_maps(const Lesson& lesson, const Model& model, std::size_t step) {
  const Scope scope;
  const std::vector<Token> name = lesson.tokens_of_step(1);
  Past past(model);
  draft_loss(model, name, past);
  std::vector<TitledGrid> grids;
  for (std::size_t h = 0; h < model.n_head; h++) {
    Rows weights;
    for (const std::vector<Head>& heads : past.heads) weights.push_back(heads[h].attn_weights);
    grids.emplace_back(fmt::format("head {}, step {}", h, step),
                       times_even_share(attention_grid(weights, name, lesson.tokenizer)));
  }
  fmt::print("\n▒▒ is an even share, darker is more\n{}", shades(grids));
  auto loss = [&](auto tokens) {
    Past none(model);
    return draft_loss(model, tokens, none);
  };
  const Estimate e = mean_loss(loss, lesson.held_out(10000), lesson.tokenizer);  // of names that it does not learn from
  fmt::print("after step {}: held-out loss {:.4f} +- {:.4f}\n", step, e.mean, e.standard_error);
  return grids;
}

/// How many nats one letter tells about the other, in many such pairs: their mutual information.
double mutual_information(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::map<std::pair<Token, Token>, double> together;
  std::map<Token, double> of_a, of_b;
  const double share = 1 / static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); i++) together[{a[i], b[i]}] += share, of_a[a[i]] += share, of_b[b[i]] += share;
  double nats = 0;
  for (const auto& [pair, p] : together) nats += p * std::log(p / (of_a[pair.first] * of_b[pair.second]));
  return nats;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // mira and rima, seen from their last letter, which asks for two places at once.
  fmt::print("\n");
  for (const std::size_t n_head : {1, 2}) {
    for (const std::string_view name : {"mira", "rima"}) {
      const Scope scope;
      const Values q{8, 0, 0, 8};
      const Rows keys{{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};
      const Values m{4, 0, 4, 0}, r{0, 4, 0, 4}, vowel{2, 2, 2, 2};
      const Rows values = name == "mira" ? Rows{m, vowel, r, vowel} : Rows{r, vowel, m, vowel};
      const std::vector<Head> heads = attend(q, keys, values, n_head);
      for (std::size_t h = 0; h < n_head; h++) {
        const std::vector<double> w = heads[h].attn_weights.data();
        fmt::print("{}, head {} of {}: looks at  {} {:.3f}  {} {:.3f}  {} {:.3f}  {} {:.3f}  and finds {}\n", name, h,
                   n_head, name[0], w[0], name[1], w[1], name[2], w[2], name[3], w[3],
                   numbers(heads[h].head_out.data()));
      }
    }
  }

  // The largest gradients in the first three steps of a GPT whose W_O begins at zero, or at random as usual.
  const Config config{.vocab_size = lesson.tokenizer.vocab_size()};  // four heads
  for (const bool zero : {false, true}) {
    PythonRandom random = lesson.random;  // the weights of the model that learns names
    const Model model = scalar_model(config, initialize(config, {.zero_projections = zero}, random));
    fmt::print("\nW_O begins at {}: the largest gradient in\n", zero ? "zero" : "random");
    fmt::print("step |      W_Q |      W_K |      W_V |      W_O\n");
    for (std::size_t step = 1; step <= 3; step++) {
      const Scope scope;
      Past past(model);
      draft_loss(model, lesson.tokens_of_step(step), past).backward();
      std::string cells;
      const Model::Layer& layer = model.layers[0];
      for (const Matrix& w : {layer.attn_wq, layer.attn_wk, layer.attn_wv, layer.attn_wo}) {
        double largest = 0;
        for (const List& row : w) {
          for (const Value x : row) largest = std::max(largest, std::abs(x.grad()));
        }
        cells += fmt::format(" | {:8.2g}", largest);
      }
      fmt::print("{:4}{}\n", step, cells);
      sgd_update(model.params, 0.1);
    }
  }

  fmt::print("\nboth answers right, of 500 new words, %; ten trainings each\n");
  std::vector<Reader> second_training;
  for (const std::size_t n_head : {1, 2}) {
    double total = 0;
    std::string cells;
    for (std::uint64_t seed = 1; seed <= 10; seed++) {
      const Reader model = learn_words(n_head, seed);
      PythonRandom random(0);  // of 500 new words, the same for all
      double right = 0;
      for (int i = 0; i < 500; i++) {
        const Scope scope;
        const std::vector<Token> word = draw_word(random);
        const Answers answers = answer(model, word, n_head);
        if (likeliest(answers.first) == word[0] && likeliest(answers.before) == word[2]) right += 100.0 / 500;
      }
      cells += fmt::format(" {:3.0f}", right);
      total += right;
      if (seed == 2) second_training.push_back(model);
    }
    fmt::print("{} of {:2} numbers |{} | mean {:3.0f}\n", n_head == 1 ? "1 head " : "2 heads", 16 / n_head, cells,
               total / 10);
  }
  fmt::print("\nthe second training of each: what it says, and where its heads look\n");
  fmt::print("heads | word | answers | weights of head 0 and head 1\n");
  std::vector<std::vector<double>> in_mira;  // the weights of one head, then of two
  for (const std::size_t n_head : {1, 2}) {
    for (const std::string word : {"mira", "rima"}) {
      const Scope scope;
      std::vector<Token> tokens;
      for (const char c : word) tokens.push_back(letters.find(c));
      const Answers answers = answer(second_training[n_head - 1], tokens, n_head);
      std::string cells;
      for (const Head& head : answers.heads) {
        cells += fmt::format(" |{}", numbers(head.attn_weights.data()));
        if (word == "mira") in_mira.push_back(head.attn_weights.data());
      }
      fmt::print("{:5} | {} | {}, {}   {}\n", n_head, word, letters[likeliest(answers.first)],
                 letters[likeliest(answers.before)], cells);
    }
  }
  fmt::print("\n");
  lesson.picture("08_words.svg", bars_picture("One head looks at both; two heads, at one each", "mira",
                                              {"one head", "head 0 of two", "head 1 of two"}, in_mira));

  const Model model = scalar_model(config, initialize(config, {}, lesson.random));
  fmt::print("num params: {}\n", model.params.size());
  constexpr std::size_t num_steps = 1000, num_steps_in_all = 10000;
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    Past past(model);
    const Value loss = draft_loss(model, lesson.tokens_of_step(step + 1), past);
    loss.backward();
    const double learning_rate = 0.1 * (1 - static_cast<double>(step) / num_steps);  // it falls to 0
    sgd_update(model.params, learning_rate);
    lesson.step(step + 1, num_steps, loss.data());  // prints every hundredth loss
  }
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    Past past(model);
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(draft_gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), model.block_size)));
  }
  const std::vector<TitledGrid> early = print_maps(lesson, model, num_steps);
  for (std::size_t step = num_steps; step < num_steps_in_all; step++) {
    const Scope scope;
    Past past(model);
    draft_loss(model, lesson.tokens_of_step(step + 1), past).backward();
    const double learning_rate = 0.3 * (1 - static_cast<double>(step) / num_steps_in_all);
    sgd_update(model.params, learning_rate);
  }
  const std::vector<TitledGrid> late = print_maps(lesson, model, num_steps_in_all);
  lesson.picture("08_flow.svg", flow_picture());
  lesson.picture("08_model.svg",
                 model_picture("Several heads: attention is cut into slices, and W_O joins what they found",
                               {{"attention", "q, k, v: 4 each", "4 heads"}, {"W_O", "16"}},
                               "new: four heads look at four different places; W_O mixes their findings"));
  lesson.picture(
      "08_heads.svg",
      heat_maps("Four heads: nearly even after 1000 steps; after 10000, three of them pick letters", {early, late},
                "Row: who looks; column: at whom; . is BOS. Half dark: an even share; darkest: twice that "
                "or more."));

  // What there is to find in names for a head that looks further back than one letter.
  std::vector<Token> first, before, last;
  int times[2] = {0, 0}, a_follows[2] = {0, 0};  // of an m that follows no m; of one that does
  for (const Document& document : lesson.documents) {
    const std::vector<Token> name = lesson.tokenizer.encode_document(document);
    first.push_back(name[1]);
    before.push_back(name[name.size() - 3]);
    last.push_back(name[name.size() - 2]);
    for (std::size_t i = 1; i + 1 < name.size(); i++) {
      if (lesson.tokenizer.label(name[i]) != "m") continue;
      const bool is_second = name[i - 1] == name[i];
      times[is_second]++;
      a_follows[is_second] += lesson.tokenizer.label(name[i + 1]) == "a" ? 1 : 0;
    }
  }
  fmt::print("\n");
  for (const int i : {1, 0}) {
    fmt::print("an a follows {} in {:4} of {:4} cases, {:.0f} %\n", i == 1 ? "mm       " : "another m", a_follows[i],
               times[i], 100.0 * a_follows[i] / std::max(1, times[i]));
  }
  const double by_first = mutual_information(first, last), by_before = mutual_information(before, last);
  PythonRandom(1).shuffle(first);
  fmt::print("nats about the last letter: the one before it {:.3f}, the first {:.3f}, another name's first {:.3f}\n",
             by_before, by_first, mutual_information(first, last));

  // The first position sees only itself, and with two layers the draft is what src/microgpt.cpp computes.
  const Config two_layers{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  const Model deep = scalar_model(two_layers, initialize(two_layers, {}, lesson.random));
  const std::vector<Token> name = lesson.tokens_of_step(1);
  Past past(deep);
  const LossAndGradient ours =
      loss_and_gradient([&](auto tokens) { return draft_loss(deep, tokens, past); }, deep.params, name);
  const LossAndGradient src =
      loss_and_gradient([&](auto tokens) { return document_loss(deep, tokens); }, deep.params, name);
  fmt::print("\n");
  lesson.check("the first position sees only itself", past.heads[0][0].attn_weights.size() == 1);
  lesson.check("with two layers, the loss is that of src/microgpt.cpp", ours.loss == src.loss);
  lesson.check("so is every gradient", ours.gradient == src.gradient);
  return lesson.finish();
}
