// Lesson 07: attention. Each position says what it looks for, its query; what it can be found by, its key; and what it
// has to say, its value. Where a query and a key agree, the value counts. First three letters on paper; then the puzzle
// that lesson 06 left open; then names, with everything that makes a small GPT.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/plot.h"
#include "lesson/lesson.h"
#include "lesson/puzzle.h"
#include "lesson/puzzle_picture.h"
#include "picture.h"
#include "scalar/ops.h"
#include "train/evaluation.h"
#include "train/gradient.h"
#include "train/optimizer.h"
#include "train/scalar_trainer.h"

using namespace microgpt;

/// How much of a table of scores would be used: a cell for each pair of (letter, place), who looks and what is looked
/// at.
void print_table_size(const Lesson& lesson) {
  const std::size_t V = lesson.tokenizer.vocab_size(), T = 16;
  std::set<std::pair<std::size_t, std::size_t>> used;
  for (std::size_t step = 1; step <= 1000; step++) {
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    for (std::size_t i = 0; i + 1 < tokens.size(); i++)
      for (std::size_t t = 0; t <= i; t++) used.insert({i * V + tokens[i], t * V + tokens[t]});
  }
  fmt::print("\na table of scores: {} cells, of which 1000 names use {}\n", V * T * V * T, used.size());
}

// --- The idea --------------------------------------------------------------------------------------------------------

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

/// The numbers of a query, a key or a value.
Values list(const std::vector<double>& numbers) {
  return Values(numbers.size(), [&](std::size_t i) { return numbers[i]; });
}

/// One query and three letters, small enough for paper.
void print_example(const Lesson& lesson) {
  const Scope scope;
  const Values query = list({1, 2});
  Past past{{list({1, 0}), list({0, 1}), list({1, 1})}, {list({4, 0}), list({0, 2}), list({2, 2})}, {}};
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

/// How large a score gets if the lists are random numbers of size 1 or so, and how much of the weight the best of ten
/// keys then takes.
void print_typical_scores() {
  PythonRandom random(1);
  fmt::print("\n        | not divided          | divided by the root\n");
  fmt::print("numbers | score | largest weight | score | largest weight\n");
  for (const std::size_t size : {4, 16, 64, 256}) {
    const double root = std::sqrt(static_cast<double>(size));
    double squares = 0, largest = 0, largest_divided = 0;
    for (int i = 0; i < 200; i++) {
      const Scope scope;
      auto draw = [&] { return Values(size, [&](std::size_t) { return random.gauss(0, 1); }); };
      const Values query = draw(), scores(10, [&](std::size_t) { return dot(query, draw()); });
      const std::vector<double> all = scores.data(), weights = Values(softmax(scores)).data(),
                                divided =
                                    Values(softmax(Values(10, [&](std::size_t t) { return scores[t] / root; }))).data();
      for (const double score : all) squares += score * score / 2000;
      largest += *std::max_element(weights.begin(), weights.end()) / 200;
      largest_divided += *std::max_element(divided.begin(), divided.end()) / 200;
    }
    fmt::print("{:7} | {:5.1f} | {:14.2f} | {:5.1f} | {:14.2f}\n", size, std::sqrt(squares), largest,
               std::sqrt(squares) / root, largest_divided);
  }
}

// --- The puzzle of lesson 06 -----------------------------------------------------------------------------------------

/// Every matrix makes one of the lists: wte and before what is known of a position, the others what that means.
struct Solver {
  explicit Solver(const Parameters& p)
      : wte(matrix(p["wte"])),
        before(matrix(p["before"])),
        wq(matrix(p["wq"])),
        wk(matrix(p["wk"])),
        wv(matrix(p["wv"])),
        lm_head(matrix(p["lm_head"])) {}

  Matrix wte, before;  // (V,C): of a letter or sign, and of the one before it
  Matrix wq, wk, wv;   // (C,C)
  Matrix lm_head;      // (V,C)
};

/// The logits, (V), of the answer: the last position looks back.
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

void solve_puzzle(const Lesson& lesson) {
  constexpr std::size_t V = puzzle_vocab, C = 16, num_steps = 2000;
  Parameters parameters({{"wte", V, C}, {"before", V, C}, {"wq", C, C}, {"wk", C, C}, {"wv", C, C}, {"lm_head", V, C}});
  PythonRandom random(42);
  draw_weights(parameters, 0.3, random);
  const Solver model(parameters);
  const Guess guess = [&](std::span<const Token> puzzle) {
    Past past;
    return draft_answer(model, puzzle, past);
  };
  const Solved solved = train_on_puzzles(guess, parameters, Puzzle::star_or_plus, num_steps, 0.1);
  fmt::print("\nthe puzzle of lesson 06: loss {:.2f}, {:.0f}% right\n", solved.loss, 100 * solved.right);
  std::vector<std::vector<double>> rows;
  for (const char* puzzle : {"ca*fd+be*", "ca*fd+be+"}) {
    const Scope scope;
    Past past;
    draft_answer(model, puzzle_tokens(puzzle), past);
    fmt::print("{} | weights{}\n", puzzle, numbers(past.weights[0]));  // stop: asked
    rows.push_back(past.weights[0].data());
  }
  lesson.picture("07_puzzle.svg", bars_picture("Two askers, two places: each finds the letter after its own sign",
                                               "ca*fd+be?", {"asked by *", "asked by +"}, rows));
}

// --- Names -----------------------------------------------------------------------------------------------------------

/// x scaled to a root mean square of 1.
Values draft_rmsnorm(Values x) {
  Value total = 0.0;
  for (const Value xi : x) total = total + xi * xi;
  const Value mean_square = total / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  return Values(x.size(), [&](std::size_t i) { return x[i] * scale; });
}

/// The logits, (V), of the token after token_id, which stands at position pos_id.
Values draft_gpt(const Model& model, Token token_id, std::size_t pos_id, Past& past) {
  const Model::Layer& layer = model.layers[0];
  Values x = add(model.wte[token_id], model.wpe[pos_id]);  // which letter, and where it stands
  x = draft_rmsnorm(x);

  const Values normed = draft_rmsnorm(x);  // the block's own norm; here it changes next to nothing
  past.keys.push_back(linear(normed, layer.attn_wk));
  past.values.push_back(linear(normed, layer.attn_wv));
  const Values found = draft_attention(linear(normed, layer.attn_wq), past);
  x = add(linear(found, layer.attn_wo), x);  // stop: residual

  const Values hidden = relu(linear(draft_rmsnorm(x), layer.mlp_fc1));
  x = add(linear(hidden, layer.mlp_fc2), x);
  return linear(x, model.lm_head);
}

/// The mean of -log p(next token) over a name. A name longer than the block is cut off.
Loss draft_loss(const Model& model) {
  return [&model](std::span<const Token> tokens) {
    Past past;
    const std::size_t n = std::min(model.block_size, tokens.size() - 1);
    return mean(Values(n, [&](std::size_t pos_id) {
      return cross_entropy(draft_gpt(model, tokens[pos_id], pos_id, past), tokens[pos_id + 1]);
    }));
  };
}

/// Prints the held-out loss. Returns where each position of the last name looks.
Grid evaluate(const Lesson& lesson, const Model& model, const char* when) {
  const Estimate e = mean_loss(draft_loss(model), lesson.held_out(9000), lesson.tokenizer);
  fmt::print("\n{}: held-out loss {:.4f} +- {:.4f}\n", when, e.mean, e.standard_error);
  const Scope scope;
  const std::vector<Token> tokens = lesson.tokenizer.encode_document(lesson.documents.back());
  Past past;
  for (std::size_t i = 0; i < std::min(model.block_size, tokens.size() - 1); i++) draft_gpt(model, tokens[i], i, past);
  const Grid grid = times_even_share(attention_grid(past.weights, tokens, lesson.tokenizer));
  fmt::print("each row looks at the columns; ▒▒ is an even share, darker is more\n{}", shades(grid));
  return grid;
}

void draw_names(Lesson& lesson, const Model& model) {
  for (int i = 0; i < 20; i++) {
    Past past;
    const Scope scope;
    auto next = [&](Token token_id, std::size_t pos_id) {
      return draw_token(draft_gpt(model, token_id, pos_id, past), 0.5, lesson.random);
    };
    lesson.name(lesson.tokenizer.decode(generate(next, lesson.tokenizer.bos(), 16)));
  }
  fmt::print("copied from the data: {} of 20\n", lesson.copied());
}

void check(Lesson& lesson, const Model& model, Parameters& parameters) {
  const std::vector<Token> first = lesson.tokens_of_step(1);
  const Loss src_loss = [&](std::span<const Token> tokens) { return document_loss(model, tokens); };
  const LossAndGradient draft = loss_and_gradient(draft_loss(model), parameters, first);
  const LossAndGradient src = loss_and_gradient(src_loss, parameters, first);
  lesson.check("the loss is that of src/microgpt.cpp with one head, bit for bit", draft.loss == src.loss);
  lesson.check(fmt::format("and so are all {} gradients", parameters.size()), draft.gradient == src.gradient);
  for (const char* name : {"layer0.attn_wk", "layer0.attn_wv"})
    lesson.check(fmt::format("nudging each weight of {} shows its gradient", name),
                 largest_slope_error(draft_loss(model), parameters, name, first) < 1e-6);
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  print_table_size(lesson);
  print_example(lesson);
  print_typical_scores();
  solve_puzzle(lesson);

  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_head = 1};
  std::vector<Parameters::Shape> shapes = gpt_shapes(config);
  std::rotate(shapes.begin() + 2, shapes.begin() + 3, shapes.end());  // lm_head is drawn last here
  Parameters parameters(shapes);
  draw_weights(parameters, 0.08, lesson.random);
  const Model model = scalar_model(config, parameters);
  fmt::print("\n");
  lesson.line(fmt::format("num params: {}", parameters.size()));

  Sgd sgd;
  const Loss loss = draft_loss(model);
  train(loss, parameters, sgd, lesson.documents, lesson.tokenizer, {.num_steps = 1000, .learning_rate = 0.1},
        [&](std::size_t step, double value) { lesson.step(step, 1000, value); });
  draw_names(lesson, model);
  const Grid early = evaluate(lesson, model, "after 1000 steps");
  train(loss, parameters, sgd, lesson.documents, lesson.tokenizer, {.num_steps = 9000, .learning_rate = 0.1});
  const Grid late = evaluate(lesson, model, "after 9000 more");
  Svg maps = heat_maps({{"1000 steps: even", early}, {"10000 steps: it picks", late}});
  maps.text(10, 234, "Each row looks at the letters in the columns. Half dark: an even share. Darkest: twice that",
            "start", 9);
  lesson.picture("07_attention.svg", maps);
  fmt::print("\n");
  check(lesson, model, parameters);
  return lesson.finish();
}
