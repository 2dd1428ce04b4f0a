#include "train/ngram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/counter_random.h"
#include "train/evaluation.h"

namespace microgpt {

Ngram::Ngram(std::span<const Document> documents, const Tokenizer& tokenizer) : Ngram(tokenizer.vocab_size()) {
  for (const Document& document : documents.first(std::min(documents.size(), most_counted))) {
    count(tokenizer.encode_document(document));
  }
}

void Ngram::count(std::span<const Token> tokens) {
  for (std::size_t i = 1; i < tokens.size(); i++) {
    std::uint64_t context = 0;
    Seen* shorter = nullptr;
    for (std::size_t n = 0; n < order && n <= i; n++) {
      if (n > 0) context = counter_bits(context, tokens[i - n]);
      Seen& seen = seen_[n][context];
      seen.total.times++;
      if (seen.next[tokens[i]].times++ == 0 && shorter) {
        shorter->total.behind++;
        shorter->next[tokens[i]].behind++;
      }
      shorter = &seen;
    }
  }
}

template <class Visit>
void Ngram::each_context(std::span<const Token> tokens, Visit visit) const {
  std::uint64_t context = 0;
  for (std::size_t n = 0; n < order && n <= tokens.size(); n++) {
    if (n > 0) context = counter_bits(context, tokens[tokens.size() - n]);
    const auto seen = seen_[n].find(context);
    if (seen == seen_[n].end()) return;  // so nothing is known of a longer one, either
    visit(seen->second);
  }
}

double Ngram::operator()(std::span<const Token> tokens, std::size_t i) const {
  constexpr double discount = 0.85;  // of every count, for what was not seen; found with 24 lists of 13 to 74,744 names
  double p = 1.0 / static_cast<double>(vocab_size_);
  each_context(tokens.first(i), [&](const Seen& seen) {
    const auto found = seen.next.find(tokens[i]);
    const Count next = found == seen.next.end() ? Count{} : found->second;
    const auto [n, total] =
        seen.total.behind > 0 ? std::pair(next.behind, seen.total.behind) : std::pair(next.times, seen.total.times);
    p = (std::max(n - discount, 0.0) + discount * static_cast<double>(seen.next.size()) * p) / total;
  });
  return p;
}

std::vector<double> Ngram::next(std::span<const Token> tokens) const {
  std::vector<double> p(vocab_size_, 1.0 / static_cast<double>(vocab_size_));
  each_context(tokens, [&, n = -1](const Seen& seen) mutable {
    if (++n > 3 && seen.total.times < 10) return;
    const double little = n > 1 ? 0.05 : 0;  // no two tokens that never stood together
    for (double& x : p) x *= little / (seen.total.times + little);
    for (const auto& [token, count] : seen.next) p[token] += count.times / (seen.total.times + little);
  });
  return p;
}

std::vector<double> counted_losses(
    const std::function<double(std::span<const Token> tokens, std::size_t i)>& probability,
    std::span<const Document> documents, const Tokenizer& tokenizer, std::size_t most) {
  std::vector<double> losses;
  for (const Document& document : documents) {
    const std::vector<Token> tokens = tokenizer.encode_document(document);
    for (std::size_t i = 1; i < tokens.size() && i <= most; i++) losses.push_back(-std::log(probability(tokens, i)));
  }
  return losses;
}

template <class T>
void Mixture::mix(std::span<T> logits, std::span<const Token> tokens) const {
  const std::vector<double> counted = counts.next(tokens);
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const T logit : logits) total += std::exp(logit - largest);
  const double of_gpt = tokens.size() > 1 ? share : 0;
  for (std::size_t i = 0; i < logits.size(); i++) {
    logits[i] = static_cast<T>(std::log(mixed(of_gpt, std::exp(logits[i] - largest) / total, counted[i])));
  }
}

template void Mixture::mix(std::span<float>, std::span<const Token>) const;
template void Mixture::mix(std::span<double>, std::span<const Token>) const;

std::vector<double> mixed_losses(double share, std::span<const double> gpt, std::span<const double> counts) {
  std::vector<double> losses(gpt.size());
  std::transform(gpt.begin(), gpt.end(), counts.begin(), losses.begin(),
                 [&](double a, double b) { return -std::log(mixed(share, std::exp(-a), std::exp(-b))); });
  return losses;
}

double best_share(std::span<const double> gpt, std::span<const double> counts) {
  std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};  // loss, share
  for (int i = 0; i <= 20; i++) {
    const double share = i / 20.0;
    best = std::min(best, {estimate(mixed_losses(share, gpt, counts)).mean, share});
  }
  return best.second;
}

}  // namespace microgpt
