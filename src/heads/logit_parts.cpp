#include "heads/logit_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "heads/probe.h"
#include "tensor/gpt.h"
#include "train/held_out.h"

namespace microgpt {
namespace {

/// What writes to the residual stream: these columns of a matrix, times as many numbers.
struct Writer {
  std::string name, matrix;
  std::size_t first, n;  // columns
  const double* input;   // (n) at position t
};

std::vector<Writer> writers_of(const Config& config, const Activations<double>& a, std::size_t t) {
  const std::size_t C = config.n_embd, D = config.head_dim();
  std::vector<Writer> writers;
  for (std::size_t li = 0; li < config.n_layer; li++) {
    const std::string number = std::to_string(li);
    for (std::size_t h = 0; h < config.n_head; h++) {
      const double* const head_out = a.layers[li].attention.x_attn.view().row(t) + h * D;
      writers.push_back(
          {"layer " + number + ", head " + std::to_string(h), "layer" + number + ".attn_wo", h * D, D, head_out});
    }
    const double* const active = a.layers[li].active.view().row(t);
    writers.push_back({"layer " + number + ", MLP", "layer" + number + ".mlp_fc2", 0, 4 * C, active});
  }
  return writers;
}

/// The forward of the first t + 1 tokens.
Activations<double> read(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                         std::size_t t) {
  std::vector<Token> document(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1);
  document.push_back(tokens[0]);  // the last position needs a target; no logit depends on it
  TensorModel<double> model(config, parameters, t + 1);
  Activations<double> activations = gpt_forward(model, fast<double>(), document);
  require_finite("the loss", activations.losses.view().data[t], model);
  return activations;
}

std::vector<double> logits_at(const Activations<double>& a, std::size_t t) {
  const View<const double> logits = a.logits.view();
  return {logits.row(t), logits.row(t) + logits.cols};
}

/// What these numbers of the residual stream (C) add to each logit.
std::vector<double> through(const Parameter& lm_head, const double* stream) {
  std::vector<double> logits;
  for (std::size_t i = 0; i < lm_head.rows; i++) {
    const std::span<const double> row = lm_head.row(i);
    logits.push_back(std::inner_product(row.begin(), row.end(), stream, 0.0));
  }
  return logits;
}

std::vector<double> written(const Parameter& matrix, const Writer& writer) {
  std::vector<double> stream;
  for (std::size_t i = 0; i < matrix.rows; i++) {
    stream.push_back(std::inner_product(writer.input, writer.input + writer.n, &matrix.row(i)[writer.first], 0.0));
  }
  return stream;
}

}  // namespace

LogitParts logit_parts(const Config& config, const Parameters& parameters, std::span<const Token> tokens,
                       std::size_t t) {
  if (t >= tokens.size()) throw std::out_of_range("logit_parts: no such position");
  const Activations<double> a = read(config, parameters, tokens, t);
  const Parameter& lm_head = parameters["lm_head"];
  auto without = [&](auto clear) {
    Parameters changed(gpt_shapes(config));
    std::copy(parameters.data().begin(), parameters.data().end(), changed.data().begin());
    clear(changed);
    return logits_at(read(config, changed, tokens, t), t);
  };
  LogitParts found{logits_at(a, t), {}};
  const char* const name = config.rope ? "letter" : "letter and position";
  found.parts.push_back({name, through(lm_head, a.x.view().row(t)), without([&](Parameters& p) {
                           clear_columns(p["wte"], 0, config.n_embd);
                           if (!config.rope) clear_columns(p["wpe"], 0, config.n_embd);
                         })});
  for (const Writer& writer : writers_of(config, a, t)) {
    const std::vector<double> stream = written(parameters[writer.matrix], writer);
    found.parts.push_back({writer.name, through(lm_head, stream.data()),
                           without([&](Parameters& p) { clear_columns(p[writer.matrix], writer.first, writer.n); })});
  }
  return found;
}

double loss_of(std::span<const double> logits, Token token) {
  double total = 0;  // of exp(logit - this one's)
  const double max = *std::max_element(logits.begin(), logits.end());
  for (const double logit : logits) total += std::exp(logit - max);
  return max - logits[token] + std::log(total);
}

}  // namespace microgpt
