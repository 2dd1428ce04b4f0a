// microgpt: a GPT that learns from a file of names, one name at a time, and then makes up new ones.
// It is the whole program, after Karpathy's microgpt.py, and computes the same numbers to the last
// bit (if names are ASCII, and exp and log the same). The three headers behind it need no reading:
// an arena of memory, Python's x ** y, called power(), and random numbers. `make train` runs it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <valarray>
#include <vector>

#include "base/arena.h"
#include "base/power.h"
#include "base/python_random.h"

namespace microgpt {
// --- Value: a number that remembers how it was computed ------------------------------------------
/// A number, and its children: the nodes it was computed from. Parameters, which training changes,
/// are doubles in a Matrix, not nodes; a node made from its row knows where their gradients are.
struct Node {
  const char* op;  // "+", "dot", ...: for people; null: its Scope is over
  double data;
  std::size_t n_child = 0;
  Node* const* child = nullptr;        // n_child of them
  const double* local_grad = nullptr;  // n_child: how fast data changes with each child
  std::size_t n_row = 0;
  double* row_grad = nullptr;         // n_row: where the gradients of these parameters add up
  const double* row_local = nullptr;  // n_row: how fast data changes with each of them
  double grad = 0;                    // gradient, by backward(): how fast the loss changes with data
  std::size_t visit = 0;              // the number of the last backward() that came by
};

/// All nodes in the order in which they were made, and their lists. Nothing on a tape ever moves.
inline Arena<Node, Node*, double> tape;

/// What is made while a Scope lives is taken back when it ends. Each training step is a Scope. (A
/// debug build is checked: nodes are cleared, and a Value whose node has no op was used too late.)
using Scope = Rewind<tape>;

/// A pointer to a node, written like a number.
struct Value {
  Node* node;
  explicit Value(Node* of) : node(of) {}
  Value(double data) : node(tape.make<Node>("leaf", data)) {}  // no children; main() makes none
  Value(const char* op, double data, std::initializer_list<Value> of, std::initializer_list<double> local)
      : node(tape.make<Node>(op, data, of.size(), tape.copy<Node*>(of, &Value::live), tape.copy(local))) {}

  double data() const { return live()->data; }
  double grad() const { return live()->grad; }
  void backward() const;
  Node* live() const { return checked && node->op == nullptr ? outlived_its_scope<Node>() : node; }
};

inline Value operator+(Value a, Value b) { return {"+", a.data() + b.data(), {a, b}, {1, 1}}; }
inline Value operator+(Value a, double b) { return {"+", a.data() + b, {a}, {1}}; }
inline Value operator*(Value a, Value b) { return {"*", a.data() * b.data(), {a, b}, {b.data(), a.data()}}; }
inline Value operator*(Value a, double b) { return {"*", a.data() * b, {a}, {b}}; }
inline Value pow(Value x, double y) { return {"pow", power(x.data(), y), {x}, {y * power(x.data(), y - 1)}}; }
inline Value log(Value x) { return {"log", std::log(x.data()), {x}, {1 / x.data()}}; }
inline Value exp(Value x) { return {"exp", std::exp(x.data()), {x}, {std::exp(x.data())}}; }
inline Value relu(Value x) { return {"relu", std::max(0.0, x.data()), {x}, {x.data() > 0 ? 1.0 : 0.0}}; }
inline Value operator-(Value a) { return a * -1.0; }
inline Value operator/(Value a, Value b) { return a * pow(b, -1.0); }
inline Value operator/(Value a, double b) { return a * power(b, -1.0); }

/// The chain rule, from the loss, which training lowers, to all that it was computed from. First
/// the nodes come in order, children first, depth first as in Python. (Back along the tape would be
/// correct, too, but round sums differently. The path is a list, as a graph can be deeper than the
/// call stack.) On the way back a node's gradient is complete when its children get their shares.
inline void Value::backward() const {
  static std::size_t visit = 0;
  live()->visit = ++visit;
  std::vector<Node*> order;
  std::vector<std::pair<Node*, std::size_t>> path{{node, 0}};  // nodes, and the child to go to next
  while (!path.empty()) {
    auto& [v, next] = path.back();
    while (next < v->n_child && v->child[next]->visit == visit) next++;
    if (next == v->n_child) {
      order.push_back(v);
      path.pop_back();
    } else {
      Node* const child = v->child[next];
      child->visit = visit;
      if (child->n_child + child->n_row > 0) child->grad = 0;  // a rerun begins at 0; leaves add up
      path.push_back({child, 0});
    }
  }
  node->grad = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& v = **it;
    const double grad = v.grad;
    for (std::size_t i = v.n_child; i-- > 0;) v.child[i]->grad += v.local_grad[i] * grad;  // Python's order
    for (std::size_t i = 0; i < v.n_row; i++) v.row_grad[i] += v.row_local[i] * grad;
  }
}

// --- Lists of Values, and the layers -------------------------------------------------------------
using List = std::vector<Value>;
using Slice = std::span<const Value>;  // a part of a list

/// Parameters and their gradients: rows * cols of each, owned by main().
struct Matrix {
  std::size_t rows = 0, cols = 0;
  double *data = nullptr, *grad = nullptr;
  List operator[](std::size_t i) const {  // row i as new nodes, each of one parameter
    static constexpr double one = 1;
    List row;
    for (std::size_t j = i * cols; j < (i + 1) * cols; j++) {
      row.emplace_back(tape.make<Node>("parameter", data[j], 0U, nullptr, nullptr, 1U, grad + j, &one));
    }
    return row;
  }
};

inline Value sum(const List& x) {
  double* const local_grad = tape.allocate<double>(x.size());
  std::fill_n(local_grad, x.size(), 1.0);
  double total = 0;
  for (const Value xi : x) total += xi.data();
  return Value(tape.make<Node>("sum", total, x.size(), tape.copy<Node*>(x, &Value::live), local_grad));
}

/// a[0] * b[0] + a[1] * b[1] + ... as one node, rounded as a chain of + and * would be.
inline Value dot(Slice a, Slice b) {
  Node** const child = tape.allocate<Node*>(2 * a.size());
  double* const local_grad = tape.allocate<double>(2 * a.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    total += a[i].data() * b[i].data();
    child[2 * i] = a[i].node, local_grad[2 * i] = b[i].data();
    child[2 * i + 1] = b[i].node, local_grad[2 * i + 1] = a[i].data();
  }
  return Value(tape.make<Node>("dot", total, 2 * a.size(), child, local_grad));
}

/// For each row of w its dot product with x. It changes with x[j] at the rate row[j], and vice versa.
inline List linear(const List& x, const Matrix& w) {
  Node* const* const child = tape.copy<Node*>(x, &Value::live);
  const double* const x_data = tape.copy<double>(x, &Value::data);
  List y;
  y.reserve(w.rows);
  for (std::size_t i = 0; i < w.rows; i++) {
    double *row = w.data + i * w.cols, *row_grad = w.grad + i * w.cols, total = 0;
    for (std::size_t j = 0; j < w.cols; j++) total += row[j] * x_data[j];
    y.emplace_back(tape.make<Node>("linear", total, w.cols, child, row, w.cols, row_grad, x_data));
  }
  return y;
}

/// Makes probabilities out of any numbers: positive, sum 1. (max_val cancels; else exp may be inf.)
inline List softmax(List x) {
  double max_val = x[0].data();
  for (const Value xi : x) max_val = std::max(max_val, xi.data());
  for (Value& xi : x) xi = exp(xi + -max_val);
  const Value total = sum(x);
  for (Value& xi : x) xi = xi / total;
  return x;
}

/// Scales a list to a mean square of 1, so that numbers keep one size through all layers.
inline List rmsnorm(List x) {
  const Value ms = dot(x, x) / static_cast<double>(x.size());
  const Value scale = pow(ms + 1e-5, -0.5);
  for (Value& xi : x) xi = xi * scale;
  return x;
}

// --- The model -----------------------------------------------------------------------------------
using Token = std::size_t;                     // a character, or BOS: the begin and end of a name
using Cache = std::vector<std::vector<List>>;  // all k or v so far, see gpt(): [layer][position]

struct Model {
  struct Layer {
    Matrix attn_wq, attn_wk, attn_wv, attn_wo, mlp_fc1, mlp_fc2;
  };
  std::size_t n_layer = 1;                  // layers
  std::size_t n_embd = 16;                  // numbers that describe a token in the model
  std::size_t block_size = 16;              // most positions; longer names are cut off
  std::size_t n_head = 4;                   // attention heads of a layer
  bool squared_relu = false;                // square what relu lets through
  std::size_t vocab_size = 0;               // different tokens: the characters, and BOS
  Matrix wte = {}, wpe = {}, lm_head = {};  // a row per token, position, possible next token
  std::vector<Layer> layers = {};
};

/// In goes a token with its position, out come logits: a score for each possible next token. Each
/// half of a layer keeps x, the "residual stream", in x_residual, and adds to it what it finds.
inline List gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values) {
  const std::size_t n_head = model.n_head;
  const std::size_t head_dim = model.n_embd / n_head;
  const List tok_emb = model.wte[token_id];  // what the token means
  const List pos_emb = model.wpe[pos_id];    // what its position means
  List x = tok_emb;
  for (std::size_t i = 0; i < x.size(); i++) x[i] = tok_emb[i] + pos_emb[i];
  x = rmsnorm(x);  // not redundant, although a layer begins with one: x_residual is the scaled x
  for (std::size_t li = 0; li < model.n_layer; li++) {
    const Model::Layer& layer = model.layers[li];
    // 1) Multi-head attention. A head takes its slice of q, and of every k and v so far: the better
    // q matches a k, the larger that v's share. (Longer dot products are larger, hence the root.)
    List x_residual = x;
    x = rmsnorm(x);
    const List q = linear(x, layer.attn_wq);  // query: what this position looks for
    const List k = linear(x, layer.attn_wk);  // key: what it offers to those that look
    const List v = linear(x, layer.attn_wv);  // value: what it hands over if it is found
    keys[li].push_back(k);
    values[li].push_back(v);
    List x_attn;
    for (std::size_t h = 0; h < n_head; h++) {
      const std::size_t hs = h * head_dim;
      const Slice q_h = Slice(q).subspan(hs, head_dim);
      std::vector<Slice> k_h, v_h;
      for (const List& ki : keys[li]) k_h.push_back(Slice(ki).subspan(hs, head_dim));
      for (const List& vi : values[li]) v_h.push_back(Slice(vi).subspan(hs, head_dim));
      List attn_logits, head_out;
      for (std::size_t t = 0; t < k_h.size(); t++) attn_logits.push_back(dot(q_h, k_h[t]) / power(head_dim, 0.5));
      const List attn_weights = softmax(attn_logits);  // each position's share, in all 1
      for (std::size_t j = 0; j < head_dim; j++) {
        List v_j;
        for (const Slice v_t : v_h) v_j.push_back(v_t[j]);
        head_out.push_back(dot(attn_weights, v_j));
      }
      x_attn.insert(x_attn.end(), head_out.begin(), head_out.end());
    }
    x = linear(x_attn, layer.attn_wo);  // mixes what the heads found
    for (std::size_t i = 0; i < x.size(); i++) x[i] = x[i] + x_residual[i];

    // 2) MLP: two linear() with a bend between them, without which they would be one.
    x_residual = x;
    x = rmsnorm(x);
    x = linear(x, layer.mlp_fc1);
    for (Value& xi : x) xi = relu(xi);
    for (Value& xi : x) xi = model.squared_relu ? pow(xi, 2) : xi;
    x = linear(x, layer.mlp_fc2);
    for (std::size_t i = 0; i < x.size(); i++) x[i] = x[i] + x_residual[i];
  }
  return linear(x, model.lm_head);
}

/// The loss: how surprised the model is by a name (a document), the mean of -log(p of what came).
inline Value document_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  Cache keys(model.n_layer), values(model.n_layer);
  List losses;
  for (std::size_t pos_id = 0; pos_id < n; pos_id++) {
    const List probs = softmax(gpt(model, tokens[pos_id], pos_id, keys, values));
    losses.push_back(-log(probs[tokens[pos_id + 1]]));
  }
  return sum(losses) * (1.0 / static_cast<double>(n));
}

/// A parameter moves against m, the running mean of its gradients. Divided by the root of v, that of
/// their squares, a step is about lr_t, be they large or small. Hats make up for the start at 0.
struct Adam {
  double beta1, beta2, eps_adam;  // the betas: how much of the old mean stays
  std::valarray<double> m, v;     // arithmetic on a valarray is done for all its elements, in a loop
  void update(std::valarray<double>& params, std::valarray<double>& grads, double lr_t, std::size_t step) {
    m = beta1 * m + (1 - beta1) * grads;
    v = beta2 * v + (1 - beta2) * power(grads, 2);
    const std::valarray<double> m_hat = m / (1 - power(beta1, step + 1));
    const std::valarray<double> v_hat = v / (1 - power(beta2, step + 1));
    params -= lr_t * m_hat / (power(v_hat, 0.5) + eps_adam);
    grads = 0;
  }
};

/// A new name. Each drawn token goes back in, one position on. Low temperature: likely ones win.
inline std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random) {
  const Scope scope;
  const Token BOS = model.vocab_size - 1;
  Cache keys(model.n_layer), values(model.n_layer);
  std::vector<Token> name;
  for (Token token_id = BOS; name.size() < model.block_size; name.push_back(token_id)) {
    List logits = gpt(model, token_id, name.size(), keys, values);
    for (Value& l : logits) l = l / temperature;
    std::vector<double> weights;
    for (const Value p : softmax(logits)) weights.push_back(p.data());
    token_id = random.choice(weights);  // an index: i with probability weights[i]
    if (token_id == BOS) break;
  }
  return name;
}

}  // namespace microgpt

#ifndef MICROGPT_LIBRARY  // src/microgpt.h includes this file without its main()
int main(int argc, char** argv) {
  using namespace microgpt;
  const std::string path = argc > 1 ? argv[1] : "data/names.txt";
  const bool walkthrough = argc > 2 && argv[2] == std::string("walkthrough");  // an older microgpt's settings
  const std::size_t num_steps = walkthrough ? 500 : 1000;
  Model model = walkthrough ? Model{.block_size = 8, .squared_relu = true} : Model{};
  PythonRandom random(42);
  std::ifstream file(path);
  std::vector<std::string> docs;
  for (std::string line; std::getline(file >> std::ws, line);) {
    docs.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  }
  if (docs.empty()) {
    std::fprintf(stderr, "no names in '%s'; give a text file with one name per line\n", path.c_str());
    return 1;
  }
  random.shuffle(docs);
  std::set<char> characters;
  for (const std::string& doc : docs) characters.insert(doc.begin(), doc.end());
  const std::string uchars(characters.begin(), characters.end());  // a character's token is its place
  const Token BOS = uchars.size();
  const std::size_t V = model.vocab_size = BOS + 1, C = model.n_embd;
  const std::size_t num_params = (V + model.block_size + V + model.n_layer * (4 + 4 + 4) * C) * C;  // attn, fc1, fc2
  std::valarray<double> params(num_params), grads(num_params);
  std::size_t used = 0;
  auto matrix = [&](std::size_t nout, std::size_t nin, double sigma) {
    const Matrix w{nout, nin, &params[used], &grads[used]};
    for (const std::size_t end = used + nout * nin; used < end; used++) params[used] = random.gauss(0, sigma);
    return w;
  };
  const double sigma = walkthrough ? 0.02 : 0.08, sigma_out = walkthrough ? 0 : 0.08;
  model.wte = matrix(V, C, sigma);
  model.wpe = matrix(model.block_size, C, sigma);
  model.lm_head = matrix(V, C, sigma);
  while (model.layers.size() < model.n_layer) {  // what stands in braces is made in order
    model.layers.push_back({matrix(C, C, sigma), matrix(C, C, sigma), matrix(C, C, sigma), matrix(C, C, sigma_out),
                            matrix(4 * C, C, sigma), matrix(C, 4 * C, sigma_out)});
  }
  std::printf("num docs: %zu\nvocab size: %zu\nnum params: %zu\n", docs.size(), V, num_params);
  Adam adam{walkthrough ? 0.9 : 0.85, walkthrough ? 0.95 : 0.99, 1e-8, grads, grads};  // m, v: copies of zeros
  for (std::size_t step = 0; step < num_steps; step++) {
    const Scope scope;
    std::vector<Token> tokens{BOS};
    for (const char ch : docs[step % docs.size()]) tokens.push_back(uchars.find(ch));
    tokens.push_back(BOS);
    const Value loss = document_loss(model, tokens);
    loss.backward();
    const double done = static_cast<double>(step) / static_cast<double>(num_steps);  // the rate falls
    const double lr_t = 0.01 * (walkthrough ? 0.5 * (1 + std::cos(std::numbers::pi * done)) : 1 - done);
    adam.update(params, grads, lr_t, step);
    std::printf("step %4zu / %4zu | loss %.4f\n", step + 1, num_steps, loss.data());
  }

  std::printf("\n%s\n", walkthrough ? "--- inference ---" : "--- inference (new, hallucinated names) ---");
  for (int i = 1; i <= 20; i++) {
    std::string name;
    for (const Token token : sample(model, 0.5, random)) name += uchars[token];
    std::printf("sample %2d: %s\n", i, name.c_str());
  }
}
#endif
