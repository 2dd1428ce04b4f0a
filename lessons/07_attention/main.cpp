// Lesson 07: attention. Each position says what it looks for, its query; what it can be found by, its key; and what it
// has to say, its value. Where a query and a key agree, the value counts. First three letters on paper, then the puzzle
// that lesson 06 left open. The second half adds what makes a small GPT of it, for names.
#include <set>

#include "lesson/lesson.h"
#include "lesson/puzzle.h"
#include "microgpt.h"
#include "pictures.h"
#include "train/evaluation.h"
#include "train/gradient.h"

using namespace microgpt;

/// What the positions so far have left behind, one of each for every position.
struct Past {
  std::vector<Values> keys, values;  // (D) each
  std::vector<Values> weights;       // (t + 1): how position t looked back; kept only to be shown
};

/// A query (D) looks at the keys of all positions so far. Returns the mixture (D) of their values.
Values draft_attention(Values query, Past& past) {
  const std::size_t n = past.keys.size();
  const double root = std::sqrt(static_cast<double>(query.size()));
  const Values scores(n, [&](std::size_t t) { return dot(query, past.keys[t]) / root; });
  const Values weights = softmax(scores);  // stop: scores
  const Values mixture(query.size(), [&](std::size_t j) {
    Value total = 0.0;
    for (std::size_t t = 0; t < n; t++) total = total + weights[t] * past.values[t][j];
    return total;
  });
  past.weights.push_back(weights);  // stop: mixture
  return mixture;
}

/// What learns the puzzle. wte and before make of a sign and of the one before it what is known of a position.
struct Solver {
  Matrix wte, before;  // (V,C): of a letter or sign, and of the one before it
  Matrix wq, wk, wv;   // (C,C)
  Matrix lm_head;      // (V,C)
};

/// The logits, (V), of the answer to a puzzle: the last position looks back.
Values draft_answer(const Solver& model, std::span<const Token> puzzle, Past& past) {
  Values x;
  for (std::size_t i = 0; i < puzzle.size(); i++) {
    x = model.wte[puzzle[i]];
    if (i > 0) x = add(x, model.before[puzzle[i - 1]]);
    past.keys.push_back(linear(x, model.wk));
    past.values.push_back(linear(x, model.wv));
  }
  const Values query = linear(x, model.wq);
  return linear(draft_attention(query, past), model.lm_head);
}

// --- What a GPT adds -------------------------------------------------------------------------------------------------

/// x scaled to a root mean square of 1.
Values draft_rmsnorm(Values x) {
  Value total = 0.0;
  for (const Value xi : x) total = total + xi * xi;
  const Value mean_square = total / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

/// The logits, (V), of the token after token_id, which is at position pos_id.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  const Model::Layer& layer = model.layers[0];
  Values x = add(model.wte[token_id], model.wpe[pos_id]);  // which letter, and where it is
  x = draft_rmsnorm(x);

  const Values normed = draft_rmsnorm(x);
  past.keys.push_back(linear(normed, layer.attn_wk));
  past.values.push_back(linear(normed, layer.attn_wv));
  const Values found = draft_attention(linear(normed, layer.attn_wq), past);
  x = add(linear(found, layer.attn_wo), x);  // stop: residual

  const Values hidden = relu(linear(draft_rmsnorm(x), layer.mlp_fc1));
  x = add(linear(hidden, layer.mlp_fc2), x);
  return linear(x, model.lm_head);
}

/// The mean of -log p(next token) over a name. A name longer than the block is cut off.
Value draft_loss(const Model& model, std::span<const Token> tokens) {
  Past past;
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  return mean(Values(n, [&](std::size_t pos_id) {
    return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
  }));
}

/// Prints the held-out loss. Returns where each position of the last name looks.
Grid print_map(const Lesson& lesson, const Model& model, std::size_t step) {
  auto loss = [&](auto name) { return draft_loss(model, name); };
  const Estimate e = mean_loss(loss, lesson.held_out(10000), lesson.tokenizer);
  fmt::print("\nafter step {}: held-out loss {:.4f} +- {:.4f}\n", step, e.mean, e.standard_error);
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(lesson.documents.back());
  Past past;
  for (std::size_t i = 0; i < std::min(model.block_size, tokens.size() - 1); i++) draft_gpt(model, tokens[i], i, past);
  const Grid grid = times_even_share(attention_grid(past.weights, tokens, lesson.tokenizer));
  fmt::print("each row looks at the columns; ▒▒ is an even share, darker is more\n{}", shades(grid));
  return grid;
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);

  // How much of a table of scores would be used: a cell for each pair of (letter, place), who looks and what is looked
  // at.
  const std::size_t num_tokens = lesson.tokenizer.vocab_size(), num_pairs = num_tokens * 16;
  std::set<std::pair<std::size_t, std::size_t>> used;
  for (std::size_t step = 1; step <= 1000; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
      for (std::size_t t = 0; t <= i; t++) used.insert({i * num_tokens + tokens[i], t * num_tokens + tokens[t]});
    }
  }
  fmt::print("\na table of scores: {} cells, of which 1000 names use {}\n", num_pairs * num_pairs, used.size());

  // One query and three letters, small enough for paper.
  {
    const Scope scope;
    const Values query{1, 2};
    Past past{{{1, 0}, {0, 1}, {1, 1}}, {{4, 0}, {0, 2}, {2, 2}}, {}};
    const Values mixture = draft_attention(query, past);
    fmt::print("\nquery (1 2)\n  key | value | score | score / root of 2 | weight\n");
    for (std::size_t t = 0; t < 3; t++) {
      const Values key = past.keys[t], value = past.values[t];
      const double score = dot(query, key).data();
      fmt::print("({:.0f} {:.0f}) | ({:.0f} {:.0f}) | {:5.0f} | {:17.2f} | {:6.2f}\n", key[0].data(), key[1].data(),
                 value[0].data(), value[1].data(), score, score / std::sqrt(2.0), past.weights[0][t].data());
    }
    fmt::print("mixed: ({:.2f} {:.2f})\n", mixture[0].data(), mixture[1].data());
    lesson.picture("07_example.svg", example_picture(past.weights[0].data(), mixture.data()));
  }

  // How large a score gets if the lists are random numbers of size 1 or so, and how much of the weight the best of ten
  // keys then takes.
  PythonRandom normal(1);
  fmt::print("\n        | not divided          | divided by the root\n");
  fmt::print("numbers | score | largest weight | score | largest weight\n");
  for (const std::size_t size : {4, 16, 64, 256}) {
    const double root = std::sqrt(static_cast<double>(size));
    double squares = 0, largest = 0, largest_divided = 0;
    for (int i = 0; i < 200; i++) {
      const Scope scope;
      auto draw = [&] { return Values(size, [&](std::size_t) { return normal.gauss(0, 1); }); };
      const Values query = draw(), scores(10, [&](std::size_t) { return dot(query, draw()); });
      const Values divided(10, [&](std::size_t t) { return scores[t] / root; });
      const std::vector<double> all = scores.data(), weights = Values(softmax(scores)).data(),
                                of_divided = Values(softmax(divided)).data();
      for (const double score : all) squares += score * score / 2000;
      largest += *std::max_element(weights.begin(), weights.end()) / 200;
      largest_divided += *std::max_element(of_divided.begin(), of_divided.end()) / 200;
    }
    fmt::print("{:7} | {:5.1f} | {:14.2f} | {:5.1f} | {:14.2f}\n", size, std::sqrt(squares), largest,
               std::sqrt(squares) / root, largest_divided);
  }

  // Learns the puzzle, and looks at the same letters asked by a star and by a plus.
  {
    constexpr std::size_t V = puzzle_vocab, C = 16, num_steps = 2000, num_tests = 1000;
    constexpr double size_of_weights = 0.3;
    PythonRandom random(42), puzzles(7);
    const StateDict p({{"wte", V, C}, {"before", V, C}, {"wq", C, C}, {"wk", C, C}, {"wv", C, C}, {"lm_head", V, C}},
                      size_of_weights, random);
    const Solver model{p["wte"], p["before"], p["wq"], p["wk"], p["wv"], p["lm_head"]};
    for (std::size_t step = 0; step < num_steps; step++) {
      const Scope scope;
      const std::vector<Token> tokens = draw_puzzle(Puzzle::star_or_plus, puzzles);
      Past past;
      const Values logits = draft_answer(model, std::span(tokens).first(tokens.size() - 1), past);
      cross_entropy(logits, tokens.back()).backward();  // only the answer counts: nothing else can be predicted
      const double learning_rate = 0.1 * (1 - static_cast<double>(step) / num_steps);  // it falls to 0
      sgd_update(p.params, learning_rate);                                             // gradients become 0, too
    }
    double loss = 0, right = 0;
    for (std::size_t i = 0; i < num_tests; i++) {
      const Scope scope;
      const std::vector<Token> tokens = draw_puzzle(Puzzle::star_or_plus, puzzles);
      Past past;
      const Values logits = draft_answer(model, std::span(tokens).first(tokens.size() - 1), past);
      loss += cross_entropy(logits, tokens.back()).data() / num_tests;
      const std::vector<double> scores = logits.data();
      const auto best = static_cast<Token>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      right += best == tokens.back() ? 1.0 / num_tests : 0.0;
    }
    fmt::print("\nthe puzzle of lesson 06: loss {:.2f}, {:.0f}% right\n", loss, 100 * right);
    std::vector<std::vector<double>> rows;
    for (const char* puzzle : {"ca*fd+be*", "ca*fd+be+"}) {
      const Scope scope;
      Past past;
      draft_answer(model, puzzle_tokens(puzzle), past);
      fmt::print("{} | weights{}\n", puzzle, numbers(past.weights[0].data()));
      rows.push_back(past.weights[0].data());
    }
    fmt::print("\n");
    lesson.picture("07_puzzle.svg", bars_picture("Two askers, two places: each finds the letter after its own sign",
                                                 "ca*fd+be?", {"asked by *", "asked by +"}, rows));
  }

  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_head = 1};
  std::vector<Parameters::Shape> shapes = gpt_shapes(config);
  std::rotate(shapes.begin() + 2, shapes.begin() + 3, shapes.end());  // the published build step draws lm_head last
  const Model model = scalar_model(config, StateDict(shapes, 0.08, lesson.random));
  fmt::print("num params: {}\n", model.params.size());
  constexpr std::size_t num_steps = 1000, num_steps_in_all = 10000;
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    const Value loss = draft_loss(model, lesson.tokens_of_step(step + 1));
    loss.backward();
    const double learning_rate = 0.1 * (1 - static_cast<double>(step) / num_steps);
    sgd_update(model.params, learning_rate);
    lesson.step(step + 1, num_steps, loss.data());  // prints every hundredth loss
  }
  for (int i = 0; i < 20; i++) {
    const Scope scope;
    Past past;
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(draft_gpt(model, token_id, pos_id, past), 0.5, lesson.random);  // the temperature of lesson 05
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), model.block_size)));
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());
  const Grid early = print_map(lesson, model, num_steps);
  for (std::size_t step = num_steps; step < num_steps_in_all; step++) {
    const Scope scope;
    draft_loss(model, lesson.tokens_of_step(step + 1)).backward();
    const double learning_rate = 0.1 * (1 - static_cast<double>(step) / num_steps_in_all);
    sgd_update(model.params, learning_rate);
  }
  const Grid late = print_map(lesson, model, num_steps_in_all);
  lesson.picture("07_attention.svg", maps_picture(early, late));
  lesson.picture("07_model.svg",
                 model_picture("From a letter to the next: what is found is always added to what was known"));
  fmt::print("\n");

  // Loss and gradients are those of src/microgpt.cpp.
  const std::vector<Token> name = lesson.tokens_of_step(1);
  const LossAndGradient ours =
      loss_and_gradient([&](auto tokens) { return draft_loss(model, tokens); }, model.params, name);
  const LossAndGradient src =
      loss_and_gradient([&](auto tokens) { return document_loss(model, tokens); }, model.params, name);
  lesson.check("the loss is that of src/microgpt.cpp with one head, bit for bit", ours.loss == src.loss);
  lesson.check(fmt::format("and so are all {} gradients", model.params.size()), ours.gradient == src.gradient);
  return lesson.finish();
}
