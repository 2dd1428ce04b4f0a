// The whole file, at every stage. `//@ 3` begins lines that stand in it from stage 3 on, `//@ 3-6` lines that stand in
// it at stages 3 to 6. lessons/mine/mine.sh cuts them out; stage 0 is the file that a reader starts with.
// clang-format off

//@ 0
// My own microgpt. `make mine` compiles and tests this file; lessons/mine/README.md says how.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <fstream>
#include <random>
//@ 15
#include <set>
//@ 0
#include <string>
#include <vector>

//@ 16
#include "base/python_random.h"
//@ 17
#include "lessons/mine/save.h"
//@ 16

//@ 0
using Token = std::size_t;                          // a letter as a number: a is 0, z is 25
std::string uchars = "abcdefghijklmnopqrstuvwxyz";  // the letter of a token
Token BOS = uchars.size();                          // 26: stands before and after each name

//@ 0-15
std::mt19937 random_bits(42);  // all chance comes from here
//@ 16
microgpt::PythonRandom python(42);  // all chance comes from here
//@ 0

/// The names in a file, one on each line, shuffled.
std::vector<std::string> read_names(const std::string& path) {
  std::vector<std::string> names;
  std::ifstream file(path);
  for (std::string name; std::getline(file >> std::ws, name);) names.push_back(name);
//@ 0-15
  std::shuffle(names.begin(), names.end(), random_bits);
//@ 16
  python.shuffle(names);
//@ 0
  return names;
}

/// A name as tokens: "anna" is BOS 0 13 13 0 BOS.
std::vector<Token> encode(const std::string& name) {
  std::vector<Token> tokens{BOS};
  for (char letter : name) tokens.push_back(uchars.find(letter));
  tokens.push_back(BOS);
  return tokens;
}

//@ 1-6
using Counts = std::vector<std::vector<double>>;

/// Counts each pair of neighbours: counts[first][second].
void count_pairs(Counts& counts, const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) counts[tokens[i]][tokens[i + 1]] += 1;
}

//@ 1
/// Draws an index. Each is as likely as its weight says.
Token draw(const std::vector<double>& weights) {
//@ 1-15
  return std::discrete_distribution<Token>(weights.begin(), weights.end())(random_bits);
//@ 16
  return python.choice(weights);
//@ 1
}

//@ 1-6
/// A name that starts at BOS and ends where BOS is drawn, after 16 letters at the latest.
std::string new_name(const Counts& counts) {
  std::string name;
  for (Token token = draw(counts[BOS]); token != BOS && name.size() < 16; token = draw(counts[token])) {
    name += uchars[token];
  }
  return name;
}

//@ 4
/// A number, and how it was computed.
struct Node {
  double data = 0;
  Node *a = nullptr, *b = nullptr;  // it was computed from these; none for a number that was given
  double da = 0, db = 0;            // how fast data changes with each of them
  double grad = 0;                  // how fast the result changes with data, after backward()
};

std::deque<Node> tape;  // all nodes, in the order in which they were made; a deque never moves them

/// Points to a node, and is written like a number.
struct Value {
  Node* node;
  Value(double data) : Value(Node{data}) {}
  explicit Value(const Node& made) {
    tape.push_back(made);
    node = &tape.back();
  }
  double data() const { return node->data; }
  double grad() const { return node->grad; }
//@ 5
  void backward() const;
//@ 4
};

Value operator+(Value a, Value b) { return Value(Node{a.data() + b.data(), a.node, b.node, 1, 1}); }
Value operator*(Value a, Value b) { return Value(Node{a.data() * b.data(), a.node, b.node, b.data(), a.data()}); }
//@ 6
Value pow(Value x, double y) {
  return Value(Node{std::pow(x.data(), y), x.node, nullptr, y * std::pow(x.data(), y - 1)});
}
Value log(Value x) { return Value(Node{std::log(x.data()), x.node, nullptr, 1 / x.data()}); }
Value exp(Value x) { return Value(Node{std::exp(x.data()), x.node, nullptr, std::exp(x.data())}); }
Value relu(Value x) { return Value(Node{std::max(0.0, x.data()), x.node, nullptr, x.data() > 0 ? 1.0 : 0.0}); }
Value operator-(Value a) { return a * -1; }
Value operator-(Value a, Value b) { return a + -b; }
Value operator/(Value a, Value b) { return a * pow(b, -1); }
//@ 4

//@ 5
/// The chain rule. A node is made after its children, so on the way back its gradient is complete when it is reached.
void Value::backward() const {
  for (Node& v : tape) {
    if (v.a != nullptr) v.grad = 0;  // numbers that were given add up
  }
  node->grad = 1;
  for (auto v = tape.rbegin(); v != tape.rend(); ++v) {
    if (v->a != nullptr) v->a->grad += v->da * v->grad;
    if (v->b != nullptr) v->b->grad += v->db * v->grad;
  }
}

//@ 6
using List = std::vector<Value>;

//@ 3
/// Makes probabilities of any scores: positive numbers with a sum of 1.
//@ 3-5
std::vector<double> softmax(std::vector<double> x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double total = 0;
  for (double& xi : x) {
    xi = std::exp(xi - largest);
    total += xi;
  }
  for (double& xi : x) xi /= total;
  return x;
}

//@ 6
List softmax(List x) {
  double largest = x[0].data();
  for (Value xi : x) largest = std::max(largest, xi.data());
  Value total = 0;
  for (Value& xi : x) {
    xi = exp(xi - largest);
    total = total + xi;
  }
  for (Value& xi : x) xi = xi / total;
  return x;
}

//@ 2-6
/// What can follow, and how likely it is: every pair counts once more than it was seen.
//@ 2-2
std::vector<double> probabilities(const std::vector<double>& row) {
  double total = 0;
  for (double count : row) total += count + 1;
  std::vector<double> p;
  for (double count : row) p.push_back((count + 1) / total);
  return p;
}

//@ 3-5
std::vector<double> probabilities(const std::vector<double>& row) {
  std::vector<double> scores;
  for (double count : row) scores.push_back(std::log(count + 1));
  return softmax(scores);
}

//@ 6-6
List probabilities(const std::vector<double>& row) {
  List scores;
  for (double count : row) scores.push_back(std::log(count + 1));
  return softmax(scores);
}

//@ 2-6
/// How surprising a name is: the mean of -log(probability of what came).
//@ 2-5
double document_loss(const Counts& counts, const std::vector<Token>& tokens) {
  double total = 0;
//@ 6-6
Value document_loss(const Counts& counts, const std::vector<Token>& tokens) {
  Value total = 0;
//@ 2-6
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    total = total - log(probabilities(counts[tokens[i]])[tokens[i + 1]]);
  }
  return total / static_cast<double>(tokens.size() - 1);
}

//@ 7
using Matrix = std::vector<List>;
List params;  // every number that training may change

/// Random weights of size 0.08 or so: nout rows of nin numbers.
Matrix matrix(std::size_t nout, std::size_t nin) {
//@ 7-15
  std::normal_distribution<double> gauss(0, 0.08);
//@ 7
  Matrix w(nout);
  for (List& row : w) {
    while (row.size() < nin) {
//@ 7-15
      row.push_back(gauss(random_bits));
//@ 16
      row.push_back(python.gauss(0, 0.08));
//@ 7
      params.push_back(row.back());
    }
  }
  return w;
}

//@ 7-12
/// Moves each parameter against its gradient, which is 0 afterwards.
void sgd(double learning_rate) {
  for (Value p : params) {
    p.node->data -= learning_rate * p.grad();
    p.node->grad = 0;
  }
}

//@ 13
/// Moves each parameter against the mean of its gradients, divided by their usual size. Steps count from 0.
void adam(double learning_rate, std::size_t step) {
  static std::vector<double> m, v;
  m.resize(params.size());
  v.resize(params.size());
  const double beta1 = 0.85, beta2 = 0.99, t = static_cast<double>(step) + 1;
  for (std::size_t i = 0; i < params.size(); i++) {
    const double grad = params[i].grad();
    m[i] = beta1 * m[i] + (1 - beta1) * grad;
    v[i] = beta2 * v[i] + (1 - beta2) * grad * grad;
    const double m_hat = m[i] / (1 - std::pow(beta1, t));
    const double v_hat = v[i] / (1 - std::pow(beta2, t));
    params[i].node->data -= learning_rate * m_hat / (std::sqrt(v_hat) + 1e-8);
    params[i].node->grad = 0;
  }
}

//@ 8
List add(const List& a, const List& b) {
  List y;
  for (std::size_t i = 0; i < a.size(); i++) y.push_back(a[i] + b[i]);
  return y;
}

Value dot(const List& a, const List& b) {
  Value total = 0;
  for (std::size_t i = 0; i < a.size(); i++) total = total + a[i] * b[i];
  return total;
}

/// For each row of w its dot product with x.
List linear(const List& x, const Matrix& w) {
  List y;
  for (const List& row : w) y.push_back(dot(row, x));
  return y;
}

//@ 11
/// Divides a list by its root mean square.
List rmsnorm(List x) {
  const Value mean_square = dot(x, x) / static_cast<double>(x.size());
  const Value scale = pow(mean_square + 1e-5, -0.5);
  for (Value& xi : x) xi = xi * scale;
  return x;
}

//@ 9
using Cache = std::vector<List>;  // a key or a value of each position so far

/// Mixes the values, each with the weight that its key has for the query.
List attention(const List& q, const Cache& keys, const Cache& values) {
  List scores;
  for (const List& k : keys) scores.push_back(dot(q, k) / std::sqrt(static_cast<double>(q.size())));
  const List weights = softmax(scores);
  List mixed(q.size(), 0.0);
  for (std::size_t t = 0; t < values.size(); t++) {
    for (std::size_t j = 0; j < mixed.size(); j++) mixed[j] = mixed[j] + weights[t] * values[t][j];
  }
  return mixed;
}

//@ 10
List slice(const List& x, std::size_t from, std::size_t n) {
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(from);
  return List(first, first + static_cast<std::ptrdiff_t>(n));
}

/// Attention n_head times, each with its slice of q, keys and values; what they found, side by side.
List heads(const List& q, const Cache& keys, const Cache& values, std::size_t n_head) {
  const std::size_t head_dim = q.size() / n_head;
  List x_attn;
  for (std::size_t hs = 0; hs < q.size(); hs += head_dim) {
    Cache k_h, v_h;
    for (const List& k : keys) k_h.push_back(slice(k, hs, head_dim));
    for (const List& v : values) v_h.push_back(slice(v, hs, head_dim));
    for (Value found : attention(slice(q, hs, head_dim), k_h, v_h)) x_attn.push_back(found);
  }
  return x_attn;
}

//@ 7
struct Model {
//@ 7-7
  Matrix table;  // a row of scores for each token
//@ 8
  Matrix wte, wpe, lm_head;  // rows: tokens, positions, next tokens
//@ 9
  Matrix attn_wq, attn_wk, attn_wv, attn_wo;
//@ 10
  std::size_t n_head = 4;
//@ 12
  Matrix mlp_fc1, mlp_fc2;
//@ 7
};

/// A score for each token that could come next.
//@ 7-7
List gpt(const Model& model, Token token_id) { return model.table[token_id]; }
//@ 8-8
List gpt(const Model& model, Token token_id, std::size_t pos_id) {
//@ 9
List gpt(const Model& model, Token token_id, std::size_t pos_id, Cache& keys, Cache& values) {
//@ 8
  List x = add(model.wte[token_id], model.wpe[pos_id]);
//@ 11
  x = rmsnorm(x);
//@ 9
  List x_residual = x;
//@ 11
  x = rmsnorm(x);
//@ 9
  keys.push_back(linear(x, model.attn_wk));
  values.push_back(linear(x, model.attn_wv));
//@ 9-9
  x = attention(linear(x, model.attn_wq), keys, values);
//@ 10
  x = heads(linear(x, model.attn_wq), keys, values, model.n_head);
//@ 9
  x = add(linear(x, model.attn_wo), x_residual);
//@ 12
  x_residual = x;
  x = linear(rmsnorm(x), model.mlp_fc1);
  for (Value& xi : x) xi = relu(xi);
  x = add(linear(x, model.mlp_fc2), x_residual);
//@ 8
  return linear(x, model.lm_head);
}
//@ 7

/// How surprising a name is: the mean of -log(probability of what came). Of long names, the first 16 tokens.
Value document_loss(const Model& model, const std::vector<Token>& tokens) {
  const std::size_t n = std::min<std::size_t>(16, tokens.size() - 1);
//@ 9
  Cache keys, values;
//@ 7
  Value total = 0;
  for (std::size_t i = 0; i < n; i++) {
//@ 7-7
    const List p = softmax(gpt(model, tokens[i]));
//@ 8-8
    const List p = softmax(gpt(model, tokens[i], i));
//@ 9
    const List p = softmax(gpt(model, tokens[i], i, keys, values));
//@ 7
    total = total - log(p[tokens[i + 1]]);
  }
  return total / static_cast<double>(n);
}

/// A name that starts at BOS and ends where BOS is drawn, after 16 letters at the latest.
//@ 7-13
std::string new_name(const Model& model) {
//@ 14
std::string new_name(const Model& model, double temperature) {
//@ 9
  Cache keys, values;
//@ 7
  std::string name;
  for (Token token = BOS; name.size() < 16; name += uchars[token]) {
//@ 7-7
    const List logits = gpt(model, token);
//@ 8-8
    const List logits = gpt(model, token, name.size());
//@ 9-13
    const List logits = gpt(model, token, name.size(), keys, values);
//@ 14
    List logits = gpt(model, token, name.size(), keys, values);
    for (Value& l : logits) l = l / temperature;
//@ 7
    std::vector<double> weights;
    for (Value p : softmax(logits)) weights.push_back(p.data());
    token = draw(weights);
    if (token == BOS) break;
  }
  return name;
}

//@ 0-14
int main() {
  const std::vector<std::string> names = read_names("data/names.txt");
//@ 15
int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "data/names.txt";
  const std::vector<std::string> names = read_names(path);
  if (names.empty()) {
    std::fprintf(stderr, "no names in '%s'\n", path.c_str());
    return 1;
  }
  std::set<char> letters;
  for (const std::string& name : names) letters.insert(name.begin(), name.end());
  uchars.assign(letters.begin(), letters.end());
  BOS = uchars.size();
//@ 0-0
  std::printf("%zu names, and none of them is new\n", names.size());
//@ 1-6
  Counts counts(BOS + 1, std::vector<double>(BOS + 1));
//@ 1-1
  for (std::size_t step = 0; step < 1000; step++) count_pairs(counts, encode(names[step]));
//@ 2-6
  double last_100 = 0;
  for (std::size_t step = 0; step < 1000; step++) {
    const std::vector<Token> tokens = encode(names[step]);
//@ 2-5
    if (step >= 900) last_100 += document_loss(counts, tokens);
//@ 6-6
    if (step >= 900) last_100 += document_loss(counts, tokens).data();
//@ 2-6
    count_pairs(counts, tokens);
  }
  std::printf("mean of the last 100 losses: %.4f\n", last_100 / 100);
//@ 7
  const std::size_t vocab_size = BOS + 1;
  Model model;
//@ 7-7
  model.table = matrix(vocab_size, vocab_size);
//@ 8
  model.wte = matrix(vocab_size, 16);
  model.wpe = matrix(16, 16);
  model.lm_head = matrix(vocab_size, 16);
//@ 9
  model.attn_wq = matrix(16, 16);
  model.attn_wk = matrix(16, 16);
  model.attn_wv = matrix(16, 16);
  model.attn_wo = matrix(16, 16);
//@ 12
  model.mlp_fc1 = matrix(64, 16);
  model.mlp_fc2 = matrix(16, 64);
//@ 15
  std::printf("num docs: %zu\nvocab size: %zu\nnum params: %zu\n", names.size(), vocab_size, params.size());
//@ 7
  const std::size_t mark = tape.size();
//@ 7-14
  double last_100 = 0;
//@ 7
  for (std::size_t step = 0; step < 1000; step++) {
    const Value loss = document_loss(model, encode(names[step % names.size()]));
    loss.backward();
    const double rest = 1 - static_cast<double>(step) / 1000;
//@ 7-7
    sgd(6 * rest);
//@ 8-12
    sgd(0.5 * rest);
//@ 13
    adam(0.01 * rest, step);
//@ 7-14
    if (step >= 900) last_100 += loss.data();
//@ 15
    std::printf("step %4zu / 1000 | loss %.4f\n", step + 1, loss.data());
//@ 7
    tape.resize(mark);  // forget what was computed, and keep the parameters
  }
//@ 7-14
  std::printf("mean of the last 100 losses: %.4f\n", last_100 / 100);
//@ 1-6
  for (int i = 0; i < 20; i++) std::printf("%s\n", new_name(counts).c_str());
//@ 7-13
  for (int i = 0; i < 20; i++) std::printf("%s\n", new_name(model).c_str());
//@ 14-14
  for (int i = 0; i < 20; i++) std::printf("%s\n", new_name(model, 0.5).c_str());
//@ 15
//@ 17
  if (argc > 2) {
    save<Matrix>(argv[2], uchars, model.n_head,
                 {{"wte", model.wte}, {"wpe", model.wpe}, {"lm_head", model.lm_head},
                  {"layer0.attn_wq", model.attn_wq}, {"layer0.attn_wk", model.attn_wk},
                  {"layer0.attn_wv", model.attn_wv}, {"layer0.attn_wo", model.attn_wo},
                  {"layer0.mlp_fc1", model.mlp_fc1}, {"layer0.mlp_fc2", model.mlp_fc2}});
  }
//@ 15
  std::printf("\n--- inference (new, hallucinated names) ---\n");
  for (int i = 1; i <= 20; i++) std::printf("sample %2d: %s\n", i, new_name(model, 0.5).c_str());
//@ 0
}
