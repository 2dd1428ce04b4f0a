// Runs a trained model over some documents, as it is or with some heads silenced, to find out what its heads do.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "base/config.h"
#include "base/dataset.h"
#include "base/parameters.h"
#include "base/tokenizer.h"
#include "tensor/gpt.h"
#include "tensor/kernels.h"

namespace microgpt {

/// A head of a model; both numbers count from 0.
struct HeadId {
  std::size_t layer;
  std::size_t head;

  auto operator<=>(const HeadId&) const = default;
};

/// All heads, layer by layer.
std::vector<HeadId> all_heads(const Config& config);

/// What stands in for a head's output: the same D numbers at every position.
struct HeadOutput {
  HeadId id;
  std::vector<double> output;
};

/// Zeros in place of each of these heads. That is the same as zeros in their columns of attn_wo.
std::vector<HeadOutput> silenced(std::span<const HeadId> heads, const Config& config);

void clear_columns(const Parameter& matrix, std::size_t first, std::size_t n);

/// Writes zeros to the columns of attn_wo that belong to these heads.
void silence(Parameters& parameters, std::span<const HeadId> heads, const Config& config);

/// A document as tokens, BOS ... BOS, and which of its predictions count for accuracy.
struct ProbeDocument {
  std::vector<Token> tokens;
  std::size_t first;  // the first prediction that counts
  std::size_t end;    // and the one after the last
};

/// All predictions within the block count. If the model knows the character '=', it was trained on a task (base/task.h)
/// and only letters after the first '=' count, since nothing tells what comes before. Then throws Error for a document
/// in which no letter within the block follows a '='. For an unknown character throws UsageError.
ProbeDocument probe_document(const Document& document, const Tokenizer& tokenizer, std::size_t block_size);

/// How well the documents are predicted, by document.
struct Scores {
  std::vector<double> losses;      // mean over all predictions within the block, in nats
  std::vector<double> accuracies;  // the share of those that count whose likeliest token came
};

/// Attention of a layer on a document of n positions.
struct LayerAttention {
  AttentionCall<double> call;
  View<const double> x_attn;  // (n,H*D) the outputs of the heads, side by side
};

/// Whatever it runs throws Error if a loss is not finite.
class Probe {
 public:
  /// Copies what it needs. There must be a document.
  Probe(const Config& config, const Parameters& parameters, std::vector<ProbeDocument> documents,
        std::size_t threads = 1);

  /// Measures a model with these weights from now on.
  void use(const Parameters& parameters) { model_ = TensorModel<double>(model_.config, parameters, model_.length); }

  const Config& config() const { return model_.config; }
  std::span<const ProbeDocument> documents() const { return documents_; }

  /// The scores of the model in which these outputs replace those of their heads.
  Scores scores(std::span<const HeadOutput> replaced = {});

  /// The mean output of every head, over all predicting positions of all documents; in the order of all_heads().
  std::vector<HeadOutput> mean_outputs();

  /// Calls visit(document, layer, attention) for every document and layer.
  template <class Visit>
  void each_attention(Visit visit);

  /// Calls visit(document, layer, weights) for every document and layer. weights is (H*n,n): row h * n + t says how
  /// much head h attends from position t to each other one.
  template <class Visit>
  void each_weights(Visit visit);

  /// Whether the head's columns of attn_wo are zeros, as in a model from which it was taken out.
  bool is_removed(HeadId id) const;

  bool allows(std::size_t layer, std::size_t t, std::size_t s) const { return model_.mask(layer).allows(t, s); }

 private:
  void run(const Batch& batch, std::span<const HeadOutput> replaced = {});
  LayerAttention attention(std::size_t layer, Share rows) const;

  TensorModel<double> model_;
  std::vector<ProbeDocument> documents_;
  std::size_t threads_;
  std::vector<Batch> batches_;  // all documents, in order
  Activations<double> activations_;
};

template <class Visit>
void Probe::each_attention(Visit visit) {
  std::size_t document = 0;
  for (const Batch& batch : batches_) {
    run(batch);
    for (std::size_t i = 0; i < batch.num_documents(); i++, document++) {
      for (std::size_t layer = 0; layer < model_.layers.size(); layer++) {
        visit(document, layer, attention(layer, batch.document(i)));
      }
    }
  }
}

template <class Visit>
void Probe::each_weights(Visit visit) {
  each_attention([&](std::size_t document, std::size_t layer, const LayerAttention& attention) {
    const Tensor<double> weights = attention_weights(attention.call);
    visit(document, layer, weights.view());
  });
}

}  // namespace microgpt
