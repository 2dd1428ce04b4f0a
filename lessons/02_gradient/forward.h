// The network of lesson 02 in plain numbers, forward only: one token in, the probabilities of the next token out.
// Its gradient is the lesson: main.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/parameters.h"
#include "base/python_random.h"
#include "base/tokenizer.h"
#include "lesson/softmax.h"

namespace microgpt {

using Numbers = std::vector<double>;

/// y = w x: each output is a sum over the inputs, each times a weight of its own. w is (n_out, n_in).
inline Numbers linear(const Parameter& w, std::span<const double> x) {
  Numbers y;
  for (std::size_t i = 0; i < w.rows; i++) {
    const double* const w_i = w.row(i).data();
    double total = 0;
    for (std::size_t j = 0; j < w.cols; j++) total += w_i[j] * x[j];
    y.push_back(total);
  }
  return y;
}

/// Each number where it is positive, else 0.
inline Numbers relu(Numbers x) {
  for (double& x_i : x) x_i = std::max(0.0, x_i);
  return x;
}

/// A prediction, with what was computed on the way: the backward pass needs it again.
struct Forward {
  std::span<const double> x;  // the token's embedding, its row of wte, (C)
  Numbers h_pre;              // the hidden layer, mlp_fc1 x, (4C)
  Numbers h;                  // the same after ReLU, (4C)
  Numbers probs;              // softmax(mlp_fc2 h): of each next token, (V)
};

inline Forward forward(const Parameters& parameters, Token token) {
  Forward f;
  f.x = parameters["wte"].row(token);
  f.h_pre = linear(parameters["mlp_fc1"], f.x);
  f.h = relu(f.h_pre);
  f.probs = softmax(linear(parameters["mlp_fc2"], f.h));
  return f;
}

/// The mean over a document of -log p(next token). `tokens` is BOS, document, BOS.
inline double document_loss(const Parameters& parameters, std::span<const Token> tokens) {
  const std::size_t n = tokens.size() - 1;
  double total = 0;
  for (std::size_t i = 0; i < n; i++) total += -std::log(forward(parameters, tokens[i]).probs[tokens[i + 1]]);
  return 1.0 / static_cast<double>(n) * total;
}

/// A new name, as in lesson 01: begin at BOS, draw the next token with its probability, until BOS comes.
inline std::string draw_name(const Parameters& parameters, const Tokenizer& tokenizer, PythonRandom& random) {
  std::vector<Token> name;
  Token token = tokenizer.bos();
  while (name.size() < 16) {
    token = random.choice(forward(parameters, token).probs);
    if (token == tokenizer.bos()) break;
    name.push_back(token);
  }
  return tokenizer.decode(name);
}

}  // namespace microgpt
