// Lesson 15: the KV cache. To generate a name, a model is asked for one letter after the other. All letters before the
// new one have been through it already. What of them is still needed? Their keys and their values; nothing else.
#include <bit>
#include <string_view>

#include "base/bigram.h"
#include "base/published.h"
#include "base/schedule.h"
#include "draw/readable.h"
#include "lesson/lesson.h"
#include "lesson/work.h"
#include "microgpt.h"
#include "pictures.h"
#include "tensor/decoder.h"
#include "train/gradient.h"
#include "train/scalar_trainer.h"

using namespace microgpt;
using Rows = std::vector<Values>;  // a list of numbers for each position

/// What a layer keeps: a key and a value of each position, (C), with all heads' slices. Their room is taken once; when
/// it is full, the newest overwrites the oldest.
struct Kept {
  Rows keys, values;      // (room, C)
  std::size_t count = 0;  // of all positions so far

  void put(const Values& key, const Values& value) {
    keys[count % keys.size()] = key;
    values[count % values.size()] = value;
    count++;
  }
};

/// Attention of one position: its query (C) meets all keys that are kept and mixes their values, head by head.
Values attend(const Values& q, const Kept& kept, std::size_t H) {
  const std::size_t D = q.size() / H, seen = std::min(kept.count, kept.keys.size());
  std::vector<Value> x_attn;
  for (std::size_t h = 0; h < H; h++) {
    const Values q_h = q.slice(h * D, D);
    const Values scores(seen, [&](std::size_t t) { return dot(q_h, kept.keys[t].slice(h * D, D)) / std::sqrt(D); });
    const Values weights = softmax(scores);
    for (std::size_t j = 0; j < D; j++) {  // stop: weights
      x_attn.push_back(dot(weights, Values(seen, [&](std::size_t t) { return kept.values[t][h * D + j]; })));
    }
  }
  return Values(x_attn);
}

/// Three letters have been read. A fourth comes.
void on_paper() {
  const Scope scope;
  Kept kept{Rows(4), Rows(4)};
  kept.put({1, 0}, {4, 0});
  kept.put({0, 1}, {0, 2});
  kept.put({1, 1}, {2, 2});
  const Values third = attend({1, 2}, kept, 1);
  kept.put({2, 1}, {6, 0});
  const Values fourth = attend({2, 0}, kept, 1);
  fmt::print("\n--- four letters on paper ---\n");
  fmt::print("third  letter: 3 scores, mixed value ({:.2f}, {:.2f})\n", third[0].data(), third[1].data());
  fmt::print("fourth letter: 4 scores, mixed value ({:.2f}, {:.2f})\n", fourth[0].data(), fourth[1].data());
}

/// A GPT that reads on from where it is.
struct Reader {
  const Model& model;
  std::size_t room = model.block_size;
  std::size_t position = 0;  // of the next token
  std::vector<Kept> kept = std::vector<Kept>(model.layers.size(), Kept{Rows(room), Rows(room)});

  /// Begins another name.
  void begin() {
    position = 0;
    for (Kept& layer : kept) layer.count = 0;
  }

  /// Reads these tokens after all that were read before. What becomes of each: (C), lm_head makes its logits.
  Rows read(std::span<const Token> tokens) {
    Rows x;
    for (std::size_t i = 0; i < tokens.size(); i++) {
      x.push_back(rmsnorm(add(model.wte[tokens[i]], model.wpe[position + i])));
    }
    for (std::size_t li = 0; li < kept.size(); li++) read_layer(model.layers[li], kept[li], x);
    position += tokens.size();
    return x;
  }

  /// The same. The logits (V) of the token that comes next.
  Values next(std::span<const Token> tokens) { return linear(read(tokens).back(), model.lm_head); }

  /// The same from all tokens so far, of which only the last is new.
  Values read_on(std::span<const Token> so_far) {
    if (so_far.size() == 1) begin();
    return next(so_far.last(1));  // stop: next
  }

  /// One layer, for the new positions x.
  void read_layer(const Model::Layer& layer, Kept& so_far, Rows& x) {
    for (Values& row : x) {
      const Values x_norm = rmsnorm(row);
      so_far.put(linear(x_norm, layer.attn_wk), linear(x_norm, layer.attn_wv));
      const Values x_attn = attend(linear(x_norm, layer.attn_wq), so_far, model.n_head);
      row = add(linear(x_attn, layer.attn_wo), row);
      row = add(linear(relu(linear(rmsnorm(row), layer.mlp_fc1)), layer.mlp_fc2), row);
    }
  }
};

/// The loss of a name. In training all its letters are there, so they are read at once.
Value draft_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  const Rows x = Reader{model}.read(tokens.first(n));
  return mean(Values(n, [&](std::size_t t) { return cross_entropy(linear(x[t], model.lm_head), tokens[t + 1]); }));
}

/// Ways to ask for the logits (V) of the next letter. The last is lesson 01's table.
Values ask(std::string_view way, Reader& reader, const Bigram& pairs, std::span<const Token> so_far) {
  if (way == "read all again") return Reader{reader.model}.next(so_far);
  if (way == "read only the last") return Reader{reader.model}.next(so_far.last(1));
  if (way == "read on") return reader.read_on(so_far);
  const std::vector<double> p = pairs.probabilities(so_far.back());
  return Values(p.size(), [&](std::size_t i) { return std::log(p[i]); });
}

/// The mean over all letters of these names. Leaves all on the tape.
double mean_loss(std::string_view way, Reader& reader, const Bigram& pairs,
                 const std::vector<std::vector<Token>>& names) {
  double total = 0, letters = 0;
  for (const std::vector<Token>& tokens : names) {
    for (std::size_t t = 1; t < tokens.size() && t <= reader.model.block_size; t++) {
      total += cross_entropy(ask(way, reader, pairs, std::span(tokens).first(t)), tokens[t]).data();
      letters++;
    }
  }
  return total / letters;
}

/// The first number of BOS's key in the second layer, if BOS sees the first `seen` of these tokens.
double first_key(const Model& model, std::span<const Token> tokens, std::size_t seen) {
  const Scope scope;
  Reader reader{model};
  Rows x;
  for (std::size_t t = seen; t-- > 0;) {  // BOS comes last, when the cache of the first layer holds all the others
    x = {rmsnorm(add(model.wte[tokens[t]], model.wpe[t]))};
    reader.read_layer(model.layers[0], reader.kept[0], x);
  }
  return linear(rmsnorm(x[0]), model.layers[1].attn_wk)[0].data();
}

/// 2: a key and a value. They are as wide as the model, because every head has its own slice of them.
std::uint64_t cache_size(std::uint64_t layers, std::size_t width, std::size_t positions, std::size_t number_bytes) {
  return 2 * layers * width * positions * number_bytes;
}

/// Multiply-adds, counted on the tape: what one letter costs, and what it costs together with all letters before it.
void print_products(Config config) {
  config.block_size = 64;
  const Scope scope;
  const Model zeros = scalar_model(config, Parameters(gpt_shapes(config)));
  const std::vector<Token> tokens(config.block_size);
  Reader reader{zeros};
  std::size_t all_again = 0, all_on = 0;
  fmt::print("\n--- multiply-adds: this letter alone; all letters up to it ---\n");
  fmt::print("letter | alone: read again | read on | all: read again | read on | times fewer\n");
  for (std::size_t t = 1; t <= tokens.size(); t++) {
    const std::size_t on = products_of([&] { reader.next(std::span(tokens).first(1)); });
    const Scope forgotten;
    const std::size_t again = products_of([&] { Reader{zeros}.next(std::span(tokens).first(t)); });
    all_again += again;
    all_on += on;
    if (std::has_single_bit(t)) {  // 1, 2, 4, 8, ...
      fmt::print("{:6} | {:17} | {:7} | {:15} | {:7} | {:11.1f}\n", t, again, on, all_again, all_on,
                 static_cast<double>(all_again) / static_cast<double>(all_on));
    }
  }
}

int main(int argc, char** argv) {
  Lesson lesson(argc, argv);
  on_paper();
  lesson.picture("15_rows.svg", rows_picture());

  constexpr std::size_t num_steps = 1000;  // a name each
  fmt::print("\n--- a model of two layers learns names ---\n");
  const Config config{.vocab_size = lesson.tokenizer.vocab_size(), .n_layer = 2};
  Parameters parameters = initialize(config, {}, lesson.random);
  const Model model = scalar_model(config, parameters);
  Adam adam = make_adam({}, parameters.size());
  Bigram pairs(config.vocab_size);  // of the same names
  for (std::size_t step = 1; step <= num_steps; step++) {
    const Scope scope;
    const std::vector<Token> tokens = lesson.tokens_of_step(step);
    const Value loss = draft_loss(model, tokens);
    loss.backward();
    adam.update(model.params, learning_rate({}, step - 1), step - 1);
    pairs.count(tokens);
    lesson.step(step, num_steps, loss.data());  // prints every hundredth
  }
  copy_data(model.params, parameters);

  std::vector<std::vector<Token>> names;  // twenty held-out ones that are not among those either
  for (const Document& name : lesson.held_out(num_steps)) {
    if (names.size() < 20) names.push_back(lesson.tokenizer.encode_document(name));
  }

  fmt::print("\n--- three ways to ask for the next letter, and a table of pairs ---\n");
  fmt::print("way                | loss  | names\n");
  constexpr double temperature = 0.5;
  for (const char* way : {"read all again", "read only the last", "read on", "pairs, lesson 01"}) {
    const Scope scope;
    Reader reader{model};
    const double loss = mean_loss(way, reader, pairs, names);
    std::string generated;
    PythonRandom random(7);  // for each way the same numbers
    for (int i = 0; i < 6; i++) {
      std::vector<Token> so_far{lesson.tokenizer.bos()};
      while (so_far.size() <= model.block_size) {
        const Token next = draw_token(ask(way, reader, pairs, so_far), temperature, random);
        if (next == lesson.tokenizer.bos()) break;
        so_far.push_back(next);
      }
      generated += fmt::format(" {}", lesson.tokenizer.decode(std::span(so_far).subspan(1)));
    }
    fmt::print("{:18} | {:.3f} |{}\n", way, loss, generated);
  }

  print_products(config);

  fmt::print("\n--- the first position's key in the second layer, while the name grows ---\n");
  fmt::print("tokens read at once |      1      2      3      4      5\n");
  const std::vector<Token> first = lesson.tokens_of_step(1);
  for (const bool looks_ahead : {false, true}) {
    fmt::print("{:<19} |", looks_ahead ? "all look ahead" : "nobody looks ahead");
    for (std::size_t n = 1; n <= 5; n++) fmt::print(" {:6.3f}", first_key(model, first, looks_ahead ? n : 1));
    fmt::print("\n");
  }

  fmt::print("\n--- a cache with room for so many letters, the oldest overwritten ---\n");
  for (const std::size_t room : {16, 8, 4, 2, 1}) {
    const Scope scope;
    Reader reader{model, room};
    const double loss = mean_loss("read on", reader, pairs, names);
    fmt::print("room for {:2} | loss {:.3f}\n", room, loss);
  }

  // The caches of published models, and after how many positions they are as large as the parameters.
  fmt::print("\n--- how large a cache is: 2 * layers * width * positions * bytes of a number ---\n");
  fmt::print("model      | layers | width | positions | the cache | parameters | as many bytes after\n");
  for (const auto& [name, positions] : {std::pair("gpt2", 1024), {"llama2-7b", 4096}, {"llama2-13b", 4096}}) {
    const PublishedModel published = published_model(name);
    const std::size_t width = published.attention.n_embd;
    const std::uint64_t of_parameters = 2 * published.parameters;
    fmt::print("{:10} | {:6} | {:5} | {:9} | {:>9} | {:>10} | {:6} positions\n", name, published.n_layer, width,
               positions, readable_bytes(cache_size(published.n_layer, width, positions, 2)),
               readable_bytes(of_parameters), of_parameters / cache_size(published.n_layer, width, 1, 2));
  }

  // Reading on against reading again, and against a prompt of all letters so far in two calls.
  const Scope scope;
  Reader reader{model};
  bool as_again = true, as_prompt = true;
  for (std::vector<Token>& name : names) {
    name.resize(std::min(model.block_size, name.size() - 1));  // without the BOS at its end
    for (std::size_t n = 1; n <= name.size(); n++) {
      const auto so_far = std::span<const Token>(name).first(n);
      const std::vector<double> logits = reader.read_on(so_far).data();
      as_again = as_again && logits == Reader{model}.next(so_far).data();
      Reader prompted{model};
      if (n > 1) prompted.read(so_far.first(n - 1));
      as_prompt = as_prompt && logits == prompted.next(so_far.last(1)).data();
    }
  }
  lesson.check("reading on gives the logits of reading again", as_again);
  lesson.check("so does a prompt that is read at once", as_prompt);
  for (const std::size_t room : {16, 4}) {  // in src/tensor a mask hides what is older
    Config windowed = config;
    windowed.masks[0].window = room;
    TensorModel<double> tensor_model(windowed, parameters);
    Decoder<double> decoder(tensor_model);
    Reader sliding{model, room};
    bool same = true;
    for (const std::vector<Token>& name : names) {
      decoder.reset();
      sliding.begin();
      for (const Token& token : name) {
        same = same && largest_difference(sliding.next({&token, 1}).data(), decoder.next(token)) < 1e-12;
      }
    }
    same = same && decoder.cache_bytes() == cache_size(2, 16, 16, 8);
    lesson.check(room == 16 ? "and so does src/tensor/decoder.h, with a cache of the size that the formula says"
                            : "with room for four letters, it is as if src/tensor hid the others",
                 same);
  }
  const Loss ours = [&](auto tokens) { return draft_loss(model, tokens); };
  const Loss src = [&](auto tokens) { return document_loss(model, tokens); };
  lesson.check("loss and gradient are those of src/microgpt.cpp, bit for bit",
               loss_and_gradient(ours, model.params, first) == loss_and_gradient(src, model.params, first));
  if (Lesson::timed()) print_times();
  return lesson.finish();
}
