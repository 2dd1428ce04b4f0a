#include "train/ngram.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/counter_random.h"

namespace microgpt {
namespace {

/// Calls visit(n, context, next) for contexts of n = 0, 1, ... tokens before tokens[i], given as hashes of the context
/// and of the context with tokens[i], until it returns false.
template <class Visit>
void each_context(std::span<const Token> tokens, std::size_t i, std::size_t order, Visit visit) {
  std::uint64_t context = 0;
  for (std::size_t n = 0; n < order && n <= i; n++) {
    if (n > 0) context = counter_bits(context, tokens[i - n]);
    if (!visit(n, context, counter_bits(~context, tokens[i]))) return;
  }
}

}  // namespace

void Ngram::count(std::span<const Token> tokens) {
  for (std::size_t i = 1; i < tokens.size(); i++) {
    each_context(tokens, i, longest_order, [&](std::size_t n, std::uint64_t context, std::uint64_t next) {
      seen_[n].context[context]++;
      seen_[n].next[next]++;
      return true;
    });
  }
}

double Ngram::operator()(std::span<const Token> tokens, std::size_t i) const {
  double p = 1.0 / static_cast<double>(vocab_size_);
  each_context(tokens, i, order, [&](std::size_t n, std::uint64_t context, std::uint64_t next) {
    const auto total = seen_[n].context.find(context);
    if (total == seen_[n].context.end()) return false;  // never seen, so a longer one was not, either
    const auto seen = seen_[n].next.find(next);
    p = ((seen == seen_[n].next.end() ? 0 : seen->second) + trust * p) / (total->second + trust);
    return true;
  });
  return p;
}

double counted_loss(const std::function<double(std::span<const Token> tokens, std::size_t i)>& probability,
                    std::span<const Document> documents, const Tokenizer& tokenizer) {
  double total = 0;
  std::size_t predictions = 0;
  for (const Document& document : documents) {
    const std::vector<Token> tokens = tokenizer.encode_document(document);
    for (std::size_t i = 1; i < tokens.size(); i++) total -= std::log(probability(tokens, i));
    predictions += tokens.size() - 1;
  }
  return total / static_cast<double>(predictions);
}

Ngram best_ngram(std::span<const Document> documents, const Tokenizer& tokenizer) {
  documents = documents.first(std::min<std::size_t>(documents.size(), 200'000));  // some 100 MB of counts
  std::vector<Document> sorted(documents.begin(), documents.end());               // so their order does not matter
  std::sort(sorted.begin(), sorted.end());
  Ngram ngram(tokenizer.vocab_size());
  std::vector<Document> validation;
  for (std::size_t i = 0; i < sorted.size(); i++) {
    if (i % 10 == 9) {
      validation.push_back(sorted[i]);
    } else {
      ngram.count(tokenizer.encode_document(sorted[i]));
    }
  }
  double lowest = std::numeric_limits<double>::infinity();
  std::size_t best_order = ngram.order;
  double best_trust = ngram.trust;
  for (ngram.order = 1; !validation.empty() && ngram.order <= Ngram::longest_order; ngram.order++) {
    for (const double trust : {0.3, 1.0, 3.0, 10.0, 30.0}) {
      ngram.trust = trust;
      const double loss = counted_loss(std::cref(ngram), validation, tokenizer);
      if (loss >= lowest) continue;
      lowest = loss;
      best_order = ngram.order;
      best_trust = trust;
    }
  }
  for (const Document& document : validation) ngram.count(tokenizer.encode_document(document));
  ngram.order = best_order;
  ngram.trust = best_trust;
  return ngram;
}

}  // namespace microgpt
