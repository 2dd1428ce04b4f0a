// microgpt: a GPT that learns from a file of names, one name at a time, and then makes up new ones. It is the whole
// program, after Karpathy's microgpt.py, and computes the same numbers to the last bit (if names are ASCII, and exp,
// log and cos round as Python's do). The three headers behind it need no reading: an arena, whose allocate(n) is room
// for n things side by side; Python's x ** y, called power(); and Python's random numbers. `make train` runs it.
// Lessons and tests include it without main(), so functions are inline.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/power.h"
#include "base/python_random.h"

namespace microgpt {
// --- Value: a number that remembers how it was computed ------------------------------------------
struct Node;

struct Edge {
  Node* child;        // an operand of this node, made before it
  double local_grad;  // how fast this node's data changes with the child's
};

struct Node {
  const char* op;         // "+", "dot", ..., or "parameter": for people with a debugger
  double data;            // the number
  std::span<Edge> edges;  // to its children; a leaf has none
  double grad = 0;        // gradient, by backward(): how fast the loss changes with data
  std::size_t visit = 0;  // the number of the last backward() that came by
};

inline Arena<Node> tape;        // all nodes, in the order in which they were made
inline Arena<Edge> tape_edges;  // and their edges

/// What is made while a Scope lives is taken back when it ends. Each training step is one; parameters are made before.
struct Scope {
  Arena<Node>::Rewind nodes{tape};
  Arena<Edge>::Rewind edges{tape_edges};
};

/// A pointer to a node, written like a number. A new Value is a new node; a copy, or an assignment, is the same node.
struct Value {
  Node* node;
  Value(double data) : Value("leaf", data) {}
  Value(const char* op, double data, std::span<Edge> edges = {})
      : node(new (tape.allocate(1).data()) Node{op, data, edges}) {}
  Value(const char* op, double data, std::initializer_list<Edge> edges)
      : Value(op, data, tape_edges.allocate(edges.size())) {
    std::copy(edges.begin(), edges.end(), node->edges.begin());
  }

  double data() const { return node->data; }
  double grad() const { return node->grad; }
  void backward() const;
};

inline Value operator+(Value a, Value b) { return {"+", a.data() + b.data(), {{a.node, 1}, {b.node, 1}}}; }
inline Value operator+(Value a, double b) { return {"+", a.data() + b, {{a.node, 1}}}; }
inline Value operator*(Value a, Value b) {
  return {"*", a.data() * b.data(), {{a.node, b.data()}, {b.node, a.data()}}};
}
inline Value operator*(Value a, double b) { return {"*", a.data() * b, {{a.node, b}}}; }
inline Value pow(Value x, double y) { return {"pow", power(x.data(), y), {{x.node, y * power(x.data(), y - 1)}}}; }
inline Value log(Value x) { return {"log", std::log(x.data()), {{x.node, 1 / x.data()}}}; }
inline Value exp(Value x) { return {"exp", std::exp(x.data()), {{x.node, std::exp(x.data())}}}; }
inline Value relu(Value x) { return {"relu", std::max(0.0, x.data()), {{x.node, x.data() > 0 ? 1.0 : 0.0}}}; }
inline Value operator-(Value a) { return a * -1.0; }
inline Value operator-(Value a, double b) { return a + -b; }
inline Value operator/(Value a, Value b) { return a * pow(b, -1.0); }
inline Value operator/(Value a, double b) { return a * power(b, -1.0); }

/// Lists v and all that it was computed from, but for leaves: children first, depth first as in Python. (Its calls nest
/// about 15 deep for each layer of the model, however long a name is.)
inline void build_topo(Node* v, std::size_t visit, std::vector<Node*>& topo) {
  v->visit = visit;
  for (const Edge& edge : v->edges) {
    if (edge.child->visit != visit) build_topo(edge.child, visit, topo);
  }
  if (v->edges.empty()) return;  // a leaf hands nothing on, and gathers its gradient until Adam clears it
  v->grad = 0;                   // there may have been a backward() before
  topo.push_back(v);
}

/// The chain rule, from the loss, which training lowers, to all that it was computed from. A node's gradient is
/// complete when its children get their shares of it, as all that was computed from it comes first on this way back.
/// (Back along the tape would be right, too, but sums would be rounded in another order than Python's.)
inline void Value::backward() const {
  static std::size_t visit = 0;
  std::vector<Node*> topo;
  build_topo(node, ++visit, topo);
  node->grad = 1;
  for (std::size_t i = topo.size(); i-- > 0;) {
    const std::span<Edge> edges = topo[i]->edges;  // from last to first, as Python goes back along a sum
    const double grad = topo[i]->grad;
    for (std::size_t e = edges.size(); e-- > 0;) edges[e].child->grad += edges[e].local_grad * grad;
  }
}

// --- Lists of Values, and the layers -------------------------------------------------------------
using List = std::vector<Value>;
using Slice = std::span<const Value>;  // a part of a list
using Matrix = std::vector<List>;      // its rows

inline Value sum(Slice x) {
  const std::span<Edge> edges = tape_edges.allocate(x.size());
  double total = 0;
  for (std::size_t i = 0; i < x.size(); i++) {
    total += x[i].data();
    edges[i] = {x[i].node, 1};
  }
  return {"sum", total, edges};
}

/// a[0] * b[0] + a[1] * b[1] + ... as one node, rounded as a chain of * and + would be.
inline Value dot(Slice a, Slice b) {
  const std::span<Edge> edges = tape_edges.allocate(2 * a.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const double a_i = a[i].data(), b_i = b[i].data();
    total += a_i * b_i;
    edges[2 * i] = {a[i].node, b_i};
    edges[2 * i + 1] = {b[i].node, a_i};
  }
  return {"dot", total, edges};
}

inline List add(Slice a, Slice b) {
  List y;
  y.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); i++) y.push_back(a[i] + b[i]);
  return y;
}

/// For each row of w its dot product with x.
inline List linear(const List& x, const Matrix& w) {
  List y;
  y.reserve(w.size());
  for (const List& row : w) y.push_back(dot(row, x));
  return y;
}

/// Makes probabilities out of any numbers: positive, sum 1. (Subtracting max_val changes none, but keeps exp finite.)
inline List softmax(List x) {
  double max_val = x[0].data();
  for (const Value xi : x) max_val = std::max(max_val, xi.data());
  for (Value& xi : x) xi = exp(xi - max_val);
  const Value total = sum(x);
  for (Value& xi : x) xi = xi / total;
  return x;
}

/// Scales a list to a mean square of 1, so that numbers keep one size through all layers.
inline List rmsnorm(List x) {
  const Value ms = dot(x, x) / static_cast<double>(x.size());
  const Value scale = pow(ms + 1e-5, -0.5);  // 1e-5: never a division by 0
  for (Value& xi : x) xi = xi * scale;
  return x;
}

// --- The model -----------------------------------------------------------------------------------
using Token = std::size_t;                     // a character, or BOS: the beginning, and the end, of a name
using Cache = std::vector<std::vector<List>>;  // what gpt() keeps of earlier positions: [layer][position]

struct Model {  // gpt() says what each matrix is for
  struct Layer {
    Matrix attn_wq, attn_wk, attn_wv, attn_wo, mlp_fc1, mlp_fc2;
  };
  std::size_t n_head = 4;       // attention heads of a layer
  std::size_t block_size = 16;  // most positions; longer names are cut off
  bool squared_relu = false;    // square what relu lets through
  Matrix wte = {}, wpe = {};    // a row for each token; a row for each position
  Matrix lm_head = {};          // a row for each possible next token
  std::vector<Layer> layers = {};
  List params = {};  // the same Values, of all matrices, in one list: what training changes
};

/// In goes a token with its position, out come logits: a score for each possible next token. Each half of a layer,
/// attention and MLP, keeps x, the "residual stream", in x_residual, and adds to it what it finds. keys and values are
/// what attention keeps of this position for later ones.
inline List gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values) {
  const List& tok_emb = model.wte[token_id];  // what the token means
  const List& pos_emb = model.wpe[pos_id];    // what its position means
  const std::size_t head_dim = tok_emb.size() / model.n_head;
  List x = add(tok_emb, pos_emb);
  x = rmsnorm(x);  // not redundant, although each layer begins with rmsnorm(): the stream begins scaled
  for (std::size_t li = 0; li < model.layers.size(); li++) {
    const Model::Layer& layer = model.layers[li];
    // 1) Multi-head attention: each head looks back, with its slice of q, k and v. The better its q matches the k of a
    // position, the larger is the share of that position's v in what it finds. (Sums of more products are larger, hence
    // the root of head_dim.)
    List x_residual = x;
    x = rmsnorm(x);
    const List q = linear(x, layer.attn_wq);  // query: what this position looks for
    const List k = linear(x, layer.attn_wk);  // key: what it offers to those that look
    const List v = linear(x, layer.attn_wv);  // value: what it hands over if it is found
    keys[li].push_back(k);
    values[li].push_back(v);
    List x_attn;
    for (std::size_t h = 0; h < model.n_head; h++) {
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
    x = add(x, x_residual);

    // 2) MLP: two linear() with a bend between them, without which they would be one.
    x_residual = x;
    x = rmsnorm(x);
    x = linear(x, layer.mlp_fc1);
    for (Value& xi : x) xi = model.squared_relu ? pow(relu(xi), 2) : relu(xi);
    x = linear(x, layer.mlp_fc2);
    x = add(x, x_residual);
  }
  return linear(x, model.lm_head);
}

/// The loss: how surprised the model is by a name (a document), the mean of -log(p of what came).
inline Value document_loss(const Model& model, std::span<const Token> tokens) {
  const std::size_t n = std::min(model.block_size, tokens.size() - 1);
  Cache keys(model.layers.size()), values(model.layers.size());
  List losses;
  for (std::size_t pos_id = 0; pos_id < n; pos_id++) {
    const List probs = softmax(gpt(model, tokens[pos_id], pos_id, keys, values));
    losses.push_back(-log(probs[tokens[pos_id + 1]]));
  }
  return sum(losses) * (1.0 / static_cast<double>(n));  // Python's (1 / n) * sum; / n may differ in the last bit
}

/// m is the running mean of a parameter's gradient, v that of its square. m over the root of v is about 1, be gradients
/// large or small, so a step is about as long as lr_t, the learning rate. m_hat and v_hat make up for the start at 0.
struct Adam {
  double beta1, beta2, eps_adam;  // the betas: how much of the old mean stays
  std::vector<double> m, v;       // zeros at first
  void update(const List& params, double lr_t, std::size_t step) {
    const double unbias_m = 1 - power(beta1, step + 1), unbias_v = 1 - power(beta2, step + 1);
    for (std::size_t i = 0; i < params.size(); i++) {
      Node& p = *params[i].node;
      m[i] = beta1 * m[i] + (1 - beta1) * p.grad;
      v[i] = beta2 * v[i] + (1 - beta2) * power(p.grad, 2);
      const double m_hat = m[i] / unbias_m;
      const double v_hat = v[i] / unbias_v;
      p.data -= lr_t * m_hat / (power(v_hat, 0.5) + eps_adam);
      p.grad = 0;
    }
  }
};

/// A new name. Each drawn token goes back in, one position on. Low temperature: likely ones win.
inline std::vector<Token> sample(const Model& model, double temperature, PythonRandom& random) {
  const Scope scope;
  const Token BOS = model.wte.size() - 1;
  Cache keys(model.layers.size()), values(model.layers.size());
  std::vector<Token> name;
  Token token_id = BOS;
  for (std::size_t pos_id = 0; pos_id < model.block_size; pos_id++) {
    List logits = gpt(model, token_id, pos_id, keys, values);
    for (Value& l : logits) l = l / temperature;
    std::vector<double> weights;
    for (const Value p : softmax(logits)) weights.push_back(p.data());
    token_id = random.choice(weights);  // an index: i with probability weights[i]
    if (token_id == BOS) break;
    name.push_back(token_id);
  }
  return name;
}

}  // namespace microgpt

#ifndef MICROGPT_LIBRARY  // src/microgpt.h includes this file without its main()
/// Those of Karpathy's microgpt.py, a gist, and of an earlier version that a walkthrough explains.
struct Settings {
  std::size_t num_steps, block_size;
  double init_std, init_std_out;  // spread of the first weights; of attn_wo and mlp_fc2 (0: they begin as zeros)
  double beta1, beta2;
  bool squared_relu, cosine;  // cosine: the learning rate falls to 0 along half a wave instead of a line
  const char* heading;
};
constexpr Settings gist{1000, 16, 0.08, 0.08, 0.85, 0.99, false, false, "--- inference (new, hallucinated names) ---"};
constexpr Settings walkthrough{500, 8, 0.02, 0, 0.9, 0.95, true, true, "--- inference ---"};

int main(int argc, char** argv) {
  using namespace microgpt;
  const std::string path = argc > 1 ? argv[1] : "data/names.txt";
  const Settings& settings = argc > 2 && argv[2] == std::string("walkthrough") ? walkthrough : gist;
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
  const std::size_t vocab_size = BOS + 1;
  constexpr std::size_t n_layer = 1, n_embd = 16;  // n_embd: numbers that describe a token in the model
  Model model{.block_size = settings.block_size, .squared_relu = settings.squared_relu};
  auto matrix = [&](std::size_t nout, std::size_t nin, double sigma) {  // params lists its numbers, too
    Matrix rows(nout);
    for (List& row : rows) {
      while (row.size() < nin) row.emplace_back("parameter", random.gauss(0, sigma));
      model.params.insert(model.params.end(), row.begin(), row.end());
    }
    return rows;
  };
  const double sigma = settings.init_std, sigma_out = settings.init_std_out;
  model.wte = matrix(vocab_size, n_embd, sigma);
  model.wpe = matrix(settings.block_size, n_embd, sigma);
  model.lm_head = matrix(vocab_size, n_embd, sigma);
  for (std::size_t i = 0; i < n_layer; i++) {
    model.layers.push_back({matrix(n_embd, n_embd, sigma), matrix(n_embd, n_embd, sigma),      // attn_wq, attn_wk
                            matrix(n_embd, n_embd, sigma), matrix(n_embd, n_embd, sigma_out),  // attn_wv, attn_wo
                            matrix(4 * n_embd, n_embd, sigma), matrix(n_embd, 4 * n_embd, sigma_out)});  // the MLP
  }
  std::printf("num docs: %zu\nvocab size: %zu\nnum params: %zu\n", docs.size(), vocab_size, model.params.size());

  const std::vector<double> zeros(model.params.size());
  Adam adam{settings.beta1, settings.beta2, 1e-8, zeros, zeros};
  for (std::size_t step = 0; step < settings.num_steps; step++) {
    const Scope scope;
    std::vector<Token> tokens{BOS};
    for (const char ch : docs[step % docs.size()]) tokens.push_back(uchars.find(ch));
    tokens.push_back(BOS);
    const Value loss = document_loss(model, tokens);
    loss.backward();
    const double done = static_cast<double>(step) / static_cast<double>(settings.num_steps);
    const double lr_t = 0.01 * (settings.cosine ? 0.5 * (1 + std::cos(std::numbers::pi * done)) : 1 - done);
    adam.update(model.params, lr_t, step);
    std::printf("step %4zu / %4zu | loss %.4f\n", step + 1, settings.num_steps, loss.data());
  }

  std::printf("\n%s\n", settings.heading);
  for (int i = 1; i <= 20; i++) {
    std::string name;
    for (const Token token : sample(model, 0.5, random)) name += uchars[token];
    std::printf("sample %2d: %s\n", i, name.c_str());
  }
}
#endif
