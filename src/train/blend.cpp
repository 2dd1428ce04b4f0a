#include "train/blend.h"

#include <algorithm>
#include <cmath>

#include "train/sampling.h"

namespace microgpt {

template <class T>
Blend<T>::Blend(TensorModel<T>& model, const Tokenizer& tokenizer, const Checkpoint& other, double weight,
                std::size_t N)
    : Decoder<T>(model, fast<T>(), true, N),
      other_model_(other.config, other.parameters, model.length),
      other_(other_model_, fast<T>(), true, N),
      weight_(weight),
      read_(N),
      is_silent_(N) {
  const std::u32string& known = other.tokenizer.characters();
  for (const char32_t c : tokenizer.characters()) theirs_.push_back(std::min(known.find(c), known.size() + 1));
  theirs_.push_back(other.tokenizer.bos());
}

template <class T>
void Blend<T>::reset(std::size_t i) {
  Decoder<T>::reset(i);
  other_.reset(i);
  read_[i] = 0;
  is_silent_[i] = false;
}

template <class T>
View<T> Blend<T>::next(std::span<const Token> tokens) {
  const std::size_t unknown = other_model_.config.vocab_size;
  std::vector<Token> heard;
  for (std::size_t i = 0; i < tokens.size(); i++) {
    const Token token = theirs_[tokens[i]];
    if (token == unknown || read_[i]++ == other_.length()) is_silent_[i] = true;
    if (is_silent_[i]) other_.reset(i);
    heard.push_back(is_silent_[i] ? unknown - 1 : token);  // when silent it hears BOS, and nobody listens to it
  }
  const View<T> logits = Decoder<T>::next(tokens), others = other_.next(heard);
  for (std::size_t i = 0; i < tokens.size(); i++) {
    if (is_silent_[i]) continue;
    const std::vector<double> p = probabilities(logits.slice_rows(i, 1)), q = probabilities(others.slice_rows(i, 1));
    for (Token token = 0; token < p.size(); token++) {
      const double theirs = theirs_[token] == unknown ? 0 : q[theirs_[token]];
      logits.row(i)[token] = static_cast<T>(std::log((1 - weight_) * p[token] + weight_ * theirs));
    }
  }
  return logits;
}

template class Blend<float>;
template class Blend<double>;

}  // namespace microgpt
