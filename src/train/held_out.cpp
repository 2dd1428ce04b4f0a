#include "train/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/bigram.h"
#include "base/error.h"
#include "base/python_random.h"
#include "tensor/decoder.h"
#include "train/evaluation.h"
#include "train/ngram.h"
#include "train/sampling.h"

namespace microgpt {

template <class T>
std::vector<double> token_losses(TensorModel<T>& model, std::span<const Document> documents, const Tokenizer& tokenizer,
                                 std::size_t threads) {
  constexpr std::size_t max_scores = 8'000'000;  // of a batch: a row of the alphabet for every position
  const std::size_t length = std::min(model.config.block_size, longest(documents) + 1);
  const std::size_t batch_size = std::clamp<std::size_t>(max_scores / model.config.vocab_size / length, 1, 256);
  Batch batch(model.config.block_size);
  Activations<T> activations;
  std::vector<double> all;
  for (std::size_t first = 0; first < documents.size(); first += batch_size) {
    batch.clear();
    for (const Document& document : documents.subspan(first, std::min(batch_size, documents.size() - first))) {
      batch.add(tokenizer.encode_document(document));
    }
    activations.resize(model, batch.num_positions());
    parallel(threads,
             [&](std::size_t i) { gpt_forward(model, fast<T>(), batch, batch.documents(i, threads), activations); });
    const T* const losses = activations.losses.view().data;
    all.insert(all.end(), losses, losses + batch.num_positions());
  }
  return all;
}

template <class T>
double token_loss(TensorModel<T>& model, std::span<const Document> documents, const Tokenizer& tokenizer,
                  std::size_t threads) {
  return estimate(token_losses(model, documents, tokenizer, threads)).mean;
}

double bigram_token_loss(const Split& split, const Tokenizer& tokenizer) {
  Bigram bigram(tokenizer.vocab_size());
  for (const Document& document : split.training) bigram.count(tokenizer.encode_document(document));
  auto probability = [&](std::span<const Token> tokens, std::size_t i) {
    return bigram.probability(tokens[i - 1], tokens[i]);
  };
  return estimate(counted_losses(probability, split.held_out, tokenizer)).mean;
}

void require_finite(const char* name, double loss) {
  if (std::isfinite(loss)) return;
  throw Error(fmt::format("{} is {}: numbers of the model are too large", name, std::isnan(loss) ? "nan" : "inf"));
}

template <class T>
Quality evaluate(TensorModel<T>& model, const Split& split, const Tokenizer& tokenizer, double temperature,
                 PythonRandom& random, std::size_t threads, const Mixture* mixture) {
  constexpr std::size_t most_names = 1000;
  constexpr std::size_t most_scores = 200'000'000;  // of tokens to draw from: one or two seconds
  constexpr std::size_t num_shown = 20;
  Quality quality;
  const std::vector<double> losses = token_losses(model, split.held_out, tokenizer, threads);
  quality.loss = quality.gpt_loss = estimate(losses).mean;
  quality.predictions = losses.size();
  require_finite("the held-out loss", quality.loss);
  if (mixture) {
    const auto counted = counted_losses(std::cref(mixture->counts), split.held_out, tokenizer, model.config.block_size);
    quality.loss = estimate(mixed_losses(mixture->share, losses, counted)).mean;
  }
  quality.bigram_loss = bigram_token_loss(split, tokenizer);
  const Ngram ngram(split.training, tokenizer);
  quality.ngram_loss = estimate(counted_losses(std::cref(ngram), split.held_out, tokenizer)).mean;
  Decoder<T> decoder(model);
  std::vector<std::vector<Token>> names;
  std::size_t scores = 0;
  while (names.size() < most_names && (names.size() < num_shown || scores < most_scores)) {
    names.push_back(sample(decoder, temperature, random, {}, mixture));
    scores += (names.back().size() + 1) * tokenizer.vocab_size();
  }
  const std::size_t listed =
      count_listed(names, split.training, tokenizer) + count_listed(names, split.held_out, tokenizer);
  quality.generated = names.size();
  quality.new_share = 1 - static_cast<double>(listed) / static_cast<double>(names.size());
  for (std::size_t i = 0; i < num_shown; i++) quality.names.push_back(tokenizer.decode(names[i]));
  return quality;
}

template std::vector<double> token_losses(TensorModel<float>&, std::span<const Document>, const Tokenizer&,
                                          std::size_t);
template std::vector<double> token_losses(TensorModel<double>&, std::span<const Document>, const Tokenizer&,
                                          std::size_t);
template double token_loss(TensorModel<float>&, std::span<const Document>, const Tokenizer&, std::size_t);
template double token_loss(TensorModel<double>&, std::span<const Document>, const Tokenizer&, std::size_t);
template Quality evaluate(TensorModel<float>&, const Split&, const Tokenizer&, double, PythonRandom&, std::size_t,
                          const Mixture*);
template Quality evaluate(TensorModel<double>&, const Split&, const Tokenizer&, double, PythonRandom&, std::size_t,
                          const Mixture*);

}  // namespace microgpt
